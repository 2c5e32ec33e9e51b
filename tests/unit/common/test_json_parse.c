// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "json.h"
#include "limits.h"

#include <cmocka.h>  // last: it defines fail()

static status_t
parse(arena_t *arena, const char *text, json_document_t *document, failure_t *why)
{
    return json_parse(arena, text, strlen(text), document, why);
}

// clang-format off
static const struct {
    const char *text;
    size_t offset;
    const char *reason;  // part of it
} refused[] = {
    { "",                  0, "empty" },
    { "  \n",              3, "no value" },
    { "[1,]",              3, "a value is expected" },
    { "{\"a\":1,}",        7, "name in quotes" },
    { "{\"a\" 1}",         5, "colon" },
    { "{\"a\":1 \"b\":2}", 7, "comma or }" },
    { "[1 2]",             3, "comma or ]" },
    { "{1:2}",             1, "name in quotes" },
    { "[,1]",              1, "a value is expected" },
    { "]",                 0, "a value is expected" },
    { "[}",                1, "a value is expected" },
    { "[1]x",              3, "follows the value" },
    { "[1] 2",             4, "follows the value" },
    { "1 2",               2, "follows the value" },
    { "01",                1, "follows the value" },
    { "\"a\"\"b\"",        3, "follows the value" },
    { "-",                 1, "in the middle" },
    { "-x",                1, "minus" },
    { "1.x",               2, "decimal point" },
    { "[1.]",              3, "decimal point" },
    { "1ex",               2, "exponent" },
    { "+1",                0, "no value can begin" },
    { ".5",                0, "no value can begin" },
    { "NaN",               0, "no value can begin" },
    { "'a'",               0, "no value can begin" },
    { "\xef\xbb\xbf{}",    0, "no value can begin" },
    { "trux",              3, "true, false and null" },
    { "tru",               3, "in the middle" },
    { "\"abc",             4, "in the middle" },
    { "{\"a\":[1,",        8, "in the middle" },
    { "\"a\\x\"",          3, "backslash" },
    { "\"\\u12g4\"",       5, "hexadecimal" },
    { "\"a\nb\"",          2, "control character" },
    { "{\"a\":\v1}",       5, "control character" },
    { "[1\f,2]",           2, "control character" },
    { "[1,//\n2]",         3, "comments" },
    { "\"\xff\"",          1, "UTF-8" },
    { "\"\xc0\xaf\"",      1, "UTF-8" },  // overlong
    { "\"\xed\xa0\x80\"",  1, "UTF-8" },  // a surrogate
    { "\"\xf4\x90\x80\x80\"", 1, "UTF-8" },  // over U+10FFFF
    { "\"\\ud800\"",       1, "surrogate" },
    { "\"x\\udc00\"",      2, "surrogate" },
    { "\"\\ud800\\ud800\"", 1, "surrogate" },
    { "\"\\ud800\\n\"",    1, "surrogate" },
    { "\"\\ud800\\u0041\"", 1, "surrogate" },
    { "{\"\\udead\":1}",   2, "surrogate" },
    { "[\"a\\\\\\ud83d\"]", 5, "surrogate" },
};
// clang-format on

static void
refuses_what_is_not_json_and_names_the_byte(void **state)
{
    for (size_t i = 0; i < ROWS(refused); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        json_document_t document = { 0 };
        failure_t why = { 0 };
        char place[40];

        print_message("  %s\n", refused[i].text);
        assert_int_equal(parse(arena, refused[i].text, &document, &why), BAD_ARGS);
        assert_null(document.root);
        assert_non_null(strstr(why.text, refused[i].reason));
        if (refused[i].text[0]) {
            snprintf(place, sizeof place, "at byte %zu:", refused[i].offset);
            assert_non_null(strstr(why.text, place));
        }
    }
}

