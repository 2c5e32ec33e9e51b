// SPDX-License-Identifier: Apache-2.0
#include "describe.h"

#include <string.h>

#include "routes.h"
#include "settings.h"

static json_t *describe_member(arena_t *arena, const member_t *row);

static json_t *
string_of(arena_t *arena, json_t *object, const char *key, const char *text)
{
    return json_set_text(arena, object, key, text);
}

static json_t *
choices(arena_t *arena, const char *one_of)
{
    json_t *list = json_array(arena);

    while (*one_of) {
        size_t size = strcspn(one_of, "|");
        json_add(list, json_string_sized(arena, one_of, size));
        one_of += size + (one_of[size] == '|');
    }
    return list;
}

// An object of the members in `rows`.
static json_t *
describe_members(arena_t *arena, const member_t *rows, size_t most)
{
    json_t *schema = json_object(arena), *properties = json_object(arena);
    json_t *required = json_array(arena);

    string_of(arena, schema, "type", "object");
    for (size_t i = 0; i < most && rows[i].name; i++) {
        json_set(arena, properties, rows[i].name, describe_member(arena, &rows[i]));
        if (rows[i].must)
            json_add(required, json_string(arena, rows[i].name));
    }
    json_set(arena, schema, "properties", properties);
    if (required->count)
        json_set(arena, schema, "required", required);
    json_set_bool(arena, schema, "additionalProperties", false);
    return schema;
}

static void
describe_scalar(arena_t *arena, json_t *schema, const member_t *row, member_kind_t kind)
{
    switch (kind) {
    case M_NAME:
        json_set_int(arena, schema, "maxLength", NAME_MAX_POINTS);
        json_set_int(arena, schema, "minLength", 1);
        string_of(arena, schema, "type", "string");
        break;
    case M_TEXT:
    case M_SECRET:
        string_of(arena, schema, "type", "string");
        if (row->one_of)
            json_set(arena, schema, "enum", choices(arena, row->one_of));
        if (kind == M_SECRET)
            string_of(arena, schema, "format", "password");
        break;
    case M_INT:
    case M_ID:
        string_of(arena, schema, "type", "integer");
        json_set_int(arena, schema, "minimum", kind == M_ID ? 1 : row->min);
        if (kind == M_INT && row->max)
            json_set_int(arena, schema, "maximum", row->max);
        break;
    case M_FLAG:
        string_of(arena, schema, "type", "boolean");
        break;
    case M_OBJECT:
        string_of(arena, schema, "type", "object");
        break;
    case M_ANY:
    case M_TEXTS:
    case M_IDS:
    case M_OBJECTS:
        break;
    }
}

static json_t *
describe_entries(arena_t *arena, const member_t *row)
{
    json_t *items = json_object(arena);

    if (row->kind == M_OBJECTS && row->members)
        return describe_members(arena, row->members, SIZE_MAX);
    member_kind_t kind = row->kind == M_OBJECTS ? M_OBJECT
                         : row->kind == M_IDS   ? M_ID
                         : row->one_of          ? M_TEXT
                                                : M_NAME;
    describe_scalar(arena, items, row, kind);
    return items;
}

static json_t *
describe_member(arena_t *arena, const member_t *row)
{
    json_t *schema = json_object(arena);
    bool is_list = row->kind == M_TEXTS || row->kind == M_IDS || row->kind == M_OBJECTS;

    if (row->kind == M_OBJECT && row->members)
        schema = describe_members(arena, row->members, SIZE_MAX);
    else if (is_list) {
        string_of(arena, schema, "type", "array");
        json_set(arena, schema, "items", describe_entries(arena, row));
        if (row->min)
            json_set_int(arena, schema, "minItems", row->min);
    } else
        describe_scalar(arena, schema, row, row->kind);
    string_of(arena, schema, "description", row->about);
    if (row->example)
        json_set(arena, schema, "example", json_parse_text(arena, row->example));
    return schema;
}

// ---- operations

// What stands for a variable of the path: a fresh platform with one of everything has these.
static const char *
path_example(const char *name)
{
    if (strcmp(name, "tag") == 0)
        return "\"default\"";
    if (strcmp(name, "jobId") == 0)
        return "\"1\"";
    if (strcmp(name, "tokenId") == 0)
        return "999999999";  // the first token may be that of whoever tries the example
    return "1";
}

static void
add_path_parameters(arena_t *arena, json_t *parameters, const char *path)
{
    for (const char *open = strchr(path, '{'); open; open = strchr(open + 1, '{')) {
        const char *name = arena_strndup(arena, open + 1, strcspn(open + 1, "}"));
        const json_t *example = json_parse_text(arena, path_example(name));
        json_t *parameter = json_object(arena), *schema = json_object(arena);
        string_of(arena, parameter, "name", name);
        string_of(arena, parameter, "in", "path");
        json_set_bool(arena, parameter, "required", true);
        string_of(arena, schema, "type", example->kind == JSON_NUMBER ? "integer" : "string");
        json_set(arena, parameter, "schema", schema);
        json_set(arena, parameter, "example", json_copy(arena, example));
        json_add(parameters, parameter);
    }
}

