// SPDX-License-Identifier: Apache-2.0
// What becomes of calls when a worker or a transport is lost, or the caller takes one back.
#include "scene.h"

enum { T1 = 1, T2 = 2, W1 = 11, W2 = 12, W3 = 13 };

static void
open_with_worker(scene_t *s, int64_t credit)
{
    scene_open(s, NULL);
    hello(s, T1, "t1");
    ready(s, W1, "w1", credit);
}

// What becomes of a call when its worker is lost.
// clang-format off
static const struct {
    const char *tool;
    bool keeps_keys;
    bool is_repeated;
    status_t status;  // when it is lost for good
    outcome_t outcome;
} losses[] = {
    { "look",  false, true,  BACKEND, FAILED          },
    { "look",  true,  true,  BACKEND, FAILED          },
    { "write", true,  true,  UNKNOWN, UNKNOWN_OUTCOME },  // it has a key
    { "write", false, false, UNKNOWN, UNKNOWN_OUTCOME },
    { "run",   true,  false, UNKNOWN, UNKNOWN_OUTCOME },  // it has none
    { "run",   false, false, UNKNOWN, UNKNOWN_OUTCOME },
};
// clang-format on

static void
both_ready(scene_t *s, uint64_t route, const char *instance)
{
    const entry_msg_t entries[] = { explore_entries[0], explore_entries[1], act_entries[0] };

    ready_with(s, route, instance, instance, 4, entries, ROWS(entries));
}

static void
a_lost_worker_costs_reads_nothing_and_writes_only_without_a_key(void **state)
{
    for (size_t i = 0; i < ROWS(losses); i++) {
        AUTO(scene_close) scene_t s;
        scene_open(&s, NULL);
        hello(&s, T1, "t1");
        both_ready(&s, W1, "w1");
        beat_from(&s, WORKERS, W1, "w1", 4, losses[i].keeps_keys);
        call(&s, T1, "c1", losses[i].tool);
        both_ready(&s, W2, "w2");
        beat_from(&s, WORKERS, W2, "w2", 4, losses[i].keeps_keys);
        print_message("  %s %d\n", losses[i].tool, losses[i].keeps_keys);

        happen(&s, EVENT_LOST, WORKERS, W1, "");
        assert_int_equal(sent_count(&s, WORKERS, W2, MSG_call, "c1"), losses[i].is_repeated);
        if (losses[i].is_repeated) {
            assert_not_told(&s, T1, "c1");
            happen(&s, EVENT_LOST, WORKERS, W2, "");
        }
        assert_told(&s, T1, "c1", losses[i].status, losses[i].outcome);
        both_ready(&s, W3, "w3");
        assert_int_equal(sent_count(&s, WORKERS, W3, MSG_call, NULL), 0);  // once, not twice
        assert_true(core_is_idle(s.core));
    }
}

static void
a_repeated_call_goes_before_those_that_came_later(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    call(&s, T1, "c1", "look");
    call(&s, T1, "c2", "look");
    happen(&s, EVENT_LOST, WORKERS, W1, "");
    ready(&s, W2, "w2", 1);
    assert_int_equal(sent_count(&s, WORKERS, W2, MSG_call, "c1"), 1);
    assert_int_equal(sent_count(&s, WORKERS, W2, MSG_call, "c2"), 0);
}

static void
calls_wait_for_a_dead_worker_to_come_back(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    happen(&s, EVENT_LOST, WORKERS, W1, "");
    call(&s, T1, "c1", "write");
    assert_not_told(&s, T1, "c1");
    ready(&s, W2, "w2", 1);
    assert_int_equal(sent_count(&s, WORKERS, W2, MSG_call, "c1"), 1);
}

static void
a_write_that_waits_to_be_repeated_may_have_happened(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    beat_from(&s, WORKERS, W1, "w1", 1, true);
    call_of(&s, T1, "c1", "write", "ann", 5000);
    happen(&s, EVENT_LOST, WORKERS, W1, "");
    s.now_ms += 5000;
    tick(&s);
    assert_told(&s, T1, "c1", TIMEOUT, UNKNOWN_OUTCOME);
}

