// SPDX-License-Identifier: Apache-2.0
#include "queue.h"

#include <string.h>

#include "limits.h"
#include "runs.h"
#include "store/executions.h"
#include "store/jobs.h"
#include "store/keys.h"
#include "store/users.h"

enum { MISSES_KEPT_MS = 60 * 1000 };

// An agent that asked for nothing for a week registers anew.
static const int64_t agent_kept_ms = (int64_t) 7 * 24 * 60 * 60 * 1000;

static bool
is_execution(const json_t *job)
{
    return json_get_int(job, "executionId", 0) > 0;
}

// ---- given out

static json_t *
payload_of(exchange_t *x, const json_t *job)
{
    if (is_execution(job))
        return runs_payload(x, job);
    return json_copy(x->arena, json_get(json_get(job, "context"), "payload"));
}

static json_t *
handed_out(exchange_t *x, const json_t *job, json_t *payload)
{
    json_t *answer = json_object(x->arena);
    const char *id = json_get_text(job, "id");

    json_set_text(x->arena, answer, "jobId", id);
    json_set_text(x->arena, answer, "kind", json_get_text(job, "kind"));
    json_set_text(x->arena, answer, "engine", json_get_text(job, "engine"));
    json_set_int(x->arena, answer, "attempt", json_get_int(job, "attempt", 0) + 1);
    json_set_int(x->arena, answer, "leaseMs", LEASE_MS);
    json_set(x->arena, answer, "payload", payload);
    x->claimed_job = id;
    x->claimed_attempt = json_get_int(job, "attempt", 0) + 1;
    return answer;
}

// One job of the queue: handed out, or ended because what it needs is gone. NULL: look again.
static json_t *
take(exchange_t *x, const json_t *job, const char *agent)
{
    json_t *payload = payload_of(x, job);

    exchange_note_job(x, json_get_int(job, "seq", 0), false);
    if (!payload) {
        queue_fail(x, job, x->why.code[0] ? x->why.code : "NOT_RUNNABLE", x->why.text);
        x->why = (failure_t){ 0 };
        return NULL;
    }
    jobs_claim(x->store, json_get_int(job, "seq", 0), agent, x->now_ms + LEASE_MS);
    if (is_execution(job))
        executions_start(x->store, json_get_int(job, "executionId", 0), x->wall_ms);
    return handed_out(x, job, payload);
}

json_t *
queue_claim(exchange_t *x, const char *agent, const json_t *engines)
{
    json_t *answer = NULL;
    const json_t *job;

    if (!jobs_is_any(x->store, x->arena, engines))
        return NULL;  // most polls end here, without a lock
    if (!store_begin(x->store))
        return NULL;
    while (!answer && (job = jobs_next(x->store, x->arena, engines)))
        answer = take(x, job, agent);
    if (store_commit(x->store))
        return answer;
    store_rollback(x->store);
    x->claimed_job = NULL;
    return NULL;
}

// ---- kept

static status_t
refuse_lost(exchange_t *x)
{
    return fail_coded(&x->why, CONFLICT, "LEASE_LOST",
                      "the job is no longer this agent's; drop it and claim another one");
}

status_t
queue_beat(exchange_t *x, const char *job_id, const char *agent, int64_t attempt,
           bool *cancelled_p)
{
    if (!jobs_beat(x->store, job_id, agent, attempt, x->now_ms + LEASE_MS))
        return refuse_lost(x);
    const json_t *job = jobs_get(x->store, x->arena, job_id);
    const char *status = json_get_text(job, "status");
    *cancelled_p = status && strcmp(status, "CANCELLED") == 0;
    return OK;
}

json_t *
queue_owned(exchange_t *x, const char *job_id, const char *agent, int64_t attempt)
{
    json_t *job = jobs_get(x->store, x->arena, job_id);
    const char *owner = json_get_text(job, "agentId");
    bool is_owned = owner && strcmp(owner, agent) == 0
                    && strcmp(json_get_text(job, "status"), "RUNNING") == 0
                    && json_get_int(job, "attempt", 0) == attempt;

    if (is_owned)
        return job;
    refuse_lost(x);
    return NULL;
}

void
queue_fail(exchange_t *x, const json_t *job, const char *code, const char *message)
{
    jobs_finish(x->store, x->arena, json_get_text(job, "id"), "ERROR", code, message, NULL,
                x->wall_ms);
    exchange_note_job(x, json_get_int(job, "seq", 0), true);
    if (!is_execution(job))
        return;
    const execution_result_t result = {
        .status = "ERROR",
        .outcome = "ERROR",
        .error = message,
        .ended_at = x->wall_ms,
    };
    executions_finish(x->store, x->arena, json_get_int(job, "executionId", 0), &result);
}

void
queue_cancel(exchange_t *x, const json_t *job)
{
    const char *status = json_get_text(job, "status");
    const execution_result_t result = { .status = "CANCELLED", .ended_at = x->wall_ms };

    if (!status || (strcmp(status, "PENDING") && strcmp(status, "RUNNING")))
        return;
    jobs_finish(x->store, x->arena, json_get_text(job, "id"), "CANCELLED", "CANCELLED",
                "it was cancelled", NULL, x->wall_ms);
    exchange_note_job(x, json_get_int(job, "seq", 0), true);
    if (is_execution(job))
        executions_finish(x->store, x->arena, json_get_int(job, "executionId", 0), &result);
}

// ---- time

static void
settle(exchange_t *x, const json_t *job)
{
    bool is_running = strcmp(json_get_text(job, "status"), "RUNNING") == 0;

    if (!is_running) {
        queue_fail(x, job, "NO_AGENT",
                   "no agent was there for an hour to take the job; start one");
        return;
    }
    if (json_get_int(job, "attempt", 0) >= JOB_ATTEMPTS) {
        queue_fail(
            x, job, "AGENT_LOST",
            "two agents took the job and were lost; look at their logs and run it again");
        return;
    }
    jobs_requeue(x->store, json_get_text(job, "id"));
    if (is_execution(job))
        executions_set_status(x->store, json_get_int(job, "executionId", 0), "PENDING");
    exchange_note_job(x, json_get_int(job, "seq", 0), true);
}

void
queue_sweep(exchange_t *x)
{
    if (!store_begin(x->store))
        return;
    const json_t *overdue =
        jobs_overdue(x->store, x->arena, x->now_ms, x->wall_ms - QUEUE_WAIT_MS);
    for (const json_t *job = overdue->first; job; job = job->next)
        settle(x, job);
    keys_sweep(x->store, x->wall_ms);
    users_sweep(x->store, x->wall_ms, x->wall_ms - MISSES_KEPT_MS);
    jobs_sweep_agents(x->store, x->wall_ms - agent_kept_ms);
    if (!store_commit(x->store))
        store_rollback(x->store);
}

void
queue_give_back(exchange_t *x)
{
    const json_t *job = jobs_get(x->store, x->arena, x->claimed_job);

    if (!jobs_give_back(x->store, x->claimed_job, x->claimed_attempt))
        return;
    if (is_execution(job))
        executions_set_status(x->store, json_get_int(job, "executionId", 0), "PENDING");
    exchange_note_job(x, json_get_int(job, "seq", 0), true);
}

void
queue_restart(store_t *store, int64_t now_ms)
{
    jobs_extend_all(store, now_ms + LEASE_MS);
}

int64_t
queue_open(store_t *store)
{
    return jobs_open(store);
}
