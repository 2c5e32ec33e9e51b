// SPDX-License-Identifier: Apache-2.0
// Peers, the catalogue, beats and the end of the broker.
#include "scene.h"

enum { T1 = 1, T2 = 2, W1 = 11, W2 = 12, W3 = 13 };

static void
a_transport_that_says_hello_gets_the_catalogue(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    const sent_t *catalogue = sent_last(&s, TRANSPORTS, T1, MSG_catalogue, NULL);
    assert_int_equal(catalogue->version, 1);
    assert_false(catalogue->complete);
    assert_int_equal(catalogue->entries, 0);
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_beat, NULL), 1);
}

static void
the_catalogue_is_sent_again_when_it_changes_and_only_then(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    hello(&s, T2, "t2");
    scene_forget(&s);
    ready(&s, W1, "w1", 4);
    assert_int_equal(sent_last(&s, TRANSPORTS, T1, MSG_catalogue, NULL)->version, 2);
    assert_int_equal(sent_last(&s, TRANSPORTS, T2, MSG_catalogue, NULL)->entries,
                     ROWS(explore_entries));

    scene_forget(&s);
    ready(&s, W1, "w1", 4);
    ready_with(&s, W2, "w2", "other", 4, explore_entries, ROWS(explore_entries));
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_catalogue, NULL), 0);
}

static void
the_catalogue_is_complete_when_every_expected_category_is_there(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    ready_with(&s, W1, "w1", "a", 4, act_entries, ROWS(act_entries));
    assert_false(sent_last(&s, TRANSPORTS, T1, MSG_catalogue, NULL)->complete);
    ready(&s, W2, "w2", 4);
    const sent_t *catalogue = sent_last(&s, TRANSPORTS, T1, MSG_catalogue, NULL);
    assert_true(catalogue->complete);
    assert_int_equal(catalogue->entries, ROWS(act_entries) + ROWS(explore_entries));
    assert_string_equal(catalogue->id, "look");  // explore stands first in the list
}

static void
rows_of_a_dead_worker_stay_listed(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    ready(&s, W1, "w1", 4);
    happen(&s, EVENT_LOST, WORKERS, W1, "");
    hello(&s, T1, "t1");
    assert_int_equal(sent_last(&s, TRANSPORTS, T1, MSG_catalogue, NULL)->entries,
                     ROWS(explore_entries));
}

static void
a_peer_of_another_protocol_is_refused_and_said_so_once(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);
    hello_msg_t message = { .protocol = WIRE_PROTOCOL + 1, .instance = "t1" };

    for (int i = 0; i < 3; i++) {
        say(&s, TRANSPORTS, T1, &hello_wire, &message, NULL);
        beat_from(&s, TRANSPORTS, T1, "t1", 0, false);
        call(&s, T1, "c1", "look");
    }
    assert_string_equal(s.notes, "peer-refused ");
    assert_int_equal(s.count, 0);
    assert_int_equal(core_counters(s.core)->refused, 6);

    ready_msg_t old = { .protocol = WIRE_PROTOCOL - 1, .instance = "w1", .host = "w1" };
    say(&s, WORKERS, W1, &ready_wire, &old, NULL);
    assert_string_equal(s.notes, "peer-refused peer-refused ");
}

static void
a_worker_of_another_protocol_does_not_end_the_running_one(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);
    ready_msg_t newer = { .protocol = WIRE_PROTOCOL + 1, .instance = "w2", .host = "w1" };

    hello(&s, T1, "t1");
    ready(&s, W1, "w1", 4);
    say(&s, WORKERS, W2, &ready_wire, &newer, NULL);
    call(&s, T1, "c1", "look");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c1"), 1);
}

