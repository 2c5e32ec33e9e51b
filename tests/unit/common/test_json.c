// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "json.h"
#include "json_utf8.h"

#include <cmocka.h>  // last: it defines fail()

static void
members_are_read_by_name_and_kind(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *object = json_parse_text(
        arena,
        "{\"t\":\"x\",\"n\":4.2e1,\"f\":0.5,\"b\":true,\"z\":\"a\\u0000b\",\"t\":\"y\"}");

    assert_string_equal(json_get_text(object, "t"), "y");  // the last one counts
    assert_null(json_get_text(object, "n"));
    assert_null(json_get_text(object, "z"));  // would end early
    assert_int_equal(json_get_int(object, "n", 7), 42);
    assert_int_equal(json_get_int(object, "f", 7), 7);
    assert_int_equal(json_get_int(object, "t", 7), 7);
    assert_true(json_get_bool(object, "b", false));
    assert_true(json_get_bool(object, "missing", true));
    assert_null(json_get(object, "missing"));
    assert_null(json_get(NULL, "t"));
    assert_null(json_get(json_get(object, "t"), "t"));
    assert_true(json_double(json_get(object, "f")) == 0.5);
    assert_null(json_parse_text(arena, "{"));
    assert_null(json_parse_text(arena, NULL));
}

static void
members_are_set_in_place_and_removed(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *object = json_object(arena);

    json_set_int(arena, object, "a", 1);
    json_set_text(arena, object, "b", "x");
    json_set_bool(arena, object, "c", true);
    json_set_text(arena, object, "a", NULL);
    json_add(json_set(arena, object, "c", json_array(arena)), json_number(arena, INT64_MIN));
    json_set_int(arena, object, "d", 4);
    assert_string_equal(json_text(arena, object),
                        "{\"a\":null,\"b\":\"x\",\"c\":[-9223372036854775808],\"d\":4}");
    assert_int_equal(object->count, 4);
    assert_true(json_remove(object, "d"));
    assert_true(json_remove(object, "a"));
    assert_false(json_remove(object, "a"));
    json_set_int(arena, object, "e", 5);
    assert_string_equal(json_text(arena, object),
                        "{\"b\":\"x\",\"c\":[-9223372036854775808],\"e\":5}");
    assert_int_equal(object->count, 3);
}

static void
removing_takes_every_member_of_that_name(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *object = json_parse_text(arena, "{\"a\":1,\"b\":2,\"a\":3}");

    assert_true(json_remove(object, "a"));
    assert_string_equal(json_text(arena, object), "{\"b\":2}");
}

static void
copies_stand_on_their_own(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(arena_destroy) arena_t *other = arena_new();
    const char *text = "{\"a\":[1.50,\"x\\u0000y\",null,{\"\":false}]}";
    json_t *copy = json_copy(other, json_parse_text(arena, text));

    arena_destroy(&arena);
    assert_string_equal(json_text(other, copy), text);
    json_t *array = json_array(other);
    json_add(array, json_copy(other, json_get(copy, "a")));
    assert_null(array->first->key);
    assert_string_equal(json_text(other, array), "[[1.50,\"x\\u0000y\",null,{\"\":false}]]");
}

// clang-format off
static const struct {
    const char *a, *b;
    bool is_equal;
} pairs[] = {
    { "1",                    "1.0",                  true },
    { "1",                    "\"1\"",                false },
    { "null",                 "false",                false },
    { "true",                 "false",                false },
    { "[1,2]",                "[1,2]",                true },
    { "[1,2]",                "[2,1]",                false },
    { "[1]",                  "[1,1]",                false },
    { "{\"a\":1,\"b\":[]}",   "{\"b\":[],\"a\":1e0}", true },
    { "{\"a\":1}",            "{\"b\":1}",            false },
    { "{\"a\":1}",            "{\"a\":2}",            false },
    { "{\"a\":1}",            "{\"a\":1,\"b\":1}",    false },
    { "\"\\u00e9\"",          "\"\xc3\xa9\"",         true },
    { "\"a\\u0000b\"",        "\"a\\u0000c\"",        false },
    { "{}",                   "[]",                   false },
};
// clang-format on

