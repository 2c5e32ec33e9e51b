// SPDX-License-Identifier: Apache-2.0
// The way of a call through the core: dispatch, answers, time, and who is listened to.
#include "scene.h"

enum { T1 = 1, T2 = 2, W1 = 11, W2 = 12, W3 = 13 };

static void
open_with_worker(scene_t *s, int64_t credit)
{
    scene_open(s, NULL);
    hello(s, T1, "t1");
    ready(s, W1, "w1", credit);
}

static void
a_call_goes_to_a_worker_and_its_answer_comes_back(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    call(&s, T1, "c1", "look");
    const sent_t *sent = sent_last(&s, WORKERS, W1, MSG_call, "c1");
    assert_int_equal(sent->left_ms, 10000);
    assert_string_equal(sent->body, "{}");
    answer(&s, W1, "c1");
    sent = sent_last(&s, TRANSPORTS, T1, MSG_answer, "c1");
    assert_false(sent->is_own);
    assert_string_equal(sent->body, "{\"done\":1}");
    assert_true(core_is_idle(s.core));
    assert_int_equal(core_counters(s.core)->bytes, 0);
}

static void
the_time_a_call_waited_is_subtracted(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 0);

    call_of(&s, T1, "c1", "look", "ann", 5000);
    s.now_ms += 1200;
    beat_from(&s, WORKERS, W1, "w1", 1, false);
    assert_int_equal(sent_last(&s, WORKERS, W1, MSG_call, "c1")->left_ms, 3800);
}

static void
no_call_gets_more_time_than_the_longest(void **state)
{
    static const int64_t rows[][2] = { { WAIT_CALL_MS - 1, WAIT_CALL_MS - 1 },
                                       { WAIT_CALL_MS, WAIT_CALL_MS },
                                       { WAIT_CALL_MS + 1, WAIT_CALL_MS },
                                       { INT64_MAX, WAIT_CALL_MS } };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(scene_close) scene_t s;
        open_with_worker(&s, 1);
        call_of(&s, T1, "c1", "look", "ann", rows[i][0]);
        assert_int_equal(sent_last(&s, WORKERS, W1, MSG_call, "c1")->left_ms, rows[i][1]);
    }
}

static void
a_call_without_time_is_answered_at_once(void **state)
{
    static const int64_t rows[] = { 0, -1, INT64_MIN };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(scene_close) scene_t s;
        open_with_worker(&s, 1);
        call_of(&s, T1, "c1", "look", "ann", rows[i]);
        assert_told(&s, T1, "c1", TIMEOUT, NOT_SENT);
        assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 0);
    }
}

static void
a_worker_has_no_more_calls_than_its_credit(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 2);

    call(&s, T1, "c1", "look");
    call(&s, T1, "c2", "look");
    call(&s, T1, "c3", "look");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 2);
    answer(&s, W1, "c2");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c3"), 1);
}

static void
credit_may_shrink_and_grow(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 2);

    call(&s, T1, "c1", "look");
    call(&s, T1, "c2", "look");
    beat_from(&s, WORKERS, W1, "w1", 1, false);
    call(&s, T1, "c3", "look");
    answer(&s, W1, "c1");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c3"), 0);
    beat_from(&s, WORKERS, W1, "w1", -7, false);
    answer(&s, W1, "c2");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c3"), 0);
    beat_from(&s, WORKERS, W1, "w1", INT64_MAX, false);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c3"), 1);
}

static void
calls_from_memory_wait_for_no_slot(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    call(&s, T1, "slow1", "look");
    call(&s, T1, "slow2", "look");
    call(&s, T1, "quick1", "glance");
    call(&s, T1, "quick2", "glance");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "slow2"), 0);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "quick1"), 1);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "quick2"), 1);
    answer(&s, W1, "quick1");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "slow2"), 0);
    answer(&s, W1, "slow1");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "slow2"), 1);
}

static void
a_worker_without_credit_gets_no_calls_from_memory(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 0);

    call(&s, T1, "c1", "glance");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 0);
    beat_from(&s, WORKERS, W1, "w1", 1, false);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c1"), 1);
}

