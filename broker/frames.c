// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

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
take_route(zmsg_t *msg, uint64_t *route_p, failure_t *why)
{
    AUTO(zframe_destroy) zframe_t *frame = zmsg_pop(msg);

    if (!frame || zframe_size(frame) != ROUTE_SIZE || zframe_data(frame)[0])
        return fail(why, BAD_ARGS, "the peer chose its own routing id");
    const unsigned char *bytes = zframe_data(frame);
    *route_p = (uint64_t) bytes[1] << 24 | bytes[2] << 16 | bytes[3] << 8 | bytes[4];
    return OK;
}

static void
free_frame(void *handle)
{
    zframe_t *frame = handle;

    zframe_destroy(&frame);
}

int
event_from(event_t *event, side_t side, zmsg_t *msg, failure_t *why)
{
    *event = (event_t){ .kind = EVENT_MESSAGE, .side = side };
    if (take_route(msg, &event->route, why))
        return -1;
    size_t bytes = zmsg_content_size(msg);
    char type = wire_type(msg);
    const wire_table_t *table = table_of(type);
    if (!table || bytes > MESSAGE_MAX) {
        fail(why, BAD_ARGS, table ? "the message is too large" : "this is no message of ours");
        return -1;
    }
    if (wire_unpack(table, msg, &event->message.memory, why))
        return -1;
    event->message.type = type;
    event->message.bytes = bytes;
    event->message.body = (body_t){ zmsg_pop(msg), free_frame };
    return 0;
}

void
event_clear(event_t *self)
{
    message_clear(&self->message);
}

static void
add_route(zmsg_t *msg, uint64_t route)
{
    unsigned char bytes[ROUTE_SIZE] = { 0, route >> 24 & 0xff, route >> 16 & 0xff,
                                        route >> 8 & 0xff, route & 0xff };

    zmsg_addmem(msg, bytes, sizeof bytes);
}

// A failure as every tool tells it: {"error": {code, message, outcome}}.
static void
add_failure(zmsg_t *msg, const answer_msg_t *answer, const char *sentence)
{
    AUTO(buffer_clear) buffer_t json = { 0 };

    buffer_printf(&json, "{\"error\":{\"code\":\"%s\",\"message\":",
                  status_name((status_t) answer->status));
    json_write_string(&json, sentence, strlen(sentence));
    buffer_printf(&json, ",\"outcome\":\"%s\"}}", outcome_name((outcome_t) answer->outcome));
    zmsg_addmem(msg, json.bytes, json.size);
}

static void
add_body(zmsg_t *msg, body_t *body)
{
    zframe_t *frame = body->handle;

    if (!frame)
        frame = zframe_new_empty();
    else if (body->free)
        *body = (body_t){ 0 };
    else
        frame = zframe_dup(frame);
    zmsg_append(msg, &frame);
}

zmsg_t *
letter_pack(letter_t *letter)
{
    message_t *message = &letter->message;
    zmsg_t *msg = zmsg_new();
    void *bytes;
    size_t size;

    add_route(msg, letter->route);
    wire_encode(table_of(message->type), &message->memory, &bytes, &size);
    zmsg_addmem(msg, bytes, size);
    free(bytes);
    if (letter->sentence)
        add_failure(msg, &message->answer, letter->sentence);
    else
        add_body(msg, &message->body);
    return msg;
}
