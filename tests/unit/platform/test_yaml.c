// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "auto.h"
#include "formats/scalar.h"
#include "formats/yaml.h"
#include "limits.h"

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

static yaml_document_t
parse(const char *text)
{
    yaml_document_t document = { 0 };
    yaml_place_t place;
    failure_t why = { 0 };

    if (yaml_parse(arena, text, strlen(text), &yaml_scenario_limits, &document, &place, &why))
        fail_msg("%zu:%zu %s\n%s", place.line, place.column, why.text, text);
    return document;
}

static const char *
as_json(const char *text)
{
    return json_text(arena, parse(text).root);
}

static failure_t
refused(const char *text, size_t size, const yaml_limits_t *limits, yaml_place_t *place)
{
    yaml_document_t document = { 0 };
    failure_t why = { 0 };

    if (!yaml_parse(arena, text, size, limits, &document, place, &why))
        fail_msg("was read: %.100s", text);
    assert_null(document.root);
    return why;
}

// clang-format off
static const struct {
    const char *scalar;
    const char *json;
} scalars[] = {
    { "NO", "\"NO\"" }, { "on", "\"on\"" }, { "y", "\"y\"" }, { "n", "\"n\"" },
    { "1", "1" }, { "0123", "123" }, { "0o17", "15" }, { "0x1F", "31" },
    { "09:00", "\"09:00\"" }, { "1:2:3", "\"1:2:3\"" },
    { "2024-10-01", "\"2024-10-01\"" }, { "2024-10-01T10:00:00Z", "\"2024-10-01T10:00:00Z\"" },
    { "1e3", "1e3" }, { "1_000", "\"1_000\"" }, { "~", "null" }, { "", "null" },
    { "null", "null" }, { "nULL", "\"nULL\"" }, { "True", "true" }, { "FALSE", "false" },
    { ".inf", "\".inf\"" }, { "-.INF", "\"-.INF\"" }, { ".nan", "\".nan\"" },
    { ".", "\".\"" }, { "+", "\"+\"" }, { "1.10", "1.10" },
    { "9223372036854775808", "9223372036854775808" }, { "+12", "12" }, { "-0", "-0" },
    { ".5", "0.5" }, { "-.5", "-0.5" }, { "5.", "5.0" }, { "00.5", "0.5" }, { "+0.1e-2", "0.1e-2" },
    { "1e", "\"1e\"" }, { "1.2.3", "\"1.2.3\"" }, { "0x", "\"0x\"" }, { "0xG", "\"0xG\"" },
    { "0o8", "\"0o8\"" }, { "0xFFFFFFFFFFFFFFFF", "18446744073709551615" },
    { "0x10000000000000000", "\"0x10000000000000000\"" },
    { "\"007\"", "\"007\"" }, { "'true'", "\"true\"" }, { "!!str 12", "\"12\"" },
    { "! 12", "\"12\"" }, { "!!int 12", "12" }, { "!!int '12'", "12" }, { "!!float 1.5", "1.5" },
    { "!!bool true", "true" }, { "!!null ''", "null" }, { "!!map {}", "{}" }, { "!!seq []", "[]" },
    { "'it''s'", "\"it's\"" }, { "''''", "\"'\"" }, { "''''''", "\"''\"" },
    { "' a''''b '", "\" a''b \"" }, { "''''''''''''''''''''''''", "\"'''''''''''\"" },
    { "'''''a  \n\n \n  b'", "\"''a\\n\\nb\"" }, { "'''''a \r\n b'", "\"''a b\"" },
    { "'\\d+'", "\"\\\\d+\"" }, { "{a: {}}", "{\"a\":{}}" },
};
// clang-format on

static void
scalars_follow_the_core_schema(void **state)
{
    for (size_t i = 0; i < ROWS(scalars); i++) {
        const char *text = arena_printf(arena, "v: %s\n", scalars[i].scalar);
        const char *want = arena_printf(arena, "{\"v\":%s}", scalars[i].json);
        assert_string_equal(as_json(text), want);
    }
}

