// SPDX-License-Identifier: Apache-2.0
#include "schema.h"

#include <assert.h>
#include <string.h>

#include "auto.h"

// Members that an answer may have beside those of its row.
// clang-format off
static const field_t error_fields[] = {
    { "code",    TEXT, "For programs, e.g. DUPLICATE_TARGET." },
    { "message", TEXT, "What is wrong and what to do." },
    { "outcome", TEXT, "failed, not_sent, unknown or cancelled." },
    { "errors",  OBJECT | MANY, "Single findings." },
    { 0 }
};

static const field_t error_field[] = {
    { "error", OBJECT, "If it failed.", .fields = error_fields },
    { 0 }
};

static const field_t candidate_fields[] = {
    { "id",      NUMBER, "Id." },
    { "name",    TEXT,   "Name." },
    { "project", TEXT,   "Its project." },
    { "count",   NUMBER, "Tests with this tag." },
    { 0 }
};

static const field_t narrowing_fields[] = {
    { "reason",     TEXT, "Why a question is left.", "ambiguous|not_found|missing_required" },
    { "ask_user",   TEXT, "Relay it word for word." },
    { "candidates", OBJECT | MANY, "Choices.", .fields = candidate_fields },
    { "scoped_by",  OBJECT, "What is settled." },
    { 0 }
};

static const field_t cut_fields[] = {
    { "returned",  NUMBER, "Items in this answer." },
    { "truncated", FLAG,   "True if items were left out for size." },
    { 0 }
};
// clang-format on

static const char *const effect_names[] = {
    [READS] = "reads",
    [WRITES] = "writes",
    [EXECUTES] = "executes",
    [DELETES] = "deletes",
};
static const char *const profile_names[] = {
    [CORE] = "core",
    [STANDARD] = "standard",
    [WIDE] = "wide",
    [FULL] = "full",
};
static const char *const kind_names[] = {
    [PROJECT] = "project",
    [ENVIRONMENT] = "environment",
    [SCENARIO] = "scenario",
    [UI_TEST] = "ui_test",
    [SUITE] = "suite",
    [PIPELINE] = "pipeline",
    [APPLICATION] = "application",
    [TARGET] = "target",
};

const char *
effect_name(effect_t effect)
{
    assert(effect >= READS && effect <= DELETES);
    return effect_names[effect];
}

const char *
profile_name(profile_t profile)
{
    assert(profile >= CORE && profile <= FULL);
    return profile_names[profile];
}

const char *
kind_name(int kind)
{
    assert(KIND_IS_REFERENCE(kind) && (kind & KIND_MASK) <= TARGET);
    return kind_names[kind & KIND_MASK];
}

static void describe_object(arena_t *arena, json_t *schema, const field_t *fields);

static const char *
type_of(int kind)
{
    switch (kind & KIND_MASK) {
    case NUMBER:
        return "integer";
    case DECIMAL:
        return "number";
    case FLAG:
        return "boolean";
    case OBJECT:
        return "object";
    case ANY:
        return NULL;
    default:
        return "string";
    }
}

static void
set_enum(arena_t *arena, json_t *schema, const char *one_of)
{
    json_t *list = json_set(arena, schema, "enum", json_array(arena));

    while (*one_of) {
        size_t length = strcspn(one_of, "|");
        json_add(list, json_string_sized(arena, one_of, length));
        one_of += length + (one_of[length] == '|');
    }
}

static void
set_value(arena_t *arena, json_t *schema, const field_t *field)
{
    const char *type = type_of(field->kind);
    bool is_bound = field->min || field->max;

    if (type)
        json_set_text(arena, schema, "type", type);
    if (field->one_of)
        set_enum(arena, schema, field->one_of);
    if (is_bound && (field->kind & KIND_MASK) == NUMBER) {
        if (field->min > 1)  // what is counted from 1 need not say so
            json_set_int(arena, schema, "minimum", field->min);
        if (field->max >= field->min)
            json_set_int(arena, schema, "maximum", field->max);
    }
    if (field->fields && !(field->kind & BRIEF))
        describe_object(arena, schema, field->fields);
}

static const char *
description(arena_t *arena, const field_t *field)
{
    if (!KIND_IS_REFERENCE(field->kind))
        return field->about;
    return field->about ? arena_printf(arena, "%s Name or id.", field->about) : "Name or id.";
}

static json_t *
property(arena_t *arena, const field_t *field)
{
    json_t *schema = json_object(arena);
    const char *about = description(arena, field);

    if (field->kind & MANY) {
        json_set_text(arena, schema, "type", "array");
        json_set_text(arena, schema, "description", about);
        set_value(arena, json_set(arena, schema, "items", json_object(arena)), field);
        return schema;
    }
    set_value(arena, schema, field);
    json_set_text(arena, schema, "description", about);
    if (field->header)
        json_set_text(arena, schema, "x-mcp-header", field->header);
    return schema;
}