static void
the_idlest_worker_gets_the_call(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    ready_with(&s, W2, "w2", "other", 3, explore_entries, ROWS(explore_entries));
    call(&s, T1, "c1", "look");
    call(&s, T1, "c2", "look");
    call(&s, T1, "c3", "look");
    call(&s, T1, "c4", "look");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 1);
    assert_int_equal(sent_count(&s, WORKERS, W2, MSG_call, NULL), 3);
}

static void
a_worker_only_gets_calls_of_its_categories(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 4);

    ready_with(&s, W2, "w2", "other", 4, act_entries, ROWS(act_entries));
    call(&s, T1, "c1", "run");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 0);
    assert_int_equal(sent_count(&s, WORKERS, W2, MSG_call, "c1"), 1);
}

static void
principals_take_turns(void **state)
{
    static const char *const order[] = { "a1", "b1", "c1", "a2", "b2", "a3", "a4" };
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 0);

    call_of(&s, T1, "a1", "look", "ann", 9000);
    call_of(&s, T1, "a2", "look", "ann", 9000);
    call_of(&s, T1, "a3", "look", "ann", 9000);
    call_of(&s, T1, "a4", "look", "ann", 9000);
    call_of(&s, T1, "b1", "look", "bob", 9000);
    call_of(&s, T1, "b2", "look", "bob", 9000);
    call_of(&s, T1, "c1", "look", "cy", 9000);
    scene_forget(&s);
    beat_from(&s, WORKERS, W1, "w1", 100, false);
    assert_int_equal(s.count, ROWS(order));
    for (size_t i = 0; i < ROWS(order); i++)
        assert_string_equal(s.sent[i].id, order[i]);
}

static void
a_tool_that_does_not_exist_is_said_at_once_when_the_catalogue_is_complete(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 4);

    ready_with(&s, W2, "w2", "other", 4, act_entries, ROWS(act_entries));
    call(&s, T1, "c1", "fly");
    assert_told(&s, T1, "c1", NO_TOOL, FAILED);
}

static void
an_unknown_tool_waits_for_its_category(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 4);

    call(&s, T1, "c1", "run");
    call(&s, T1, "c2", "fly");
    assert_not_told(&s, T1, "c1");
    ready_with(&s, W2, "w2", "other", 4, act_entries, ROWS(act_entries));
    assert_int_equal(sent_count(&s, WORKERS, W2, MSG_call, "c1"), 1);
    assert_told(&s, T1, "c2", NO_TOOL, FAILED);
    answer(&s, W2, "c1");
    assert_true(core_is_idle(s.core));
}

static void
an_unknown_tool_does_not_wait_for_ever(void **state)
{
    static const int64_t rows[] = { CATALOGUE_MS - 1, CATALOGUE_MS, CATALOGUE_MS + 1 };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(scene_close) scene_t s;
        open_with_worker(&s, 4);
        call_of(&s, T1, "c1", "run", "ann", CALL_MS);
        s.now_ms += rows[i];
        tick(&s);
        if (rows[i] < CATALOGUE_MS)
            assert_not_told(&s, T1, "c1");
        else
            assert_told(&s, T1, "c1", NO_TOOL, FAILED);
        call_of(&s, T1, "c2", "run", "ann", CALL_MS);  // as long after the broker's start
        if (rows[i] >= CATALOGUE_MS)
            assert_told(&s, T1, "c2", NO_TOOL, FAILED);
    }
}

static void
an_unknown_tool_does_not_wait_longer_than_its_caller(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 4);

    call_of(&s, T1, "c1", "run", "ann", 500);
    s.now_ms += 500;
    tick(&s);
    assert_told(&s, T1, "c1", TIMEOUT, NOT_SENT);
}

static void
a_call_that_waited_too_long_was_not_sent(void **state)
{
    static const int64_t rows[] = { 4999, 5000, 5001 };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(scene_close) scene_t s;
        open_with_worker(&s, 0);
        call_of(&s, T1, "c1", "write", "ann", 5000);
        s.now_ms += rows[i];
        beat_from(&s, WORKERS, W1, "w1", 1, false);  // free only now
        if (rows[i] < 5000) {
            assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c1"), 1);
            continue;
        }
        assert_told(&s, T1, "c1", TIMEOUT, NOT_SENT);
        assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 0);
    }
}

