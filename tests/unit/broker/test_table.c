// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "auto.h"
#include "table.h"

#include <cmocka.h>

enum { NAMES = 400, STEPS = 40000 };

static char names[NAMES][16];

static void
a_table_agrees_with_a_list_through_many_changes(void **state)
{
    static const uint64_t seeds[] = { 0, 1, UINT64_MAX };

    for (size_t i = 0; i < ROWS(seeds); i++) {
        AUTO(table_destroy) table_t *table = table_new(seeds[i]);
        bool is_in[NAMES] = { false };
        unsigned random = 12345;
        size_t count = 0;

        for (size_t step = 0; step < STEPS; step++) {
            random = random * 1103515245 + 12345;
            size_t at = (random >> 8) % NAMES;
            assert_ptr_equal(table_find(table, names[at]), is_in[at] ? names[at] : NULL);
            if (is_in[at])
                table_remove(table, names[at]);
            else
                table_add(table, names[at], names[at]);
            is_in[at] = !is_in[at];
            count += is_in[at] ? 1 : (size_t) -1;
            assert_int_equal(table_count(table), count);
        }
        for (size_t at = 0; at < NAMES; at++)
            assert_ptr_equal(table_find(table, names[at]), is_in[at] ? names[at] : NULL);
    }
}

static void
going_through_a_table_meets_each_thing_once(void **state)
{
    AUTO(table_destroy) table_t *table = table_new(7);
    int met[NAMES] = { 0 };
    char(*thing)[16];

    for (size_t i = 0; i < NAMES; i++)
        table_add(table, names[i], names[i]);
    for (size_t place = 0; (thing = table_next(table, &place));)
        met[thing - names]++;
    for (size_t i = 0; i < NAMES; i++)
        assert_int_equal(met[i], 1);
}

static void
an_empty_table_has_nothing(void **state)
{
    AUTO(table_destroy) table_t *table = table_new(7);
    size_t place = 0;

    assert_null(table_find(table, ""));
    assert_null(table_next(table, &place));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_agrees_with_a_list_through_many_changes),
        cmocka_unit_test(going_through_a_table_meets_each_thing_once),
        cmocka_unit_test(an_empty_table_has_nothing),
    };

    for (size_t i = 0; i < NAMES; i++)
        snprintf(names[i], sizeof names[i], "%x", (unsigned) i);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