static void
a_call_that_did_not_leave_waits_and_was_not_sent(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 2);

    call_of(&s, T1, "c1", "write", "ann", 5000);
    call_of(&s, T1, "c2", "write", "ann", 5000);
    happen(&s, EVENT_UNSENT, WORKERS, W1, "c1");
    happen(&s, EVENT_UNSENT, WORKERS, W1, "c2");
    happen(&s, EVENT_LOST, WORKERS, W1, "");
    assert_not_told(&s, T1, "c1");  // it is no lost write
    ready(&s, W2, "w2", 1);
    assert_int_equal(sent_count(&s, WORKERS, W2, MSG_call, NULL), 1);
    s.now_ms += 5000;
    tick(&s);
    assert_int_equal(sent_last(&s, TRANSPORTS, T1, MSG_answer, "c1")->outcome, NOT_SENT);
}

static void
a_worker_with_a_full_pipe_gets_nothing_until_it_is_heard(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 2);

    call(&s, T1, "c1", "look");
    happen(&s, EVENT_UNSENT, WORKERS, W1, "c1");
    call(&s, T1, "c2", "look");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 1);
    scene_forget(&s);
    beat_from(&s, WORKERS, W1, "w1", 2, false);
    assert_string_equal(s.sent[0].id, "c1");  // it keeps its place
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 2);
}

static void
a_call_that_is_too_large_to_be_passed_on_is_said(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    call(&s, T1, "c1", "write");
    happen(&s, EVENT_TOO_LARGE, WORKERS, W1, "c1");
    assert_told(&s, T1, "c1", TOO_LARGE, FAILED);
    call(&s, T1, "c2", "look");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c2"), 1);
}

static void
a_write_that_is_too_large_only_the_second_time_may_have_happened(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    beat_from(&s, WORKERS, W1, "w1", 1, true);
    call(&s, T1, "c1", "write");
    happen(&s, EVENT_LOST, WORKERS, W1, "");
    ready(&s, W2, "w2", 1);
    happen(&s, EVENT_TOO_LARGE, WORKERS, W2, "c1");
    assert_told(&s, T1, "c1", UNKNOWN, UNKNOWN_OUTCOME);
}

// What the second worker says of a write that a lost one may have done.
// clang-format off
static const struct {
    status_t status;
    outcome_t outcome;
    status_t told_status;
    outcome_t told_outcome;
} second_words[] = {
    { OK,       DONE,            OK,      DONE            },
    { NARROWED, DONE,            NARROWED, DONE           },
    { BUSY,     NOT_SENT,        UNKNOWN, UNKNOWN_OUTCOME },
    { TIMEOUT,  NOT_SENT,        UNKNOWN, UNKNOWN_OUTCOME },
    { DENIED,   FAILED,          UNKNOWN, UNKNOWN_OUTCOME },
    { UNKNOWN,  UNKNOWN_OUTCOME, UNKNOWN, UNKNOWN_OUTCOME },
};
// clang-format on

static void
a_second_worker_cannot_say_that_a_write_did_not_happen(void **state)
{
    for (size_t i = 0; i < ROWS(second_words); i++) {
        AUTO(scene_close) scene_t s;
        open_with_worker(&s, 1);
        print_message("  %s\n", status_name(second_words[i].status));

        beat_from(&s, WORKERS, W1, "w1", 1, true);
        call(&s, T1, "c1", "write");
        happen(&s, EVENT_LOST, WORKERS, W1, "");
        ready(&s, W2, "w2", 1);
        say(&s, WORKERS, W2, &answer_wire,
            &(answer_msg_t){ .id = "c1",
                             .status = second_words[i].status,
                             .outcome = second_words[i].outcome },
            "{}");
        const sent_t *told = sent_last(&s, TRANSPORTS, T1, MSG_answer, "c1");
        assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_answer, "c1"), 1);
        assert_int_equal(told->status, second_words[i].told_status);
        assert_int_equal(told->outcome, second_words[i].told_outcome);
        assert_true(core_is_idle(s.core));
        call(&s, T1, "c2", "look");  // the worker is free again
        assert_int_equal(sent_count(&s, WORKERS, W2, MSG_call, "c2"), 1);
    }
}