static void
a_call_that_is_under_way_too_long_is_answered(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 2);

    call_of(&s, T1, "c1", "look", "ann", 5000);
    call_of(&s, T1, "c2", "write", "ann", 5000);
    s.now_ms += 4999;
    tick(&s);
    assert_not_told(&s, T1, "c1");
    s.now_ms += 1;
    tick(&s);
    assert_told(&s, T1, "c1", TIMEOUT, FAILED);
    assert_told(&s, T1, "c2", TIMEOUT, UNKNOWN_OUTCOME);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_cancel, "c1"), 1);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_cancel, "c2"), 0);
}

static void
an_answer_that_comes_too_late_is_dropped_and_gives_the_credit_back(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    call_of(&s, T1, "c1", "look", "ann", 5000);
    s.now_ms += 5000;
    tick(&s);
    call(&s, T1, "c2", "look");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c2"), 0);
    answer(&s, W1, "c1");
    assert_told(&s, T1, "c1", TIMEOUT, FAILED);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c2"), 1);
    assert_int_equal(core_counters(s.core)->unwanted, 1);
}

static void
a_worker_that_never_answers_gets_its_credit_back_in_the_end(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    call_of(&s, T1, "c1", "look", "ann", 5000);
    call_of(&s, T1, "c2", "look", "ann", 20000);
    for (int64_t ms = 0; ms < 5000 + SILENT_MS; ms += 1000) {
        assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c2"), 0);
        s.now_ms += 1000;
        beat_from(&s, TRANSPORTS, T1, "t1", 0, false);
        beat_from(&s, WORKERS, W1, "w1", 1, false);
        tick(&s);
    }
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c2"), 1);
    assert_int_equal(core_counters(s.core)->abandoned, 1);
}

static void
only_the_transport_of_a_call_may_cancel_it(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    hello(&s, T2, "t2");
    call(&s, T1, "c1", "look");
    cancel(&s, T2, "c1");
    cancel(&s, T1, "c2");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_cancel, NULL), 0);
    assert_int_equal(core_counters(s.core)->strays, 2);
    cancel(&s, T1, "c1");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_cancel, "c1"), 1);
}

static void
only_the_worker_that_has_a_call_is_listened_to(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    ready_with(&s, W2, "w2", "other", 0, explore_entries, ROWS(explore_entries));
    call(&s, T1, "c1", "look");
    scene_forget(&s);
    answer(&s, W2, "c1");
    answer(&s, W1, "c2");
    say(&s, WORKERS, W2, &progress_wire, &(progress_msg_t){ .id = "c1" }, NULL);
    say(&s, WORKERS, W2, &log_wire, &(log_msg_t){ .id = "c1" }, NULL);
    assert_int_equal(s.count, 0);
    assert_int_equal(core_counters(s.core)->strays, 4);
    answer(&s, W1, "c1");
    answer(&s, W1, "c1");  // once
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_answer, "c1"), 1);
    assert_int_equal(core_counters(s.core)->strays, 5);
}

static void
a_worker_that_was_declared_dead_is_not_listened_to(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    call(&s, T1, "c1", "look");
    happen(&s, EVENT_LOST, WORKERS, W1, "");
    ready(&s, W2, "w2", 1);
    answer(&s, W1, "c1");
    assert_not_told(&s, T1, "c1");
    ready_with(&s, W1, "w1", "w1", 1, explore_entries, ROWS(explore_entries));  // back again
    answer(&s, W1, "c1");
    assert_not_told(&s, T1, "c1");
    answer(&s, W2, "c1");
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_answer, "c1"), 1);
}

static void
progress_and_logs_reach_the_transport_while_it_waits(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    call(&s, T1, "c1", "look");
    for (int i = 0; i < 2; i++) {
        say(&s, WORKERS, W1, &progress_wire, &(progress_msg_t){ .id = "c1", .done = 1 }, NULL);
        say(&s, WORKERS, W1, &log_wire, &(log_msg_t){ .id = "c1" }, NULL);
        assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_progress, "c1"), 1);
        assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_log, "c1"), 1);
        if (i == 0)
            cancel(&s, T1, "c1");
    }
}

