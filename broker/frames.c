// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "buffer.h"
#include "json.h"
#include "limits.h"

enum { ROUTE_SIZE = 5 };  // ids that a ROUTER makes: a zero and four bytes

// clang-format off
static const wire_table_t *const tables[] = {
    &ready_wire, &hello_wire, &catalogue_wire, &call_wire, &progress_wire, &log_wire,
    &answer_wire, &changed_wire, &cancel_wire, &beat_wire, &bye_wire, &ended_wire,
    &said_wire,  &seek_wire,    &piece_wire,
};
// clang-format on

static const wire_table_t *
table_of(char type)
{
    for (size_t i = 0; i < ROWS(tables); i++)
        if (tables[i]->type == type)
            return tables[i];
    return NULL;
}

// Ids that a peer chose itself are not taken: nobody of ours does that.
static status_t
read_route(parcel_t *parcel, uint64_t *route_p, failure_t *why)
{
    const unsigned char *bytes = parcel->count ? zmq_msg_data(&parcel->frames[0]) : NULL;

    if (!bytes || zmq_msg_size(&parcel->frames[0]) != ROUTE_SIZE || bytes[0])
        return fail(why, BAD_ARGS, "the peer chose its own routing id");
    *route_p = (uint64_t) bytes[1] << 24 | bytes[2] << 16 | bytes[3] << 8 | bytes[4];
    return OK;
}

static void
free_frame(void *handle)
{
    zmq_msg_close(handle);
    free(handle);
}

static body_t
keep_body(zmq_msg_t *frame)
{
    zmq_msg_t *kept = malloc(sizeof *kept);

    assert(kept);
    zmq_msg_init(kept);
    zmq_msg_move(kept, frame);
    return (body_t){ kept, free_frame };
}

int
event_from(event_t *event, side_t side, parcel_t *parcel, failure_t *why)
{
    *event = (event_t){ .kind = EVENT_MESSAGE, .side = side };
    if (read_route(parcel, &event->route, why))
        return -1;
    size_t bytes = parcel_size(parcel) - ROUTE_SIZE;
    char type = wire_kind(parcel);
    const wire_table_t *table = table_of(type);
    if (!table || bytes > MESSAGE_MAX) {
        fail(why, BAD_ARGS, table ? "the message is too large" : "this is no message of ours");
        return -1;
    }
    if (wire_read(table, parcel, WIRE_FRAMES + 1, &event->message.memory, why))
        return -1;
    event->message.type = type;
    event->message.bytes = bytes;
    event->message.body = keep_body(&parcel->frames[WIRE_FRAMES]);
    return 0;
}

void
event_clear(event_t *self)
{
    message_clear(&self->message);
}

static void
add_route(parcel_t *parcel, uint64_t route)
{
    unsigned char bytes[ROUTE_SIZE] = { 0, route >> 24 & 0xff, route >> 16 & 0xff,
                                        route >> 8 & 0xff, route & 0xff };

    parcel_add(parcel, bytes, sizeof bytes);
}

// A failure as every tool tells it: {"error": {code, message, outcome}}.
static void
add_failure(parcel_t *parcel, const answer_msg_t *answer, const char *sentence)
{
    AUTO(buffer_clear) buffer_t json = { 0 };

    buffer_printf(&json, "{\"error\":{\"code\":\"%s\",\"message\":",
                  status_name((status_t) answer->status));
    json_write_string(&json, sentence, strlen(sentence));
    buffer_printf(&json, ",\"outcome\":\"%s\"}}", outcome_name((outcome_t) answer->outcome));
    parcel_add(parcel, json.bytes, json.size);
}

// A borrowed body is sent from where it lies: ZeroMQ counts who holds it.
static void
add_body(parcel_t *parcel, body_t *body)
{
    zmq_msg_t frame;

    zmq_msg_init(&frame);
    if (body->handle && body->free)
        zmq_msg_move(&frame, body->handle);
    else if (body->handle)
        zmq_msg_copy(&frame, body->handle);
    parcel_move(parcel, &frame);
    zmq_msg_close(&frame);
    if (body->free)
        body_clear(body);
}

void
letter_pack(letter_t *letter, parcel_t *parcel)
{
    message_t *message = &letter->message;

    add_route(parcel, letter->route);
    wire_fill_envelope(parcel, table_of(message->type), &message->memory);
    if (letter->sentence)
        add_failure(parcel, &message->answer, letter->sentence);
    else
        add_body(parcel, &message->body);
}
