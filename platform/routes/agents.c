// SPDX-License-Identifier: Apache-2.0
// What agents ask and report.

#include <string.h>

#include "limits.h"
#include "queue.h"
#include "routes/find.h"
#include "runs.h"
#include "secrets.h"
#include "specs.h"
#include "store/executions.h"
#include "store/jobs.h"

enum { RESULT_DEPTH_MAX = 60 };

static route_fn register_agent, claim, beat, read_result, take_result, retry;

static const member_t unavailable[] = { { "engine", M_TEXT, true, "The engine." },
                                        { "reason", M_TEXT, true, "Why, and what to install." },
                                        { 0 } };

const route_t agent_routes[] = {
    {
        .method = "POST",
        .path = "/api/agent/register",
        .least = AGENT,
        .id = "registerAgent",
        .summary = "Introduce an agent.",
        .answer = "{agentId}.",
        .run = register_agent,
        .body = {
            { "name", M_NAME, true, "Name of the agent.", "\"local\"" },
            { "version", M_TEXT, true, "Its version.", "\"1.0.0\"" },
            { "engines", M_TEXTS, true, "What it can run.", "[\"api\"]", .max = 20 },
            { "unavailable", M_OBJECTS, .about = "Engines it lacks.", .max = 20,
              .members = unavailable },
        },
    },
    {
        .method = "POST",
        .path = "/api/agent/jobs/claim",
        .least = AGENT,
        .id = "claimJob",
        .summary = "Ask for a job.",
        .answer = "{jobId, kind, engine, attempt, leaseMs, payload}; 204 when none came in time.",
        .other_code = 204,
        .run = claim,
        .is_loose = true,
        // clang-format off
        .body = {
            { "agentId", M_TEXT, true, "From the registration.", "\"x\"", .max = 64 },
            { "engines", M_TEXTS, true, "What it can run now.", "[\"api\"]", .min = 1, .max = 20 },
            { "waitMs", M_INT, .about = "How long to wait for one.", .example = "0",
              .max = LONG_POLL_MS },
        },
        // clang-format on
    },
    {
        .method = "POST",
        .path = "/api/agent/jobs/{jobId}/heartbeat",
        .least = AGENT,
        .id = "beatJob",
        .summary = "Keep a job.",
        .answer = "{cancelled}.",
        .run = beat,
        .body = {
            { "agentId", M_TEXT, true, "From the registration.", "\"x\"", .max = 64 },
            { "attempt", M_INT, true, "Of the job.", "1", .min = 1 },
            { "done", M_INT, .about = "Steps done.", .max = 1000000 },
            { "total", M_INT, .about = "Steps there are.", .max = 1000000 },
            { "text", M_TEXT, .about = "What it is at.", .max = 500 },
        },
    },
    {
        .method = "POST",
        .path = "/api/agent/jobs/{jobId}/result",
        .least = AGENT,
        .id = "finishJob",
        .summary = "Report how a job ended.",
        .answer = "{accepted}.",
        .run = take_result,
        .prepare = read_result,
        .body_max = DOCUMENT_MAX,
        .takes_nul = true,
        .body = {
            { "agentId", M_TEXT, true, "From the registration.", "\"x\"", .max = 64 },
            { "attempt", M_INT, true, "Of the job.", "1", .min = 1 },
            { "result", M_OBJECT, true, "What came out.", "{}", .max = RESULT_DEPTH_MAX },
        },
    },
    {
        .method = "POST",
        .path = "/api/agent/jobs/{jobId}/retry",
        .least = ANALYST,
        .id = "retryJob",
        .summary = "Run a job again that did not pass.",
        .answer = "{jobId, executionId}.",
        .code = 202,
        .run = retry,
    },
    { 0 }
};

static status_t
register_agent(exchange_t *x)
{
    char id[JOBS_ID_SIZE];
    json_t *answer = json_object(x->arena);

    jobs_new_id(id);
    jobs_add_agent(x->store, x->arena, id, x->given, x->wall_ms);
    json_set_text(x->arena, answer, "agentId", id);
    return exchange_answer(x, 200, answer);
}

