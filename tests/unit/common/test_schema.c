// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "schema.h"

#include <cmocka.h>  // last: it defines fail()

// clang-format off
static const field_t step_fields[] = {
    { "name",   TEXT | MUST, "Name of the step." },
    { "expect", ANY | MANY,  "Codes." },
    { 0 }
};

static const tool_t writer = {
    .name = "make_it",
    .title = "Make it",
    .about = "Make one.",
    .effect = WRITES,
    .params = {
        { "name",    TEXT | MUST,          "Its name." },
        { "project", PROJECT | MUST,       "Where." },
        { "mode",    TEXT,                 "Shape.", .one_of = "quick|phased" },
        { "users",   NUMBER,               "How many.", .min = 1, .max = 500 },
        { "offset",  NUMBER,               "From.", .min = 5 },
        { "rate",    DECIMAL,              "How fast." },
        { "wait",    FLAG,                 "Whether." },
        { "options", OBJECT,               "More." },
        { "extra",   ANY,                  "Anything." },
        { "tags",    TEXT | MANY,          "Its tags." },
        { "kinds",   TEXT | MANY,          "Which.", .one_of = "api|ui" },
        { "steps",   OBJECT | MANY | MUST, "What it does.", .fields = step_fields },
    },
    .result = { { "id", NUMBER, "Its id." } },
};

static const tool_t reader = {
    .name = "count_them",
    .title = "Count them",
    .about = "Count all.",
    .effect = READS,
    .result = { { "items", TEXT | MANY, "All." }, { "returned", NUMBER, "How many." } },
};
// clang-format on

static void
the_input_schema_follows_the_row(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *entry = schema_of_tool(arena, &writer);

    assert_string_equal(
        json_text(arena, json_get(entry, "inputSchema")),
        "{\"type\":\"object\",\"properties\":{"
        "\"name\":{\"type\":\"string\",\"description\":\"Its name.\"},"
        "\"project\":{\"type\":\"string\",\"description\":\"Where. Name or id.\"},"
        "\"mode\":{\"type\":\"string\",\"enum\":[\"quick\",\"phased\"],"
        "\"description\":\"Shape.\"},"
        "\"users\":{\"type\":\"integer\",\"maximum\":500,"
        "\"description\":\"How many.\"},"
        "\"offset\":{\"type\":\"integer\",\"minimum\":5,\"description\":\"From.\"},"
        "\"rate\":{\"type\":\"number\",\"description\":\"How fast.\"},"
        "\"wait\":{\"type\":\"boolean\",\"description\":\"Whether.\"},"
        "\"options\":{\"type\":\"object\",\"description\":\"More.\"},"
        "\"extra\":{\"description\":\"Anything.\"},"
        "\"tags\":{\"type\":\"array\",\"description\":\"Its tags.\","
        "\"items\":{\"type\":\"string\"}},"
        "\"kinds\":{\"type\":\"array\",\"description\":\"Which.\","
        "\"items\":{\"type\":\"string\",\"enum\":[\"api\",\"ui\"]}},"
        "\"steps\":{\"type\":\"array\",\"description\":\"What it does.\","
        "\"items\":{\"type\":\"object\",\"properties\":{"
        "\"name\":{\"type\":\"string\",\"description\":\"Name of the step.\"},"
        "\"expect\":{\"type\":\"array\",\"description\":\"Codes.\",\"items\":{}}},"
        "\"required\":[\"name\"]}}},"
        "\"required\":[\"name\",\"steps\"]}");
}

static void
members_of_a_brief_object_are_not_listed(void **state)
{
    static const field_t members[] = { { "name", TEXT | MUST, "Name of the step." }, { 0 } };
    static const tool_t tool = {
        .name = "make_it",
        .effect = WRITES,
        .params = { { "steps", OBJECT | MANY | MUST | BRIEF, "[{name}].", .fields = members } },
    };
    AUTO(arena_destroy) arena_t *arena = arena_new();

    assert_string_equal(json_text(arena, json_get(schema_of_tool(arena, &tool), "inputSchema")),
                        "{\"type\":\"object\",\"properties\":{"
                        "\"steps\":{\"type\":\"array\",\"description\":\"[{name}].\","
                        "\"items\":{\"type\":\"object\"}}},\"required\":[\"steps\"]}");
}

