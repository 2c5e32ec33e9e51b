// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "mcp/calls.h"

#include <cmocka.h>

static void
a_call_is_found_by_its_id_until_it_is_over(void **state)
{
    AUTO(calls_destroy) calls_t *calls = calls_new(0x1234);
    open_call_t a = { 0 }, b = { 0 };
    char id[CALL_ID_SIZE];

    assert_true(calls_add(calls, &a));
    assert_true(calls_add(calls, &b));
    assert_int_equal(strlen(a.id), CALL_ID_SIZE - 1);
    assert_memory_equal(a.id, "0000000000001234", 16);
    assert_ptr_equal(calls_find(calls, a.id), &a);
    assert_ptr_equal(calls_find(calls, b.id), &b);
    memcpy(id, a.id, sizeof id);
    calls_remove(calls, &a);
    calls_remove(calls, &a);
    assert_null(calls_find(calls, id));
    assert_int_equal(calls_count(calls), 1);
}

static void
an_id_is_never_given_again(void **state)
{
    AUTO(calls_destroy) calls_t *calls = calls_new(1);
    open_call_t call = { 0 };
    char id[CALL_ID_SIZE];

    assert_true(calls_add(calls, &call));
    memcpy(id, call.id, sizeof id);
    for (int i = 0; i < 1000; i++) {
        calls_remove(calls, &call);
        assert_true(calls_add(calls, &call));
        assert_null(calls_find(calls, id));
    }
}

static void
what_is_no_id_of_ours_is_not_found(void **state)
{
    static const char *const ids[] = {
        "",
        "x",
        "00000000000000010000000000010000x",
        "zz000000000000010000000000010000",
        "00000000000000020000000000010000",
        "0000000000000001ffffffffffffffff",
        "0000000000000001000000000001000A",
        "0000000000000001",
        "00000000000000010000000000000000",
    };
    AUTO(calls_destroy) calls_t *calls = calls_new(1);
    open_call_t call = { 0 };

    assert_true(calls_add(calls, &call));
    for (size_t i = 0; i < ROWS(ids); i++)
        assert_null(calls_find(calls, ids[i]));
}

static void
the_table_has_an_end(void **state)
{
    AUTO(calls_destroy) calls_t *calls = calls_new(1);
    open_call_t *many = calloc(CALLS_MAX + 1, sizeof *many);

    for (size_t i = 0; i < CALLS_MAX; i++)
        assert_true(calls_add(calls, &many[i]));
    assert_false(calls_add(calls, &many[CALLS_MAX]));
    for (size_t i = 0; i < CALLS_MAX; i++)
        assert_ptr_equal(calls_find(calls, many[i].id), &many[i]);
    calls_remove(calls, &many[17]);
    assert_true(calls_add(calls, &many[CALLS_MAX]));
    assert_ptr_equal(calls_find(calls, many[CALLS_MAX].id), &many[CALLS_MAX]);
    free(many);
}

static void
a_walk_meets_each_call_once(void **state)
{
    AUTO(calls_destroy) calls_t *calls = calls_new(1);
    open_call_t many[200] = { 0 };
    size_t cursor = 0, seen = 0;

    for (size_t i = 0; i < ROWS(many); i++)
        calls_add(calls, &many[i]);
    for (open_call_t *call; (call = calls_next(calls, &cursor)); seen++)
        calls_remove(calls, call);
    assert_int_equal(seen, ROWS(many));
    assert_int_equal(calls_count(calls), 0);
}

static void
calls_are_numbered_in_the_order_they_came(void **state)
{
    AUTO(calls_destroy) calls_t *calls = calls_new(1);
    open_call_t a = { 0 }, b = { 0 };

    calls_add(calls, &a);
    assert_int_equal(calls_number(&a), calls_issued(calls));
    calls_add(calls, &b);
    assert_true(calls_number(&a) < calls_number(&b));
}

static void
a_lost_read_goes_again_once_while_there_is_time(void **state)
{
    static const struct {
        bool is_read, is_repeated;
        int64_t now_ms;
        fate_t fate;
    } rows[] = {
        { true, false, 0, FATE_SEND_AGAIN }, { true, false, 99, FATE_SEND_AGAIN },
        { true, false, 100, FATE_UNKNOWN },  { true, true, 0, FATE_UNKNOWN },
        { false, false, 0, FATE_UNKNOWN },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        open_call_t call = { .is_read = rows[i].is_read,
                             .is_repeated = rows[i].is_repeated,
                             .deadline_ms = 100 };
        assert_int_equal(calls_fate(&call, rows[i].now_ms), rows[i].fate);
    }
}

static void
the_broker_has_half_a_second_more_than_the_caller(void **state)
{
    const open_call_t call = { .deadline_ms = 100 };

    assert_false(calls_is_overdue(&call, 100 + CALL_GRACE_MS - 1));
    assert_true(calls_is_overdue(&call, 100 + CALL_GRACE_MS));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_found_by_its_id_until_it_is_over),
        cmocka_unit_test(an_id_is_never_given_again),
        cmocka_unit_test(what_is_no_id_of_ours_is_not_found),
        cmocka_unit_test(the_table_has_an_end),
        cmocka_unit_test(a_walk_meets_each_call_once),
        cmocka_unit_test(calls_are_numbered_in_the_order_they_came),
        cmocka_unit_test(a_lost_read_goes_again_once_while_there_is_time),
        cmocka_unit_test(the_broker_has_half_a_second_more_than_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