static void
add_query_parameters(arena_t *arena, json_t *parameters, const member_t *rows)
{
    for (size_t i = 0; i < QUERY_MEMBERS_MAX && rows[i].name; i++) {
        json_t *parameter = json_object(arena), *schema = describe_member(arena, &rows[i]);
        string_of(arena, parameter, "name", rows[i].name);
        string_of(arena, parameter, "in", "query");
        string_of(arena, parameter, "description", rows[i].about);
        if (rows[i].must)
            json_set_bool(arena, parameter, "required", true);
        json_set(arena, parameter, "schema", schema);
        json_remove(schema, "description");
        if (json_remove(schema, "example"))
            json_set(arena, parameter, "example", json_parse_text(arena, rows[i].example));
        if (rows[i].kind == M_TEXTS || rows[i].kind == M_IDS)
            json_set_bool(arena, parameter, "explode", false);
        json_add(parameters, parameter);
    }
}

static json_t *
content_of(arena_t *arena, const char *media, json_t *schema)
{
    json_t *content = json_object(arena), *type = json_object(arena);

    json_set(arena, type, "schema", schema);
    json_set(arena, content, media, type);
    return content;
}

static json_t *
body_example(arena_t *arena, const member_t *rows)
{
    json_t *example = json_object(arena);

    for (size_t i = 0; i < BODY_MEMBERS_MAX && rows[i].name; i++)
        if (rows[i].example)
            json_set(arena, example, rows[i].name, json_parse_text(arena, rows[i].example));
    return example;
}

static void
add_body(arena_t *arena, json_t *operation, const route_t *row)
{
    json_t *body = json_object(arena);
    json_t *content = content_of(arena, "application/json",
                                 describe_members(arena, row->body, BODY_MEMBERS_MAX));

    json_set(arena, json_get(content, "application/json"), "example",
             body_example(arena, row->body));
    json_set_bool(arena, body, "required", true);
    json_set(arena, body, "content", content);
    json_set(arena, operation, "requestBody", body);
}

static void
add_answers(arena_t *arena, json_t *operation, const route_t *row)
{
    json_t *answers = json_object(arena), *good = json_object(arena), *bad = json_object(arena);
    json_t *schema = json_object(arena), *error = json_object(arena);

    string_of(arena, good, "description", row->answer);
    string_of(arena, schema, "type", row->media ? "string" : "object");
    json_set(arena, good, "content",
             content_of(arena, row->media ? row->media : "application/json", schema));
    json_set(arena, answers, arena_printf(arena, "%d", row->code ? row->code : 200), good);
    if (row->other_code)
        json_set(arena, answers, arena_printf(arena, "%d", row->other_code),
                 json_copy(arena, good));
    string_of(arena, error, "$ref", "#/components/schemas/Error");
    string_of(arena, bad, "description", "What is wrong and what to do.");
    json_set(arena, bad, "content", content_of(arena, "application/json", error));
    json_set(arena, answers, "default", bad);
    json_set(arena, operation, "responses", answers);
}

static const char *
role_of(role_t role)
{
    static const char *const words[] = { "Anybody", "Viewers and above", "Analysts and above",
                                         "Admins", "Agents" };
    return words[role];
}

static json_t *
describe_route(arena_t *arena, const route_t *row)
{
    json_t *operation = json_object(arena), *parameters = json_array(arena);
    json_t *tags = json_array(arena);
    const char *noun = row->path + strlen("/api/");

    string_of(arena, operation, "operationId", row->id);
    string_of(arena, operation, "summary", row->summary);
    string_of(arena, operation, "description",
              arena_printf(arena, "%s may use it.", role_of(row->least)));
    json_add(tags, json_string_sized(arena, noun, strcspn(noun, "/.")));
    json_set(arena, operation, "tags", tags);
    add_path_parameters(arena, parameters, row->path);
    add_query_parameters(arena, parameters, row->query);
    if (parameters->count)
        json_set(arena, operation, "parameters", parameters);
    if (row->body[0].name)
        add_body(arena, operation, row);
    add_answers(arena, operation, row);
    if (row->least == OPEN)
        json_set(arena, operation, "security", json_array(arena));
    return operation;
}

static json_t *
describe_paths(arena_t *arena)
{
    json_t *paths = json_object(arena);

    for (size_t t = 0; route_tables[t]; t++)
        for (const route_t *row = route_tables[t]; row->method; row++) {
            json_t *path = json_get(paths, row->path);
            if (!path)
                path = json_set(arena, paths, row->path, json_object(arena));
            char *method = arena_strdup(arena, row->method);
            for (char *c = method; *c; c++)
                *c = (char) (*c | 0x20);
            json_set(arena, path, method, describe_route(arena, row));
        }
    return paths;
}

// What does not depend on the rows.
static const char frame[] =
    "{\"openapi\": \"3.1.0\", \"info\": {\"title\": \"Proofarc platform\"},"
    " \"servers\": [{\"url\": \"/\"}], \"security\": [{\"bearer\": []}],"
    " \"components\": {\"securitySchemes\": {\"bearer\": {\"type\": \"http\","
    " \"scheme\": \"bearer\", \"bearerFormat\": \"JWT\"}}, \"schemas\": {\"Error\":"
    " {\"type\": \"object\", \"required\": [\"error\"], \"properties\": {\"error\":"
    " {\"type\": \"object\", \"required\": [\"code\", \"message\"], \"properties\":"
    " {\"code\": {\"type\": \"string\"}, \"message\": {\"type\": \"string\"}}}}}}}}";

json_t *
describe_routes(arena_t *arena)
{
    json_t *document = json_parse_text(arena, frame);

    string_of(arena, json_get(document, "info"), "version", proofarc_version());
    json_set(arena, document, "paths", describe_paths(arena));
    return document;
}
