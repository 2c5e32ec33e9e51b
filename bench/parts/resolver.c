// SPDX-License-Identifier: Apache-2.0
#include "resolver.h"

#include <stdio.h>

#include "machine.h"
#include "status.h"

enum { BODY_SIZE = 1024, LEFT_MS = 60 * 1000 };

typedef struct {
    void *socket;
    const char *token;
    char body[BODY_SIZE];
    histogram_t *times;
} asker_t;

static void
ask(asker_t *self)
{
    char id[PEER_ID_SIZE];
    const resolve_msg_t resolve = {
        .id = id, .principal = "proofarc|owner|admin", .token = self->token, .left_ms = LEFT_MS
    };

    peer_make_id(id);
    peer_send(self->socket, &resolve_wire, &resolve, self->body);
}

// One answer. -1 if it is not what was asked for.
static int
take(asker_t *self, peer_message_t *message)
{
    resolved_msg_t resolved = { 0 };
    int rc = peer_read(message, &resolved_wire, &resolved) && resolved.status == OK ? 0 : -1;

    if (rc)
        fprintf(stderr, "bench-parts: the name is not resolved: %s\n",
                resolved.text ? resolved.text : "no such answer");
    else
        histogram_add(self->times, peer_age_ns(resolved.id));
    resolved_msg_clear(&resolved);
    return rc;
}

// Takes what has come, and asks again for each. -1 when nothing comes.
static int
turn(asker_t *self, int wait_ms, bool asks_again)
{
    zmq_pollitem_t item = { self->socket, 0, ZMQ_POLLIN, 0 };
    peer_message_t message;
    int rc = zmq_poll(&item, 1, wait_ms) > 0 ? 0 : -1;

    while (!rc && peer_receive(self->socket, &message)) {
        rc = take(self, &message);
        peer_clear(&message);
        if (asks_again)
            ask(self);
    }
    return rc;
}

int
resolver_play(const char *endpoint, const char *token, const char *project, int flight,
              int64_t time_ms, pid_t pid, peer_result_t *result)
{
    static histogram_t warm_up;
    asker_t self = { .socket = peer_open(endpoint), .token = token, .times = &warm_up };

    snprintf(
        self.body, sizeof self.body,
        "{\"names\":[{\"param\":\"project\",\"kind\":\"project\",\"value\":\"%s\",\"must\":"
        "true,\"gone\":false}],\"tags\":[],\"kinds\":[],\"by_tag\":false}",
        project);
    ask(&self);
    if (turn(&self, LEFT_MS, false))
        return -1;
    self.times = &result->times;
    for (int i = 0; i < flight; i++)
        ask(&self);
    int64_t start_ns = peer_now_ns(), used_us = machine_process_us(pid);
    while (peer_now_ns() - start_ns < time_ms * 1000000)
        if (turn(&self, PEER_SILENT_MS, true))
            return -1;
    result->seconds = (double) (peer_now_ns() - start_ns) / 1e9;
    result->used_us = machine_process_us(pid) - used_us;
    return 0;
}