static void
a_worker_that_offers_nonsense_is_refused(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);
    static const entry_msg_t homeless[] = { { .kind = "tool", .name = "x" } };
    ready_msg_t malformed = {
        .protocol = WIRE_PROTOCOL, .instance = "w1", .credit = 4, .entries = { "garbage", 7 }
    };

    hello(&s, T1, "t1");
    scene_forget(&s);
    say(&s, WORKERS, W1, &ready_wire, &malformed, NULL);
    ready_with(&s, W2, "w2", "h", 4, homeless, 1);
    assert_string_equal(s.notes, "peer-refused peer-refused ");
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_catalogue, NULL), 0);
}

static void
a_stranger_is_asked_to_introduce_itself(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    beat_from(&s, WORKERS, W1, "w1", 4, true);
    beat_from(&s, TRANSPORTS, T1, "t1", 0, false);
    answer(&s, W1, "c1");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_hello, NULL), 2);
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_hello, NULL), 1);
    assert_int_equal(core_counters(s.core)->strangers, 3);
}

static void
a_stranger_gets_an_answer_to_its_call(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    ready(&s, W1, "w1", 4);
    call(&s, T1, "c1", "look");
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_hello, NULL), 1);
    assert_told(&s, T1, "c1", BUSY, NOT_SENT);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 0);
}

static void
every_known_peer_gets_a_beat_each_second(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    ready(&s, W1, "w1", 4);
    scene_forget(&s);
    for (int i = 0; i < 20; i++) {
        s.now_ms += 100;
        tick(&s);
    }
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_beat, NULL), 2);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_beat, NULL), 2);
}

// Ticks until `ms` have gone by.
static void
let_pass(scene_t *s, int64_t ms)
{
    for (int64_t end_ms = s->now_ms + ms; s->now_ms < end_ms;) {
        s->now_ms += end_ms - s->now_ms < 100 ? end_ms - s->now_ms : 100;
        tick(s);
    }
}

static void
a_peer_silent_for_three_seconds_is_gone(void **state)
{
    static const int64_t rows[] = { SILENT_MS - 1, SILENT_MS, SILENT_MS + 1 };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(scene_close) scene_t s;
        scene_open(&s, NULL);
        hello(&s, T1, "t1");
        ready(&s, W1, "w1", 4);
        let_pass(&s, rows[i]);
        assert_int_equal(core_counters(s.core)->workers, rows[i] < SILENT_MS);
        assert_int_equal(core_counters(s.core)->transports, rows[i] < SILENT_MS);
        assert_int_equal(core_counters(s.core)->workers_lost, rows[i] >= SILENT_MS);
    }
}

static void
a_beat_keeps_a_peer(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    ready(&s, W1, "w1", 4);
    for (int i = 0; i < 5; i++) {
        let_pass(&s, SILENT_MS - 1);
        beat_from(&s, WORKERS, W1, "w1", 4, false);
    }
    assert_int_equal(core_counters(s.core)->workers, 1);
}

static void
a_broker_that_slept_does_not_blame_its_peers(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    ready(&s, W1, "w1", 4);
    tick(&s);
    s.now_ms += 60 * 60 * 1000;
    tick(&s);
    assert_int_equal(core_counters(s.core)->workers, 1);
    let_pass(&s, SILENT_MS);
    assert_int_equal(core_counters(s.core)->workers, 0);
}

static void
a_beat_under_another_name_is_a_stranger(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    ready(&s, W1, "w1", 0);
    beat_from(&s, WORKERS, W1, "somebody", 4, false);
    call(&s, T1, "c1", "look");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_hello, NULL), 1);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, NULL), 0);
}

static void
a_worker_started_again_ends_the_old_one_at_once(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    ready_with(&s, W1, "one", "host", 4, explore_entries, ROWS(explore_entries));
    call(&s, T1, "c1", "write");
    ready_with(&s, W2, "two", "host", 4, explore_entries, ROWS(explore_entries));
    assert_told(&s, T1, "c1", UNKNOWN, UNKNOWN_OUTCOME);
    assert_int_equal(core_counters(s.core)->workers, 1);
    call(&s, T1, "c2", "look");
    assert_int_equal(sent_count(&s, WORKERS, W2, MSG_call, "c2"), 1);
}

