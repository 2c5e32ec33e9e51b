// SPDX-License-Identifier: Apache-2.0
// One step of a scenario: its request, what came of it, and what is told about that.

#ifndef PROOFARC_STEP_H
#define PROOFARC_STEP_H

#include "api/run.h"

enum {
    STEP_TRIES_MAX = 11,  // the first one and ten more
    STEP_TIMEOUT_MAX_MS = 5 * 60 * 1000,
    STEP_PAUSE_MAX_MS = 5 * 60 * 1000,  // between two tries
};

// Runs a step, whose number counts from 1. Returns its result {index, name, status, …} in the
// run's arena.
json_t *step_run(run_t *run, const json_t *step, int64_t index);

// The result of a step that is not run.
json_t *step_skipped(run_t *run, const json_t *step, int64_t index);

#endif
