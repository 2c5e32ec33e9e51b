// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "auto.h"
#include "formats/openapi_internal.h"

#define BOUNDARY "----proofarc-7d1c5f0a9b3e"

typedef enum { AS_JSON, AS_FORM, AS_MULTIPART, AS_TEXT, AS_XML, AS_BYTES } write_as_t;

// clang-format off
// In the order in which we like to send them. A star at the end matches any rest, one in front
// any begin.
static const struct {
    const char *type;
    write_as_t as;
} media[] = {
    { "application/json",                  AS_JSON      },
    { "*+json",                            AS_JSON      },
    { "*/*",                               AS_JSON      },
    { "application/*",                     AS_JSON      },
    { "application/x-www-form-urlencoded", AS_FORM      },
    { "multipart/form-data",               AS_MULTIPART },
    { "multipart/mixed",                   AS_MULTIPART },
    { "text/xml",                          AS_XML       },
    { "application/xml",                   AS_XML       },
    { "*+xml",                             AS_XML       },
    { "text/*",                            AS_TEXT      },
    { "application/x-ndjson",              AS_TEXT      },
    { "application/yaml",                  AS_TEXT      },
    { "application/graphql",               AS_TEXT      },
};
// clang-format on

enum { RANK_BYTES = ROWS(media) };

static bool
matches(const char *pattern, const char *type, size_t length)
{
    size_t size = strlen(pattern);

    if (*pattern == '*' && strcmp(pattern, "*/*") != 0)
        return length >= size - 1
               && !strncasecmp(type + length - (size - 1), pattern + 1, size - 1);
    if (size > 1 && pattern[size - 1] == '*' && strcmp(pattern, "application/*") != 0
        && strcmp(pattern, "*/*") != 0)
        return length >= size - 1 && !strncasecmp(type, pattern, size - 1);
    return size == length && !strncasecmp(type, pattern, size);
}

// Row of the table; RANK_BYTES for what is in none.
static size_t
rank_of(const char *type)
{
    size_t length = strcspn(type, "; ");

    for (size_t i = 0; i < ROWS(media); i++)
        if (matches(media[i].type, type, length))
            return i;
    return RANK_BYTES;
}

static write_as_t
way_of(const char *type)
{
    size_t rank = rank_of(type);

    return rank < ROWS(media) ? media[rank].as : AS_BYTES;
}

// What is really sent for */* and application/*.
static const char *
concrete(const char *type)
{
    return strchr(type, '*') ? "application/json" : type;
}

// An example that is JSON written in a text, beside a schema that wants an object.
static json_t *
unwrapped(openapi_t *self, openapi_spot_t spot, const char *type, json_t *value)
{
    if (!value || value->kind != JSON_STRING || way_of(type) != AS_JSON
        || !strchr("{[", *value->text) || !*value->text)
        return value;
    const char *wanted = openapi_type(self, openapi_get(spot, "schema"));
    json_t *parsed = strcmp(wanted, "object") && strcmp(wanted, "array")
                         ? NULL
                         : json_parse_text(self->arena, value->text);
    return parsed ? parsed : value;
}

static openapi_body_t
request_body(openapi_t *self, const openapi_operation_t *operation)
{
    openapi_spot_t request = openapi_get_resolved(self, operation->spot, "requestBody");
    openapi_spot_t content = openapi_get(request, "content");
    const json_t *best = content.node ? content.node->first : NULL;

    if (!best)
        return (openapi_body_t){ 0 };
    for (const json_t *item = best->next; item; item = item->next)
        if (rank_of(item->key) < rank_of(best->key))
            best = item;
    openapi_spot_t spot = openapi_resolve(self, (openapi_spot_t){ content.file, best });
    json_t *value = openapi_example(self, spot);
    return (openapi_body_t){
        .spot = spot.node ? spot : content,
        .content_type = concrete(best->key),
        .required = json_get_bool(request.node, "required", false),
        .value = unwrapped(self, spot, best->key, value),
        .is_binary = rank_of(best->key) == RANK_BYTES,
    };
}

// The best of what the operation, else the document, consumes.
static const char *
consumed(openapi_t *self, const openapi_operation_t *operation, const char *usual)
{
    const json_t *list = json_get(operation->spot.node, "consumes");
    const char *best = NULL;

    if (!list)
        list = json_get(openapi_root(self).node, "consumes");
    for (const json_t *item = list ? list->first : NULL; item; item = item->next)
        if (item->kind == JSON_STRING && (!best || rank_of(item->text) < rank_of(best)))
            best = item->text;
    return best ? concrete(best) : usual;
}

static bool
is_file(openapi_spot_t parameter)
{
    const char *type = openapi_text(parameter, "type");

    return type && !strcmp(type, "file");
}