static void
workers_without_a_host_do_not_end_one_another(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    ready_with(&s, W1, "one", "", 4, explore_entries, ROWS(explore_entries));
    ready_with(&s, W2, "two", "", 4, explore_entries, ROWS(explore_entries));
    assert_int_equal(core_counters(s.core)->workers, 2);
}

static void
a_worker_keeps_its_calls_over_a_new_connection(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    ready(&s, W1, "w1", 4);
    call(&s, T1, "c1", "write");
    ready(&s, W2, "w1", 4);  // the same process, another route
    answer(&s, W2, "c1");
    assert_false(sent_last(&s, TRANSPORTS, T1, MSG_answer, "c1")->is_own);
    assert_int_equal(core_counters(s.core)->workers, 1);
}

static void
a_transport_keeps_its_calls_over_a_new_connection(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    ready(&s, W1, "w1", 4);
    call(&s, T1, "c1", "look");
    hello(&s, T2, "t1");
    answer(&s, W1, "c1");
    assert_int_equal(sent_count(&s, TRANSPORTS, T2, MSG_answer, "c1"), 1);
}

static void
what_a_client_says_is_told_to_all_other_transports(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);
    const said_msg_t said = { .session = "session", .principal = "ann", .text = "{}" };

    hello(&s, T1, "t1");
    hello(&s, T2, "t2");
    hello(&s, 3, "t3");
    say(&s, TRANSPORTS, T1, &said_wire, &said, NULL);
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_said, NULL), 0);
    assert_int_equal(sent_count(&s, TRANSPORTS, T2, MSG_said, "session"), 1);
    assert_int_equal(sent_count(&s, TRANSPORTS, 3, MSG_said, "session"), 1);
    say(&s, WORKERS, W1, &said_wire, &said, NULL);  // no worker has a client
    assert_int_equal(sent_count(&s, TRANSPORTS, T2, MSG_said, "session"), 1);
}

static void
the_stream_of_a_client_goes_from_transport_to_transport(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);
    const seek_msg_t seek = {
        .session = "session", .id = "1-2-3", .reader = "r", .opened_ms = 7
    };
    const piece_msg_t piece = { .reader = "r", .id = "1-2-4", .text = "{}" };

    hello(&s, T1, "t1");
    hello(&s, T2, "t2");
    say(&s, TRANSPORTS, T1, &seek_wire, &seek, NULL);
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_seek, NULL), 0);
    assert_int_equal(sent_count(&s, TRANSPORTS, T2, MSG_seek, "session"), 1);
    say(&s, TRANSPORTS, T2, &piece_wire, &piece, NULL);
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_piece, "r"), 1);
    assert_int_equal(sent_count(&s, TRANSPORTS, T2, MSG_piece, NULL), 0);
}

static void
the_end_of_a_session_is_told_to_all_transports(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    hello(&s, T2, "t2");
    hello(&s, 3, "t3");
    ready(&s, W1, "w1", 4);
    say(&s, TRANSPORTS, T1, &ended_wire, &(ended_msg_t){ .session = "session" }, NULL);
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_ended, "session"), 1);
    assert_int_equal(sent_count(&s, TRANSPORTS, T2, MSG_ended, "session"), 1);
    assert_int_equal(sent_count(&s, TRANSPORTS, 3, MSG_ended, "session"), 1);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_ended, NULL), 0);
}

static void
a_change_is_told_to_all_transports(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    hello(&s, T2, "t2");
    ready(&s, W1, "w1", 4);
    say(&s, WORKERS, W1, &changed_wire, &(changed_msg_t){ .kind = "resource", .uri = "a://b" },
        NULL);
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_changed, NULL), 1);
    assert_int_equal(sent_count(&s, TRANSPORTS, T2, MSG_changed, NULL), 1);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_changed, NULL), 0);
    scene_forget(&s);
    say(&s, TRANSPORTS, T1, &changed_wire, &(changed_msg_t){ .kind = "tools" }, NULL);
    assert_int_equal(sent_count(&s, TRANSPORTS, T2, MSG_changed, NULL), 0);
}