static void
what_a_second_worker_says_of_a_read_is_passed_on(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    call(&s, T1, "c1", "look");
    happen(&s, EVENT_LOST, WORKERS, W1, "");
    ready(&s, W2, "w2", 1);
    say(&s, WORKERS, W2, &answer_wire,
        &(answer_msg_t){ .id = "c1", .status = BUSY, .outcome = NOT_SENT }, "{}");
    assert_int_equal(sent_last(&s, TRANSPORTS, T1, MSG_answer, "c1")->outcome, NOT_SENT);
}

static void
unsent_events_about_other_calls_change_nothing(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    call(&s, T1, "c1", "look");
    happen(&s, EVENT_UNSENT, WORKERS, W1, "nothing");
    happen(&s, EVENT_UNSENT, WORKERS, W2, "c1");
    happen(&s, EVENT_LOST, WORKERS, W2, "");
    answer(&s, W1, "c1");
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_answer, "c1"), 1);
}

static void
a_lost_transport_drops_what_waits_cancels_reads_and_lets_writes_finish(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 2);

    call(&s, T1, "c1", "look");
    call(&s, T1, "c2", "write");
    call(&s, T1, "c3", "look");
    happen(&s, EVENT_LOST, TRANSPORTS, T1, "");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_cancel, "c1"), 1);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_cancel, "c2"), 0);
    assert_true(core_is_idle(s.core));
    scene_forget(&s);
    answer(&s, W1, "c2");
    answer(&s, W1, "c1");
    assert_int_equal(s.count, 0);  // no answer goes anywhere, c3 was not sent
    assert_int_equal(core_counters(s.core)->dropped, 3);
    assert_int_equal(core_counters(s.core)->unwanted, 2);
}

static void
a_cancelled_call_that_waits_is_forgotten(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 0);

    call(&s, T1, "c1", "look");
    cancel(&s, T1, "c1");
    assert_not_told(&s, T1, "c1");
    assert_true(core_is_idle(s.core));
    beat_from(&s, WORKERS, W1, "w1", 1, false);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 0);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_cancel, NULL), 0);
}

static void
a_cancelled_call_that_is_under_way_holds_its_credit_until_the_worker_answers(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    call(&s, T1, "c1", "look");
    cancel(&s, T1, "c1");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_cancel, "c1"), 1);
    call(&s, T1, "c2", "look");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c2"), 0);
    answer(&s, W1, "c1");
    assert_not_told(&s, T1, "c1");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c2"), 1);
}

static void
a_cancelled_call_is_not_repeated_when_its_worker_is_lost(void **state)
{
    AUTO(scene_close) scene_t s;
    open_with_worker(&s, 1);

    call(&s, T1, "c1", "look");
    cancel(&s, T1, "c1");
    happen(&s, EVENT_LOST, WORKERS, W1, "");
    ready(&s, W2, "w2", 1);
    assert_int_equal(sent_count(&s, WORKERS, W2, MSG_call, NULL), 0);
    assert_not_told(&s, T1, "c1");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_worker_costs_reads_nothing_and_writes_only_without_a_key),
        cmocka_unit_test(a_repeated_call_goes_before_those_that_came_later),
        cmocka_unit_test(calls_wait_for_a_dead_worker_to_come_back),
        cmocka_unit_test(a_write_that_waits_to_be_repeated_may_have_happened),
        cmocka_unit_test(a_call_that_did_not_leave_waits_and_was_not_sent),
        cmocka_unit_test(a_worker_with_a_full_pipe_gets_nothing_until_it_is_heard),
        cmocka_unit_test(a_call_that_is_too_large_to_be_passed_on_is_said),
        cmocka_unit_test(a_second_worker_cannot_say_that_a_write_did_not_happen),
        cmocka_unit_test(what_a_second_worker_says_of_a_read_is_passed_on),
        cmocka_unit_test(a_write_that_is_too_large_only_the_second_time_may_have_happened),
        cmocka_unit_test(unsent_events_about_other_calls_change_nothing),
        cmocka_unit_test(
            a_lost_transport_drops_what_waits_cancels_reads_and_lets_writes_finish),
        cmocka_unit_test(a_cancelled_call_that_waits_is_forgotten),
        cmocka_unit_test(
            a_cancelled_call_that_is_under_way_holds_its_credit_until_the_worker_answers),
        cmocka_unit_test(a_cancelled_call_is_not_repeated_when_its_worker_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