// The form of 2.0: parameters that stand in formData.
static openapi_body_t
form_body(openapi_t *self, const openapi_operation_t *operation,
          const openapi_spot_t *parameters, size_t count)
{
    openapi_body_t body = { .value = json_object(self->arena) };
    bool has_file = false;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(openapi_text(parameters[i], "in"), "formData") != 0)
            continue;
        bool required = json_get_bool(parameters[i].node, "required", false);
        has_file = has_file || is_file(parameters[i]);
        body.required = body.required || required;
        body.spot = parameters[i];
        json_t *value = openapi_example(self, parameters[i]);
        if (value)
            json_set(self->arena, body.value, openapi_text(parameters[i], "name"), value);
    }
    const char *type = consumed(self, operation, "application/x-www-form-urlencoded");
    if (body.spot.node)
        body.content_type = has_file || way_of(type) == AS_MULTIPART
                                ? "multipart/form-data"
                                : "application/x-www-form-urlencoded";
    return body;
}

static openapi_body_t
body_of_two(openapi_t *self, const openapi_operation_t *operation)
{
    size_t count;
    openapi_spot_t *parameters = openapi_parameters(self, operation, &count);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(openapi_text(parameters[i], "in"), "body") != 0)
            continue;
        const char *type = consumed(self, operation, "application/json");
        return (openapi_body_t){
            .spot = parameters[i],
            .content_type = type,
            .required = json_get_bool(parameters[i].node, "required", false),
            .value = openapi_example(self, parameters[i]),
            .is_binary = rank_of(type) == RANK_BYTES,
        };
    }
    return form_body(self, operation, parameters, count);
}

openapi_body_t
openapi_body(openapi_t *self, const openapi_operation_t *operation)
{
    return self->kind == OPENAPI_2 ? body_of_two(self, operation)
                                   : request_body(self, operation);
}

static json_t *
step_body(openapi_t *self, const char *kind, const char *member, json_t *value,
          const char *type)
{
    json_t *body = json_object(self->arena);

    json_set_text(self->arena, body, "kind", kind);
    json_set(self->arena, body, member, value);
    if (type)
        json_set_text(self->arena, body, "contentType", type);
    return body;
}

// A scalar at the top goes out as the JSON text it is: a text in a scenario means raw text.
static json_t *
json_step(openapi_t *self, const openapi_body_t *body)
{
    const char *type =
        strcmp(body->content_type, "application/json") ? body->content_type : NULL;

    if (body->value->kind != JSON_STRING && body->value->kind != JSON_NULL)
        return step_body(self, "json", "json", body->value, type);
    return step_body(self, "text", "text",
                     json_string(self->arena, json_text(self->arena, body->value)),
                     body->content_type);
}

static void
set_field(openapi_t *self, json_t *form, const char *name, const json_t *value)
{
    json_t *list;

    if (value->kind != JSON_ARRAY) {
        json_set_text(self->arena, form, name, openapi_scalar(self->arena, value));
        return;
    }
    list = json_array(self->arena);
    for (const json_t *item = value->first; item; item = item->next)
        json_add(list, json_string(self->arena, openapi_scalar(self->arena, item)));
    if (list->first)
        json_set(self->arena, form, name, list);
}

// deepObject writes name[key]; else a member that is an object is sent as JSON.
static json_t *
form_step(openapi_t *self, const openapi_body_t *body)
{
    openapi_spot_t encoding = openapi_get(body->spot, "encoding");
    json_t *form = json_object(self->arena);

    for (const json_t *member = body->value->first; member; member = member->next) {
        const char *style =
            openapi_text(openapi_get(encoding, member->key ? member->key : ""), "style");
        bool deep = member->kind == JSON_OBJECT && style && !strcmp(style, "deepObject");
        if (!member->key)
            continue;
        for (const json_t *inner = deep ? member->first : NULL; inner; inner = inner->next)
            set_field(self, form, arena_printf(self->arena, "%s[%s]", member->key, inner->key),
                      inner);
        if (!deep)
            set_field(self, form, member->key, member);
    }
    return step_body(self, "form", "json", form, NULL);
}

// The media type of a file, or NULL when the part is none.
static const char *
file_type(openapi_t *self, openapi_spot_t schema)
{
    openapi_spot_t spot = openapi_resolve(self, schema);
    const char *format = openapi_text(spot, "format");
    const char *media_type = openapi_text(spot, "contentMediaType");
    const char *coding = openapi_text(spot, "contentEncoding");
    openapi_spot_t items = openapi_get(spot, "items");

    if (media_type)
        return media_type;
    if ((format && !strcmp(format, "binary")) || (coding && !strcmp(coding, "binary"))
        || is_file(spot))
        return "application/octet-stream";
    return items.node ? file_type(self, items) : NULL;
}

