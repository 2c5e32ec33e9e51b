// SPDX-License-Identifier: Apache-2.0
// Nothing in the broker grows without a bound: each limit just below, at and just above it.
#include "scene.h"

enum { T1 = 1, W1 = 11, W2 = 12 };

static void
open_without_credit(scene_t *s, const dispatch_limits_t *limits)
{
    scene_open(s, limits);
    hello(s, T1, "t1");
    ready(s, W1, "w1", 0);
}

// Makes `count` calls of one principal, whose ids start with `mark`.
static void
ask(scene_t *s, size_t count, const char *mark, const char *principal)
{
    for (size_t i = 0; i < count; i++) {
        char id[CALL_ID_MAX];
        snprintf(id, sizeof id, "%s%zu", mark, i);
        call_of(s, T1, id, "look", principal, CALL_MS);
    }
}

static void
calls_that_wait_of_one_principal_are_limited(void **state)
{
    dispatch_limits_t limits = core_limits();
    limits.waiting_per_lane = SIZE_MAX;

    for (int over = -1; over <= 1; over++) {
        AUTO(scene_close) scene_t s;
        open_without_credit(&s, &limits);
        ask(&s, WAITING_PER_PRINCIPAL + over, "c", "ann");
        assert_int_equal(core_counters(s.core)->busy, over > 0);
        ask(&s, 1, "d", "bob");
        assert_not_told(&s, T1, "d0");
    }
}

static void
calls_over_the_limit_of_a_principal_are_told_so_at_once(void **state)
{
    AUTO(scene_close) scene_t s;
    dispatch_limits_t limits = core_limits();
    limits.waiting_per_principal = 1;

    open_without_credit(&s, &limits);
    ask(&s, 2, "c", "ann");
    assert_told(&s, T1, "c1", BUSY, NOT_SENT);
    assert_not_told(&s, T1, "c0");
}

static void
calls_that_wait_for_one_category_are_limited(void **state)
{
    dispatch_limits_t limits = core_limits();
    limits.waiting_per_principal = SIZE_MAX;

    for (int over = -1; over <= 1; over++) {
        AUTO(scene_close) scene_t s;
        open_without_credit(&s, &limits);
        ready_with(&s, W2, "w2", "other", 0, act_entries, ROWS(act_entries));
        ask(&s, WAITING_PER_LANE + over, "c", "ann");
        assert_int_equal(core_counters(s.core)->busy, over > 0);
        call(&s, T1, "d0", "run");  // the other lane has room
        assert_not_told(&s, T1, "d0");
    }
}

static void
calls_that_wait_for_their_tool_are_limited(void **state)
{
    dispatch_limits_t limits = core_limits();
    limits.waiting_per_lane = 2;
    AUTO(scene_close) scene_t s;

    open_without_credit(&s, &limits);
    call(&s, T1, "c1", "run");
    call(&s, T1, "c2", "run");
    call(&s, T1, "c3", "run");
    assert_not_told(&s, T1, "c2");
    assert_told(&s, T1, "c3", BUSY, NOT_SENT);
    call(&s, T1, "d1", "look");
    assert_not_told(&s, T1, "d1");
}

static void
calls_under_way_of_one_principal_are_limited(void **state)
{
    for (int over = -1; over <= 1; over++) {
        AUTO(scene_close) scene_t s;
        open_without_credit(&s, NULL);
        beat_from(&s, WORKERS, W1, "w1", CREDIT_MAX, false);
        ask(&s, CALLS_PER_PRINCIPAL + over, "c", "ann");
        assert_int_equal(core_counters(s.core)->under_way,
                         CALLS_PER_PRINCIPAL + (over > 0 ? 0 : over));
        assert_int_equal(core_counters(s.core)->waiting, over > 0);
        ask(&s, 1, "d", "bob");  // others are not kept
        assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "d0"), 1);
        answer(&s, W1, "c0");
        assert_int_equal(core_counters(s.core)->waiting, 0);
    }
}