static status_t
claim(exchange_t *x)
{
    const char *agent = exchange_text(x, "agentId");
    int64_t wait_ms = exchange_int(x, "waitMs", 0);

    if (!jobs_has_agent(x->store, agent, x->wall_ms))
        return fail_coded(&x->why, NOT_FOUND, "UNKNOWN_AGENT",
                          "there is no such agent; register first");
    const json_t *job = queue_claim(x, agent, exchange_json(x, "engines"));
    if (job)
        return exchange_answer(x, 200, job);
    if (wait_ms > 0 && !x->last_try)
        x->park_ms = wait_ms;
    x->code = 204;
    return OK;
}

static status_t
beat(exchange_t *x)
{
    const char *id = exchange_param(x, "jobId"), *text = exchange_text(x, "text");
    json_t *answer = json_object(x->arena);
    bool is_cancelled = false;

    jobs_has_agent(x->store, exchange_text(x, "agentId"), x->wall_ms);  // busy, but there
    if (queue_beat(x, id, exchange_text(x, "agentId"), exchange_int(x, "attempt", 0),
                   &is_cancelled))
        return x->why.status;
    if (jobs_set_progress(x->store, id, exchange_int(x, "done", 0), exchange_int(x, "total", 0),
                          text ? text : ""))
        exchange_note_job(x, jobs_number(x->store, id), false);
    json_set_bool(x->arena, answer, "cancelled", is_cancelled);
    return exchange_answer(x, 200, answer);
}

// ---- results

// Masking once more what the agent has masked, and reading documents, take long: both are done
// before the transaction, and in vain when the lease is lost meanwhile.
static status_t
read_result(exchange_t *x)
{
    const json_t *job = queue_owned(x, exchange_param(x, "jobId"), exchange_text(x, "agentId"),
                                    exchange_int(x, "attempt", 0));

    if (!job)
        return x->why.status;
    if (json_get_int(job, "executionId", 0))
        secrets_mask(x, json_get_int(json_get(job, "context"), "environmentId", 0),
                     exchange_json(x, "result"));
    else
        x->prepared = specs_read(x, job, exchange_json(x, "result"));
    return OK;
}

static status_t
take_result(exchange_t *x)
{
    const json_t *job = queue_owned(x, exchange_param(x, "jobId"), exchange_text(x, "agentId"),
                                    exchange_int(x, "attempt", 0));
    json_t *answer = json_object(x->arena);

    if (!job)
        return x->why.status;
    exchange_note_job(x, json_get_int(job, "seq", 0), true);
    json_set_bool(x->arena, answer, "accepted", true);
    if (x->prepared) {
        specs_finish(x, job, x->prepared);
        return exchange_answer(x, 200, answer);
    }
    if (runs_finish(x, job, exchange_json(x, "result")))
        return x->why.status;
    jobs_finish(x->store, x->arena, json_get_text(job, "id"), "COMPLETED", NULL, NULL, NULL,
                x->wall_ms);
    return exchange_answer(x, 200, answer);
}

// ---- once more

static bool
is_retryable(exchange_t *x, const json_t *job)
{
    int64_t execution = json_get_int(job, "executionId", 0);
    const char *status = execution ? executions_status(x->store, x->arena, execution)
                                   : json_get_text(job, "status");

    return status
           && (strcmp(status, "FAILED") == 0 || strcmp(status, "ERROR") == 0
               || strcmp(status, "CANCELLED") == 0);
}

static status_t
retry(exchange_t *x)
{
    const json_t *job = jobs_get(x->store, x->arena, exchange_param(x, "jobId"));
    json_t *answer = json_object(x->arena);
    const char *job_id = NULL;

    if (!job)
        return fail_coded(&x->why, NOT_FOUND, "NOT_FOUND", "there is no job of that id");
    if (!is_retryable(x, job) || !json_get_int(job, "executionId", 0))
        return fail_coded(&x->why, CONFLICT, "NOT_RETRYABLE",
                          "only a run that is FAILED, ERROR or CANCELLED can be run again");
    int64_t execution = runs_retry(x, job, &job_id);
    if (!execution && x->why.status)
        return x->why.status;
    json_set_text(x->arena, answer, "jobId", job_id);
    json_set_int(x->arena, answer, "executionId", execution);
    return exchange_answer(x, 202, answer);
}
