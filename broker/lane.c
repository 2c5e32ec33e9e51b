// SPDX-License-Identifier: Apache-2.0
#include "lane.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct lane {
    size_t quick_max;
    link_t shares;  // of the principals that wait here, in the order of their turns
    size_t waiting;
    peer_t **workers;
    size_t workers_count;
};

// What one principal has waiting in one lane.
typedef struct {
    lane_t *lane;
    principal_t *principal;
    link_t calls;
    link_t in_lane, of_principal;
} share_t;

lane_t *
lane_new(size_t quick_max)
{
    lane_t *self = calloc(1, sizeof *self);

    assert(self);
    self->quick_max = quick_max;
    link_init(&self->shares, NULL);
    return self;
}

void
lane_destroy(lane_t **self_p)
{
    lane_t *self = *self_p;

    if (!self)
        return;
    assert(!self->waiting && link_is_alone(&self->shares));
    free(self->workers);
    free(self);
    *self_p = NULL;
}

size_t
lane_waiting(const lane_t *self)
{
    return self->waiting;
}

static share_t *
share_of(const lane_t *lane, const principal_t *principal)
{
    const link_t *head = &principal->shares;

    for (const link_t *at = head->next; at != head; at = at->next)
        if (((share_t *) at->owner)->lane == lane)
            return at->owner;
    return NULL;
}

static share_t *
share_new(lane_t *lane, principal_t *principal)
{
    share_t *self = calloc(1, sizeof *self);

    assert(self);
    *self = (share_t){ .lane = lane, .principal = principal };
    link_init(&self->calls, NULL);
    link_init(&self->in_lane, self);
    link_init(&self->of_principal, self);
    link_append(&lane->shares, &self->in_lane);
    link_append(&principal->shares, &self->of_principal);
    return self;
}

static share_t *
enter(lane_t *self, call_t *call)
{
    share_t *share = share_of(self, call->principal);

    call->lane = self;
    call->principal->waiting++;
    self->waiting++;
    return share ? share : share_new(self, call->principal);
}

void
lane_push(lane_t *self, call_t *call)
{
    link_append(&enter(self, call)->calls, &call->in_lane);
}

void
lane_push_front(lane_t *self, call_t *call)
{
    link_prepend(&enter(self, call)->calls, &call->in_lane);
}

void
lane_remove(call_t *call)
{
    share_t *share = share_of(call->lane, call->principal);

    assert(share && !link_is_alone(&call->in_lane));
    link_remove(&call->in_lane);
    call->principal->waiting--;
    call->lane->waiting--;
    if (!link_is_alone(&share->calls))
        return;
    link_remove(&share->in_lane);
    link_remove(&share->of_principal);
    free(share);
}

// The first principal in the order of turns that may have one more call under way.
static share_t *
next_share(const lane_t *self, size_t under_way_max)
{
    for (const link_t *at = self->shares.next; at != &self->shares; at = at->next) {
        share_t *share = at->owner;
        if (share->principal->under_way < under_way_max)
            return share;
    }
    return NULL;
}

call_t *
lane_pop(lane_t *self, size_t under_way_max)
{
    share_t *share = next_share(self, under_way_max);

    if (!share)
        return NULL;
    link_remove(&share->in_lane);  // it had its turn
    link_append(&self->shares, &share->in_lane);
    call_t *call = link_first(&share->calls);
    lane_remove(call);
    return call;
}

static size_t
place_of(const lane_t *self, const peer_t *worker)
{
    size_t at = 0;

    while (at < self->workers_count && self->workers[at] != worker)
        at++;
    return at;
}

void
lane_add_worker(lane_t *self, peer_t *worker)
{
    if (place_of(self, worker) < self->workers_count)
        return;
    self->workers = realloc(self->workers, (self->workers_count + 1) * sizeof *self->workers);
    assert(self->workers);
    self->workers[self->workers_count++] = worker;
}

void
lane_remove_worker(lane_t *self, const peer_t *worker)
{
    size_t at = place_of(self, worker);

    if (at == self->workers_count)
        return;
    self->workers_count--;
    memmove(&self->workers[at], &self->workers[at + 1],
            (self->workers_count - at) * sizeof *self->workers);
}

peer_t *
lane_idlest(const lane_t *self)
{
    peer_t *idlest = NULL;

    for (size_t i = 0; i < self->workers_count; i++) {
        peer_t *worker = self->workers[i];
        size_t credit = peer_free_credit(worker, self->quick_max);
        if (credit && (!idlest || credit > peer_free_credit(idlest, self->quick_max)))
            idlest = worker;
    }
    return idlest;
}
