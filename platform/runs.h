// SPDX-License-Identifier: Apache-2.0
// Runs of scenarios: which log-in and which target, into the queue, and what an agent gets.

#ifndef PROOFARC_PLATFORM_RUNS_H
#define PROOFARC_PLATFORM_RUNS_H

#include "exchange.h"

// What a caller asks for.
typedef struct {
    int64_t scenario, environment;
    const char *credential_tag;  // or NULL
    bool allow_unauthenticated, stop_on_failure;
    const json_t *variables;  // or NULL
    const json_t *tags;       // of the run, or NULL
} run_wish_t;

// What was decided.
typedef struct {
    int64_t scenario, environment, step_count;
    int64_t credential;          // or 0
    const char *credential_tag;  // NULL when nobody logs in
    const json_t *tags;
    json_t *context;    // of the job; holds no secret
    const char *batch;  // NULL, or what the runs have in common of which at most
    int64_t batch_max;  // so many run at once
} run_plan_t;

// Chooses log-in and target. Otherwise x->why: NOT_FOUND, or BAD_ARGS with
// CREDENTIAL_AMBIGUOUS, CREDENTIAL_TAG_NOT_FOUND, TARGET_NOT_FOUND or TARGET_AMBIGUOUS. Changes
// nothing.
status_t runs_plan(exchange_t *x, const run_wish_t *wish, run_plan_t *plan);

// Queues a plan: the id of the execution.
int64_t runs_queue(exchange_t *x, const run_plan_t *plan);

// Queues the run of a finished job again, with the log-in it had. The id of the new execution;
// 0 and x->why. *job_id_p lives in the arena.
int64_t runs_retry(exchange_t *x, const json_t *job, const char **job_id_p);

// The payload of an api_scenario job, with its secrets: for the agent alone. NULL and x->why
// when a secret cannot be opened.
json_t *runs_payload(exchange_t *x, const json_t *job);

// Keeps what an agent reports. BAD_ARGS when it is no result.
status_t runs_finish(exchange_t *x, const json_t *job, const json_t *result);

#endif
