// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "auto.h"
#include "buffer.h"

#include <cmocka.h>

static void
memory_is_zeroed_aligned_and_apart(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    unsigned char *last = NULL;

    for (size_t size = 0; size < 5000; size = size * 2 + 1) {
        unsigned char *memory = arena_alloc(arena, size);
        assert_int_equal((uintptr_t) memory % 16, 0);
        assert_ptr_not_equal(memory, last);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, size);
        last = memory;
    }
}

static void
a_block_larger_than_all_others_is_served(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    char *large = arena_alloc(arena, 8 * 1024 * 1024);
    char *small = arena_strdup(arena, "after");

    large[8 * 1024 * 1024 - 1] = 'x';
    assert_string_equal(small, "after");
    assert_true(arena_size(arena) >= 8 * 1024 * 1024);
}

static void
texts_are_copied_and_printed(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();

    assert_null(arena_strdup(arena, NULL));
    assert_string_equal(arena_strndup(arena, "abcdef", 3), "abc");
    assert_string_equal(arena_printf(arena, "%s-%d", "n", 17), "n-17");
    assert_string_equal(arena_printf(arena, "%s", ""), "");
}

static void
a_buffer_grows_and_always_ends_with_nul(void **state)
{
    AUTO(buffer_clear) buffer_t buffer = { 0 };
    size_t size;

    for (int i = 0; i < 1000; i++)
        buffer_printf(&buffer, "%d,", i);
    assert_int_equal(buffer.bytes[buffer.size], '\0');
    assert_int_equal(strlen(buffer.bytes), buffer.size);
    buffer_add(&buffer, "\0x", 2);
    assert_int_equal(buffer.bytes[buffer.size - 1], 'x');
    char *taken = buffer_take(&buffer, &size);
    assert_int_equal(size, 3892);
    assert_null(buffer.bytes);
    free(taken);
    taken = buffer_take(&buffer, &size);
    assert_string_equal(taken, "");
    free(taken);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(a_block_larger_than_all_others_is_served),
        cmocka_unit_test(texts_are_copied_and_printed),
        cmocka_unit_test(a_buffer_grows_and_always_ends_with_nul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
