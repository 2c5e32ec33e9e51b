// SPDX-License-Identifier: Apache-2.0
// Runs of scenarios.

#ifndef PROOFARC_STORE_EXECUTIONS_H
#define PROOFARC_STORE_EXECUTIONS_H

#include "store/sqlite.h"

typedef struct {
    int64_t scenario, environment, total_steps;
    const char *credential_tag;  // or NULL
    const json_t *tags;          // or NULL
} execution_t;

typedef struct {
    const char *status, *outcome, *error;  // error or NULL
    int64_t passed, failed;
    int64_t started_at, ended_at;  // wall milliseconds; started 0: never
    const json_t *steps;           // or NULL
} execution_result_t;

int64_t executions_add(store_t *store, arena_t *arena, const execution_t *execution,
                       int64_t wall_ms);

// The head: everything but the steps. NULL if there is none.
json_t *executions_head(store_t *store, arena_t *arena, int64_t id);

// The whole: also steps, reportUrl, jobId and progress {done, total, text}.
json_t *executions_get(store_t *store, arena_t *arena, int64_t id);

// The heads of the latest, the newest first.
json_t *executions_latest(store_t *store, arena_t *arena, int64_t count);

// The status alone, without reading the steps; NULL if there is none.
const char *executions_status(store_t *store, arena_t *arena, int64_t id);

// Bytes of the steps of several; `ids` is a JSON list.
int64_t executions_size(store_t *store, arena_t *arena, const json_t *ids);

void executions_set_status(store_t *store, int64_t id, const char *status);
void executions_start(store_t *store, int64_t id, int64_t wall_ms);
void executions_finish(store_t *store, arena_t *arena, int64_t id,
                       const execution_result_t *result);

#endif
