// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include "arguments.h"
#include "auto.h"
#include "buffer.h"

#include <cmocka.h>  // last: it defines fail()

// clang-format off
static const field_t step_fields[] = {
    { "name",    TEXT | MUST, "Name of the step." },
    { "timeout", NUMBER,      "Milliseconds.", .min = 1, .max = 1000 },
    { "body",    ANY,         "Anything." },
    { 0 }
};

static const tool_t tool = {
    .name = "try_it",
    .effect = WRITES,
    .params = {
        { "text",        TEXT,          "Any text." },
        { "short",       TEXT,          "At most three.", .max = 3 },
        { "mode",        TEXT,          "One of three.", .one_of = "quick|phased|Custom" },
        { "page",        NUMBER,        "A page." },
        { "users",       NUMBER,        "Users.", .min = 1, .max = 500 },
        { "rate",        DECIMAL,       "A rate." },
        { "wait",        FLAG,          "Whether." },
        { "options",     OBJECT,        "Options." },
        { "steps",       OBJECT | MANY, "Steps.", .fields = step_fields },
        { "anything",    ANY,           "Whatever." },
        { "tags",        TEXT | MANY,   "Tags." },
        { "kinds",       TEXT | MANY,   "Kinds.", .one_of = "api|ui" },
        { "numbers",     NUMBER | MANY, "Numbers." },
        { "project",     PROJECT,       "The project." },
        { "environment", ENVIRONMENT | MUST, "The environment." },
        { "password",    NUMBER | SECRET, "A secret number." },
    },
};

static const tool_t needy = {
    .name = "need_it",
    .effect = READS,
    .params = {
        { "name",    TEXT | MUST,        "Its name." },
        { "tags",    TEXT | MANY | MUST, "Its tags." },
        { "project", PROJECT | MUST,     "The project." },
        { "action",  TEXT,               "One action." },
    },
};

