// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "mcp/cursor.h"

#include <cmocka.h>

static const unsigned char key[KEY_SIZE] = "a key", other_key[KEY_SIZE] = "another key";
static const cursor_list_t tools = { "tools/list", 7 }, prompts = { "prompts/list", 7 },
                           later = { "tools/list", 8 };

static bool
is_read(const unsigned char *with, const cursor_list_t *list, const json_t *cursor,
        size_t *offset_p)
{
    AUTO(sealer_destroy) sealer_t *sealer = sealer_new(with);

    return cursor_read(sealer, list, cursor, offset_p);
}

static void
a_cursor_is_good_for_one_list_in_one_state(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(sealer_destroy) sealer_t *sealer = sealer_new(key);
    AUTO(buffer_clear) buffer_t out = { 0 };
    size_t offset = 0;

    cursor_write(sealer, &tools, 500, &out);
    const json_t *cursor = json_string(arena, out.bytes);
    assert_true(is_read(key, &tools, cursor, &offset));
    assert_int_equal(offset, 500);
    assert_false(is_read(key, &prompts, cursor, &offset));
    assert_false(is_read(key, &later, cursor, &offset));
    assert_false(is_read(other_key, &tools, cursor, &offset));
}

static void
no_cursor_is_the_first_page_and_garbage_is_none(void **state)
{
    static const char *const garbage[] = {
        "\"\"",
        "\"500\"",
        "500",
        "{}",
        "[]",
        "true",
        "\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"",
    };
    AUTO(arena_destroy) arena_t *arena = arena_new();
    size_t offset = 1;

    assert_true(is_read(key, &tools, NULL, &offset));
    assert_int_equal(offset, 0);
    assert_true(is_read(key, &tools, json_null(arena), &offset));
    for (size_t i = 0; i < ROWS(garbage); i++)
        assert_false(is_read(key, &tools, json_parse_text(arena, garbage[i]), &offset));
}

// What is cut off at a NUL further down would pass for what stands before it.
static void
a_cursor_with_something_behind_a_nul_is_none(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(sealer_destroy) sealer_t *sealer = sealer_new(key);
    AUTO(buffer_clear) buffer_t out = { 0 };
    size_t offset;

    cursor_write(sealer, &tools, 500, &out);
    buffer_add(&out, "\0x", 2);
    assert_false(is_read(key, &tools, json_string_sized(arena, out.bytes, out.size), &offset));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cursor_is_good_for_one_list_in_one_state),
        cmocka_unit_test(no_cursor_is_the_first_page_and_garbage_is_none),
        cmocka_unit_test(a_cursor_with_something_behind_a_nul_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
