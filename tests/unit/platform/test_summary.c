// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "json_utf8.h"
#include "report/summary.h"

#include <cmocka.h>

static arena_t *arena;

static int
setup(void **state)
{
    arena = arena_new();
    return 0;
}

static int
teardown(void **state)
{
    arena_destroy(&arena);
    return 0;
}

static const char *
summarise(const char *json)
{
    buffer_t out = { 0 };

    summary_text(&out, json_parse_text(arena, json));
    const char *text = arena_strndup(arena, out.bytes, out.size);
    assert_int_equal(json_utf8_valid(out.bytes, out.size), out.size);
    buffer_clear(&out);
    return text;
}

static void
a_run_fits_on_one_screen(void **state)
{
    const char *text =
        summarise("{\"id\":12,\"scenario\":\"Pets\",\"status\":\"FAILED\",\"environment\":"
                  "\"staging\",\"durationMs\":1412,\"steps\":["
                  "{\"name\":\"list\",\"status\":\"PASSED\",\"durationMs\":35,\"response\":{"
                  "\"status\":200}},"
                  "{\"name\":\"get\",\"status\":\"FAILED\",\"durationMs\":80,\"response\":{"
                  "\"status\":500},\"checks\":["
                  "{\"passed\":true,\"message\":\"fine\"},{\"passed\":false,\"message\":"
                  "\"status is 500, not 200\"}]},"
                  "{\"name\":\"put\",\"status\":\"ERROR\",\"durationMs\":2,\"error\":"
                  "\"connection\\nrefused\\u001b\"},"
                  "{\"name\":\"delete\",\"status\":\"SKIPPED\",\"durationMs\":0}]}");

    assert_string_equal(text, "Execution 12 · Pets · FAILED\n"
                              "1/4 passed · 1.41 s · staging\n"
                              "✓ list · 200 · 35 ms\n"
                              "✗ get · 500 · 80 ms · status is 500, not 200\n"
                              "✗ put · 2.0 ms · connection refused\\x1b\n"
                              "– delete · skipped\n");
}

static void
a_run_that_never_began_says_why(void **state)
{
    assert_string_equal(
        summarise("{\"id\":3,\"scenario\":\"s\",\"status\":\"ERROR\",\"error\":\"no agent\"}"),
        "Execution 3 · s · ERROR\n0/0 passed · 0 ms\nno agent\n");
}

static const char *
long_run(size_t steps)
{
    buffer_t json = { 0 };

    buffer_text(&json, "{\"id\":1,\"scenario\":\"s\",\"status\":\"FAILED\",\"steps\":[");
    for (size_t i = 0; i < steps; i++)
        buffer_printf(&json, "%s{\"name\":\"s%zu\",\"status\":\"%s\"}", i ? "," : "", i,
                      i + 1 == steps ? "FAILED" : "PASSED");
    buffer_text(&json, "]}");
    const char *text = arena_strndup(arena, json.bytes, json.size);
    buffer_clear(&json);
    return text;
}

static size_t
count_lines(const char *text)
{
    size_t lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void
of_many_steps_a_hundred_are_listed_failures_first(void **state)
{
    assert_int_equal(count_lines(summarise(long_run(99))), 2 + 99);
    assert_int_equal(count_lines(summarise(long_run(100))), 2 + 100);
    const char *text = summarise(long_run(101));
    assert_int_equal(count_lines(text), 2 + 100 + 1);
    assert_non_null(strstr(text, "passed · 0 ms\n✗ s100"));
    assert_non_null(strstr(text, "… and 1 more steps"));
}

static void
long_names_are_cut_between_characters(void **state)
{
    buffer_t json = { 0 };

    buffer_text(&json, "{\"id\":1,\"scenario\":\"x");
    for (int i = 0; i < 200; i++)
        buffer_text(&json, "\xf0\x9f\x98\x80");
    buffer_text(&json, "\",\"status\":\"FAILED\"}");
    const char *text = summarise(json.bytes);
    assert_non_null(strstr(text, "… · FAILED"));
    assert_true(strlen(text) < 400);
    buffer_clear(&json);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_fits_on_one_screen, setup, teardown),
        cmocka_unit_test_setup_teardown(a_run_that_never_began_says_why, setup, teardown),
        cmocka_unit_test_setup_teardown(of_many_steps_a_hundred_are_listed_failures_first,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(long_names_are_cut_between_characters, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
