// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "auto.h"
#include "deadline.h"

#include <cmocka.h>

enum { ITEMS = 300, STEPS = 20000 };

// The earliest of those that stand in the heap, by looking at all of them.
static int64_t
earliest(const deadline_t items[ITEMS])
{
    int64_t due_ms = INT64_MAX;

    for (size_t i = 0; i < ITEMS; i++)
        if (items[i].place && items[i].due_ms < due_ms)
            due_ms = items[i].due_ms;
    return due_ms;
}

static void
the_earliest_is_found_through_many_changes(void **state)
{
    AUTO(deadlines_clear) deadlines_t heap = { 0 };
    deadline_t items[ITEMS] = { 0 };
    unsigned random = 99;

    for (size_t i = 0; i < ITEMS; i++)
        items[i].owner = &items[i];
    for (size_t step = 0; step < STEPS; step++) {
        random = random * 1103515245 + 12345;
        deadline_t *item = &items[(random >> 8) % ITEMS];
        if (random >> 31)
            deadline_remove(&heap, item);
        else
            deadline_set(&heap, item, (random >> 4) % 1000);
        int64_t due_ms = earliest(items);
        if (due_ms == INT64_MAX)
            continue;
        assert_null(deadline_due(&heap, due_ms - 1));
        deadline_t *due = deadline_due(&heap, due_ms);
        assert_non_null(due);
        assert_int_equal(due->due_ms, due_ms);
    }
}

static void
items_leave_in_order(void **state)
{
    static const int64_t due_ms[] = { 50, 10, 40, 10, 30, 20 };
    AUTO(deadlines_clear) deadlines_t heap = { 0 };
    deadline_t items[ROWS(due_ms)] = { 0 };
    deadline_t *item;
    int64_t last_ms = 0;

    for (size_t i = 0; i < ROWS(due_ms); i++) {
        items[i].owner = &items[i];
        deadline_set(&heap, &items[i], due_ms[i]);
    }
    while ((item = deadline_due(&heap, INT64_MAX))) {
        assert_true(item->due_ms >= last_ms);
        last_ms = item->due_ms;
        deadline_remove(&heap, item);
        assert_int_equal(item->place, 0);
    }
    assert_int_equal(last_ms, 50);
}

static void
removing_what_is_not_in_is_fine(void **state)
{
    AUTO(deadlines_clear) deadlines_t heap = { 0 };
    deadline_t item = { 0 };

    deadline_remove(&heap, &item);
    deadline_set(&heap, &item, 1);
    deadline_remove(&heap, &item);
    deadline_remove(&heap, &item);
    assert_int_equal(heap.count, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_earliest_is_found_through_many_changes),
        cmocka_unit_test(items_leave_in_order),
        cmocka_unit_test(removing_what_is_not_in_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