static void
a_number_keeps_its_spelling_for_places_that_want_text(void **state)
{
    static const char *const spellings[] = {
        "0123", "1.10", "0x1F", "+12", "true", "1e3", "x y"
    };

    for (size_t i = 0; i < ROWS(spellings); i++) {
        yaml_document_t document =
            parse(arena_printf(arena, "a: 1\nv: %s # c\n", spellings[i]));
        const json_t *value = json_get(document.root, "v");
        assert_string_equal(yaml_source(arena, &document, value), spellings[i]);
    }
    yaml_document_t document = parse("v:\nw: {}\n");
    assert_string_equal(yaml_source(arena, &document, json_get(document.root, "v")), "");
    assert_null(yaml_source(arena, &document, json_get(document.root, "w")));
}

static void
values_and_keys_know_where_they_stand(void **state)
{
    yaml_document_t document =
        parse("name: x\nsteps:\n  - é: 'q'\n    to: [1, {deep: 2}]\n    none:\n");
    const json_t *step = json_get(document.root, "steps")->first;
    const json_t *deep = json_get(json_get(step, "to")->last, "deep");
    const struct {
        const json_t *value;
        size_t key_line, key_column, line, column;
    } rows[] = {
        { json_get(document.root, "name"), 1, 1, 1, 7 },
        { json_get(step, "é"), 3, 5, 3, 8 },  // columns are code points, the quote included
        { json_get(step, "to"), 4, 5, 4, 9 },
        { deep, 4, 14, 4, 20 },
        { json_get(step, "none"), 5, 5, 5, 9 },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        yaml_place_t key = yaml_key_place(&document, rows[i].value);
        yaml_place_t value = yaml_value_place(&document, rows[i].value);
        print_message("  %s\n", rows[i].value->key);
        assert_int_equal(key.line, rows[i].key_line);
        assert_int_equal(key.column, rows[i].key_column);
        assert_int_equal(value.line, rows[i].line);
        if (rows[i].value->kind != JSON_NULL)
            assert_int_equal(value.column, rows[i].column);
    }
}

static void
a_byte_order_mark_and_crlf_do_no_harm(void **state)
{
    yaml_document_t document = parse("\xef\xbb\xbf"
                                     "a: 1\r\nb: |\r\n  x\r\n  y\r\nc: z\r\n");

    assert_string_equal(json_text(arena, document.root),
                        "{\"a\":1,\"b\":\"x\\ny\\n\",\"c\":\"z\"}");
    assert_int_equal(yaml_key_place(&document, json_get(document.root, "a")).column, 1);
    assert_int_equal(yaml_key_place(&document, json_get(document.root, "c")).line, 5);
}

static void
an_empty_document_is_null(void **state)
{
    static const char *const texts[] = { "", "# only this\n", "---\n", "\xef\xbb\xbf",
                                         "--- # x\n...\n" };

    for (size_t i = 0; i < ROWS(texts); i++)
        assert_string_equal(as_json(texts[i]), "null");
}

static void
aliases_and_merge_keys_are_resolved(void **state)
{
    assert_string_equal(as_json("a: &x {k: 1}\nb: *x\nc: [*x, *x]\n"),
                        "{\"a\":{\"k\":1},\"b\":{\"k\":1},\"c\":[{\"k\":1},{\"k\":1}]}");
    assert_string_equal(as_json("- &x 1\n- &x 2\n- *x\n"), "[1,2,2]");
    assert_string_equal(as_json("&k key: v\nb: *k\n*k : w\n"), "{\"b\":\"key\",\"key\":\"w\"}");
    // own members win wherever they stand; of several mappings the first wins
    assert_string_equal(
        as_json("base: &b {a: 1, c: 2}\nx: {a: 9, <<: *b}\ny: {<<: *b, a: 9}\n"),
        "{\"base\":{\"a\":1,\"c\":2},\"x\":{\"a\":9,\"c\":2},\"y\":{\"c\":2,\"a\":9}}");
    assert_string_equal(as_json("- &a {k: 1}\n- &b {k: 2, l: 3}\n- <<: [*a, *b]\n"),
                        "[{\"k\":1},{\"k\":2,\"l\":3},{\"k\":1,\"l\":3}]");
    assert_string_equal(as_json("'<<': 1\n"), "{\"<<\":1}");
}

