// SPDX-License-Identifier: Apache-2.0
// Slots whose threads are fibers, as common/slot.h says.

#include "net.h"
#include "stage.h"

enum { SLOTS_MAX = 8 };

typedef struct {
    slots_t *slots;
    void *state;
    void *job;  // NULL: idle
    fiber_t *fiber;
    bool (*is_ready)(void *arg);  // what it waits for; NULL: nothing
    void *arg;
    int64_t until_ms;
} sim_slot_t;

struct slots {
    host_t *host;
    const slot_ops_t *ops;
    void *owner;
    size_t count;
    sim_slot_t items[SLOTS_MAX];
};

static sim_slot_t *current;

slots_t *
slots_new(zloop_t *loop, size_t count, const slot_ops_t *ops, const void *shared, void *owner)
{
    slots_t *self = calloc(1, sizeof *self);

    assert(self && count <= SLOTS_MAX);
    *self = (slots_t){ .host = stage.host, .ops = ops, .owner = owner, .count = count };
    for (size_t i = 0; i < count; i++)
        self->items[i] = (sim_slot_t){ .slots = self, .state = ops->open(shared) };
    stage.host->slots = self;
    return self;
}

static void
work(void *arg)
{
    sim_slot_t *slot = arg;

    slot->slots->ops->work(slot->state, slot->job);
}

static void
resume(sim_slot_t *slot)
{
    sim_slot_t *before = current;

    current = slot;
    net_begin_turn(slot->slots->host);
    fiber_resume(slot->fiber);
    current = before;
}

void
slots_run_down(slots_t *self)
{
    for (size_t i = 0; i < self->count; i++) {
        sim_slot_t *slot = &self->items[i];
        while (slot->job && !fiber_has_ended(slot->fiber))
            resume(slot);
        fiber_destroy(&slot->fiber);
        slot->job = NULL;
    }
}

void
slots_destroy(slots_t **self_p)
{
    slots_t *self = *self_p;

    if (!self)
        return;
    slots_run_down(self);
    for (size_t i = 0; i < self->count; i++)
        self->ops->close(self->items[i].state);
    self->host->slots = NULL;
    free(self);
    *self_p = NULL;
}

bool
slots_give(slots_t *self, void *job)
{
    for (size_t i = 0; i < self->count; i++) {
        sim_slot_t *slot = &self->items[i];
        if (slot->job)
            continue;
        slot->job = job;
        slot->fiber = fiber_new(work, slot);
        slot->is_ready = NULL;
        slot->until_ms = stage.now_ms;
        return true;
    }
    return false;
}

size_t
slots_idle(const slots_t *self)
{
    size_t idle = 0;

    for (size_t i = 0; i < self->count; i++)
        idle += !self->items[i].job;
    return idle;
}

size_t
slots_count(const slots_t *self)
{
    return self->count;
}

static void
go_on(void *what)
{
    sim_slot_t *slot = what;

    if (!fiber_has_ended(slot->fiber)) {
        resume(slot);
        if (fiber_has_ended(slot->fiber))
            slot->is_ready = NULL, slot->until_ms = stage.now_ms;
        return;
    }
    void *job = slot->job;
    fiber_destroy(&slot->fiber);
    slot->job = NULL;
    slot->slots->ops->done(slot->slots->owner, job);
}

void
slots_offer(slots_t *self)
{
    for (size_t i = 0; i < self->count; i++) {
        sim_slot_t *slot = &self->items[i];
        if (slot->job)
            stage_offer(self->host,
                        slot->is_ready && slot->is_ready(slot->arg) ? stage.now_ms
                                                                    : slot->until_ms,
                        go_on, slot);
    }
}

void
slots_wait(bool (*is_ready)(void *arg), void *arg, int64_t until_ms)
{
    sim_slot_t *slot = current;

    assert(slot);
    if (slot->slots->host->is_dead)
        return;
    slot->is_ready = is_ready;
    slot->arg = arg;
    slot->until_ms = until_ms;
    fiber_yield();
}
