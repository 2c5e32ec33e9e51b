// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "frames.h"
#include "limits.h"

#include <cmocka.h>  // last: it defines fail()

static const char route_bytes[] = { 0, 0x12, (char) 0xff, 0, (char) 0x80 };
enum { ROUTE = 0x12ff0080 };

// A message as a ROUTER hands it out.
static zmsg_t *
received(const wire_table_t *table, const void *message, const void *body, size_t size)
{
    zmsg_t *msg = wire_pack(table, message, body, size);

    zmsg_pushmem(msg, route_bytes, sizeof route_bytes);
    return msg;
}

static void
assert_dropped(zmsg_t *msg)
{
    AUTO(event_clear) event_t event = { 0 };
    failure_t why = { 0 };

    assert_int_equal(event_from(&event, WORKERS, msg, &why), -1);
    assert_true(strlen(why.text) > 0);
    zmsg_destroy(&msg);
}

static void
a_message_becomes_an_event(void **state)
{
    call_msg_t call = { .id = "c1", .left_ms = 7 };
    AUTO(zmsg_destroy) zmsg_t *msg = received(&call_wire, &call, "{\"a\":1}", 7);
    AUTO(event_clear) event_t event = { 0 };
    failure_t why;
    size_t bytes = zmsg_content_size(msg) - sizeof route_bytes;

    assert_int_equal(event_from(&event, TRANSPORTS, msg, &why), 0);
    assert_int_equal(event.kind, EVENT_MESSAGE);
    assert_int_equal(event.side, TRANSPORTS);
    assert_int_equal(event.route, ROUTE);
    assert_int_equal(event.message.type, MSG_call);
    assert_string_equal(event.message.call.id, "c1");
    assert_int_equal(event.message.bytes, bytes);
    assert_true(zframe_streq(event.message.body.handle, "{\"a\":1}"));
    assert_int_equal(zmsg_size(msg), 0);  // the body was moved
}

static void
what_is_no_message_of_ours_is_dropped(void **state)
{
    zmsg_t *msg = zmsg_new();
    resolve_msg_t resolve = { .id = "r" };

    assert_dropped(msg);
    msg = zmsg_new();
    zmsg_pushmem(msg, route_bytes, sizeof route_bytes);
    assert_dropped(msg);
    msg = zmsg_new();
    zmsg_addmem(msg, route_bytes, sizeof route_bytes);
    zmsg_addstr(msg, "GET / HTTP/1.1");
    zmsg_addstr(msg, "");
    assert_dropped(msg);
    assert_dropped(received(&resolve_wire, &resolve, NULL, 0));  // ours, but not the broker's
    msg = received(&call_wire, &(call_msg_t){ .id = "c" }, NULL, 0);
    zmsg_addstr(msg, "one frame too many");
    assert_dropped(msg);
}

static void
a_peer_that_chose_its_routing_id_is_dropped(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
    } rows[] = { { "\1\2\3\4\5", 5 }, { "\0\1\2\3", 4 }, { "\0\1\2\3\4\5", 6 }, { "", 0 } };

    for (size_t i = 0; i < ROWS(rows); i++) {
        zmsg_t *msg = wire_pack(&beat_wire, &(beat_msg_t){ 0 }, NULL, 0);
        zmsg_pushmem(msg, rows[i].bytes, rows[i].size);
        assert_dropped(msg);
    }
}

static void
a_message_may_be_as_large_as_the_limit(void **state)
{
    answer_msg_t answer = { .id = "c1" };
    void *envelope;
    size_t size;
    char *body = calloc(1, MESSAGE_MAX);

    wire_encode(&answer_wire, &answer, &envelope, &size);
    free(envelope);
    for (int over = -1; over <= 1; over++) {
        AUTO(zmsg_destroy)
        zmsg_t *msg = received(&answer_wire, &answer, body, MESSAGE_MAX - size + over);
        AUTO(event_clear) event_t event = { 0 };
        failure_t why;
        assert_int_equal(event_from(&event, WORKERS, msg, &why), over > 0 ? -1 : 0);
    }
    free(body);
}

// Takes off the routing id and unpacks an ANSWER.
static void
read_answer(zmsg_t *msg, answer_msg_t *answer)
{
    failure_t why;
    zframe_t *route = zmsg_pop(msg);

    assert_memory_equal(zframe_data(route), route_bytes, sizeof route_bytes);
    zframe_destroy(&route);
    assert_int_equal(wire_unpack(&answer_wire, msg, answer, &why), OK);
}

static void
an_answer_of_our_own_tells_the_failure_as_tools_do(void **state)
{
    letter_t letter = {
        .side = TRANSPORTS,
        .route = ROUTE,
        .message = { .type = MSG_answer,
                     .answer = { .id = "c1", .status = BUSY, .outcome = NOT_SENT } },
        .sentence = "say \"again\""
    };
    AUTO(zmsg_destroy) zmsg_t *msg = letter_pack(&letter);
    AUTO(answer_msg_clear) answer_msg_t answer = { 0 };

    read_answer(msg, &answer);
    assert_string_equal(answer.id, "c1");
    assert_int_equal(answer.status, BUSY);
    assert_true(zframe_streq(zmsg_first(msg),
                             "{\"error\":{\"code\":\"busy\",\"message\":\"say \\\"again\\\"\","
                             "\"outcome\":\"not_sent\"}}"));
}

static void
free_frame(void *handle)
{
    zframe_t *frame = handle;

    zframe_destroy(&frame);
}

static void
an_owned_body_moves_and_a_borrowed_one_stays(void **state)
{
    for (int is_owned = 0; is_owned <= 1; is_owned++) {
        zframe_t *body = zframe_from("result");
        letter_t letter = { .side = TRANSPORTS,
                            .route = ROUTE,
                            .message = { .type = MSG_answer,
                                         .answer = { .id = "c1" },
                                         .body = { body, is_owned ? free_frame : NULL } } };
        AUTO(zmsg_destroy) zmsg_t *msg = letter_pack(&letter);
        AUTO(answer_msg_clear) answer_msg_t answer = { 0 };

        read_answer(msg, &answer);
        assert_true(zframe_streq(zmsg_first(msg), "result"));
        assert_ptr_equal(letter.message.body.handle, is_owned ? NULL : body);
        if (!is_owned)
            zframe_destroy(&body);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_becomes_an_event),
        cmocka_unit_test(what_is_no_message_of_ours_is_dropped),
        cmocka_unit_test(a_peer_that_chose_its_routing_id_is_dropped),
        cmocka_unit_test(a_message_may_be_as_large_as_the_limit),
        cmocka_unit_test(an_answer_of_our_own_tells_the_failure_as_tools_do),
        cmocka_unit_test(an_owned_body_moves_and_a_borrowed_one_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