// clang-format off
static const struct {
    const char *text;
    json_kind_t kind;
    size_t begin, end;
    const char *decoded;
} scalars[] = {
    { "null",                        JSON_NULL,   0, 4,  NULL },
    { " true ",                      JSON_BOOL,   1, 5,  NULL },
    { "12",                          JSON_NUMBER, 0, 2,  "12" },
    { "\t-1.50E+3\n",                JSON_NUMBER, 1, 9,  "-1.50E+3" },
    { "9223372036854775808123",      JSON_NUMBER, 0, 22, "9223372036854775808123" },
    { "\"\"",                        JSON_STRING, 0, 2,  "" },
    { " \"a\\u0041\\n\\/\\\"\" ",    JSON_STRING, 1, 16, "aA\n/\"" },
    { "\"\\ud83d\\ude00\"",          JSON_STRING, 0, 14, "\xf0\x9f\x98\x80" },
    { "\"\\\\ud800\"",               JSON_STRING, 0, 9,  "\\ud800" },
    { "\"\xc3\xa9\x7f\"",            JSON_STRING, 0, 5,  "\xc3\xa9\x7f" },
};
// clang-format on

static void
reads_single_values_with_their_span(void **state)
{
    for (size_t i = 0; i < ROWS(scalars); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        json_document_t document;
        failure_t why;

        print_message("  %s\n", scalars[i].text);
        assert_int_equal(parse(arena, scalars[i].text, &document, &why), OK);
        assert_int_equal(document.root->kind, scalars[i].kind);
        assert_int_equal(document.root->begin, scalars[i].begin);
        assert_int_equal(document.root->end, scalars[i].end);
        if (scalars[i].decoded) {
            assert_string_equal(document.root->text, scalars[i].decoded);
            assert_int_equal(document.root->length, strlen(scalars[i].decoded));
        }
        assert_null(document.duplicate);
        assert_null(document.nul);
    }
}

// Every value of a tree, parsed again from its span alone, gives the same tree.
static void
check_spans(arena_t *arena, const char *text, const json_t *value)
{
    json_document_t again;
    failure_t why;

    assert_int_equal(
        json_parse(arena, text + value->begin, value->end - value->begin, &again, &why), OK);
    assert_int_equal(again.root->begin, 0);
    assert_int_equal(again.root->end, value->end - value->begin);
    assert_true(json_equal(again.root, value));
    for (const json_t *child = value->first; child; child = child->next)
        check_spans(arena, text, child);
}

static const char nested[] =
    " { \"a\" : [ 1 ,2.5,  -3e2 , \"x\\ty\\u00e9\" , true,false , null ] ,\"b\\n\": {} , "
    "\"\" : [ [ ] , { \"c\":{\"d\" :[]}}] , \"id\":1003200000000001759}\r\n";

static void
gives_every_value_the_span_it_was_read_from(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_document_t document;
    failure_t why;

    assert_int_equal(parse(arena, nested, &document, &why), OK);
    check_spans(arena, nested, document.root);
    assert_int_equal(document.root->count, 4);
    assert_string_equal(document.root->first->next->key, "b\n");
    assert_string_equal(json_get(document.root, "id")->text, "1003200000000001759");
    assert_non_null(json_get(document.root, ""));
}

static char *
brackets(size_t depth, bool closed)
{
    char *text = calloc(2, depth + 1);

    memset(text, '[', depth);
    if (closed)
        memset(text + depth, ']', depth);
    return text;
}

static void
bounds_the_depth(void **state)
{
    static const struct {
        size_t depth;
        bool is_closed;
        status_t status;
    } rows[] = {
        { JSON_DEPTH_MAX - 1, true, OK },
        { JSON_DEPTH_MAX, true, OK },
        { JSON_DEPTH_MAX + 1, true, BAD_ARGS },
        { 200000, false, BAD_ARGS },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        json_document_t document;
        failure_t why;
        char *text = brackets(rows[i].depth, rows[i].is_closed);

        assert_int_equal(parse(arena, text, &document, &why), rows[i].status);
        if (rows[i].status != OK)
            assert_string_equal(why.text, "JSON nests deeper than 64 levels at byte 64");
        free(text);
    }
}

static void
bounds_the_values(void **state)
{
    static const struct {
        const char *text;
        size_t values;
    } rows[] = {
        { "[1,2,3]", 4 },
        { "[null,true,\"\",{}]", 5 },
        { "{\"a\":{\"b\":[\"c\"]}}", 4 },
        { "[[],[],[]]", 4 },
        { "0", 1 },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const size_t size = strlen(rows[i].text);
        json_document_t document;
        failure_t why;

        assert_int_equal(json_parse_within(arena, rows[i].text, size, rows[i].values,  //
                                           &document, &why),
                         OK);
        assert_int_equal(
            json_parse_within(arena, rows[i].text, size, rows[i].values - 1, &document, &why),
            BAD_ARGS);
        assert_non_null(strstr(why.text, "values"));
    }
}

