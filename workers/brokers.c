// SPDX-License-Identifier: Apache-2.0
#include "brokers.h"

#include "actor.h"
#include "auto.h"
#include "limits.h"
#include "log.h"

enum { READY_RETRY_MS = 20 };  // while a broker cannot be reached yet

typedef struct {
    brokers_t *all;
    size_t index;
    const char *endpoint;
    zsock_t *socket;
    bool is_ready_due;  // it has to be told what is on offer
} broker_t;

struct brokers {
    zloop_t *loop;
    const brokers_ready_t *ready;
    const brokers_ops_t *ops;
    void *owner;
    char instance[ENDPOINT_NAME_SIZE];
    broker_t brokers[BROKERS_MAX];
    size_t count;
    int ready_timer;  // -1 when every broker knows us
    bool are_heard;
};

void
brokers_send(brokers_t *self, size_t broker, const wire_table_t *table, const void *message,
             const void *body, size_t size)
{
    parcel_t parcel = { .count = 0 };

    wire_fill(&parcel, table, message, body, size);
    int rc = actor_post(&parcel, self->brokers[broker].socket);
    if (rc)
        log_debug("lost", "%s to %s: %s", table->name, self->brokers[broker].endpoint,
                  zmq_strerror(rc));
}

void
brokers_beat(brokers_t *self, size_t broker)
{
    beat_msg_t beat = { .instance = self->instance };

    self->ops->state(self->owner, broker, &beat);
    brokers_send(self, broker, &beat_wire, &beat, NULL, 0);
}

void
brokers_beat_all(brokers_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        brokers_beat(self, i);
}

static int
on_beat(zloop_t *loop, int timer, void *arg)
{
    brokers_beat_all(arg);
    return 0;
}

// A broker that cannot be reached yet is tried again soon: the catalogue waits for us.
static void
send_ready(broker_t *broker)
{
    const brokers_t *self = broker->all;
    beat_msg_t now = { 0 };
    ready_msg_t ready = {
        .protocol = WIRE_PROTOCOL,
        .instance = self->instance,
        .host = self->ready->host,
        .entries = { self->ready->entries, self->ready->entries_size },
        .version = proofarc_version(),
    };

    self->ops->state(self->owner, broker->index, &now);
    ready.credit = now.credit;
    parcel_t parcel = { .count = 0 };
    wire_fill(&parcel, &ready_wire, &ready, NULL, 0);
    broker->is_ready_due = actor_post(&parcel, broker->socket) != 0;
    if (!broker->is_ready_due)
        brokers_beat(broker->all, broker->index);
}

static int
on_ready_due(zloop_t *loop, int timer, void *arg)
{
    brokers_t *self = arg;
    bool is_due = false;

    for (size_t i = 0; i < self->count; i++) {
        if (self->brokers[i].is_ready_due)
            send_ready(&self->brokers[i]);
        is_due |= self->brokers[i].is_ready_due;
    }
    if (!is_due) {
        zloop_timer_end(loop, timer);
        self->ready_timer = -1;
    }
    return 0;
}

static void
want_ready(broker_t *broker)
{
    brokers_t *self = broker->all;

    send_ready(broker);
    if (broker->is_ready_due && self->ready_timer == -1)
        self->ready_timer = zloop_timer(self->loop, READY_RETRY_MS, 0, on_ready_due, self);
}

static void
take_message(broker_t *broker, const parcel_t *parcel)
{
    brokers_t *self = broker->all;
    const char type = wire_kind(parcel);

    if (type && !self->are_heard) {
        self->are_heard = true;
        self->ops->heard(self->owner, broker->endpoint);
    }
    if (type == MSG_hello)
        want_ready(broker);
    else if (type != MSG_beat && type != MSG_bye)
        self->ops->message(self->owner, broker->index, parcel);
}

static int
on_broker(zloop_t *loop, zsock_t *socket, void *arg)
{
    parcel_t parcel = { .count = 0 };

    while (actor_take(&parcel, socket)) {
        take_message(arg, &parcel);
        parcel_clear(&parcel);
    }
    return 0;
}

static exit_code_t
add_broker(brokers_t *self, const char *endpoint, curve_t *curve, failure_t *why)
{
    broker_t *broker = &self->brokers[self->count];

    *broker = (broker_t){
        .all = self,
        .index = self->count++,
        .endpoint = endpoint,
        .socket = zsock_new(ZMQ_DEALER),
    };
    endpoint_prepare(broker->socket);
    exit_code_t code = endpoint_connect(broker->socket, endpoint, curve, why);
    if (!code)
        zloop_reader(self->loop, broker->socket, on_broker, broker);
    return code;
}

exit_code_t
brokers_new(zloop_t *loop, const char *const *endpoints, size_t count, curve_t *curve,
            const brokers_ready_t *ready, const brokers_ops_t *ops, void *owner,
            brokers_t **self_p, failure_t *why)
{
    AUTO(brokers_destroy) brokers_t *self = calloc(1, sizeof *self);

    assert(self && count <= BROKERS_MAX);
    *self = (brokers_t){ .loop = loop, .ready = ready, .ops = ops, .owner = owner };
    self->ready_timer = -1;
    endpoint_random_name(self->instance);
    for (size_t i = 0; i < count; i++) {
        exit_code_t code = add_broker(self, endpoints[i], curve, why);
        if (code)
            return code;
    }
    *self_p = self;
    self = NULL;
    return EXIT_DONE;
}

void
brokers_destroy(brokers_t **self_p)
{
    brokers_t *self = *self_p;

    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++) {
        zloop_reader_end(self->loop, self->brokers[i].socket);
        zsock_destroy(&self->brokers[i].socket);
    }
    if (self->ready_timer != -1)
        zloop_timer_end(self->loop, self->ready_timer);
    free(self);
    *self_p = NULL;
}

void
brokers_begin(brokers_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        want_ready(&self->brokers[i]);
    zloop_timer(self->loop, BEAT_MS, 0, on_beat, self);
}

void
brokers_bye(brokers_t *self)
{
    const bye_msg_t bye = { .instance = self->instance };

    for (size_t i = 0; i < self->count; i++)
        brokers_send(self, i, &bye_wire, &bye, NULL, 0);
}

size_t
brokers_count(const brokers_t *self)
{
    return self->count;
}

bool
brokers_are_heard(const brokers_t *self)
{
    return self->are_heard;
}
