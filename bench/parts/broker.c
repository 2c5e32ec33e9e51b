// SPDX-License-Identifier: Apache-2.0
#include "broker.h"

#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "limits.h"
#include "machine.h"

enum { WARM_CALLS = 1000 };

static const char arguments[] = "{}";
static const char result_body[] = "{\"username\":\"ann\",\"role\":\"analyst\",\"projects\":[]}";

typedef struct {
    void *transport, *worker;
    int64_t beat_ns;  // when both beat next
    int64_t heard_ns;
    bool is_known;  // the catalogue is complete
    uint64_t answers;
    histogram_t *times;
} sides_t;

static void
say_ready(sides_t *self, int flight)
{
    const entry_msg_t entry = { .kind = "tool",
                                .category = "explore",
                                .name = "look",
                                .json = "{}",
                                .effect = "reads",
                                .budget_ms = 15000 };
    ready_msg_t ready = {
        .protocol = WIRE_PROTOCOL, .instance = "worker", .host = "worker", .credit = flight
    };
    void *bytes;

    catalogue_pack(&entry, 1, &bytes, &ready.entries.size);
    ready.entries.bytes = bytes;
    peer_send(self->worker, &ready_wire, &ready, "");
    free(bytes);
}

static void
introduce(sides_t *self, int flight)
{
    const hello_msg_t hello = { .protocol = WIRE_PROTOCOL, .instance = "transport" };

    peer_send(self->transport, &hello_wire, &hello, "");
    say_ready(self, flight);
}

static void
beat(sides_t *self, int flight)
{
    const beat_msg_t transport = { .instance = "transport" };
    const beat_msg_t worker = { .instance = "worker", .credit = flight };

    if (peer_now_ns() < self->beat_ns)
        return;
    peer_send(self->transport, &beat_wire, &transport, "");
    peer_send(self->worker, &beat_wire, &worker, "");
    self->beat_ns = peer_now_ns() + (int64_t) BEAT_MS * 1000000;
}

static void
send_call(sides_t *self)
{
    char id[PEER_ID_SIZE];
    const call_msg_t call = { .id = id,
                              .kind = "tool",
                              .name = "look",
                              .profile = "full",
                              .principal = "proofarc|ann|analyst",
                              .token = "a token of some length, as they come",
                              .left_ms = 15000 };

    peer_make_id(id);
    peer_send(self->transport, &call_wire, &call, arguments);
}

static void
on_transport(sides_t *self, peer_message_t *message)
{
    answer_msg_t answer = { 0 };
    catalogue_msg_t catalogue = { 0 };

    if (peer_read(message, &answer_wire, &answer)) {
        histogram_add(self->times, peer_age_ns(answer.id));
        self->answers++;
        self->heard_ns = peer_now_ns();
        send_call(self);
    } else if (peer_read(message, &catalogue_wire, &catalogue)) {
        self->is_known = catalogue.complete;
    }
    answer_msg_clear(&answer);
    catalogue_msg_clear(&catalogue);
}

static void
on_worker(sides_t *self, peer_message_t *message)
{
    call_msg_t call = { 0 };

    if (peer_read(message, &call_wire, &call)) {
        const answer_msg_t answer = { .id = call.id };
        peer_send(self->worker, &answer_wire, &answer, result_body);
    }
    call_msg_clear(&call);
}

static void
drain(sides_t *self, void *socket, void (*on_message)(sides_t *self, peer_message_t *message))
{
    peer_message_t message;

    while (peer_receive(socket, &message)) {
        on_message(self, &message);
        peer_clear(&message);
    }
}

// Lets both sides do what there is to do; false when nothing has come for too long.
static bool
turn(sides_t *self, int flight)
{
    zmq_pollitem_t items[] = { { self->transport, 0, ZMQ_POLLIN, 0 },
                               { self->worker, 0, ZMQ_POLLIN, 0 } };

    zmq_poll(items, 2, 100);
    drain(self, self->transport, on_transport);
    drain(self, self->worker, on_worker);
    beat(self, flight);
    return peer_now_ns() - self->heard_ns < (int64_t) PEER_SILENT_MS * 1000000;
}

int
broker_play(const char *transports, const char *workers, int flight, int64_t time_ms, pid_t pid,
            peer_result_t *result)
{
    static histogram_t warm_up;
    sides_t self = { .transport = peer_open(transports),
                     .worker = peer_open(workers),
                     .heard_ns = peer_now_ns(),
                     .times = &warm_up };

    introduce(&self, flight);
    while (!self.is_known)
        if (!turn(&self, flight))
            return -1;
    for (int i = 0; i < flight; i++)
        send_call(&self);
    while (self.answers < WARM_CALLS)
        if (!turn(&self, flight))
            return -1;
    self.times = &result->times;
    int64_t start_ns = peer_now_ns(), used_us = machine_process_us(pid);
    while (peer_now_ns() - start_ns < time_ms * 1000000)
        if (!turn(&self, flight))
            return -1;
    result->seconds = (double) (peer_now_ns() - start_ns) / 1e9;
    result->used_us = machine_process_us(pid) - used_us;
    return 0;
}
