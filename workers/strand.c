// SPDX-License-Identifier: Apache-2.0
#include "strand.h"

#include <assert.h>

#include "clock.h"
#include "fiber.h"

enum { LOOK_MS = 50 };  // between two looks at whose time has come

struct strand {
    strands_t *all;
    fiber_t *fiber;  // NULL until it has its first job
    void *state;
    void *job;  // NULL: idle
    int64_t until_ms;
    bool is_waiting;
    bool is_ready;   // stands in the list of those
    strand_t *next;  // there
};

struct strands {
    zloop_t *loop;
    const strand_ops_t *ops;
    void *shared, *owner;
    strand_t *strands;
    size_t count, idle;
    strand_t *first, *last;  // that can go on
    bool is_running;
    bool is_ending;
    int timer;  // -1 while all are idle
};

// One job after the other, until there is none when it is resumed.
static void
run_strand(void *arg)
{
    strand_t *self = arg;

    for (; self->job; fiber_yield()) {
        self->all->ops->work(self->state, self->job);
        self->is_waiting = false;
        self->job = NULL;
    }
}

static void
make_ready(strand_t *self)
{
    strands_t *all = self->all;

    if (self->is_ready)
        return;
    self->is_ready = true;
    self->next = NULL;
    if (all->last)
        all->last->next = self;
    else
        all->first = self;
    all->last = self;
}

static strand_t *
take_ready(strands_t *self)
{
    strand_t *strand = self->first;

    if (!strand)
        return NULL;
    self->first = strand->next;
    if (!self->first)
        self->last = NULL;
    strand->is_ready = false;
    return strand;
}

static void
resume(strand_t *self)
{
    void *job = self->job;

    fiber_resume(self->fiber);
    if (self->job)
        return;
    self->all->idle++;
    if (!self->all->is_ending)
        self->all->ops->done(self->all->owner, job);
}

// All that can go on does, one after the other: what a strand or a `done` wakes comes later.
static void
run_ready(strands_t *self)
{
    if (self->is_running)
        return;
    self->is_running = true;
    for (strand_t *strand; (strand = take_ready(self));)
        resume(strand);
    self->is_running = false;
}

static int
on_look(zloop_t *loop, int timer, void *arg)
{
    strands_t *self = arg;
    const int64_t now_ms = clock_now_ms();

    for (size_t i = 0; i < self->count; i++)
        if (self->strands[i].is_waiting && now_ms >= self->strands[i].until_ms)
            make_ready(&self->strands[i]);
    run_ready(self);
    if (self->idle == self->count && self->timer != -1) {
        zloop_timer_end(loop, self->timer);
        self->timer = -1;
    }
    return 0;
}

strands_t *
strands_new(zloop_t *loop, size_t count, const strand_ops_t *ops, void *shared, void *owner)
{
    strands_t *self = calloc(1, sizeof *self);

    assert(self && count > 0);
    *self = (strands_t){ .loop = loop, .ops = ops, .shared = shared, .owner = owner };
    self->strands = calloc(count, sizeof *self->strands);
    assert(self->strands);
    self->count = self->idle = count;
    self->timer = -1;
    for (size_t i = 0; i < count; i++)
        self->strands[i].all = self;
    return self;
}

static void
end_strand(strand_t *self)
{
    if (!self->fiber)
        return;
    fiber_resume(self->fiber);  // does not wait any more, and finds no further job
    if (!fiber_has_ended(self->fiber))
        fiber_resume(self->fiber);
    fiber_destroy(&self->fiber);
    self->all->ops->close(self->state);
}

void
strands_destroy(strands_t **self_p)
{
    strands_t *self = *self_p;

    if (!self)
        return;
    self->is_ending = true;
    for (size_t i = 0; i < self->count; i++)
        end_strand(&self->strands[i]);
    if (self->timer != -1)
        zloop_timer_end(self->loop, self->timer);
    free(self->strands);
    free(self);
    *self_p = NULL;
}

static strand_t *
find_idle(strands_t *self)
{
    strand_t *fresh = NULL;

    for (size_t i = 0; i < self->count; i++) {
        if (self->strands[i].job)
            continue;
        if (self->strands[i].fiber)
            return &self->strands[i];
        fresh = fresh ? fresh : &self->strands[i];
    }
    if (fresh) {
        fresh->fiber = fiber_new(run_strand, fresh);
        fresh->state = self->ops->open(self->shared, fresh);
    }
    return fresh;
}

bool
strands_give(strands_t *self, void *job)
{
    strand_t *strand = self->idle && !self->is_ending ? find_idle(self) : NULL;

    if (!strand)
        return false;
    strand->job = job;
    self->idle--;
    if (self->timer == -1)
        self->timer = zloop_timer(self->loop, LOOK_MS, 0, on_look, self);
    make_ready(strand);
    run_ready(self);
    return true;
}

size_t
strands_idle(const strands_t *self)
{
    return self->idle;
}

size_t
strands_count(const strands_t *self)
{
    return self->count;
}

void
strand_wait(strand_t *self, int64_t until_ms)
{
    if (self->all->is_ending)
        return;
    self->until_ms = until_ms;
    self->is_waiting = true;
    fiber_yield();
    self->is_waiting = false;
}

void
strand_wake(strand_t *self)
{
    if (!self->is_waiting)
        return;
    make_ready(self);
    run_ready(self->all);
}

bool
strand_is_ending(const strand_t *self)
{
    return self->all->is_ending;
}