static void
messages_from_the_wrong_side_are_dropped(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    ready(&s, W1, "w1", 4);
    scene_forget(&s);
    answer(&s, T1, "c1");  // routes of the two sides are not the same thing
    say(&s, WORKERS, W1, &call_wire, &(call_msg_t){ .id = "c1", .left_ms = 9 }, NULL);
    say(&s, WORKERS, W1, &ended_wire, &(ended_msg_t){ .session = "s" }, NULL);
    say(&s, TRANSPORTS, T1, &answer_wire, &(answer_msg_t){ .id = "c1" }, NULL);
    say(&s, TRANSPORTS, T1, &catalogue_wire, &(catalogue_msg_t){ 0 }, NULL);
    assert_int_equal(core_counters(s.core)->malformed, 4);
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_answer, NULL), 0);
}

static void
peers_with_impossible_names_are_not_taken(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);
    char name[PEER_NAME_SIZE + 1];

    memset(name, 'x', sizeof name);
    name[PEER_NAME_SIZE] = '\0';
    hello(&s, T1, name);
    hello(&s, T1, "");
    assert_int_equal(core_counters(s.core)->transports, 0);
    assert_int_equal(core_counters(s.core)->malformed, 2);
    hello(&s, T1, name + 1);
    assert_int_equal(core_counters(s.core)->transports, 1);
    ready_with(&s, W1, "w1", name, 4, explore_entries, 1);
    assert_string_equal(s.notes, "transport peer-refused ");
}

static void
the_number_of_peers_is_limited(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    for (int i = 0; i <= PEERS_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", i);
        scene_forget(&s);
        hello(&s, (uint64_t) i, name);
        assert_int_equal(sent_count(&s, TRANSPORTS, (uint64_t) i, MSG_catalogue, NULL),
                         i < PEERS_MAX);
    }
    assert_int_equal(core_counters(s.core)->transports, PEERS_MAX);
}

static void
a_drain_says_bye_refuses_new_calls_and_finishes_the_others(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    ready(&s, W1, "w1", 1);
    call(&s, T1, "c1", "look");
    call(&s, T1, "c2", "look");
    happen(&s, EVENT_DRAIN, TRANSPORTS, 0, "");
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_bye, NULL), 1);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_bye, NULL), 1);
    call(&s, T1, "c3", "look");
    assert_told(&s, T1, "c3", BUSY, NOT_SENT);
    answer(&s, W1, "c1");
    assert_false(core_is_idle(s.core));
    answer(&s, W1, "c2");
    assert_true(core_is_idle(s.core));
}

static void
what_has_not_ended_when_the_broker_ends_is_answered(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    ready(&s, W1, "w1", 2);
    call(&s, T1, "c1", "look");
    call(&s, T1, "c2", "write");
    call(&s, T1, "c3", "write");
    happen(&s, EVENT_END, TRANSPORTS, 0, "");
    assert_told(&s, T1, "c1", BACKEND, FAILED);
    assert_told(&s, T1, "c2", UNKNOWN, UNKNOWN_OUTCOME);
    assert_told(&s, T1, "c3", BUSY, NOT_SENT);
    assert_true(core_is_idle(s.core));
}

static void
a_worker_that_says_bye_gets_nothing_new(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    hello(&s, T1, "t1");
    ready(&s, W1, "w1", 4);
    call(&s, T1, "c1", "write");
    say(&s, WORKERS, W1, &bye_wire, &(bye_msg_t){ .instance = "w1" }, NULL);
    call(&s, T1, "c2", "look");
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c2"), 0);
    answer(&s, W1, "c1");
    assert_int_equal(sent_count(&s, TRANSPORTS, T1, MSG_answer, "c1"), 1);
    beat_from(&s, WORKERS, W1, "w1", 4, false);
    assert_int_equal(sent_count(&s, WORKERS, W1, MSG_call, "c2"), 0);
    happen(&s, EVENT_LOST, WORKERS, W1, "");
    assert_int_equal(core_counters(s.core)->workers_lost, 0);
}

