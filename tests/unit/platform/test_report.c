// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "json_utf8.h"
#include "report/html.h"
#include "report/report.h"
#include "report/report_step.h"

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

#define STEP(index, name, status, rest)                                                        \
    "{\"index\":" #index ",\"name\":\"" name "\",\"status\":\"" status                         \
    "\",\"durationMs\":12" rest "}"

static const char mixed[] =
    "[{\"id\":1,\"scenario\":\"fine\",\"status\":\"COMPLETED\",\"environment\":\"staging\","
    "\"durationMs\":5,"
    "\"steps\":[" STEP(1, "good", "PASSED",
                       "") "]},"
                           "{\"id\":2,\"scenario\":\"broken\",\"status\":\"FAILED\","
                           "\"durationMs\":1500,\"startedAt\":\"2026-11-30T15:04:05.123Z\","
                           "\"steps\":[" STEP(1, "first", "PASSED", "") "," STEP(
                               2, "second", "FAILED",
                               ",\"checks\":[{\"check\":\"status\",\"passed\":false,"
                               "\"expected\":\"200\","
                               "\"actual\":\"500\",\"message\":\"status is 500, not 200\"}],"
                               "\"request\":{\"method\":\"GET\",\"url\":\"http://h/"
                               "a?x=<1>\",\"headers\":[[\"X-A\",\"1\"]]},"
                               "\"response\":{\"status\":500,\"headers\":[],\"body\":\"{"
                               "\\\"a\\\":1.50}\",\"sizeBytes\":10},"
                               "\"timings\":{\"dnsMs\":1,\"connectMs\":2,\"tlsMs\":0,"
                               "\"firstByteMs\":10,\"totalMs\":12},"
                               "\"extracted\":{\"id\":9223372036854775807},\"warnings\":["
                               "\"odd\"]") "," STEP(3, "third", "SKIPPED", "") "]}]";

static char *
render(const char *json, const char *title)
{
    buffer_t out = { 0 };
    const json_t *executions = json_parse_text(arena, json);

    assert_non_null(executions);
    report_html(&out, title, executions, "2026-11-30T15:10:00.000Z");
    char *page = arena_strndup(arena, out.bytes, out.size);
    assert_int_equal(json_utf8_valid(out.bytes, out.size), out.size);
    buffer_clear(&out);
    return page;
}

static size_t
count(const char *text, const char *part)
{
    size_t found = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        found++;
    return found;
}

static void
the_page_counts_runs_and_steps(void **state)
{
    const char *page = render(mixed, "Nightly");

    assert_non_null(strstr(page, "<title>Nightly</title>"));
    assert_non_null(strstr(page, "<b>2</b><span>runs</span>"));
    assert_non_null(strstr(page, "<b>1</b><span>failed</span>"));
    assert_non_null(strstr(page, "<b>2<small> / 4</small></b><span>steps passed</span>"));
    assert_non_null(strstr(page, "2026-11-30 15:10:00 UTC"));
    assert_non_null(strstr(page, "2026-11-30 15:04:05 UTC"));
    assert_non_null(strstr(page, "<em>2</em>second"));
}

static void
what_failed_comes_first_and_is_open(void **state)
{
    const char *page = strstr(render(mixed, NULL), "<main");

    assert_true(strstr(page, "id=\"run-2\"") < strstr(page, "id=\"run-1\""));
    assert_true(strstr(page, "</em>second") < strstr(page, "</em>first"));
    assert_int_equal(count(page, "<details class=\"step\" open>"), 1);
    assert_int_equal(count(page, "<details class=\"step\">"), 3);
}

static void
a_step_shows_everything_there_is(void **state)
{
    static const char *const parts[] = {
        "status is 500, not 200",
        "http://h/a?x=&lt;1&gt;",
        ">X-A<",
        ">1 header<",
        "<span class=\"n\">1.50</span>",
        "9223372036854775807",
        "<li>odd</li>",
        "name look-up 1.0 ms",
        "waiting 7.0 ms",
        "receiving 2.0 ms",
        "10 B",
        "The step was not run.",
        "<code>200</code>",
        "<code>500</code>",
    };
    const char *page = render(mixed, NULL);

    for (size_t i = 0; i < ROWS(parts); i++) {
        print_message("  %s\n", parts[i]);
        assert_non_null(strstr(page, parts[i]));
    }
}

