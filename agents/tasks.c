// SPDX-License-Identifier: Apache-2.0
#include "tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/run.h"
#include "auto.h"
#include "clock.h"
#include "documents.h"
#include "http.h"
#include "limits.h"
#include "settings.h"

enum {
    CLAIM_WAIT_MS = 2000,  // short, so that a drain does not wait for it
    ANSWER_MS = 10 * 1000,
    REPORT_MS = 30 * 1000,      // one try
    REPORT_FOR_MS = 60 * 1000,  // all of them
    REPORT_PAUSE_MS = 500,
    JOB_SIZE_MAX = 16 * MIB,
};

typedef json_t *engine_fn(job_t *job);

static const struct {
    const char *kind;  // of job
    engine_fn *run;
} engines[] = {
    { "api_scenario", api_run },
    { "fetch_documents", documents_run },
};

static void
job_destroy(job_t **self_p)
{
    if (!*self_p)
        return;
    arena_destroy(&(*self_p)->arena);
    free(*self_p);
    *self_p = NULL;
}

task_t *
task_new(task_kind_t kind, const char *platform, const char *name, const char *token,
         const char *agent_id)
{
    task_t *self = calloc(1, sizeof *self);

    if (!self)
        abort();  // out of memory
    self->kind = kind;
    self->platform = platform;
    self->name = name;
    task_set_token(self, token);
    snprintf(self->agent_id, sizeof self->agent_id, "%s", agent_id);
    return self;
}

void
task_set_token(task_t *self, const char *token)
{
    free(self->token);
    self->token = strdup(token);
    if (!self->token)
        abort();  // out of memory
}

void
task_destroy(task_t **self_p)
{
    if (!*self_p)
        return;
    job_destroy(&(*self_p)->job);
    free((*self_p)->token);
    free(*self_p);
    *self_p = NULL;
}

// One POST to the platform. OK and the body's JSON in *answer_p for any 2xx (NULL for none).
static status_t
post_text(task_t *task, http_t *http, arena_t *arena, const char *path, const char *text,
          int64_t timeout_ms, json_t **answer_p)
{
    const http_request_t request = {
        .method = "POST",
        .url = arena_printf(arena, "%s%s", task->platform, path),
        .token = task->token,
        .body = text,
        .body_size = strlen(text),
        .timeout_ms = timeout_ms,
        .answer_max = JOB_SIZE_MAX,
    };
    http_response_t response;

    task->why = (failure_t){ 0 };
    if (http_send(http, arena, &request, &response, &task->why))
        return task->why.status;
    *answer_p = response.size ? json_parse_text(arena, response.body) : NULL;
    status_t status = status_from_http(response.code);
    if (status)
        fail(&task->why, status, "%s was answered with %ld", path, response.code);
    return status;
}

static status_t
post(task_t *task, http_t *http, arena_t *arena, const char *path, const json_t *body,
     json_t **answer_p)
{
    return post_text(task, http, arena, path, json_text(arena, body), ANSWER_MS, answer_p);
}

// Ids are texts or numbers that fit.
static bool
is_id(const json_t *id)
{
    return id && id->text && id->length && id->length < AGENT_ID_SIZE;
}

static void
register_agent(task_t *task, http_t *http)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *body = json_object(arena), *answer = NULL;

    json_set_text(arena, body, "name", task->name);
    json_set_text(arena, body, "version", proofarc_version());
    json_add(json_set(arena, body, "engines", json_array(arena)), json_string(arena, "api"));
    json_set(arena, body, "unavailable", json_array(arena));
    if (post(task, http, arena, "/api/agent/register", body, &answer))
        return;
    const json_t *id = json_get(answer, "agentId");
    if (is_id(id))
        snprintf(task->agent_id, sizeof task->agent_id, "%s", id->text);
    else
        fail(&task->why, BACKEND, "the platform gave no agentId");
}

// Takes the job over out of the claim's answer, whose arena it keeps.
static void
take_job(task_t *task, arena_t **arena_p, const json_t *answer)
{
    const json_t *id = json_get(answer, "jobId");
    const char *kind = json_get_text(answer, "kind");

    if (!is_id(id) || !kind) {
        fail(&task->why, BACKEND, "the platform gave a job without jobId or kind");
        return;
    }
    job_t *job = calloc(1, sizeof *job);
    if (!job)
        abort();  // out of memory
    job->arena = *arena_p;
    *arena_p = NULL;
    job->id = id->text;
    job->kind = kind;
    job->attempt = json_get_int(answer, "attempt", 1);
    job->payload = json_get(answer, "payload");
    task->job = job;
}

