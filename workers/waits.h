// SPDX-License-Identifier: Apache-2.0
// Calls that wait for a run: each long-polls its path through the waiter, tells progress, and
// comes back when the status is final, the time is nearly up, or it was cancelled.

#ifndef PROOFARC_WAITS_H
#define PROOFARC_WAITS_H

#include "call.h"
#include "waiter.h"

typedef struct waits waits_t;

typedef struct {
    // The wait is over; the call is the owner's again.
    void (*ended)(void *owner, call_t *call);
    // Units grow from message to message; at most one a second. `total` 0: unknown.
    void (*progress)(void *owner, call_t *call, int64_t done, int64_t total, const char *text);
} waits_ops_t;

// `ops` must outlive it.
waits_t *waits_new(zloop_t *loop, waiter_t *waiter, const waits_ops_t *ops, void *owner);
void waits_destroy(waits_t **self_p);

// Takes the call until `ended`, which is never called before this returns.
void waits_add(waits_t *self, call_t *call);

// Ends the wait of a cancelled call now.
void waits_cancel(waits_t *self, call_t *call);

// Lets all calls finish with what is known by now.
void waits_hurry(waits_t *self);

size_t waits_count(const waits_t *self);

#endif
