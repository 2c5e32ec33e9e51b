// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "auto.h"
#include "formats/openapi_internal.h"

static json_t *
text_or_null(openapi_t *self, const char *text)
{
    return json_string(self->arena, text);
}

static json_t *
view_parameter(openapi_t *self, openapi_spot_t parameter)
{
    openapi_spot_t schema = openapi_get(parameter, "schema");
    openapi_spot_t content = openapi_get(parameter, "content");
    json_t *row = json_object(self->arena);

    if (!schema.node && content.node && content.node->first)
        schema = openapi_get((openapi_spot_t){ content.file, content.node->first }, "schema");
    json_t *example = openapi_example(self, parameter);
    json_set_text(self->arena, row, "name", openapi_text(parameter, "name"));
    json_set_text(self->arena, row, "in", openapi_text(parameter, "in"));
    json_set_bool(self->arena, row, "required",
                  json_get_bool(parameter.node, "required", false));
    json_set_text(self->arena, row, "type",
                  openapi_type(self, schema.node ? schema : parameter));
    json_set(self->arena, row, "example", example ? example : json_null(self->arena));
    return row;
}

static json_t *
view_parameters(openapi_t *self, const openapi_operation_t *operation)
{
    size_t count;
    openapi_spot_t *parameters = openapi_parameters(self, operation, &count);
    json_t *list = json_array(self->arena);

    for (size_t i = 0; i < count; i++)
        if (strcmp(openapi_text(parameters[i], "in"), "body") != 0)
            json_add(list, view_parameter(self, parameters[i]));
    return list;
}

static json_t *
view_tags(openapi_t *self, const openapi_operation_t *operation)
{
    const json_t *tags = json_get(operation->spot.node, "tags");
    json_t *list = json_array(self->arena);

    for (const json_t *item = tags ? tags->first : NULL; item; item = item->next)
        if (item->kind == JSON_STRING || item->kind == JSON_NUMBER)
            json_add(list, json_string(self->arena, item->text));
    return list;
}

static json_t *
view_endpoint(openapi_t *self, const openapi_operation_t *operation, const void *arg)
{
    json_t *row = json_object(self->arena);
    openapi_body_t body = openapi_body(self, operation);
    const char *summary = openapi_text(operation->spot, "summary");

    json_set_text(self->arena, row, "method", operation->method);
    json_set_text(self->arena, row, "path", operation->path);
    json_set(self->arena, row, "operationId", text_or_null(self, operation->id));
    json_set_text(self->arena, row, "name", operation->name);
    json_set(self->arena, row, "summary", text_or_null(self, summary));
    json_set(self->arena, row, "tags", view_tags(self, operation));
    json_set(self->arena, row, "parameters", view_parameters(self, operation));
    json_set(self->arena, row, "bodyExample",
             body.value && body.content_type ? body.value : json_null(self->arena));
    json_set(self->arena, row, "contentType", text_or_null(self, body.content_type));
    json_set(self->arena, row, "statuses", openapi_statuses(self, operation));
    json_set(self->arena, row, "security", openapi_security(self, operation));
    json_set_bool(self->arena, row, "deprecated",
                  json_get_bool(operation->spot.node, "deprecated", false));
    return row;
}

json_t *
openapi_view(openapi_t *self, const json_t *globs, int64_t offset, int64_t limit)
{
    json_t *view = json_object(self->arena);
    json_t *endpoints = json_array(self->arena);
    json_t *urls = openapi_base_urls(self);
    int64_t total = 0;

    openapi_list(self);
    for (size_t i = 0; i < self->operation_count; i++) {
        if (!openapi_glob(globs, self->operations[i].method, self->operations[i].path))
            continue;
        if (total >= offset && (int64_t) endpoints->count < limit)
            json_add(endpoints,
                     openapi_scratch(self, &self->operations[i], NULL, view_endpoint));
        total++;
    }
    json_set_text(self->arena, view, "title", openapi_title(self));
    json_set_text(self->arena, view, "version", openapi_version(self));
    json_set_text(self->arena, view, "specVersion", openapi_spec_version(self));
    json_set_text(self->arena, view, "baseUrl", urls->first ? urls->first->text : "");
    json_set(self->arena, view, "baseUrls", urls);
    json_set(self->arena, view, "endpoints", endpoints);
    json_set_int(self->arena, view, "total", total);
    json_set_int(self->arena, view, "returned", (int64_t) endpoints->count);
    json_set(self->arena, view, "securitySchemes", openapi_security_schemes(self));
    json_set(self->arena, view, "warnings", json_copy(self->arena, self->warnings));
    return view;
}
