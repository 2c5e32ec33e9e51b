// SPDX-License-Identifier: Apache-2.0
#include "slot.h"

#include <stdatomic.h>

#include "auto.h"

enum { SLOTS_MAX = 64 };

typedef struct {
    slots_t *pool;
    zactor_t *actor;  // its pipe carries pointers to jobs, one at a time
    bool is_busy;
} slot_t;

struct slots {
    zloop_t *loop;
    const slot_ops_t *ops;
    const void *shared;
    void *owner;
    slot_t slots[SLOTS_MAX];
    size_t count;
    size_t idle;
};

// libzmq orders what a slot and the loop do with a job. Thread checkers that cannot look into
// libzmq see the same order here.
static atomic_uint handovers;

static bool
receive_job(zsock_t *pipe, void **job_p)
{
    zmq_msg_t frame;

    zmq_msg_init(&frame);
    bool is_job = zmq_msg_recv(&frame, zsock_resolve(pipe), 0) == (int) sizeof *job_p;
    if (is_job)
        memcpy(job_p, zmq_msg_data(&frame), sizeof *job_p);
    zmq_msg_close(&frame);
    atomic_load(&handovers);
    return is_job;
}

static void
send_job(void *pipe, void *job)
{
    atomic_fetch_add(&handovers, 1);
    int rc = zmq_send(zsock_resolve(pipe), &job, sizeof job, 0);

    assert(rc == (int) sizeof job);
}

// The thread: one job after the other until CZMQ sends $TERM, which is no pointer's size.
static void
run_slot(zsock_t *pipe, void *arg)
{
    const slots_t *pool = arg;
    void *state = pool->ops->open(pool->shared);
    void *job;

    zsock_signal(pipe, 0);
    while (receive_job(pipe, &job)) {
        pool->ops->work(state, job);
        send_job(pipe, job);
    }
    pool->ops->close(state);
    atomic_fetch_add(&handovers, 1);
}

static int
on_done(zloop_t *loop, zsock_t *pipe, void *arg)
{
    slot_t *slot = arg;
    slots_t *self = slot->pool;
    void *job;

    if (!receive_job(zactor_sock(slot->actor), &job))
        return 0;
    slot->is_busy = false;
    self->idle++;
    self->ops->done(self->owner, job);
    return 0;
}

slots_t *
slots_new(zloop_t *loop, size_t count, const slot_ops_t *ops, const void *shared, void *owner)
{
    slots_t *self = calloc(1, sizeof *self);

    assert(self && count > 0 && count <= SLOTS_MAX);
    *self = (slots_t){ .loop = loop, .ops = ops, .shared = shared, .owner = owner };
    for (size_t i = 0; i < count; i++) {
        self->slots[i].pool = self;
        self->slots[i].actor = zactor_new(run_slot, self);
        zloop_reader(loop, zactor_sock(self->slots[i].actor), on_done, &self->slots[i]);
    }
    self->count = self->idle = count;
    return self;
}

void
slots_destroy(slots_t **self_p)
{
    slots_t *self = *self_p;
    void *job;

    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++) {
        slot_t *slot = &self->slots[i];
        zloop_reader_end(self->loop, zactor_sock(slot->actor));
        if (slot->is_busy)
            receive_job(zactor_sock(slot->actor), &job);
        zactor_destroy(&slot->actor);
    }
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
        send_job(slot->actor, job);
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