static openapi_spot_t
part_schema(openapi_t *self, const openapi_body_t *body, const char *name)
{
    if (self->kind != OPENAPI_2)
        return openapi_get(
            openapi_get(openapi_get_resolved(self, body->spot, "schema"), "properties"), name);
    const char *own = openapi_text(body->spot, "name");
    return own && !strcmp(own, name) ? body->spot : (openapi_spot_t){ body->spot.file, NULL };
}

static const char *
quoted_name(arena_t *arena, const char *name)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    for (; *name; name++) {
        if (*name == '"' || *name == '\r' || *name == '\n')
            buffer_printf(&out, "%%%02X", (unsigned char) *name);
        else
            buffer_char(&out, *name);
    }
    return arena_strndup(arena, out.bytes ? out.bytes : "", out.size);
}

static void
add_part(openapi_t *self, const openapi_body_t *body, buffer_t *out, const char *name,
         const json_t *value)
{
    const char *file = file_type(self, part_schema(self, body, name));
    const char *given =
        openapi_text(openapi_get(openapi_get(body->spot, "encoding"), name), "contentType");
    bool structured = value->kind == JSON_OBJECT || value->kind == JSON_ARRAY;
    const char *type = given        ? arena_strndup(self->arena, given, strcspn(given, ","))
                       : file       ? file
                       : structured ? "application/json"
                                    : NULL;

    buffer_printf(out, "--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"%s\"",
                  quoted_name(self->arena, name));
    if (file)
        buffer_printf(out, "; filename=\"%s.bin\"", quoted_name(self->arena, name));
    if (type)
        buffer_printf(out, "\r\nContent-Type: %s", type);
    buffer_printf(out, "\r\n\r\n%s\r\n", openapi_scalar(self->arena, value));
}

static json_t *
multipart_step(openapi_t *self, const openapi_body_t *body)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    const char *type =
        arena_strndup(self->arena, body->content_type, strcspn(body->content_type, ";"));

    for (const json_t *member = body->value->first; member; member = member->next) {
        const json_t *item = member->kind == JSON_ARRAY ? member->first : member;
        for (; item; item = member->kind == JSON_ARRAY ? item->next : NULL)
            add_part(self, body, &out, member->key, item);
    }
    buffer_text(&out, "--" BOUNDARY "--\r\n");
    return step_body(self, "text", "text", json_string(self->arena, out.bytes),
                     arena_printf(self->arena, "%s; boundary=" BOUNDARY, type));
}

static void
add_escaped(buffer_t *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<' || *text == '&')
            buffer_text(out, *text == '<' ? "&lt;" : "&amp;");
        else
            buffer_char(out, *text);
    }
}

static void
add_element(openapi_t *self, buffer_t *out, const char *name, const json_t *value)
{
    const json_t *item = value->kind == JSON_ARRAY ? value->first : value;

    for (; item; item = value->kind == JSON_ARRAY ? item->next : NULL) {
        buffer_printf(out, "<%s>", name);
        for (const json_t *member = item->kind == JSON_OBJECT ? item->first : NULL; member;
             member = member->next)
            add_element(self, out, member->key, member);
        if (item->kind != JSON_OBJECT)
            add_escaped(out, openapi_scalar(self->arena, item));
        buffer_printf(out, "</%s>", name);
    }
}

static json_t *
xml_step(openapi_t *self, const openapi_body_t *body)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    openapi_spot_t schema = openapi_get(body->spot, "schema");
    const char *reference = json_get_text(schema.node, "$ref");
    const char *slash = reference ? strrchr(reference, '/') : NULL;
    const char *given = openapi_text(openapi_get(openapi_resolve(self, schema), "xml"), "name");

    if (body->value->kind == JSON_STRING)
        return step_body(self, "text", "text", body->value, body->content_type);
    add_element(self, &out, given ? given : slash ? slash + 1 : "root", body->value);
    return step_body(self, "text", "text", json_string(self->arena, out.bytes),
                     body->content_type);
}

json_t *
openapi_body_step(openapi_t *self, const openapi_body_t *body)
{
    bool is_object = body->value && body->value->kind == JSON_OBJECT;

    if (!body->value) {
        openapi_warn(self, body->spot,
                     "no example of the body can be made; write one into the scenario");
        return NULL;
    }
    if (body->is_binary)
        openapi_warn(self, body->spot,
                     "%.100s stands for bytes; the scenario sends a text in their place",
                     body->content_type);
    switch (way_of(body->content_type)) {
    case AS_JSON:
        return json_step(self, body);
    case AS_FORM:
        if (is_object)
            return form_step(self, body);
        break;
    case AS_MULTIPART:
        if (is_object)
            return multipart_step(self, body);
        break;
    case AS_XML:
        return xml_step(self, body);
    case AS_TEXT:
    case AS_BYTES:
        break;
    }
    return step_body(self, "text", "text",
                     json_string(self->arena, openapi_scalar(self->arena, body->value)),
                     body->content_type);
}
