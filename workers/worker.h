// SPDX-License-Identifier: Apache-2.0
// The worker: one loop that beats, takes calls from its brokers and hands them to strands.

#ifndef PROOFARC_WORKER_H
#define PROOFARC_WORKER_H

#include <czmq.h>

#include "category.h"
#include "endpoint.h"

typedef struct worker worker_t;

enum { NO_BROKER_MS = 10 * 1000 };  // after this without an answer it gives up

typedef struct {
    const category_t *const *categories;  // NULL-ended
    const char *const *brokers;
    size_t broker_count;
    const char *const *resolvers;
    size_t resolver_count;
    const char *platform;   // base URL
    const char *curve_dir;  // or NULL
    const char *name;       // stays the same over restarts; no two workers share it
    size_t slots;
} worker_options_t;

typedef struct {
    void (*ready)(void *arg, const char *endpoint);  // the first broker has answered
    void (*stop)(void *arg, int exit_code);          // the loop is to end
} worker_ops_t;

// Connects and joins the loop. All that is given must outlive it. EXIT_DONE
// and *self_p, or the exit code and `why`.
exit_code_t worker_new(zloop_t *loop, const worker_options_t *options, const worker_ops_t *ops,
                       void *arg, worker_t **self_p, failure_t *why);
void worker_destroy(worker_t **self_p);

// Takes nothing new, and calls `stop` when what is under way has ended.
void worker_drain(worker_t *self);

#endif
