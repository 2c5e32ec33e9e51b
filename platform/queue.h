// SPDX-License-Identifier: Apache-2.0
// The loop's side of the job queue: what happens when time passes, not when somebody asks.

#ifndef PROOFARC_PLATFORM_QUEUE_H
#define PROOFARC_PLATFORM_QUEUE_H

#include "exchange.h"

enum { QUEUE_TICK_MS = 1000 };

// Gives jobs whose lease has run out to somebody else, or ends them; forgets old keys, tokens
// and misses. Sets x->jobs_changed.
void queue_sweep(exchange_t *x);

// The job that x->claimed_job names goes back to the queue: its agent did not wait for it. Sets
// x->jobs_changed.
void queue_give_back(exchange_t *x);

// After a restart: agents of running jobs get a whole lease to come back.
void queue_restart(store_t *store, int64_t now_ms);

// Jobs that are not over.
int64_t queue_open(store_t *store);

#endif
