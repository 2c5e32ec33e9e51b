// SPDX-License-Identifier: Apache-2.0
// The queue's table, and the agents that work on it.

#ifndef PROOFARC_STORE_JOBS_H
#define PROOFARC_STORE_JOBS_H

#include "store/sqlite.h"

enum { JOBS_ID_SIZE = 37 };

typedef struct {
    const char *id;    // UUID
    const char *kind;  // what an agent is asked to do: api_scenario, fetch_documents
    const char *engine;
    const char *purpose;  // execution, detect, parse or import
    int64_t execution;    // or 0
    int64_t credential;   // or 0
    const json_t *context;
    const char *batch;  // name of the jobs of which at most `batch_max` run at once, or NULL
    int64_t batch_max;
} new_job_t;

void jobs_new_id(char id[JOBS_ID_SIZE]);
void jobs_add(store_t *store, arena_t *arena, const new_job_t *job, int64_t wall_ms);

// A job by its UUID or its number: {seq, id, kind, engine, purpose, status, executionId,
// credentialId, context, attempt, agentId, changes}, or NULL.
json_t *jobs_get(store_t *store, arena_t *arena, const char *id);

// What GET /api/jobs/{jobId} answers, with `changes` and `seq`.
json_t *jobs_shown(store_t *store, arena_t *arena, const char *id);

// The number of a job, 0 if there is none of that UUID.
int64_t jobs_number(store_t *store, const char *id);

// The job of an execution, and how often it changed visibly; 0 and 0 if there is none.
void jobs_watch(store_t *store, int64_t execution, int64_t *number_p, int64_t *changes_p);

// The pending job that waits longest of those that one of `engines` can do, or NULL.
json_t *jobs_next(store_t *store, arena_t *arena, const json_t *engines);
bool jobs_is_any(store_t *store, arena_t *arena, const json_t *engines);

// Gives the job to the agent for one more attempt.
void jobs_claim(store_t *store, int64_t seq, const char *agent, int64_t until_ms);

// The agent is still at it: the lease goes on. False when the job is not its own (any more).
bool jobs_beat(store_t *store, const char *id, const char *agent, int64_t attempt,
               int64_t until_ms);

// False when nothing of it is new.
bool jobs_set_progress(store_t *store, const char *id, int64_t done, int64_t total,
                       const char *text);

// Ends a job; `code` and `message` NULL when it went well.
void jobs_finish(store_t *store, arena_t *arena, const char *id, const char *status,
                 const char *code, const char *message, const json_t *result, int64_t wall_ms);

// Puts a job back with a new context: it needs another round of an agent.
void jobs_again(store_t *store, arena_t *arena, const char *id, const json_t *context);

// Puts a job back as it was before this attempt; false when the attempt is over.
bool jobs_give_back(store_t *store, const char *id, int64_t attempt);

// Running jobs whose lease ended before `now_ms`, pending ones from before `wall_ms` if no agent
// for them was there since: {seq, id, executionId, attempt, status}.
json_t *jobs_overdue(store_t *store, arena_t *arena, int64_t now_ms, int64_t wall_ms);
void jobs_requeue(store_t *store, const char *id);

// Jobs that are not over.
int64_t jobs_open(store_t *store);

// Running jobs get a lease that ends at `until_ms`.
void jobs_extend_all(store_t *store, int64_t until_ms);

// Agents. `given` is the body of their registration.
void jobs_add_agent(store_t *store, arena_t *arena, const char *id, const json_t *given,
                    int64_t wall_ms);
bool jobs_has_agent(store_t *store, const char *id, int64_t wall_ms);

// Forgets agents that have asked for nothing since `before_ms`.
void jobs_sweep_agents(store_t *store, int64_t before_ms);

#endif