static void
equality_is_by_value(void **state)
{
    for (size_t i = 0; i < ROWS(pairs); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        AUTO(buffer_clear) buffer_t left = { 0 };
        AUTO(buffer_clear) buffer_t right = { 0 };
        json_t *a = json_parse_text(arena, pairs[i].a);
        json_t *b = json_parse_text(arena, pairs[i].b);

        print_message("  %s %s\n", pairs[i].a, pairs[i].b);
        assert_int_equal(json_equal(a, b), pairs[i].is_equal);
        json_write_canonical(&left, a);
        json_write_canonical(&right, b);
        assert_int_equal(strcmp(left.bytes, right.bytes) == 0, pairs[i].is_equal);
    }
}

// clang-format off
static const struct {
    const char *bytes;
    size_t size;
    const char *written;
} strings[] = {
    { "plain /",           7, "\"plain /\"" },
    { "\"\\\b\f\n\r\t",    7, "\"\\\"\\\\\\b\\f\\n\\r\\t\"" },
    { "\0\x01\x1f\x7f",    4, "\"\\u0000\\u0001\\u001f\x7f\"" },
    { "\xc3\xa9\xf0\x9f\x98\x80", 6, "\"\xc3\xa9\xf0\x9f\x98\x80\"" },
    { "\xe2\x80\xa8",      3, "\"\xe2\x80\xa8\"" },
    { "a\xff" "b",         3, "\"a\xef\xbf\xbd" "b\"" },
    { "\xe2\x80",          2, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },  // cut in a code point
    { "\xed\xa0\x80",      3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
    { "",                  0, "\"\"" },
};
// clang-format on

static void
strings_are_written_as_good_json(void **state)
{
    for (size_t i = 0; i < ROWS(strings); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        AUTO(buffer_clear) buffer_t out = { 0 };

        json_write_string(&out, strings[i].bytes, strings[i].size);
        assert_string_equal(out.bytes, strings[i].written);
        assert_non_null(json_parse_text(arena, out.bytes));
    }
}

static void
whole_numbers_are_written_in_digits(void **state)
{
    // clang-format off
    static const struct { int64_t number; const char *written; } rows[] = {
        { 0, "0" }, { 7, "7" }, { -7, "-7" }, { 10, "10" }, { -100, "-100" },
        { INT64_MAX, "9223372036854775807" }, { INT64_MIN, "-9223372036854775808" },
    };
    // clang-format on

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        assert_string_equal(json_text(arena, json_number(arena, rows[i].number)),
                            rows[i].written);
    }
}

static void
canonical_sorts_members_at_every_level(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(buffer_clear) buffer_t out = { 0 };

    json_write_canonical(&out, json_parse_text(arena, "{\"b\":{\"z\":1.0,\"y\":[3,2e0]},"
                                                      "\"ab\":\"\\u0041\",\"a\":-0,\"\":{}}"));
    assert_string_equal(out.bytes,
                        "{\"\":{},\"a\":0,\"ab\":\"A\",\"b\":{\"y\":[3,2],\"z\":1}}");
}

static void
pretty_is_indented_by_two(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(buffer_clear) buffer_t out = { 0 };

    json_write_pretty(&out, json_parse_text(arena, "{\"a\":[1,{}],\"b\":[]}"));
    assert_string_equal(out.bytes, "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
}

static void
code_points_are_encoded_and_counted(void **state)
{
    static const uint32_t codes[] = {
        0x24, 0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff
    };
    char text[4 * ROWS(codes)];
    size_t size = 0;

    for (size_t i = 0; i < ROWS(codes); i++)
        size += json_utf8_encode(codes[i], text + size);
    assert_int_equal(size, 20);
    assert_int_equal(json_utf8_valid(text, size), size);
    assert_int_equal(json_utf8_count(text, size), ROWS(codes));
    assert_int_equal(json_utf8_valid(text, size - 1), size - 4);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_read_by_name_and_kind),
        cmocka_unit_test(members_are_set_in_place_and_removed),
        cmocka_unit_test(removing_takes_every_member_of_that_name),
        cmocka_unit_test(copies_stand_on_their_own),
        cmocka_unit_test(equality_is_by_value),
        cmocka_unit_test(strings_are_written_as_good_json),
        cmocka_unit_test(whole_numbers_are_written_in_digits),
        cmocka_unit_test(canonical_sorts_members_at_every_level),
        cmocka_unit_test(pretty_is_indented_by_two),
        cmocka_unit_test(code_points_are_encoded_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
