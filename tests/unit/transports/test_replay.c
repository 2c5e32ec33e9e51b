// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "auto.h"
#include "buffer.h"
#include "http/replay.h"

#include <cmocka.h>

// What came back: the events one after the other, and '.' for the end.
static void
collect(const char *id, const char *bytes, size_t size, void *arg)
{
    buffer_t *out = arg;

    if (bytes)
        buffer_add(out, bytes, size);
    else
        buffer_char(out, '.');
}

static void
what_came_after_the_id_is_sent_and_what_is_to_come(void **state)
{
    AUTO(replays_destroy) replays_t *replays = replays_new("instance");
    AUTO(buffer_clear) buffer_t out = { 0 }, again = { 0 };
    char first[REPLAY_ID_SIZE], id[REPLAY_ID_SIZE];
    replay_t *stream = replays_begin(replays, "ann", 0);

    replay_add(stream, "a", 1, first);
    replay_add(stream, "b", 1, id);
    assert_true(replays_resume(replays, "ann", first, 0, collect, &out));
    assert_string_equal(out.bytes, "b");
    replay_add(stream, "c", 1, id);
    replay_end(stream, 0);
    assert_string_equal(out.bytes, "bc.");
    assert_true(replays_resume(replays, "ann", first, 0, collect, &again));
    assert_string_equal(again.bytes, "bc.");
}

static void
an_id_of_something_else_is_none(void **state)
{
    AUTO(replays_destroy) replays_t *replays = replays_new("instance");
    AUTO(replays_destroy) replays_t *others = replays_new("another1");
    char id[REPLAY_ID_SIZE], other[REPLAY_ID_SIZE];

    replay_add(replays_begin(replays, "ann", 0), "a", 1, id);
    replay_add(replays_begin(others, "ann", 0), "a", 1, other);
    assert_true(replays_knows(replays, "ann", id));
    assert_false(replays_knows(replays, "bob", id));
    assert_false(replays_knows(replays, "ann", other));
    const char *const texts[] = { "",
                                  "-",
                                  "1",
                                  "instance-1-1",
                                  "instance-2-0",
                                  "instance-1-00",
                                  "instance-1--1",
                                  "instance-1-0 " };
    for (size_t i = 0; i < ROWS(texts); i++)
        assert_false(replays_knows(replays, "ann", texts[i]));
}

static void
the_latest_events_are_kept(void **state)
{
    AUTO(replays_destroy) replays_t *replays = replays_new("instance");
    AUTO(buffer_clear) buffer_t out = { 0 };
    char first[REPLAY_ID_SIZE], id[REPLAY_ID_SIZE];
    replay_t *stream = replays_begin(replays, "ann", 0);

    replay_add(stream, "x", 1, first);
    for (int i = 0; i < REPLAY_EVENTS_MAX + 1; i++)
        replay_add(stream, i < 2 ? "o" : "n", 1, id);
    replays_resume(replays, "ann", first, 0, collect, &out);
    assert_int_equal(out.size, REPLAY_EVENTS_MAX);
    assert_int_equal(out.bytes[0], 'o');
    assert_int_equal(out.bytes[1], 'n');
}

static void
streams_that_are_over_give_way(void **state)
{
    AUTO(replays_destroy) replays_t *replays = replays_new("instance");
    char id[REPLAY_ID_SIZE], other[REPLAY_ID_SIZE];
    replay_t *streams[REPLAYS_MAX];

    for (int i = 0; i < REPLAYS_MAX; i++)
        streams[i] = replays_begin(replays, "ann", 0);
    assert_null(replays_begin(replays, "ann", 0));
    replay_add(streams[3], "a", 1, id);
    replay_end(streams[3], 10);
    assert_true(replays_knows(replays, "ann", id));
    replay_add(replays_begin(replays, "ann", 10), "a", 1, other);
    assert_false(replays_knows(replays, "ann", id));
    assert_null(replays_begin(replays, "ann", 10 + REPLAY_MS));
    replay_end(streams[5], 10);
    assert_non_null(replays_begin(replays, "ann", 10 + REPLAY_MS));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_came_after_the_id_is_sent_and_what_is_to_come),
        cmocka_unit_test(an_id_of_something_else_is_none),
        cmocka_unit_test(the_latest_events_are_kept),
        cmocka_unit_test(streams_that_are_over_give_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