static void
a_duplicate_key_is_reported_with_both_places(void **state)
{
    yaml_document_t document = parse("steps:\n  a: 1\n  b: 2\n  'a': 3\n");

    assert_int_equal(document.duplicate_count, 1);
    assert_string_equal(document.duplicates[0].value->key, "a");
    assert_int_equal(document.duplicates[0].first.line, 2);
    assert_int_equal(document.duplicates[0].second.line, 4);
    assert_int_equal(document.duplicates[0].second.column, 3);
    assert_string_equal(json_text(arena, document.root), "{\"steps\":{\"b\":2,\"a\":3}}");
    assert_int_equal(parse("b: &b {a: 1}\nc: {<<: *b, a: 2}\n").duplicate_count, 0);
}

// clang-format off
static const struct {
    const char *text;
    size_t line, column;
    const char *says;
} malformed[] = {
    { "a: b\n c: d\n",                    1, 4,  "quote" },
    { "a: [1, 2\n",                       2, 1,  "bracket" },
    { "text: \"\\\xe2\x82\xac" "5 \\d+\"\n", 1, 8,  "single quotes" },
    { "a: 1\npath: {{x}}/y\n",            2, 8, "quote values that begin with {" },
    { "path: {{x}}\n",                    1, 8,  "quote values that begin with {" },
    { "a: 1\n---\nb: 2\n",                2, 1,  "second document" },
    { "a: !!python/object:x {}\n",        1, 22, "tag" },
    { "a: !!binary aGk=\n",               1, 13, "tag" },
    { "a: !own 1\n",                      1, 9,  "tag" },
    { "a: !!int x\n",                     1, 10, "does not fit" },
    { "a: !!map []\n",                    1, 10, "does not fit" },
    { "a: &a [*a]\n",                     1, 9,  "inside of what it names" },
    { "a: *b\n",                          1, 5,  "nothing is named" },
    { "? [1]\n: 2\n",                     1, 3,  "text" },
    { "a: {<<: 1}\n",                     1, 5,  "<<" },
    { "a: {<<: [1]}\n",                   1, 5,  "<<" },
    { "a: \"x\\0y\"\n",                   1, 4,  "U+0000" },
    { "a: b\nc: \xff\n",                  2, 4,  "UTF-8" },
    { "a: \"\\uD800\"\n",                 1, 0,  "" },
    { "\ta: 1\n",                         1, 0,  "" },
};
// clang-format on

static void
malformed_text_is_refused_with_line_and_column(void **state)
{
    for (size_t i = 0; i < ROWS(malformed); i++) {
        yaml_place_t place;
        const char *text = malformed[i].text;
        failure_t why = refused(text, strlen(text), &yaml_scenario_limits, &place);
        print_message("  %zu:%zu %s\n", place.line, place.column, why.text);
        assert_int_equal(why.status, BAD_ARGS);
        assert_int_equal(place.line, malformed[i].line);
        if (malformed[i].column)
            assert_int_equal(place.column, malformed[i].column);
        assert_non_null(strstr(why.text, malformed[i].says));
    }
}

static char *
repeat(const char *before, const char *what, size_t times, const char *after)
{
    buffer_t out = { 0 };

    buffer_text(&out, before);
    for (size_t i = 0; i < times; i++)
        buffer_text(&out, what);
    buffer_text(&out, after);
    char *text = arena_strndup(arena, out.bytes, out.size);
    buffer_clear(&out);
    return text;
}

static status_t
parse_status(const char *text, size_t size, const yaml_limits_t *limits)
{
    yaml_document_t document;
    yaml_place_t place;
    failure_t why;

    return yaml_parse(arena, text, size, limits, &document, &place, &why);
}

static void
nesting_has_a_limit(void **state)
{
    for (size_t depth = YAML_DEPTH_MAX - 1; depth <= YAML_DEPTH_MAX + 1; depth++) {
        char *text = repeat("", "[", depth, repeat("", "]", depth, ""));
        status_t want = depth > YAML_DEPTH_MAX ? TOO_LARGE : OK;
        assert_int_equal(parse_status(text, strlen(text), &yaml_scenario_limits), want);
        text = repeat("", "- ", depth, "x");
        assert_int_equal(parse_status(text, strlen(text), &yaml_scenario_limits), want);
    }
    const char *grown =
        "- &a [[[[[[[[[[1]]]]]]]]]]\n- &b [[[[[[[[[[*a]]]]]]]]]]\n- [[[[[[[[[[*b]]]]]]]]]]\n";
    assert_int_equal(parse_status(grown, strlen(grown), &yaml_scenario_limits), OK);
    const char *over = "- &a [[[[[[[[[[1]]]]]]]]]]\n- &b [[[[[[[[[[*a]]]]]]]]]]\n- "
                       "[[[[[[[[[[[[*b]]]]]]]]]]]]\n";
    assert_int_equal(parse_status(over, strlen(over), &yaml_scenario_limits), TOO_LARGE);
}

