// SPDX-License-Identifier: Apache-2.0
// One run of an API scenario: what its steps share.

#ifndef PROOFARC_RUN_H
#define PROOFARC_RUN_H

#include "exchange.h"
#include "job.h"
#include "mask.h"
#include "variables.h"

typedef struct {
    arena_t *arena;         // lives as long as the job: results and variables
    const json_t *payload;  // docs/rest.md, Agents
    job_t *job;
    exchange_t *exchange;
    variables_t *variables;
    mask_t *mask;
    const char *auth_header;  // name of the header that logs us in, or NULL
    const char *auth_value;
    size_t kept;  // bytes of the steps' results so far
} run_t;

// Runs the `api_scenario` payload of a job. Returns the result {status, outcome, error,
// startedAt, endedAt, steps}, masked, in the job's arena.
json_t *api_run(job_t *job);

#endif