static void
the_page_stands_alone(void **state)
{
    static const char *const outside[] = { "<script", "src=",    "@import", "url(",
                                           "<link",   "<iframe", "onload",  "onerror" };
    const char *page = render(mixed, NULL);

    for (size_t i = 0; i < ROWS(outside); i++)
        assert_null(strstr(page, outside[i]));
    assert_int_equal(count(page, "http"), count(page, "http://h/") + count(page, "http-equiv"));
    assert_non_null(strstr(page, "default-src 'none'"));
    assert_non_null(strstr(page, "prefers-color-scheme:dark"));
    assert_non_null(strstr(page, "@media print"));
}

static void
nothing_that_came_from_outside_becomes_markup(void **state)
{
    const char *evil = "<img src=x onerror=alert(1)>\\\"'&";
    const char *json =
        arena_printf(arena,
                     "[{\"id\":1,\"scenario\":\"%1$s\",\"status\":\"%1$s\",\"environment\":\"%"
                     "1$s\",\"project\":\"%1$s\",\"credentialTag\":\"%1$s\","
                     "\"tags\":[\"%1$s\"],\"error\":\"%1$s\",\"startedAt\":\"%1$s\","
                     "\"durationMs\":1,\"steps\":[{\"index\":0,\"name\":\"%1$s\","
                     "\"status\":\"FAILED\",\"error\":\"%1$s\",\"request\":{\"method\":\"%1$"
                     "s\",\"url\":\"%1$s\",\"headers\":[[\"%1$s\",\"%1$s\"]],"
                     "\"body\":\"%1$s\"},\"response\":{\"status\":200,\"headers\":[[\"%1$s\","
                     "\"%1$s\"]],\"body\":{\"%1$s\":\"%1$s\"}},"
                     "\"checks\":[{\"check\":\"%1$s\",\"passed\":false,\"expected\":\"%1$s\","
                     "\"actual\":[\"%1$s\"],\"message\":\"%1$s\"}],"
                     "\"extracted\":{\"%1$s\":\"%1$s\"},\"warnings\":[\"%1$s\"]}]}]",
                     evil);
    const char *page = render(json, "<img src=x onerror=alert(1)>\"'&");

    assert_null(strstr(page, "<img"));
    assert_true(count(page, "&lt;img src=x onerror=alert(1)&gt;") >= 20);
    assert_non_null(strstr(page, "&quot;&#39;&amp;"));
    assert_null(strstr(page, "&amp;lt;"));  // escaped once
}

