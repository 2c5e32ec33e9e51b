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
arenas_that_are_given_back_come_empty_again(void **state)
{
    AUTO(arenas_clear) arenas_t arenas = { 0 };
    arena_t *first = arenas_take(&arenas), *arena = first;

    memset(arena_alloc(arena, 100), 0xff, 100);
    memset(arena_alloc(arena, 100000), 0xff, 100000);
    arenas_give(&arenas, &arena);
    assert_null(arena);
    arenas_give(&arenas, &arena);  // fine to say of none
    arena = arenas_take(&arenas);
    assert_ptr_equal(arena, first);
    assert_int_equal(arena_size(arena), 0);
    for (size_t i = 0, size = 3000; i < size; i++)
        assert_int_equal(((char *) arena_alloc(arena, 1))[0], 0);
    arenas_give(&arenas, &arena);
}

static void
no_more_arenas_are_kept_than_the_limit(void **state)
{
    AUTO(arenas_clear) arenas_t arenas = { 0 };
    arena_t *taken[ARENAS_KEPT + 1];

    for (size_t i = 0; i < ROWS(taken); i++) {
        taken[i] = arenas_take(&arenas);
        arena_alloc(taken[i], 1);
    }
    for (size_t i = 0; i < ROWS(taken); i++)
        arenas_give(&arenas, &taken[i]);
    assert_int_equal(arenas.count, ARENAS_KEPT);
}

static void
an_arena_that_began_large_is_not_kept(void **state)
{
    AUTO(arenas_clear) arenas_t arenas = { 0 };
    arena_t *arena = arenas_take(&arenas);

    arena_alloc(arena, 4 * 1024 * 1024);
    arenas_give(&arenas, &arena);
    assert_null(arena);
    assert_int_equal(arenas.count, 0);
}

static void
a_writer_tells_a_buffer_what_it_used_of_its_room(void **state)
{
    AUTO(buffer_clear) buffer_t buffer = { 0 };

    buffer_text(&buffer, "ab");
    memcpy(buffer_room(&buffer, 1000), "cdef", 4);
    buffer_grew(&buffer, 3);
    assert_int_equal(buffer.size, 5);
    assert_string_equal(buffer.bytes, "abcde");
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
        cmocka_unit_test(arenas_that_are_given_back_come_empty_again),
        cmocka_unit_test(no_more_arenas_are_kept_than_the_limit),
        cmocka_unit_test(an_arena_that_began_large_is_not_kept),
        cmocka_unit_test(a_writer_tells_a_buffer_what_it_used_of_its_room),
        cmocka_unit_test(a_buffer_grows_and_always_ends_with_nul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