static const struct {
    const char *given;
    const char *checked;  // NULL: refused
    const char *message;  // part of the refusal
} rows[] = {
    { "{}",                               "{}" },
    { "null",                             "{}" },
    { "[]",                               NULL, "must be an object" },

    { "{\"text\":\"a\"}",                 "{\"text\":\"a\"}" },
    { "{\"text\":\" a \"}",               "{\"text\":\" a \"}" },
    { "{\"text\":149}",                   "{\"text\":\"149\"}" },
    { "{\"text\":1.50}",                  "{\"text\":\"1.50\"}" },
    { "{\"text\":true}",                  NULL, "text: expected text, got true" },
    { "{\"text\":{}}",                    NULL, "text: expected text, got {}" },
    { "{\"text\":null}",                  "{}" },
    { "{\"text\":\"\"}",                  "{}" },
    { "{\"text\":\" \"}",                 "{}" },
    { "{\"text\":\"null\"}",              "{}" },
    { "{\"text\":\"a\\u0000b\"}",         NULL, "U+0000" },
    { "{\"options\":{\"a\\u0000\":1}}",   NULL, "U+0000" },
    { "{\"options\":\"{\\\"a\\\":\\\"\\\\u0000\\\"}\"}", NULL, "options: expected an object" },
    { "{\"options\":\"{\\\"a\\\":1,\\\"a\\\":2}\"}", NULL, "options: expected an object" },
    { "{\"short\":\"äöü\"}",              "{\"short\":\"äöü\"}" },
    { "{\"short\":\"äöüa\"}",             NULL, "short: longer than 3 characters" },

    { "{\"mode\":\"quick\"}",             "{\"mode\":\"quick\"}" },
    { "{\"mode\":\" PHASED \"}",          "{\"mode\":\"phased\"}" },
    { "{\"mode\":\"custom\"}",            "{\"mode\":\"Custom\"}" },
    { "{\"mode\":\"slow\"}",              NULL, "mode: expected quick, phased or Custom, got \"slow\"" },
    { "{\"mode\":\"quickly\"}",           NULL, "mode: expected" },

    { "{\"page\":2}",                     "{\"page\":2}" },
    { "{\"page\":\"2\"}",                 "{\"page\":2}" },
    { "{\"page\":\"2.0\"}",               "{\"page\":2}" },
    { "{\"page\":\" 2 \"}",               "{\"page\":2}" },
    { "{\"page\":\"-2\"}",                "{\"page\":-2}" },
    { "{\"page\":\"007\"}",               "{\"page\":7}" },
    { "{\"page\":2.0}",                   "{\"page\":2}" },
    { "{\"page\":1e2}",                   "{\"page\":100}" },
    { "{\"page\":9223372036854775807}",   "{\"page\":9223372036854775807}" },
    { "{\"page\":\"2px\"}",               NULL, "page: expected an integer, got \"2px\"" },
    { "{\"page\":\"0x10\"}",              NULL, "page: expected an integer" },
    { "{\"page\":\"1e2\"}",               NULL, "page: expected an integer" },
    { "{\"page\":\"+5\"}",                NULL, "page: expected an integer" },
    { "{\"page\":\"2.\"}",                NULL, "page: expected an integer" },
    { "{\"page\":\"2.5\"}",               NULL, "page: expected an integer" },
    { "{\"page\":\"-\"}",                 NULL, "page: expected an integer" },
    { "{\"page\":\"٣\"}",                 NULL, "page: expected an integer" },
    { "{\"page\":2.5}",                   NULL, "page: expected an integer, got 2.5" },
    { "{\"page\":9223372036854775808}",   NULL, "page: expected an integer" },
    { "{\"page\":\"9999999999999999999\"}", NULL, "page: expected an integer" },
    { "{\"page\":true}",                  NULL, "page: expected an integer" },
    { "{\"page\":null}",                  "{}" },
    { "{\"page\":\"\"}",                  "{}" },
    { "{\"users\":0}",                    NULL, "users: expected an integer from 1 to 500, got 0" },
    { "{\"users\":1}",                    "{\"users\":1}" },
    { "{\"users\":500}",                  "{\"users\":500}" },
    { "{\"users\":501}",                  NULL, "users: expected" },

    { "{\"rate\":1.25}",                  "{\"rate\":1.25}" },
    { "{\"rate\":\"1.25\"}",              "{\"rate\":1.25}" },
    { "{\"rate\":\"fast\"}",              NULL, "rate: expected a number, got \"fast\"" },

    { "{\"wait\":true}",                  "{\"wait\":true}" },
    { "{\"wait\":\"True\"}",              "{\"wait\":true}" },
    { "{\"wait\":\"false\"}",             "{\"wait\":false}" },
    { "{\"wait\":\"yes\"}",               NULL, "wait: expected true or false, got \"yes\"" },
    { "{\"wait\":1}",                     NULL, "wait: expected true or false" },

    { "{\"options\":{\"a\":null}}",       "{\"options\":{\"a\":null}}" },
    { "{\"options\":\"{\\\"a\\\":1}\"}",  "{\"options\":{\"a\":1}}" },
    { "{\"options\":\"[1]\"}",            NULL, "options: expected an object" },
    { "{\"options\":\"{\"}",              NULL, "options: expected an object" },
    { "{\"options\":3}",                  NULL, "options: expected an object" },

    { "{\"steps\":[{\"name\":\"a\",\"timeout\":\"5\",\"more\":null}]}",
      "{\"steps\":[{\"name\":\"a\",\"timeout\":5,\"more\":null}]}" },
    { "{\"steps\":{\"name\":\"a\"}}",     "{\"steps\":[{\"name\":\"a\"}]}" },
    { "{\"steps\":\"[{\\\"name\\\":\\\"a\\\"}]\"}", "{\"steps\":[{\"name\":\"a\"}]}" },
    { "{\"steps\":[\"{\\\"name\\\":\\\"a\\\"}\"]}", "{\"steps\":[{\"name\":\"a\"}]}" },
    { "{\"steps\":[{\"name\":\"a\",\"body\":null}]}", "{\"steps\":[{\"name\":\"a\",\"body\":null}]}" },
    { "{\"steps\":[{\"name\":\"a\"},{}]}", NULL, "steps[1].name is missing: Name of the step." },
    { "{\"steps\":[{\"name\":\"a\",\"timeout\":0}]}", NULL, "steps[0].timeout: expected an integer" },
    { "{\"steps\":[7]}",                  NULL, "steps[0]: expected an object, got 7" },
    { "{\"steps\":[]}",                   "{}" },

    { "{\"anything\":[1,null]}",          "{\"anything\":[1,null]}" },
    { "{\"anything\":null}",              "{\"anything\":null}" },

    { "{\"tags\":[\"a\",\"b\"]}",         "{\"tags\":[\"a\",\"b\"]}" },
    { "{\"tags\":\"a\"}",                 "{\"tags\":[\"a\"]}" },
    { "{\"tags\":\"a, b,,c\"}",           "{\"tags\":[\"a\",\"b\",\"c\"]}" },
    { "{\"tags\":\"[\\\"a\\\",\\\"b\\\"]\"}", "{\"tags\":[\"a\",\"b\"]}" },
    { "{\"tags\":[\"a,b\"]}",             "{\"tags\":[\"a,b\"]}" },
    { "{\"tags\":[1]}",                   "{\"tags\":[\"1\"]}" },
    { "{\"tags\":[\"null\",null,\"\"]}",  "{}" },
    { "{\"tags\":[]}",                    "{}" },
    { "{\"tags\":null}",                  "{}" },
    { "{\"tags\":\" , \"}",               "{}" },
    { "{\"tags\":[\"a\",[]]}",            NULL, "tags[1]: expected text, got []" },
    { "{\"kinds\":\"API\"}",              "{\"kinds\":[\"api\"]}" },
    { "{\"kinds\":[\"db\"]}",             NULL, "kinds[0]: expected api or ui, got \"db\"" },
    { "{\"numbers\":\"1,2\"}",            "{\"numbers\":[1,2]}" },
    { "{\"numbers\":3}",                  "{\"numbers\":[3]}" },

    { "{\"project\":12}",                 "{\"project\":12}" },
    { "{\"project\":12.0}",               "{\"project\":12}" },
    { "{\"project\":\"12 \"}",            "{\"project\":\"12 \"}" },
    { "{\"project\":\"payments\"}",       "{\"project\":\"payments\"}" },
    { "{\"project\":9223372036854775808}", "{\"project\":\"9223372036854775808\"}" },
    { "{\"project\":\"null\"}",           "{}" },
    { "{\"project\":null}",               "{}" },
    { "{\"project\":\" \"}",              "{}" },
    { "{\"project\":\"None\"}",           "{\"project\":\"None\"}" },
    { "{\"project\":true}",               NULL, "project: expected a name or an id, got true" },
    { "{\"project\":[\"a\"]}",            NULL, "project: expected a name or an id" },

    { "{\"password\":\"hunter2\"}",       NULL, "password: expected an integer, got something else" },

    { "{\"_meta\":{},\"toolCallId\":1,\"sessionId\":2,\"chatInput\":3,\"action\":4}", "{}" },
    { "{\"idempotency_key\":\"abc-1\"}",  "{}" },
    { "{\"idempotency_key\":null}",       "{}" },
    { "{\"idempotency_key\":\"a b\"}",    NULL, "idempotency_key: expected visible ASCII" },
    { "{\"idempotency_key\":7}",          NULL, "idempotency_key: expected text" },
    { "{\"colour\":1}",                   NULL, "try_it has no argument \"colour\"; it takes text, short, mode" },
    { "{\"Text\":\"a\"}",                 NULL, "no argument \"Text\"" },
};