static void
size_and_number_of_values_have_limits(void **state)
{
    char *text = repeat("a: ", "x", YAML_MAX - 3, "");
    assert_int_equal(parse_status(text, YAML_MAX - 1, &yaml_scenario_limits), OK);
    assert_int_equal(parse_status(text, YAML_MAX, &yaml_scenario_limits), OK);
    text = repeat("a: ", "x", YAML_MAX - 2, "");
    assert_int_equal(parse_status(text, YAML_MAX + 1, &yaml_scenario_limits), TOO_LARGE);

    yaml_limits_t few = { .size_max = 1000, .depth_max = 8, .nodes_max = 10, .copies_max = 4 };
    text = repeat("", "- x\n", 9, "");  // and the list
    assert_int_equal(parse_status(text, strlen(text), &few), OK);
    text = repeat("", "- x\n", 10, "");
    assert_int_equal(parse_status(text, strlen(text), &few), TOO_LARGE);
    assert_int_equal(parse_status("- &a [1]\n- [*a, *a]", 19, &few), OK);
    assert_int_equal(parse_status("- &a [1]\n- [*a, *a, *a]", 23, &few), TOO_LARGE);
}

static void
alias_bombs_and_endless_nesting_are_refused_at_once(void **state)
{
    buffer_t bomb = { 0 };
    buffer_text(&bomb, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 10; i++) {
        buffer_printf(&bomb, "a%d: &a%d [", i, i);
        for (int j = 0; j < 9; j++)
            buffer_printf(&bomb, "*a%d%s", i - 1, j < 8 ? ", " : "]\n");
    }
    const char *texts[] = {
        bomb.bytes,
        repeat("", "[", 200 * 1000, ""),
        repeat("", "? ", 100 * 1000, ""),
        repeat("a: ", "{", 200 * 1000, ""),
        repeat("", "- ", 100 * 1000, ""),
    };

    for (size_t i = 0; i < ROWS(texts); i++) {
        clock_t start = clock();
        assert_int_not_equal(parse_status(texts[i], strlen(texts[i]), &yaml_scenario_limits),
                             OK);
        assert_int_not_equal(parse_status(texts[i], strlen(texts[i]), &yaml_openapi_limits),
                             OK);
        double seconds = (double) (clock() - start) / CLOCKS_PER_SEC;
        print_message("  %.3f s\n", seconds);
        assert_true(seconds < 1.0);  // 0.1 s without sanitizers
    }
    char *key = repeat("{", "k", 200 * 1000, ": 1}");
    clock_t start = clock();
    parse_status(key, strlen(key), &yaml_scenario_limits);
    assert_true((double) (clock() - start) / CLOCKS_PER_SEC < 1.0);
    buffer_clear(&bomb);
}

static void
brackets_that_never_close_cost_no_memory(void **state)
{
    static const char *const units[] = { "[", "[a,", "[\"]\",", "['}]',", "[ #]\n", "[{" };

    for (size_t i = 0; i < ROWS(units); i++) {
        char *text = repeat("a: ", units[i], 300 * 1000, "");
        clock_t start = clock();
        assert_int_equal(parse_status(text, strlen(text), &yaml_openapi_limits), TOO_LARGE);
        assert_true((double) (clock() - start) / CLOCKS_PER_SEC < 0.5);
    }
    // Text is no nesting: it takes many thousand brackets without a partner.
    char *prose = repeat("a: |\n", "  the '90s [sic] don't count: \"[x]\" :[\n", 10 * 1000, "");
    assert_int_equal(parse_status(prose, strlen(prose), &yaml_openapi_limits), OK);
}

