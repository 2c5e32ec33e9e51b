// SPDX-License-Identifier: Apache-2.0
#include "rest.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "auto.h"
#include "http.h"
#include "schema.h"

// Where the pieces of a request come from, and what has been used up by the path.
typedef struct {
    arena_t *arena;
    const tool_t *tool;
    const json_t *arguments;
    const json_t *resolved;
    bool is_used[TOOL_PARAMS_MAX];
} mapping_t;

const char *
rest_camel(arena_t *arena, const char *name)
{
    char *camel = arena_strdup(arena, name);
    char *end = camel;

    for (const char *c = name; *c; c++) {
        bool joins = *c == '_' && c[1];
        if (joins)
            c++;
        *end++ = joins ? (char) toupper((unsigned char) *c) : *c;
    }
    *end = 0;
    return camel;
}

static const char *
split_method(arena_t *arena, const char *line, const char **rest_p)
{
    const char *space = strchr(line, ' ');

    assert(space);
    *rest_p = space + 1;
    return arena_strndup(arena, line, (size_t) (space - line));
}

// "." and ".." would be taken as steps within the path.
static status_t
add_segment(arena_t *arena, buffer_t *path, const char *name, const char *value, failure_t *why)
{
    if (!*value || !strcmp(value, ".") || !strcmp(value, ".."))
        return fail(why, BAD_ARGS, "%s: \"%s\" cannot be looked up", name, value);
    buffer_text(path, http_escape(arena, value));
    return OK;
}

static size_t
find_param(const tool_t *tool, const char *name)
{
    size_t index = 0;

    while (tool->params[index].name && strcmp(tool->params[index].name, name))
        index++;
    assert(tool->params[index].name);  // offer_check() has seen to it
    return index;
}

static const char *
plain_text(arena_t *arena, const json_t *value)
{
    return value->kind == JSON_STRING ? value->text : json_text(arena, value);
}

static status_t
fill_placeholder(mapping_t *self, const char *name, buffer_t *path, failure_t *why)
{
    const size_t index = find_param(self->tool, name);
    const bool is_reference = KIND_IS_REFERENCE(self->tool->params[index].kind);
    const json_t *value = is_reference ? json_get(json_get(self->resolved, name), "id")
                                       : json_get(self->arguments, name);

    if (!value)
        return fail(why, BAD_ARGS, "%s is missing", name);
    self->is_used[index] = true;
    return add_segment(self->arena, path, name, plain_text(self->arena, value), why);
}

static status_t
map_path(mapping_t *self, const char *line, buffer_t *path, failure_t *why)
{
    while (*line) {
        size_t plain = strcspn(line, "{");
        buffer_add(path, line, plain);
        line += plain;
        if (!*line)
            break;
        size_t length = strcspn(line, "}");
        const char *name = arena_strndup(self->arena, line + 1, length - 1);
        if (fill_placeholder(self, name, path, why))
            return why->status;
        line += length + 1;
    }
    return OK;
}

// The name and value that a parameter has at the platform; NULL if it was not given.
static const json_t *
map_param(const mapping_t *self, const field_t *param, const char **name_p)
{
    if (KIND_IS_REFERENCE(param->kind)) {
        *name_p =
            rest_camel(self->arena, arena_printf(self->arena, "%s_id", kind_name(param->kind)));
        return json_get(json_get(self->resolved, param->name), "id");
    }
    *name_p = rest_camel(self->arena, param->name);
    return json_get(self->arguments, param->name);
}

static void
add_query_value(arena_t *arena, buffer_t *query, const json_t *value)
{
    if (value->kind != JSON_ARRAY) {
        buffer_text(query, http_escape(arena, plain_text(arena, value)));
        return;
    }
    for (const json_t *item = value->first; item; item = item->next) {
        buffer_text(query, item == value->first ? "" : ",");
        buffer_text(query, http_escape(arena, plain_text(arena, item)));
    }
}

static void
map_query(const mapping_t *self, buffer_t *path)
{
    char separator = strchr(path->bytes, '?') ? '&' : '?';

    for (size_t i = 0; self->tool->params[i].name; i++) {
        const char *name;
        const json_t *value = map_param(self, &self->tool->params[i], &name);
        if (self->is_used[i] || !value)
            continue;
        buffer_printf(path, "%c%s=", separator, name);
        add_query_value(self->arena, path, value);
        separator = '&';
    }
}

static const json_t *
map_body(const mapping_t *self)
{
    json_t *body = json_object(self->arena);

    for (size_t i = 0; self->tool->params[i].name; i++) {
        const char *name;
        const json_t *value = map_param(self, &self->tool->params[i], &name);
        if (!self->is_used[i] && value)
            json_set(self->arena, body, name, json_copy(self->arena, value));
    }
    return body;
}

status_t
rest_map(arena_t *arena, const tool_t *tool, const json_t *arguments, const json_t *resolved,
         rest_request_t *request, failure_t *why)
{
    AUTO(buffer_clear) buffer_t path = { 0 };
    mapping_t mapping = {
        .arena = arena,
        .tool = tool,
        .arguments = arguments,
        .resolved = resolved,
    };
    const char *line;
    const char *method = split_method(arena, tool->rest, &line);
    const bool is_get = !strcmp(method, "GET");

    if (map_path(&mapping, line, &path, why))
        return why->status;
    if (is_get)
        map_query(&mapping, &path);
    *request = (rest_request_t){
        .method = method,
        .path = arena_strdup(arena, path.bytes),
        .body = is_get ? NULL : map_body(&mapping),
    };
    return OK;
}

status_t
rest_map_template(arena_t *arena, const template_t *template, const char *value,
                  rest_request_t *request, failure_t *why)
{
    AUTO(buffer_clear) buffer_t path = { 0 };
    const char *line;
    const char *method = split_method(arena, template->rest, &line);
    const size_t before = strcspn(line, "{");
    const char *after = strchr(line, '}');

    assert(after);
    buffer_add(&path, line, before);
    if (add_segment(arena, &path, template->name, value, why))
        return why->status;
    buffer_text(&path, after + 1);
    *request = (rest_request_t){ .method = method, .path = arena_strdup(arena, path.bytes) };
    return OK;
}