static void
add_properties(arena_t *arena, json_t *properties, const field_t *fields)
{
    for (const field_t *field = fields; field->name; field++)
        if (!json_get(properties, field->name))
            json_set(arena, properties, field->name, property(arena, field));
}

static void
describe_object(arena_t *arena, json_t *schema, const field_t *fields)
{
    json_t *required = json_array(arena);
    json_t *properties = json_set(arena, schema, "properties", json_object(arena));

    add_properties(arena, properties, fields);
    for (const field_t *field = fields; field->name; field++)
        if (field->kind & MUST && !KIND_IS_REFERENCE(field->kind))
            json_add(required, json_string(arena, field->name));
    if (required->count)
        json_set(arena, schema, "required", required);
}

static bool
can_narrow(const tool_t *tool)
{
    for (const field_t *field = tool->params; field->name; field++)
        if (KIND_IS_REFERENCE(field->kind))
            return true;
    return tool->by_tag;
}

static bool
has_list(const field_t *fields)
{
    for (const field_t *field = fields; field->name; field++)
        if (field->kind & MANY)
            return true;
    return false;
}

static json_t *
input_schema(arena_t *arena, const tool_t *tool)
{
    json_t *schema = json_object(arena);

    if (tool->input_schema) {
        schema = json_parse_text(arena, tool->input_schema);
        assert(schema);
        return schema;
    }
    json_set_text(arena, schema, "type", "object");
    describe_object(arena, schema, tool->params);
    return schema;
}

static json_t *
output_schema(arena_t *arena, const tool_t *tool)
{
    json_t *schema = json_object(arena);

    json_set_text(arena, schema, "type", "object");
    json_t *properties = json_set(arena, schema, "properties", json_object(arena));
    add_properties(arena, properties, tool->result);
    if (has_list(tool->result))
        add_properties(arena, properties, cut_fields);
    if (can_narrow(tool))
        add_properties(arena, properties, narrowing_fields);
    add_properties(arena, properties, error_field);
    return schema;
}

// Hints that say what the specification takes for granted are left out: the list is long, and
// what tools read has come from systems under test, so that its world is open. One is said all
// the same, that a tool deletes: no client may miss it.
static json_t *
annotations(arena_t *arena, const tool_t *tool)
{
    json_t *hints = json_object(arena);

    if (tool->effect == READS)
        json_set_bool(arena, hints, "readOnlyHint", true);
    else
        json_set_bool(arena, hints, "destructiveHint", tool->effect == DELETES);
    if (tool->effect == DELETES)
        json_set_bool(arena, hints, "idempotentHint", true);
    return hints;
}

json_t *
schema_of_tool(arena_t *arena, const tool_t *tool)
{
    json_t *entry = json_object(arena);

    json_set_text(arena, entry, "name", tool->name);
    json_set_text(arena, entry, "title", tool->title);
    json_set_text(arena, entry, "description", tool->about);
    json_set(arena, entry, "inputSchema", input_schema(arena, tool));
    if (!tool->plain)
        json_set(arena, entry, "outputSchema", output_schema(arena, tool));
    json_set(arena, entry, "annotations", annotations(arena, tool));
    return entry;
}

json_t *
schema_of_template(arena_t *arena, const template_t *template)
{
    json_t *entry = json_object(arena);

    json_set_text(arena, entry, "uriTemplate", template->uri);
    json_set_text(arena, entry, "name", template->name);
    json_set_text(arena, entry, "title", template->title);
    json_set_text(arena, entry, "description", template->about);
    json_set_text(arena, entry, "mimeType", template->mime);
    return entry;
}

json_t *
schema_of_resource(arena_t *arena, const resource_t *resource)
{
    json_t *entry = json_object(arena);

    json_set_text(arena, entry, "uri", resource->uri);
    json_set_text(arena, entry, "name", resource->name);
    json_set_text(arena, entry, "title", resource->title);
    json_set_text(arena, entry, "description", resource->about);
    json_set_text(arena, entry, "mimeType", resource->mime);
    return entry;
}

json_t *
schema_of_prompt(arena_t *arena, const prompt_t *prompt)
{
    json_t *entry = json_object(arena);

    json_set_text(arena, entry, "name", prompt->name);
    json_set_text(arena, entry, "title", prompt->title);
    json_set_text(arena, entry, "description", prompt->about);
    json_t *arguments = json_set(arena, entry, "arguments", json_array(arena));
    for (const argument_t *argument = prompt->arguments; argument->name; argument++) {
        json_t *item = json_add(arguments, json_object(arena));
        json_set_text(arena, item, "name", argument->name);
        json_set_text(arena, item, "description", argument->about);
        json_set_bool(arena, item, "required", argument->must);
    }
    return entry;
}
