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
static parcel_t
received(const wire_table_t *table, const void *message, const void *body, size_t size)
{
    parcel_t parcel = { .count = 0 };

    parcel_add(&parcel, route_bytes, sizeof route_bytes);
    wire_fill(&parcel, table, message, body, size);
    return parcel;
}

static void
assert_dropped(parcel_t parcel)
{
    AUTO(event_clear) event_t event = { 0 };
    failure_t why = { 0 };

    assert_int_equal(event_from(&event, WORKERS, &parcel, &why), -1);
    assert_true(strlen(why.text) > 0);
    parcel_clear(&parcel);
}

static bool
holds(zmq_msg_t *frame, const char *text)
{
    return zmq_msg_size(frame) == strlen(text)
           && !memcmp(zmq_msg_data(frame), text, strlen(text));
}

static void
a_message_becomes_an_event(void **state)
{
    call_msg_t call = { .id = "c1", .left_ms = 7 };
    AUTO(parcel_clear) parcel_t parcel = received(&call_wire, &call, "{\"a\":1}", 7);
    AUTO(event_clear) event_t event = { 0 };
    failure_t why;
    size_t bytes = parcel_size(&parcel) - sizeof route_bytes;

    assert_int_equal(event_from(&event, TRANSPORTS, &parcel, &why), 0);
    assert_int_equal(event.kind, EVENT_MESSAGE);
    assert_int_equal(event.side, TRANSPORTS);
    assert_int_equal(event.route, ROUTE);
    assert_int_equal(event.message.type, MSG_call);
    assert_string_equal(event.message.call.id, "c1");
    assert_int_equal(event.message.bytes, bytes);
    assert_true(holds(event.message.body.handle, "{\"a\":1}"));
    assert_int_equal(zmq_msg_size(&parcel.frames[2]), 0);  // the body was moved
}

static void
what_is_no_message_of_ours_is_dropped(void **state)
{
    resolve_msg_t resolve = { .id = "r" };
    parcel_t parcel = { .count = 0 };

    assert_dropped(parcel);
    parcel_add(&parcel, route_bytes, sizeof route_bytes);
    assert_dropped(parcel);
    parcel = received(&call_wire, &(call_msg_t){ .id = "c" }, NULL, 0);
    zmq_msg_close(&parcel.frames[--parcel.count]);
    assert_dropped(parcel);
    parcel = received(&call_wire, &(call_msg_t){ .id = "c" }, NULL, 0);
    parcel_add(&parcel, "one frame too many", 18);
    assert_dropped(parcel);
    parcel = (parcel_t){ .count = 0 };
    parcel_add(&parcel, route_bytes, sizeof route_bytes);
    parcel_add(&parcel, "GET / HTTP/1.1", 14);
    parcel_add(&parcel, "", 0);
    assert_dropped(parcel);
    assert_dropped(received(&resolve_wire, &resolve, NULL, 0));  // ours, but not the broker's
}

static void
a_peer_that_chose_its_routing_id_is_dropped(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
    } rows[] = { { "\1\2\3\4\5", 5 }, { "\0\1\2\3", 4 }, { "\0\1\2\3\4\5", 6 }, { "", 0 } };

    for (size_t i = 0; i < ROWS(rows); i++) {
        parcel_t parcel = { .count = 0 };
        parcel_add(&parcel, rows[i].bytes, rows[i].size);
        wire_fill(&parcel, &beat_wire, &(beat_msg_t){ 0 }, NULL, 0);
        assert_dropped(parcel);
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
        AUTO(parcel_clear)
        parcel_t parcel = received(&answer_wire, &answer, body, MESSAGE_MAX - size + over);
        AUTO(event_clear) event_t event = { 0 };
        failure_t why;
        assert_int_equal(event_from(&event, WORKERS, &parcel, &why), over > 0 ? -1 : 0);
    }
    free(body);
}

// Packs the letter and looks at what becomes of it: an ANSWER with this body.
static void
assert_packed(letter_t *letter, const char *body)
{
    AUTO(parcel_clear) parcel_t parcel = { .count = 0 };
    AUTO(answer_msg_clear) answer_msg_t answer = { 0 };
    failure_t why;

    letter_pack(letter, &parcel);
    assert_memory_equal(zmq_msg_data(&parcel.frames[0]), route_bytes, sizeof route_bytes);
    assert_int_equal(wire_read(&answer_wire, &parcel, WIRE_FRAMES + 1, &answer, &why), OK);
    assert_string_equal(answer.id, "c1");
    assert_true(holds(&parcel.frames[2], body));
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

    assert_packed(&letter, "{\"error\":{\"code\":\"busy\",\"message\":\"say \\\"again\\\"\","
                           "\"outcome\":\"not_sent\"}}");
}

static void
free_frame(void *handle)
{
    zmq_msg_close(handle);
    free(handle);
}

static void
an_owned_body_moves_and_a_borrowed_one_stays(void **state)
{
    for (int is_owned = 0; is_owned <= 1; is_owned++) {
        zmq_msg_t *body = malloc(sizeof *body);
        zmq_msg_init_size(body, 6);
        memcpy(zmq_msg_data(body), "result", 6);
        letter_t letter = { .side = TRANSPORTS,
                            .route = ROUTE,
                            .message = { .type = MSG_answer,
                                         .answer = { .id = "c1" },
                                         .body = { body, is_owned ? free_frame : NULL } } };
        assert_packed(&letter, "result");
        assert_ptr_equal(letter.message.body.handle, is_owned ? NULL : body);
        if (is_owned)
            continue;
        assert_packed(&letter, "result");  // once more
        free_frame(body);
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