static void
a_reference_says_that_it_takes_a_name_or_an_id(void **state)
{
    static const tool_t tool = {
        .name = "link_it",
        .effect = WRITES,
        .params = { { "from", PROJECT | MUST }, { "to", PROJECT, "The other." } },
    };
    AUTO(arena_destroy) arena_t *arena = arena_new();

    assert_string_equal(
        json_text(arena, json_get(schema_of_tool(arena, &tool), "inputSchema")),
        "{\"type\":\"object\",\"properties\":{"
        "\"from\":{\"type\":\"string\",\"description\":\"Name or id.\"},"
        "\"to\":{\"type\":\"string\",\"description\":\"The other. Name or id.\"}}}");
}

static void
an_entry_has_title_description_and_hints(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *entry = schema_of_tool(arena, &writer);

    assert_string_equal(json_get_text(entry, "name"), "make_it");
    assert_string_equal(json_get_text(entry, "title"), "Make it");
    assert_string_equal(json_get_text(entry, "description"), "Make one.");
    assert_string_equal(json_text(arena, json_get(entry, "annotations")),
                        "{\"destructiveHint\":false}");
}

static void
hints_follow_from_the_effect(void **state)
{
    static const struct {
        effect_t effect;
        const char *hints;
    } rows[] = {
        { READS, "{\"readOnlyHint\":true}" },
        { WRITES, "{\"destructiveHint\":false}" },
        { EXECUTES, "{\"destructiveHint\":false}" },
        { DELETES, "{\"destructiveHint\":true,\"idempotentHint\":true}" },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        tool_t tool = reader;
        tool.effect = rows[i].effect;
        json_t *entry = schema_of_tool(arena, &tool);
        assert_string_equal(json_text(arena, json_get(entry, "annotations")), rows[i].hints);
    }
}

static const char *
output_names(arena_t *arena, const tool_t *tool)
{
    AUTO(buffer_clear) buffer_t names = { 0 };
    json_t *schema = json_get(schema_of_tool(arena, tool), "outputSchema");

    assert_string_equal(json_get_text(schema, "type"), "object");
    assert_null(json_get(schema, "required"));
    assert_null(json_get(schema, "additionalProperties"));
    json_t *property = json_get(schema, "properties")->first;
    for (; property; property = property->next) {
        assert_non_null(json_get_text(property, "description"));
        buffer_printf(&names, "%s ", property->key);
    }
    return arena_strdup(arena, names.bytes);
}

static void
the_output_schema_has_what_may_come_instead_of_a_result(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();

    assert_string_equal(output_names(arena, &writer),
                        "id reason ask_user candidates scoped_by error ");
    assert_string_equal(output_names(arena, &reader), "items returned truncated error ");
    tool_t by_tag = reader;
    by_tag.by_tag = true;
    assert_non_null(strstr(output_names(arena, &by_tag), "scoped_by"));
}

static void
a_template_becomes_its_entry(void **state)
{
    static const template_t row = { "proofarc://execution/{execution_id}",
                                    "execution",
                                    "Execution",
                                    "One run.",
                                    "application/json",
                                    "GET /api/x/{execution_id}" };
    AUTO(arena_destroy) arena_t *arena = arena_new();

    assert_string_equal(json_text(arena, schema_of_template(arena, &row)),
                        "{\"uriTemplate\":\"proofarc://execution/{execution_id}\","
                        "\"name\":\"execution\",\"title\":\"Execution\","
                        "\"description\":\"One run.\",\"mimeType\":\"application/json\"}");
}

static void
enums_have_words(void **state)
{
    assert_string_equal(effect_name(READS), "reads");
    assert_string_equal(effect_name(DELETES), "deletes");
    assert_string_equal(profile_name(CORE), "core");
    assert_string_equal(profile_name(FULL), "full");
    assert_string_equal(kind_name(PROJECT | MUST), "project");
    assert_string_equal(kind_name(UI_TEST), "ui_test");
    assert_string_equal(kind_name(TARGET), "target");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_input_schema_follows_the_row),
        cmocka_unit_test(members_of_a_brief_object_are_not_listed),
        cmocka_unit_test(a_reference_says_that_it_takes_a_name_or_an_id),
        cmocka_unit_test(an_entry_has_title_description_and_hints),
        cmocka_unit_test(hints_follow_from_the_effect),
        cmocka_unit_test(the_output_schema_has_what_may_come_instead_of_a_result),
        cmocka_unit_test(a_template_becomes_its_entry),
        cmocka_unit_test(enums_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