static void
counters_of_workers_are_kept(void **state)
{
    AUTO(scene_close) scene_t s;
    scene_open(&s, NULL);

    ready(&s, W1, "w1", 4);
    assert_string_equal(core_worker_counters(s.core, 0), "");
    say(&s, WORKERS, W1, &beat_wire, &(beat_msg_t){ .instance = "w1", .counters = "{}" }, NULL);
    assert_string_equal(core_worker_counters(s.core, 0), "{}");
    assert_null(core_worker_counters(s.core, 1));
}

static void
counters_that_are_too_long_are_not_kept(void **state)
{
    enum { TEXT_MAX = 4 * KIB - 1 };
    static char text[TEXT_MAX + 2];

    for (int over = -1; over <= 1; over++) {
        AUTO(scene_close) scene_t s;
        scene_open(&s, NULL);
        ready(&s, W1, "w1", 4);
        memset(text, ' ', sizeof text);
        text[TEXT_MAX + over] = '\0';
        say(&s, WORKERS, W1, &beat_wire, &(beat_msg_t){ .instance = "w1", .counters = text },
            NULL);
        assert_string_equal(core_worker_counters(s.core, 0), over > 0 ? "" : text);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_transport_that_says_hello_gets_the_catalogue),
        cmocka_unit_test(the_catalogue_is_sent_again_when_it_changes_and_only_then),
        cmocka_unit_test(the_catalogue_is_complete_when_every_expected_category_is_there),
        cmocka_unit_test(rows_of_a_dead_worker_stay_listed),
        cmocka_unit_test(a_peer_of_another_protocol_is_refused_and_said_so_once),
        cmocka_unit_test(a_worker_of_another_protocol_does_not_end_the_running_one),
        cmocka_unit_test(a_worker_that_offers_nonsense_is_refused),
        cmocka_unit_test(a_stranger_is_asked_to_introduce_itself),
        cmocka_unit_test(a_stranger_gets_an_answer_to_its_call),
        cmocka_unit_test(every_known_peer_gets_a_beat_each_second),
        cmocka_unit_test(a_peer_silent_for_three_seconds_is_gone),
        cmocka_unit_test(a_beat_keeps_a_peer),
        cmocka_unit_test(a_broker_that_slept_does_not_blame_its_peers),
        cmocka_unit_test(a_beat_under_another_name_is_a_stranger),
        cmocka_unit_test(a_worker_started_again_ends_the_old_one_at_once),
        cmocka_unit_test(workers_without_a_host_do_not_end_one_another),
        cmocka_unit_test(a_worker_keeps_its_calls_over_a_new_connection),
        cmocka_unit_test(a_transport_keeps_its_calls_over_a_new_connection),
        cmocka_unit_test(what_a_client_says_is_told_to_all_other_transports),
        cmocka_unit_test(the_stream_of_a_client_goes_from_transport_to_transport),
        cmocka_unit_test(the_end_of_a_session_is_told_to_all_transports),
        cmocka_unit_test(a_change_is_told_to_all_transports),
        cmocka_unit_test(messages_from_the_wrong_side_are_dropped),
        cmocka_unit_test(peers_with_impossible_names_are_not_taken),
        cmocka_unit_test(the_number_of_peers_is_limited),
        cmocka_unit_test(a_drain_says_bye_refuses_new_calls_and_finishes_the_others),
        cmocka_unit_test(what_has_not_ended_when_the_broker_ends_is_answered),
        cmocka_unit_test(a_worker_that_says_bye_gets_nothing_new),
        cmocka_unit_test(counters_of_workers_are_kept),
        cmocka_unit_test(counters_that_are_too_long_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