// clang-format off
static const struct {
    const char *text;
    const char *duplicate;  // value of the later one, as text
    bool has_nul;
} odd[] = {
    { "{\"a\":1,\"b\":2}", NULL, false },
    { "{\"role\":\"user\",\"role\":\"admin\"}", "admin", false },
    { "[{\"a\":1,\"\\u0061\":22}]", "22", false },
    { "{\"a\":{\"b\":1},\"b\":1}", NULL, false },
    { "{\"a\\u0000\":1,\"a\":2}", NULL, true },
    { "\"x\\u0000y\"", NULL, true },
    { "{\"a\":[\"\\u0000\"]}", NULL, true },
};
// clang-format on

static void
finds_duplicate_names_and_nul(void **state)
{
    for (size_t i = 0; i < ROWS(odd); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        json_document_t document;
        failure_t why;

        print_message("  %s\n", odd[i].text);
        assert_int_equal(parse(arena, odd[i].text, &document, &why), OK);
        assert_int_equal(document.nul != NULL, odd[i].has_nul);
        assert_int_equal(document.duplicate != NULL, odd[i].duplicate != NULL);
        if (odd[i].duplicate)
            assert_string_equal(document.duplicate->text, odd[i].duplicate);
    }
}

static void
finds_a_duplicate_among_many_members(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(buffer_clear) buffer_t text = { 0 };
    json_document_t document;
    failure_t why;

    buffer_char(&text, '{');
    for (int i = 0; i < 50000; i++)
        buffer_printf(&text, "\"name %d\":%d,", i % 49999, i);
    text.bytes[text.size - 1] = '}';
    assert_int_equal(json_parse(arena, text.bytes, text.size, &document, &why), OK);
    assert_string_equal(document.duplicate->text, "49999");
    assert_string_equal(json_get(document.root, "name 0")->text, "49999");
}

static void
keeps_nothing_of_the_source(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    char text[] = "{\"a\":[\"b\",12]}";
    json_document_t document;
    failure_t why;

    assert_int_equal(parse(arena, text, &document, &why), OK);
    memset(text, '#', sizeof text);
    assert_string_equal(json_text(arena, document.root), "{\"a\":[\"b\",12]}");
}

static void
refuses_every_truncation(void **state)
{
    size_t last = strlen(nested) - strlen("}\r\n");

    for (size_t size = 0; size <= last; size++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        json_document_t document;
        failure_t why;
        char *exact = malloc(size ? size : 1);  // so that reading too far is seen

        memcpy(exact, nested, size);
        assert_int_equal(json_parse(arena, exact, size, &document, &why), BAD_ARGS);
        free(exact);
    }
}

// What is accepted must survive writing and reading again.
static void
try_changed(const char *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_document_t document, again;
    failure_t why;

    if (json_parse(arena, bytes, size, &document, &why) != OK) {
        assert_true(why.text[0]);
        return;
    }
    const char *text = json_text(arena, document.root);
    assert_int_equal(parse(arena, text, &again, &why), OK);
    assert_true(json_equal(document.root, again.root));
}

static void
survives_changed_bytes(void **state)
{
    unsigned seed = 20260728;

    for (int round = 0; round < 20000; round++) {
        size_t size = strlen(nested);
        char *bytes = malloc(size);
        memcpy(bytes, nested, size);
        for (int flips = 0; flips < 1 + round % 4; flips++) {
            size_t at = (size_t) rand_r(&seed) % size;
            bytes[at] =
                round % 2 ? (char) rand_r(&seed) : "{}[]\",:\\u0d8e+-. tfn"[rand_r(&seed) % 21];
        }
        try_changed(bytes, size);
        free(bytes);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_not_json_and_names_the_byte),
        cmocka_unit_test(reads_single_values_with_their_span),
        cmocka_unit_test(gives_every_value_the_span_it_was_read_from),
        cmocka_unit_test(bounds_the_depth),
        cmocka_unit_test(bounds_the_values),
        cmocka_unit_test(finds_duplicate_names_and_nul),
        cmocka_unit_test(finds_a_duplicate_among_many_members),
        cmocka_unit_test(keeps_nothing_of_the_source),
        cmocka_unit_test(refuses_every_truncation),
        cmocka_unit_test(survives_changed_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
