// SPDX-License-Identifier: Apache-2.0
// A job as an engine sees it.

#ifndef PROOFARC_JOB_H
#define PROOFARC_JOB_H

#include <stdatomic.h>
#include <stdbool.h>

#include "json.h"

typedef struct {
    arena_t *arena;
    const char *id;
    const char *kind;
    int64_t attempt;
    const json_t *payload;
    // Shared with the loop that sends the heartbeats.
    atomic_bool cancelled;
    atomic_bool abandoned;  // the agent leaves: what is unfinished another one takes over
    atomic_llong done, total;
} job_t;

#endif