static const struct {
    const char *given;
    const char *checked;
    const char *message;
} needy_rows[] = {
    { "{\"name\":\"a\",\"tags\":[\"b\"]}", "{\"name\":\"a\",\"tags\":[\"b\"]}" },
    { "{\"name\":\"null\",\"tags\":\"b\"}", "{\"name\":\"null\",\"tags\":[\"b\"]}" },
    { "{\"name\":\"a\",\"tags\":\"b\",\"action\":\"c\"}", "{\"name\":\"a\",\"tags\":[\"b\"],\"action\":\"c\"}" },
    { "{}",                               NULL, "need_it needs name (Its name.), tags (Its tags.)" },
    { "{\"name\":\"\",\"tags\":[\"b\"]}", NULL, "need_it needs name (Its name.)" },
    { "{\"name\":\"a\",\"tags\":[]}",     NULL, "need_it needs tags (Its tags.)" },
    { "{\"name\":\"a\",\"tags\":[\"b\"],\"idempotency_key\":\"k\"}", NULL, "no argument \"idempotency_key\"" },
};
// clang-format on

static void
expect(const tool_t *row_tool, const char *given, const char *checked, const char *message)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *result = NULL;
    failure_t why = { 0 };

    print_message("  %s\n", given);
    json_t *parsed = json_parse_text(arena, given);
    assert_non_null(parsed);
    status_t status = arguments_check(arena, row_tool, parsed, &result, &why);
    if (checked) {
        assert_int_equal(status, OK);
        assert_string_equal(json_text(arena, result), checked);
    } else {
        assert_int_equal(status, BAD_ARGS);
        assert_null(result);
        if (!strstr(why.text, message))
            fail_msg("\"%s\" does not say \"%s\"", why.text, message);
    }
}

