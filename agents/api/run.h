// SPDX-License-Identifier: Apache-2.0
// One run of an API scenario: what its steps share.

#ifndef PROOFARC_RUN_H
#define PROOFARC_RUN_H

#include "exchange.h"
#include "job.h"
#include "mask.h"
#include "variables.h"

typedef struct {
    arena_t *arena;
    const json_t *payload;  // docs/rest.md, Agents
    job_t *job;
    exchange_t *exchange;
    variables_t *variables;
    mask_t *mask;
    const char *auth_header;  // name of the header that logs us in, or NULL
    const char *auth_value;
} run_t;

// Runs the `api_scenario` payload of a job. Returns the result {status, outcome, error,
// startedAt, endedAt, steps}, masked, in the job's arena.
json_t *api_run(job_t *job);

// Logs in as the payload says and sets auth_header; fills the vault's variables.
status_t login(run_t *run, failure_t *why);

// Runs one step, whose number counts from 1. Returns its result {index, name, status, …}.
json_t *step_run(run_t *run, const json_t *step, int64_t index);
json_t *step_skipped(run_t *run, const json_t *step, int64_t index);

// Makes masked what an answer or request says under names such as token or password.
void learn_secrets(run_t *run, const json_t *body);
void learn_header_secrets(run_t *run, const json_t *headers);

#endif
