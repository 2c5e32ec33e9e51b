// SPDX-License-Identifier: Apache-2.0
#include "gate.h"

#include "actor.h"
#include "auto.h"

struct gate {
    zloop_t *loop;
    zactor_t *monitor;
    gate_fn *turned_away;
    void *owner;
    size_t count;
};

// clang-format off
static const struct {
    const char *event;
    const char *reason;
} refusals[] = {
    { "HANDSHAKE_FAILED_AUTH",     "its key is not listed" },
    { "HANDSHAKE_FAILED_PROTOCOL", "it does not speak CURVE as we do" },
};
// clang-format on

static int
on_event(zloop_t *loop, zsock_t *monitor, void *arg)
{
    gate_t *self = arg;

    for (zmsg_t *msg; (msg = actor_receive(monitor)); zmsg_destroy(&msg)) {
        AUTO(zstr_free) char *event = zmsg_popstr(msg);
        for (size_t i = 0; event && i < ROWS(refusals); i++)
            if (!strcmp(event, refusals[i].event))
                self->turned_away(self->owner, refusals[i].reason, ++self->count);
    }
    return 0;
}

gate_t *
gate_new(zloop_t *loop, zsock_t *socket, const char *endpoint, gate_fn *turned_away,
         void *owner)
{
    if (strncmp(endpoint, "tcp://", 6))
        return NULL;
    gate_t *self = calloc(1, sizeof *self);
    assert(self);
    *self = (gate_t){ .loop = loop, .turned_away = turned_away, .owner = owner };
    self->monitor = zactor_new(zmonitor, socket);
    assert(self->monitor);
    for (size_t i = 0; i < ROWS(refusals); i++)
        zstr_sendx(self->monitor, "LISTEN", refusals[i].event, NULL);
    zstr_sendx(self->monitor, "START", NULL);
    zsock_wait(self->monitor);
    zloop_reader(loop, zactor_sock(self->monitor), on_event, self);
    return self;
}

void
gate_destroy(gate_t **self_p)
{
    gate_t *self = *self_p;

    if (!self)
        return;
    zloop_reader_end(self->loop, zactor_sock(self->monitor));
    zactor_destroy(&self->monitor);
    free(self);
    *self_p = NULL;
}

bool
gate_is_told(size_t count)
{
    return (count & (count - 1)) == 0;
}
