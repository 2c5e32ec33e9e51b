// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "api/operators.h"
#include "auto.h"

#include <cmocka.h>

// clang-format off
static const struct {
    const char *actual;  // JSON; NULL: nothing is there
    const char *name;
    const char *wanted;  // JSON; NULL: none was given
    bool holds;
} rows[] = {
    { "9223372036854775807",  "equals",      "9223372036854775807", true },
    { "9223372036854775807",  "equals",      "9223372036854775806", false },
    { "1.0",                  "equals",      "1",                   true },
    { "0",                    "equals",      "0",                   true },
    { "0",                    "equals",      "false",               false },
    { "\"\"",                 "equals",      "\"\"",                true },
    { "null",                 "equals",      "null",                true },
    { "0",                    "equals",      "null",                false },
    { NULL,                   "equals",      "null",                false },
    { "[]",                   "equals",      "[]",                  true },
    { "{\"a\":1,\"b\":2}",    "equals",      "{\"b\":2,\"a\":1}",   true },
    { "1",                    "notEquals",   "2",                   true },
    { NULL,                   "notEquals",   "2",                   false },
    { "null",                 "exists",      NULL,                  true },
    { NULL,                   "exists",      NULL,                  false },
    { NULL,                   "notExists",   NULL,                  true },
    { "null",                 "notExists",   NULL,                  false },
    { "[1,2,3]",              "contains",    "2",                   true },
    { "[1,2,3]",              "contains",    "4",                   false },
    { "\"abc\"",              "contains",    "\"bc\"",              true },
    { "{\"a\":1}",            "contains",    "\"a\"",               true },
    { "{\"a\":1}",            "contains",    "\"b\"",               false },
    { "\"abc\"",              "notContains", "\"x\"",               true },
    { NULL,                   "notContains", "\"x\"",               false },
    { "\"abc\"",              "startsWith",  "\"ab\"",              true },
    { "\"abc\"",              "endsWith",    "\"bc\"",              true },
    { "\"c\"",                "endsWith",    "\"bc\"",              false },
    { "\"order-17\"",         "matches",     "\"-\\\\d+$\"",        true },
    { "\"order-x\"",          "matches",     "\"-\\\\d+$\"",        false },
    { "12",                   "matches",     "\"^1\"",              true },
    { "1",                    "type",        "\"integer\"",         true },
    { "1.5",                  "type",        "\"integer\"",         false },
    { "1.5",                  "type",        "\"number\"",          true },
    { "\"x\"",                "type",        "\"string\"",          true },
    { "null",                 "type",        "\"null\"",            true },
    { "{}",                   "type",        "\"array\"",           false },
    { "[1,2]",                "length",      "2",                   true },
    { "\"äöü\"",              "length",      "3",                   true },
    { "{\"a\":1}",            "length",      "1",                   true },
    { "null",                 "length",      "0",                   false },
    { "2",                    "lessThan",    "10",                  true },
    { "10",                   "lessThan",    "10",                  false },
    { "\"2\"",                "lessThan",    "10",                  false },
    { "1e3",                  "greaterThan", "999.999",             true },
    { "\"2024-02-29T00:00:00Z\"",          "isIsoDate", NULL, true },
    { "\"2024-02-30T00:00:00Z\"",          "isIsoDate", NULL, false },
    { "\"2024-01-01T10:00:00.850-2223\"",  "isIsoDate", NULL, false },
    { "\"2024-01-01T10:00:00+05:30\"",     "isIsoDate", NULL, true },
    { "\"2016-12-31T23:59:60Z\"",          "isIsoDate", NULL, true },
    { "\"2024-01-01 10:00\"",              "isIsoDate", NULL, false },
    { "20240101",                          "isIsoDate", NULL, false },
    { "\"2024-01- 1T10:00:00Z\"",          "isIsoDate", NULL, false },
    { "\"2024-01-01T10:00:+1Z\"",          "isIsoDate", NULL, false },
    { "\"2024-01-01T10:00:00\"",           "isIsoDate", NULL, false },
    { "\"2024-01-01T10:00:00.Z\"",         "isIsoDate", NULL, false },
    { "\"2024-01-01t10:00:00.123456789z\"", "isIsoDate", NULL, true },
    { "\"2024-01-01T24:00:00Z\"",          "isIsoDate", NULL, false },
    { "\"2024-01-01T10:00:61Z\"",          "isIsoDate", NULL, false },
    { "\"2024-00-01T10:00:00Z\"",          "isIsoDate", NULL, false },
    { "\"2024-13-01T10:00:00Z\"",          "isIsoDate", NULL, false },
    { "\"2023-02-29T10:00:00Z\"",          "isIsoDate", NULL, false },
    { "\"2000-02-29T10:00:00-23:59\"",     "isIsoDate", NULL, true },
    { "\"2000-02-29T10:00:00-24:00\"",     "isIsoDate", NULL, false },
    { "\"2024-01-01T10:00:00Zx\"",         "isIsoDate", NULL, false },
    { "\"\"",                              "isIsoDate", NULL, false },
};
// clang-format on

static void
operators_hold_as_documented(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        failure_t why = { 0 };
        const json_t *actual = rows[i].actual ? json_parse_text(arena, rows[i].actual) : NULL;
        const json_t *wanted = rows[i].wanted ? json_parse_text(arena, rows[i].wanted) : NULL;

        print_message("  %s %s %s\n", rows[i].actual ? rows[i].actual : "nothing", rows[i].name,
                      rows[i].wanted ? rows[i].wanted : "");
        assert_int_equal(operator_holds(arena, rows[i].name, actual, wanted, &why),
                         rows[i].holds);
        assert_string_equal(why.text, "");
    }
}

static void
questions_without_sense_are_explained(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    failure_t why = { 0 };
    const json_t *text =
        json_parse_text(arena, "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"");

    assert_false(operator_holds(arena, "resembles", text, text, &why));
    assert_string_equal(why.text, "there is no check resembles");
    assert_false(
        operator_holds(arena, "matches", text, json_parse_text(arena, "\"[a\""), &why));
    assert_non_null(strstr(why.text, "the pattern is wrong at character 2"));
    assert_false(
        operator_holds(arena, "matches", text, json_parse_text(arena, "\"^(a+)+$\""), &why));
    assert_non_null(strstr(why.text, "takes too long"));
}

// Headers come as bytes of any kind.
static void
a_pattern_is_found_in_text_that_is_no_utf_8(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    failure_t why = { 0 };
    const json_t *text = json_string(arena, "caf\xe9 17");

    assert_true(
        operator_holds(arena, "matches", text, json_parse_text(arena, "\"\\\\d+$\""), &why));
    assert_false(operator_holds(arena, "matches", text, json_parse_text(arena, "\"x\""), &why));
    assert_string_equal(why.text, "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_hold_as_documented),
        cmocka_unit_test(questions_without_sense_are_explained),
        cmocka_unit_test(a_pattern_is_found_in_text_that_is_no_utf_8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