static void
claim(task_t *task, http_t *http)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *body = json_object(arena), *answer = NULL;

    json_set_text(arena, body, "agentId", task->agent_id);
    json_add(json_set(arena, body, "engines", json_array(arena)), json_string(arena, "api"));
    json_set_int(arena, body, "waitMs", CLAIM_WAIT_MS);
    if (!post_text(task, http, arena, "/api/agent/jobs/claim", json_text(arena, body),
                   CLAIM_WAIT_MS + ANSWER_MS, &answer)
        && answer)
        take_job(task, &arena, answer);
}

static json_t *
error_result(arena_t *arena, const char *error)
{
    json_t *result = json_object(arena);

    json_set_text(arena, result, "status", "ERROR");
    json_set_text(arena, result, "outcome", "ERROR");
    json_set_text(arena, result, "error", error);
    json_set(arena, result, "steps", json_array(arena));
    return result;
}

static json_t *
run_engine(job_t *job)
{
    for (size_t i = 0; i < ROWS(engines); i++)
        if (!strcmp(engines[i].kind, job->kind))
            return engines[i].run(job);
    return error_result(
        job->arena,
        arena_printf(job->arena, "this agent cannot run jobs of the kind %.60s", job->kind));
}

static char *
report_text(const task_t *task)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    arena_t *arena = task->job->arena;
    json_t *body = json_object(arena);

    json_set_text(arena, body, "agentId", task->agent_id);
    json_set_int(arena, body, "attempt", task->job->attempt);
    json_set(arena, body, "result", json_copy(arena, task->result));
    json_write(&out, body);
    return buffer_take(&out, &(size_t){ 0 });
}

static status_t
report_once(task_t *task, http_t *http, const char *text)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const char *path =
        arena_printf(arena, "/api/agent/jobs/%s/result", http_escape(arena, task->job->id));
    json_t *answer;

    return post_text(task, http, arena, path, text, REPORT_MS, &answer);
}

static void
free_text(char **text_p)
{
    free(*text_p);
}

// The platform may be restarting: the result waits for it for a while.
static void
report(task_t *task, http_t *http)
{
    const struct timespec pause = { .tv_nsec = REPORT_PAUSE_MS * 1000000L };
    AUTO(free_text) char *text = report_text(task);
    int64_t until_ms = clock_now_ms() + REPORT_FOR_MS;

    for (;;) {
        status_t status = report_once(task, http, text);
        bool may_come =
            status == BUSY || status == BACKEND || status == UNKNOWN || status == TIMEOUT;
        if (!may_come || clock_now_ms() > until_ms || atomic_load(&task->job->abandoned))
            return;
        nanosleep(&pause, NULL);
    }
}

static void
run(task_t *task, http_t *http)
{
    job_t *job = task->job;

    if (!task->result)
        task->result = run_engine(job);
    if (atomic_load(&job->abandoned)) {
        fail(&task->why, CANCELLED, "left unfinished");
        return;
    }
    report(task, http);
    if (task->why.status != TOO_LARGE)
        return;
    task->result = error_result(job->arena, "the result is larger than the platform takes");
    report(task, http);
}

static status_t
beat_one(task_t *task, http_t *http, beat_t *one)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *body = json_object(arena), *answer = NULL;
    const char *path =
        arena_printf(arena, "/api/agent/jobs/%s/heartbeat", http_escape(arena, one->id));

    json_set_text(arena, body, "agentId", task->agent_id);
    json_set_int(arena, body, "attempt", one->attempt);
    json_set_int(arena, body, "done", one->done);
    json_set_int(arena, body, "total", one->total);
    status_t status = post(task, http, arena, path, body, &answer);
    one->stop =
        status == CONFLICT || status == NOT_FOUND || json_get_bool(answer, "cancelled", false);
    return status;
}

// What goes wrong with one for a reason of the platform's goes wrong with the next one, too.
static void
beat(task_t *task, http_t *http)
{
    for (size_t i = 0; i < task->beat_count; i++) {
        status_t status = beat_one(task, http, &task->beats[i]);
        if (status && !task->beats[i].stop)
            return;
    }
    task->why = (failure_t){ 0 };
}

void *
task_open(const void *shared)
{
    return http_new();
}

void
task_work(void *state, void *job)
{
    task_t *task = job;
    http_t *http = state;

    switch (task->kind) {
    case TASK_REGISTER:
        register_agent(task, http);
        break;
    case TASK_CLAIM:
        claim(task, http);
        break;
    case TASK_RUN:
        run(task, http);
        break;
    case TASK_BEAT:
        beat(task, http);
        break;
    }
}

void
task_close(void *state)
{
    http_t *http = state;

    http_destroy(&http);
}