// Bytes that one call of ask() takes.
static size_t
bytes_of_a_call(void)
{
    AUTO(scene_close) scene_t s;

    open_without_credit(&s, NULL);
    ask(&s, 1, "c", "ann");
    return (size_t) core_counters(s.core)->bytes;
}

static void
bytes_of_calls_are_limited(void **state)
{
    size_t bytes = bytes_of_a_call();

    for (int over = -1; over <= 1; over++) {
        AUTO(scene_close) scene_t s;
        dispatch_limits_t limits = core_limits();
        limits.bytes_max = 3 * bytes - (size_t) over;
        open_without_credit(&s, &limits);
        ask(&s, 3, "c", "ann");
        if (over > 0)
            assert_told(&s, T1, "c2", BUSY, NOT_SENT);
        else
            assert_not_told(&s, T1, "c2");
    }
}

static void
bytes_are_given_back_when_nobody_waits_any_more(void **state)
{
    AUTO(scene_close) scene_t s;

    open_without_credit(&s, NULL);
    beat_from(&s, WORKERS, W1, "w1", 1, false);
    ask(&s, 2, "c", "ann");
    cancel(&s, T1, "c0");
    assert_int_equal(core_counters(s.core)->bytes, bytes_of_a_call());
    cancel(&s, T1, "c1");
    assert_int_equal(core_counters(s.core)->bytes, 0);
}

static void
credit_is_limited(void **state)
{
    dispatch_limits_t limits = core_limits();
    limits.under_way_per_principal = SIZE_MAX;

    for (int over = -1; over <= 1; over++) {
        AUTO(scene_close) scene_t s;
        open_without_credit(&s, &limits);
        beat_from(&s, WORKERS, W1, "w1", INT64_MAX, false);
        ask(&s, CREDIT_MAX + over, "c", "ann");
        assert_int_equal(core_counters(s.core)->under_way, CREDIT_MAX + (over > 0 ? 0 : over));
    }
}

static void
calls_from_memory_are_limited_by_worker(void **state)
{
    for (int over = -1; over <= 1; over++) {
        AUTO(scene_close) scene_t s;
        open_without_credit(&s, NULL);
        beat_from(&s, WORKERS, W1, "w1", 1, false);
        for (int i = 0; i < QUICK_PER_WORKER + over; i++) {
            char id[16];
            snprintf(id, sizeof id, "c%d", i);
            call(&s, T1, id, "glance");
        }
        assert_int_equal(core_counters(s.core)->under_way,
                         QUICK_PER_WORKER + (over > 0 ? 0 : over));
    }
}

static void
the_limits_of_the_program_are_those_of_the_product(void **state)
{
    dispatch_limits_t limits = core_limits();

    assert_int_equal(limits.under_way_per_principal, 256);
    assert_int_equal(limits.waiting_per_principal, 1024);
    assert_int_equal(limits.waiting_per_lane, 1024);
    assert_int_equal(limits.quick_per_worker, 64);
    assert_int_equal(limits.bytes_max, 64 * 1024 * 1024);
    assert_int_equal(limits.catalogue_ms, 10000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_wait_of_one_principal_are_limited),
        cmocka_unit_test(calls_over_the_limit_of_a_principal_are_told_so_at_once),
        cmocka_unit_test(calls_that_wait_for_one_category_are_limited),
        cmocka_unit_test(calls_that_wait_for_their_tool_are_limited),
        cmocka_unit_test(calls_under_way_of_one_principal_are_limited),
        cmocka_unit_test(bytes_of_calls_are_limited),
        cmocka_unit_test(bytes_are_given_back_when_nobody_waits_any_more),
        cmocka_unit_test(credit_is_limited),
        cmocka_unit_test(calls_from_memory_are_limited_by_worker),
        cmocka_unit_test(the_limits_of_the_program_are_those_of_the_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