// clang-format off
static const char *const round_trips[] = {
    "{\"name\":\"x\",\"steps\":[{\"path\":\"/a\",\"expect\":[200,\"2xx\"]}]}",
    "{\"a\":\"\",\"b\":\" lead\",\"c\":\"trail \",\"d\":\"a: b\",\"e\":\"a #b\",\"f\":\"#x\",\"g\":\"x:\"}",
    "{\"yes\":\"yes\",\"no\":\"no\",\"n\":\"null\",\"t\":\"true\",\"v\":\"1.10\",\"z\":\"0123\",\"w\":\"09:00\"}",
    "{\"a\":\"line one\\nline two\\n\",\"b\":\"one\\n\\n  two\",\"c\":\"one\\ntwo\\n\\n\",\"d\":\"\\nx\"}",
    "{\"a\":\"x \\ny\",\"b\":\"\\tx\\ny\",\"c\":\"cr\\r\\nlf\",\"d\":\"\\u0001\\u007f\\u0085\\u2028\\ufeff\"}",
    "{\"a\":[],\"b\":{},\"c\":[[]],\"d\":[{}],\"e\":[[1,[2]],{\"x\":[{\"y\":1}]}],\"f\":null}",
    "{\"a\":[\"a, b\",\"[x]\",\"{y}\",\"k: v\"],\"b\":\"{{id}}\",\"c\":\"*a\",\"d\":\"&a\",\"e\":\"!x\",\"f\":\"@me\"}",
    "{\"a\":\"J\xc3\xb6rg \xf0\x9f\x98\x80\",\"\xc3\xa9 key\":1,\"<<\":2,\"\":3,\"a: b\":4,\"- x\":5,\"?\":6}",
    "{\"n\":[0,-1,1.50,1e400,123456789012345678901234567890],\"b\":[true,false,null]}",
    "{\"a\":\"it's\",\"b\":\"\\\"q\\\"\",\"c\":\"back\\\\slash\",\"d\":\"|\",\"e\":\">\",\"f\":\"%x\",\"g\":\"`\",\"h\":\"~\",\"i\":\"=\"}",
    "[[\"x\\ny\",1],\"---\",\"...\",\"-\",\"- \",\"?\",\"? x\",\"a\\nb: c\"]",
    "\"one\\ntwo\"",
};
// clang-format on

static void
what_is_written_reads_back_equal(void **state)
{
    for (size_t i = 0; i < ROWS(round_trips); i++) {
        buffer_t out = { 0 };
        json_t *value = json_parse_text(arena, round_trips[i]);
        assert_non_null(value);
        yaml_write(&out, value);
        yaml_document_t document = parse(out.bytes);
        if (!json_equal(document.root, value))
            fail_msg("%s\nbecame\n%s", out.bytes, json_text(arena, document.root));
        buffer_clear(&out);
    }
}

static void
yaml_is_written_for_people(void **state)
{
    buffer_t out = { 0 };

    yaml_write(&out,
               json_parse_text(
                   arena, "{\"name\":\"Pets\",\"steps\":[{\"method\":\"GET\",\"path\":"
                          "\"/pets/{{id}}\",\"expect\":[200,\"2xx\"],\"body\":\"a\\nb\\n\"},"
                          "{\"headers\":{\"X-A\":\"1\"},\"tags\":[]}]}"));
    assert_string_equal(out.bytes, "name: Pets\n"
                                   "steps:\n"
                                   "  - method: GET\n"
                                   "    path: /pets/{{id}}\n"
                                   "    expect: [200, \"2xx\"]\n"
                                   "    body: |\n"
                                   "      a\n"
                                   "      b\n"
                                   "  - headers:\n"
                                   "      X-A: \"1\"\n"
                                   "    tags: []\n");
    buffer_clear(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scalars_follow_the_core_schema, setup, teardown),
        cmocka_unit_test_setup_teardown(a_number_keeps_its_spelling_for_places_that_want_text,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(values_and_keys_know_where_they_stand, setup, teardown),
        cmocka_unit_test_setup_teardown(a_byte_order_mark_and_crlf_do_no_harm, setup, teardown),
        cmocka_unit_test_setup_teardown(an_empty_document_is_null, setup, teardown),
        cmocka_unit_test_setup_teardown(aliases_and_merge_keys_are_resolved, setup, teardown),
        cmocka_unit_test_setup_teardown(a_duplicate_key_is_reported_with_both_places, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(malformed_text_is_refused_with_line_and_column, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(nesting_has_a_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(size_and_number_of_values_have_limits, setup, teardown),
        cmocka_unit_test_setup_teardown(alias_bombs_and_endless_nesting_are_refused_at_once,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(brackets_that_never_close_cost_no_memory, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_written_reads_back_equal, setup, teardown),
        cmocka_unit_test_setup_teardown(yaml_is_written_for_people, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