// clang-format off
static const struct {
    const char *text;
    size_t length;
    const char *html;
} characters[] = {
    { "a\x12z",              3, "a\\x12z" },
    { "a\0z",                3, "a\\x00z" },
    { "\x1b[31m",            5, "\\x1b[31m" },
    { "\x7f",                1, "\\x7f" },
    { "\xc2\x85",            2, "\\x85" },
    { "a\r\nb",              4, "a\nb" },
    { "a\rb",                3, "a\\x0db" },
    { "\t",                  1, "\t" },
    { "\xef\xbf\xbe",        3, "\\ufffe" },
    { "\xe2\x80\xae" "abc",  6, "\\u202eabc" },
    { "\xef\xbb\xbf",        3, "\\ufeff" },
    { "\xf0\x9f\x98\x80",    4, "\xf0\x9f\x98\x80" },
    { "\xed\xa0\x80",        3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
    { "\xff" "a",            2, "\xef\xbf\xbd" "a" },
    { "\xf0\x9f",            2, "\xef\xbf\xbd\xef\xbf\xbd" },
    { "]]>",                 3, "]]&gt;" },
};
// clang-format on

static void
characters_that_a_page_cannot_hold_are_shown(void **state)
{
    for (size_t i = 0; i < ROWS(characters); i++) {
        buffer_t out = { 0 };
        html_text(&out, characters[i].text, characters[i].length);
        assert_string_equal(out.bytes, characters[i].html);
        buffer_clear(&out);
    }
}

static void
json_keeps_its_numbers_and_its_order(void **state)
{
    buffer_t out = { 0 };

    html_json(&out,
              json_parse_text(arena, "{\"b\":[1.50,true,null],\"a\":{},\"<\":\"x\\u0000\"}"));
    assert_string_equal(
        out.bytes,
        "{\n  <span class=\"k\">&quot;b&quot;</span>: [\n    <span class=\"n\">1.50</span>,\n"
        "    <span class=\"l\">true</span>,\n    <span class=\"l\">null</span>\n  ],\n"
        "  <span class=\"k\">&quot;a&quot;</span>: {},\n"
        "  <span class=\"k\">&quot;&lt;&quot;</span>: <span "
        "class=\"s\">&quot;x\\u0000&quot;</span>\n}");
    buffer_clear(&out);
}

static void
a_body_that_was_cut_says_so_and_stays_as_it_is(void **state)
{
    const char *page = render("[{\"id\":1,\"status\":\"FAILED\",\"steps\":[{\"index\":0,"
                              "\"name\":\"n\",\"status\":\"FAILED\","
                              "\"request\":{\"method\":\"GET\",\"url\":\"u\"},\"response\":{"
                              "\"status\":200,\"body\":\"{\\\"a\\\":[1,\","
                              "\"bodyTruncated\":true,\"sizeBytes\":7340032}}]}]",
                              NULL);

    assert_non_null(strstr(page, "{&quot;a&quot;:[1,</pre>"));
    assert_non_null(strstr(page, "The body is cut here; all of it has 7.0 MB."));
}

static void
odd_executions_do_no_harm(void **state)
{
    static const char *const odd[] = {
        "[]",
        "[{}]",
        "[null,1,\"x\",[]]",
        "[{\"steps\":[null,{}]}]",
        "[{\"steps\":[{\"request\":[],\"response\":1,\"checks\":{},\"timings\":[],"
        "\"extracted\":[],\"warnings\":[1,null]}]}]",
        "[{\"status\":1,\"steps\":{\"a\":{\"checks\":[1],\"request\":{\"headers\":[1,[],[[]]]}}"
        "}}]",
        "[{\"durationMs\":1e400,\"steps\":[{\"durationMs\":-5,\"timings\":{\"totalMs\":1e400}}]"
        "}]",
    };

    for (size_t i = 0; i < ROWS(odd); i++)
        assert_non_null(strstr(render(odd[i], NULL), "</html>"));
}

static void
times_and_sizes_read_well(void **state)
{
    static const struct {
        double value;
        const char *ms, *size;
    } rows[] = {
        { 0, "0 ms", "0 B" },
        { 1.25, "1.2 ms", "1 B" },
        { 840, "840 ms", "840 B" },
        { 2410, "2.41 s", "2.4 KB" },
        { 85000, "1 min 25 s", "83.0 KB" },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        buffer_t out = { 0 };
        report_step_write_ms(&out, rows[i].value);
        assert_string_equal(out.bytes, rows[i].ms);
        buffer_clear(&out);
        report_step_write_size(&out, rows[i].value);
        assert_string_equal(out.bytes, rows[i].size);
        buffer_clear(&out);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_page_counts_runs_and_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(what_failed_comes_first_and_is_open, setup, teardown),
        cmocka_unit_test_setup_teardown(a_step_shows_everything_there_is, setup, teardown),
        cmocka_unit_test_setup_teardown(the_page_stands_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_that_came_from_outside_becomes_markup, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(characters_that_a_page_cannot_hold_are_shown, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(json_keeps_its_numbers_and_its_order, setup, teardown),
        cmocka_unit_test_setup_teardown(a_body_that_was_cut_says_so_and_stays_as_it_is, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(odd_executions_do_no_harm, setup, teardown),
        cmocka_unit_test_setup_teardown(times_and_sizes_read_well, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