static void
arguments_become_what_the_row_says_or_are_refused_by_name(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++)
        expect(&tool, rows[i].given, rows[i].checked, rows[i].message);
}

static void
what_must_be_there_is_named_when_it_is_missing(void **state)
{
    for (size_t i = 0; i < ROWS(needy_rows); i++)
        expect(&needy, needy_rows[i].given, needy_rows[i].checked, needy_rows[i].message);
}

static void
text_without_a_limit_of_its_own_takes_4_ki_characters(void **state)
{
    static const struct {
        int characters;
        status_t status;
    } limits[] = { { 4095, OK }, { 4096, OK }, { 4097, BAD_ARGS } };

    for (size_t i = 0; i < ROWS(limits); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        AUTO(buffer_clear) buffer_t text = { 0 };
        json_t *given = json_object(arena);
        json_t *checked;
        failure_t why;

        for (int n = 0; n < limits[i].characters; n++)
            buffer_text(&text, "ä");
        json_set_text(arena, given, "text", text.bytes);
        assert_int_equal(arguments_check(arena, &tool, given, &checked, &why),
                         limits[i].status);
    }
}

static void
an_idempotency_key_has_at_most_180_characters(void **state)
{
    for (int length = 179; length <= 181; length++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        json_t *given = json_object(arena);
        json_t *checked;
        failure_t why;
        char key[200];

        memset(key, 'k', sizeof key);
        key[length] = 0;
        json_set_text(arena, given, "idempotency_key", key);
        assert_int_equal(arguments_check(arena, &tool, given, &checked, &why),
                         length > 180 ? BAD_ARGS : OK);
    }
}

static void
a_refused_value_is_shown_cut_on_a_code_point(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *given = json_object(arena);
    json_t *checked;
    failure_t why;

    json_set_text(arena, given, "page",
                  "€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€");
    assert_int_equal(arguments_check(arena, &tool, given, &checked, &why), BAD_ARGS);
    assert_string_equal(why.text, "page: expected an integer, got \"€€€€€€€€€€€€€€€€€€€…");
}

typedef struct {
    const char *before, *left, *right, *after;
    size_t most;
    const char *refusal;
} many_t;

// `count` different items, separated by commas.
static const char *
write_many(arena_t *arena, const many_t *row, size_t count)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    buffer_text(&out, row->before);
    for (size_t i = 0; i < count; i++)
        buffer_printf(&out, "%s%s%zu%s", i ? "," : "", row->left, i, row->right);
    buffer_text(&out, row->after);
    return arena_strdup(arena, out.bytes);
}

static void
lists_and_described_objects_hold_a_thousand_things(void **state)
{
    // clang-format off
    static const many_t many[] = {
        { "{\"tags\": [",                     "\"t", "\"",    "]}",    1000, "tags: more than 1000 items" },
        { "{\"tags\": \"",                    "t",   "",      "\"}",   1000, "tags: more than 1000 items" },
        { "{\"numbers\": \"[",                "",    "",      "]\"}",  1000, "numbers: more than 1000 items" },
        { "{\"steps\": {\"name\": \"a\",", "\"x", "\": 1", "}}",     999, "steps[0]: more than 1000 members" },
    };
    // clang-format on

    for (size_t i = 0; i < ROWS(many); i++)
        for (size_t more = 0; more < 2; more++) {
            AUTO(arena_destroy) arena_t *arena = arena_new();
            const char *given = write_many(arena, &many[i], many[i].most + more);
            failure_t why = { 0 };
            json_t *checked;
            assert_int_equal(
                arguments_check(arena, &tool, json_parse_text(arena, given), &checked, &why),
                more ? BAD_ARGS : OK);
            assert_string_equal(why.text, more ? many[i].refusal : "");
        }
}

static void
no_arguments_at_all_are_an_empty_object(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *checked;
    failure_t why;

    assert_int_equal(arguments_check(arena, &tool, NULL, &checked, &why), OK);
    assert_string_equal(json_text(arena, checked), "{}");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_become_what_the_row_says_or_are_refused_by_name),
        cmocka_unit_test(what_must_be_there_is_named_when_it_is_missing),
        cmocka_unit_test(text_without_a_limit_of_its_own_takes_4_ki_characters),
        cmocka_unit_test(an_idempotency_key_has_at_most_180_characters),
        cmocka_unit_test(a_refused_value_is_shown_cut_on_a_code_point),
        cmocka_unit_test(lists_and_described_objects_hold_a_thousand_things),
        cmocka_unit_test(no_arguments_at_all_are_an_empty_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
