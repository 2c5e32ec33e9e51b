// SPDX-License-Identifier: Apache-2.0
// Jobs in the hands of agents: given out in the order they came, kept by heartbeats, given out
// once more when an agent is lost, ended after that.

#ifndef PROOFARC_PLATFORM_QUEUE_H
#define PROOFARC_PLATFORM_QUEUE_H

#include "exchange.h"

enum {
    QUEUE_TICK_MS = 1000,
    QUEUE_WAIT_MS = 60 * 60 * 1000,  // a job ends when no agent was there for so long
};

// Hands the next job for one of `engines` to the agent: {jobId, kind, engine, attempt, leaseMs,
// payload}, in a transaction of its own. NULL when there is none.
json_t *queue_claim(exchange_t *x, const char *agent, const json_t *engines);

// The agent still works on it. CONFLICT LEASE_LOST when the job is no longer its own.
status_t queue_beat(exchange_t *x, const char *job_id, const char *agent, int64_t attempt,
                    bool *cancelled_p);

// The job, if it is still this agent's; NULL and LEASE_LOST in x->why otherwise.
json_t *queue_owned(exchange_t *x, const char *job_id, const char *agent, int64_t attempt);

// Ends a job that cannot be carried out, and its run.
void queue_fail(exchange_t *x, const json_t *job, const char *code, const char *message);

// Ends a job that is not wanted any more, and its run; an agent that is at it hears so with its
// next heartbeat. What is over stays as it is.
void queue_cancel(exchange_t *x, const json_t *job);

// Gives jobs whose lease has run out to somebody else, or ends them; forgets old keys, tokens
// and misses. Notes the jobs in `x`.
void queue_sweep(exchange_t *x);

// The job that x->claimed_job names goes back to the queue: its agent did not wait for it.
void queue_give_back(exchange_t *x);

// After a restart: agents of running jobs get a whole lease to come back.
void queue_restart(store_t *store, int64_t now_ms);

// Jobs that are not over.
int64_t queue_open(store_t *store);

#endif