static void
a_second_call_of_the_same_id_is_dropped(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 4);

    hello(&s, T2, "t2");
    call(&s, T1, "c1", "write");
    call(&s, T1, "c1", "write");
    call(&s, T2, "c1", "write");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 1);
    assert_int_equal(core_counters(s.core)->duplicates, 2);
    cancel(&s, T1, "c1");
    call(&s, T1, "c1", "write");  // the worker still has the first
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 1);
    assert_int_equal(sent_count(&s, TRANSPORTS, T2, MSG_answer, NULL), 0);
}

static void
a_call_needs_an_id_of_some_length(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 4);
    char id[CALL_ID_MAX + 2] = { 0 };

    call(&s, T1, "", "look");
    memset(id, 'x', CALL_ID_MAX + 1);
    call(&s, T1, id, "look");
    assert_int_equal(core_counters(s.core)->malformed, 2);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 0);
    id[CALL_ID_MAX] = '\0';
    call(&s, T1, id, "look");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, id), 1);
}

static void
numbers_in_an_answer_that_mean_nothing_are_mended(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 4);

    call(&s, T1, "c1", "look");
    call(&s, T1, "c2", "write");
    say(&s, WORKERS, W1, &answer_wire,
        &(answer_msg_t){ .id = "c1", .status = STATUS_COUNT, .outcome = -1 }, "{}");
    say(&s, WORKERS, W1, &answer_wire,
        &(answer_msg_t){ .id = "c2", .status = -1, .outcome = OUTCOME_COUNT }, "{}");
    assert_int_equal(sent_last(&s, TRANSPORTS, T1, MSG_answer, "c1")->status, BACKEND);
    assert_int_equal(sent_last(&s, TRANSPORTS, T1, MSG_answer, "c1")->outcome, FAILED);
    assert_int_equal(sent_last(&s, TRANSPORTS, T1, MSG_answer, "c2")->outcome, UNKNOWN_OUTCOME);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_goes_to_a_worker_and_its_answer_comes_back),
        cmocka_unit_test(the_time_a_call_waited_is_subtracted),
        cmocka_unit_test(no_call_gets_more_time_than_the_longest),
        cmocka_unit_test(a_call_without_time_is_answered_at_once),
        cmocka_unit_test(a_worker_has_no_more_calls_than_its_credit),
        cmocka_unit_test(credit_may_shrink_and_grow),
        cmocka_unit_test(calls_from_memory_wait_for_no_slot),
        cmocka_unit_test(a_worker_without_credit_gets_no_calls_from_memory),
        cmocka_unit_test(the_idlest_worker_gets_the_call),
        cmocka_unit_test(a_worker_only_gets_calls_of_its_categories),
        cmocka_unit_test(principals_take_turns),
        cmocka_unit_test(
            a_tool_that_does_not_exist_is_said_at_once_when_the_catalogue_is_complete),
        cmocka_unit_test(an_unknown_tool_waits_for_its_category),
        cmocka_unit_test(an_unknown_tool_does_not_wait_for_ever),
        cmocka_unit_test(an_unknown_tool_does_not_wait_longer_than_its_caller),
        cmocka_unit_test(a_call_that_waited_too_long_was_not_sent),
        cmocka_unit_test(a_call_that_is_under_way_too_long_is_answered),
        cmocka_unit_test(an_answer_that_comes_too_late_is_dropped_and_gives_the_credit_back),
        cmocka_unit_test(a_worker_that_never_answers_gets_its_credit_back_in_the_end),
        cmocka_unit_test(only_the_transport_of_a_call_may_cancel_it),
        cmocka_unit_test(only_the_worker_that_has_a_call_is_listened_to),
        cmocka_unit_test(a_worker_that_was_declared_dead_is_not_listened_to),
        cmocka_unit_test(progress_and_logs_reach_the_transport_while_it_waits),
        cmocka_unit_test(a_second_call_of_the_same_id_is_dropped),
        cmocka_unit_test(a_call_needs_an_id_of_some_length),
        cmocka_unit_test(numbers_in_an_answer_that_mean_nothing_are_mended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
