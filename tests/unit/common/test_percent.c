// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "percent.h"

#include <cmocka.h>

// clang-format off
static const struct {
    const char *text;
    const char *strict;  // NULL: refused
    const char *most;
} rows[] = {
    { "",            "",       "" },
    { "a%20b",       "a b",    "a b" },
    { "%C3%a4",      "\xc3\xa4", "\xc3\xa4" },
    { "a+b",         "a b",    "a b" },   // of a form
    { "%2B%25",      "+%",     "+%" },
    { "%2525",       "%25",    "%25" },   // once
    { "%",           NULL,     "%" },
    { "%4",          NULL,     "%4" },
    { "%zz%41",      NULL,     "%zzA" },
    { "%4\x11",      NULL,     "%4\x11" },  // which differs from 1 in one bit
    { "%\x01\x02",   NULL,     "%\x01\x02" },
    { "%00a",        NULL,     "%00a" },
    { "%%41",        NULL,     "%A" },
};
// clang-format on

static void
escapes_are_decoded_refused_or_left(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const size_t size = strlen(rows[i].text);
        const char *strict = percent_decode(arena, rows[i].text, size, true);

        print_message("  %s\n", rows[i].text);
        assert_string_equal(percent_decode_most(arena, rows[i].text, size, true), rows[i].most);
        if (rows[i].strict)
            assert_string_equal(strict, rows[i].strict);
        else
            assert_null(strict);
    }
}

static void
a_plus_is_a_blank_in_forms_alone(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();

    assert_string_equal(percent_decode(arena, "a+b", 3, false), "a+b");
}

static void
nothing_is_read_behind_the_end(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();

    assert_null(percent_decode(arena, "a%41", 3, false));
    assert_string_equal(percent_decode_most(arena, "a%41", 3, false), "a%4");
    assert_null(percent_decode(arena, "a\0b", 3, false));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_are_decoded_refused_or_left),
        cmocka_unit_test(a_plus_is_a_blank_in_forms_alone),
        cmocka_unit_test(nothing_is_read_behind_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
