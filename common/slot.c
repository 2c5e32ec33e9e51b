// SPDX-License-Identifier: Apache-2.0
#include "slot.h"

#include <stdatomic.h>

#include "auto.h"

enum { SLOTS_MAX = 64, ENDPOINT_SIZE = 64 };

typedef struct {
    slots_t *pool;
    zactor_t *actor;  // its pipe brings pointers to jobs, one at a time
    bool is_busy;
} slot_t;

struct slots {
    zloop_t *loop;
    const slot_ops_t *ops;
    const void *shared;
    void *owner;
    unsigned number;  // of this pool in the process
    zsock_t *done;    // brings all jobs back: the loop pays for each socket, every turn
    slot_t slots[SLOTS_MAX];
    size_t count;
    size_t idle;
};

typedef struct {
    slot_t *slot;
    void *job;
} done_t;

// libzmq orders what a slot and the loop do with a job. Thread checkers that cannot look into
// libzmq see the same order here.
static atomic_uint handovers;

// An address may come again before libzmq has let go of the last endpoint of that name.
static atomic_uint pools;

// Fills the `size` bytes at `what`. False if there is nothing (with ZMQ_DONTWAIT), or if what
// comes is of another size.
static bool
receive(zsock_t *socket, void *what, size_t size, int flags)
{
    zmq_msg_t frame;

    zmq_msg_init(&frame);
    bool is_whole = zmq_msg_recv(&frame, zsock_resolve(socket), flags) == (int) size;
    if (is_whole)
        memcpy(what, zmq_msg_data(&frame), size);
    zmq_msg_close(&frame);
    atomic_load(&handovers);
    return is_whole;
}

static void
hand_over(void *socket, const void *what, size_t size)
{
    atomic_fetch_add(&handovers, 1);
    int rc = zmq_send(zsock_resolve(socket), what, size, 0);

    assert(rc == (int) size);
}

static const char *
done_endpoint(const slots_t *self, char endpoint[ENDPOINT_SIZE])
{
    snprintf(endpoint, ENDPOINT_SIZE, "inproc://slots-%u", self->number);
    return endpoint;
}

// The thread: one job after the other until CZMQ sends $TERM, which is no pointer's size.
static void
run_slot(zsock_t *pipe, void *arg)
{
    done_t done = { .slot = arg };
    const slots_t *pool = done.slot->pool;
    char endpoint[ENDPOINT_SIZE];
    AUTO(zsock_destroy) zsock_t *back = zsock_new(ZMQ_PUSH);
    int rc = zsock_connect(back, "%s", done_endpoint(pool, endpoint));
    void *state = pool->ops->open(pool->shared);

    assert(rc == 0);
    zsock_signal(pipe, 0);
    while (receive(pipe, &done.job, sizeof done.job, 0)) {
        pool->ops->work(state, done.job);
        hand_over(back, &done, sizeof done);
    }
    pool->ops->close(state);
    atomic_fetch_add(&handovers, 1);
}

static bool
take_done(slots_t *self, done_t *done, int flags)
{
    if (!receive(self->done, done, sizeof *done, flags))
        return false;
    done->slot->is_busy = false;
    self->idle++;
    return true;
}

static int
on_done(zloop_t *loop, zsock_t *socket, void *arg)
{
    slots_t *self = arg;
    done_t done;

    for (size_t i = 0; i < self->count && take_done(self, &done, ZMQ_DONTWAIT); i++)
        self->ops->done(self->owner, done.job);
    return 0;
}

slots_t *
slots_new(zloop_t *loop, size_t count, const slot_ops_t *ops, const void *shared, void *owner)
{
    slots_t *self = calloc(1, sizeof *self);
    char endpoint[ENDPOINT_SIZE];

    assert(self && count > 0 && count <= SLOTS_MAX);
    *self = (slots_t){
        .loop = loop,
        .ops = ops,
        .shared = shared,
        .owner = owner,
        .number = atomic_fetch_add(&pools, 1),
    };
    self->done = zsock_new(ZMQ_PULL);
    int rc = zsock_bind(self->done, "%s", done_endpoint(self, endpoint));
    assert(rc == 0);
    for (size_t i = 0; i < count; i++) {
        self->slots[i].pool = self;
        self->slots[i].actor = zactor_new(run_slot, &self->slots[i]);
    }
    zloop_reader(loop, self->done, on_done, self);
    self->count = self->idle = count;
    return self;
}

void
slots_destroy(slots_t **self_p)
{
    slots_t *self = *self_p;
    done_t done;

    if (!self)
        return;
    zloop_reader_end(self->loop, self->done);
    while (self->idle < self->count && take_done(self, &done, 0))
        ;
    for (size_t i = 0; i < self->count; i++)
        zactor_destroy(&self->slots[i].actor);
    zsock_destroy(&self->done);
    atomic_load(&handovers);
    free(self);
    *self_p = NULL;
}

bool
slots_give(slots_t *self, void *job)
{
    for (size_t i = 0; i < self->count; i++) {
        slot_t *slot = &self->slots[i];
        if (slot->is_busy)
            continue;
        slot->is_busy = true;
        self->idle--;
        hand_over(slot->actor, &job, sizeof job);
        return true;
    }
    return false;
}

size_t
slots_idle(const slots_t *self)
{
    return self->idle;
}

size_t
slots_count(const slots_t *self)
{
    return self->count;
}
