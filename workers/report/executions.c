// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "auto.h"
#include "report/report.h"

enum { BODY_SHOWN_MAX = 2000 };  // bytes of the response body of a step that did not pass

static tool_fn get_execution_status, summarize_execution;

// clang-format off
static const field_t check_fields[] = {
    { "check",    TEXT, "What was checked." },
    { "passed",   FLAG, "Whether it held." },
    { "expected", ANY,  "What was expected." },
    { "actual",   ANY,  "What was found." },
    { "message",  TEXT, "What is wrong, if it did not hold." },
    { 0 }
};

static const field_t step_fields[] = {
    { "index",        NUMBER,        "Position of the step." },
    { "name",         TEXT,          "Its name." },
    { "status",       TEXT,          "PASSED, FAILED, ERROR or SKIPPED." },
    { "method",       TEXT,          "Method of the request." },
    { "url",          TEXT,          "Address of the request." },
    { "statusCode",   NUMBER,        "HTTP status of the response." },
    { "durationMs",   NUMBER,        "How long it took." },
    { "checks",       OBJECT | MANY, "What was checked.", .fields = check_fields },
    { "extracted",    OBJECT,        "Variables taken from the response." },
    { "warnings",     TEXT | MANY,   "What is odd, though no check failed by it." },
    { "errorMessage", TEXT,          "Why it could not be carried out." },
    { "responseBody", TEXT,          "Beginning of the response body, if the step did not pass." },
    { 0 }
};

static const field_t progress_fields[] = {
    { "done",  NUMBER, "Units done." },
    { "total", NUMBER, "Units in all." },
    { "text",  TEXT,   "What is being done." },
    { 0 }
};

const tool_t report_executions[] = {
    {
        .name    = "get_execution_status",
        .title   = "Get run status",
        .about   = "Status, steps and outcome (the verdict) of a run. Ask again while QUEUED or RUNNING.",
        .effect  = READS,
        .profile = CORE,
        .run     = get_execution_status,
        .params  = {
            { "execution_id", TEXT | MUST, "The run's executionId.", .max = 100 },
            { "kind",         TEXT,        "Default api_scenario.",
              .one_of = "api_scenario|ui_job|import_job" },
        },
        .result  = {
            { "executionId",   TEXT,          "Id of the run." },
            { "kind",          TEXT,          "What ran." },
            { "status",        TEXT,          "QUEUED, RUNNING, COMPLETED, FAILED, ERROR or CANCELLED." },
            { "outcome",       TEXT,          "PASSED, FAILED or ERROR; absent while it is open." },
            { "scenarioId",    NUMBER,        "Id of the scenario." },
            { "scenario",      TEXT,          "Its name." },
            { "environment",   TEXT,          "Where it ran." },
            { "project",       TEXT,          "Name of the project." },
            { "totalSteps",    NUMBER,        "Steps of the scenario." },
            { "passedSteps",   NUMBER,        "Steps that passed." },
            { "failedSteps",   NUMBER,        "Steps that did not." },
            { "successRate",   DECIMAL,       "Percent of steps that passed." },
            { "credentialTag", TEXT,          "Saved login that was used; absent without one." },
            { "tags",          TEXT | MANY,   "Tags of the run." },
            { "createdAt",     TEXT,          "When it was queued (ISO 8601)." },
            { "startedAt",     TEXT,          "When it was started." },
            { "endedAt",       TEXT,          "When it ended." },
            { "durationMs",    NUMBER,        "How long it took." },
            { "errorMessage",  TEXT,          "Why it could not be carried out." },
            { "steps",         OBJECT | MANY, "The steps, as far as they were run.", .fields = step_fields },
            { "reportUrl",     TEXT,          "Its HTML report." },
            { "reportFile",    TEXT,          "The report as a file on this machine; absent where the platform keeps none." },
            { "progress",      OBJECT,        "How far a job is.", .fields = progress_fields },
            { "result",        OBJECT,        "What a job found." },
        },
    },
    {
        .name    = "summarize_execution",
        .title   = "Summarize run",
        .about   = "One-screen text about a run, for the user; get_execution_status has the details.",
        .effect  = READS,
        .profile = CORE,
        .run     = summarize_execution,
        .params  = {
            { "execution_id", TEXT | MUST, "The run's executionId.", .max = 100 },
            { "kind",         TEXT,        "Default api_scenario.",
              .one_of = "api_scenario|ui_job|import_job" },
        },
        .result  = {
            { "executionId", TEXT, "Id of the run." },
            { "status",      TEXT, "QUEUED, RUNNING, COMPLETED, FAILED, ERROR or CANCELLED." },
            { "outcome",     TEXT, "PASSED, FAILED or ERROR; absent while it is open." },
            { "summary",     TEXT, "The text." },
        },
    },
    { 0 }
};
// clang-format on

static bool
is_job(call_t *call)
{
    const char *kind = call_text(call, "kind");

    return kind && strcmp(kind, "api_scenario") != 0;
}

// A job's id is a name of the platform's making.
static const char *
job_or_reply(call_t *call, const char *text)
{
    static const char letters[] =
        "0123456789-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    failure_t why = { 0 };

    if (*text && !text[strspn(text, letters)])
        return text;
    fail(&why, BAD_ARGS, "execution_id: expected the id of a job, got %s", text);
    reply_failure(call, &why);
    return NULL;
}

static const char *
trimmed(arena_t *arena, const char *text)
{
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    return arena_strndup(arena, text, length);
}

// The id of a run, NULL when it is none and the call has been answered. The path is made of it:
// nothing but digits passes.
static const char *
execution_or_reply(call_t *call)
{
    const char *text = trimmed(call_arena(call), call_text(call, "execution_id"));
    failure_t why = { 0 };
    int64_t id = 0;

    if (is_job(call))
        return job_or_reply(call, text);
    if (*text >= '1' && *text <= '9' && !text[strspn(text, "0123456789")]
        && json_int(json_number_text(call_arena(call), text), &id))
        return text;
    fail(&why, BAD_ARGS,
         "execution_id: expected the executionId that execute_scenario or run_by_tag gave, "
         "e.g. 1724, got %s",
         text);
    reply_failure(call, &why);
    return NULL;
}

// Sets `name` of `to` to a copy of `value`, unless there is none.
static void
keep(arena_t *arena, json_t *to, const char *name, const json_t *value)
{
    if (value && value->kind != JSON_NULL)
        json_set(arena, to, name, json_copy(arena, value));
}

static const char *
beginning(arena_t *arena, const char *text)
{
    size_t length = strlen(text);

    if (length <= BODY_SHOWN_MAX)
        return text;
    for (length = BODY_SHOWN_MAX; ((unsigned char) text[length] & 0xc0) == 0x80; length--)
        ;
    return arena_printf(arena, "%.*s…", (int) length, text);
}

static json_t *
shown_step(arena_t *arena, const json_t *step)
{
    static const char *const kept[] = { "index",  "name",      "status",  "durationMs",
                                        "checks", "extracted", "warnings" };
    const json_t *request = json_get(step, "request");
    const json_t *response = json_get(step, "response");
    const char *status = json_get_text(step, "status");
    const char *body = json_get_text(response, "body");
    json_t *shown = json_object(arena);

    for (size_t i = 0; i < ROWS(kept); i++)
        keep(arena, shown, kept[i], json_get(step, kept[i]));
    keep(arena, shown, "method", json_get(request, "method"));
    keep(arena, shown, "url", json_get(request, "url"));
    keep(arena, shown, "statusCode", json_get(response, "status"));
    keep(arena, shown, "errorMessage", json_get(step, "error"));
    if (body && *body && (!status || strcmp(status, "PASSED") != 0))
        json_set_text(arena, shown, "responseBody", beginning(arena, body));
    return shown;
}

// `error` is kept for failures of the call itself.
static void
show_error(arena_t *arena, json_t *answer, const char *message)
{
    json_remove(answer, "error");
    if (message)
        json_set_text(arena, answer, "errorMessage", message);
}

static void
reply_scenario_run(call_t *call, json_t *run)
{
    arena_t *arena = call_arena(call);
    const json_t *steps = json_get(run, "steps");
    json_t *shown = json_array(arena);

    for (const json_t *step = steps ? steps->first : NULL; step; step = step->next)
        json_add(shown, shown_step(arena, step));
    json_set(arena, run, "steps", shown);
    json_set_text(arena, run, "kind", "api_scenario");
    show_error(arena, run, json_get_text(run, "error"));
    reply_json(call, run);
}

// A run is a job as well, and its number finds it. But a job that has come to its end is COMPLETED
// whatever the run found, and would be taken for its verdict.
static json_t *
read_job_or_reply(call_t *call, const char *id)
{
    failure_t why = { 0 };
    json_t *job;

    if (platform_get_or_reply(call, &job, "/api/jobs/%s", id))
        return NULL;
    const char *kind = json_get_text(job, "kind");
    if (!kind || strcmp(kind, "api_scenario") != 0)
        return job;
    fail(&why, BAD_ARGS, "kind: %s is the run of an API scenario; leave kind out", id);
    reply_failure(call, &why);
    return NULL;
}

static json_t *
read_run_or_reply(call_t *call, const char *id)
{
    json_t *run;

    if (is_job(call))
        return read_job_or_reply(call, id);
    return platform_get_or_reply(call, &run, "/api/scenarios/executions/%s", id) ? NULL : run;
}

static void
get_execution_status(call_t *call)
{
    arena_t *arena = call_arena(call);
    const char *id = execution_or_reply(call);
    json_t *run = id ? read_run_or_reply(call, id) : NULL;

    if (!run)
        return;
    json_set_text(arena, run, "executionId", id);
    if (!is_job(call)) {
        reply_scenario_run(call, run);
        return;
    }
    json_set_text(arena, run, "kind", call_text(call, "kind"));
    show_error(arena, run, json_get_text(json_get(run, "error"), "message"));
    reply_json(call, run);
}

// The platform's word for a run that waits stands at the end of the first line; tools say QUEUED.
static const char *
shown_summary(arena_t *arena, const char *text)
{
    static const char pending[] = "PENDING";
    const size_t line = text ? strcspn(text, "\n") : 0;
    const size_t kept = line >= strlen(pending) ? line - strlen(pending) : 0;

    if (!kept || strncmp(text + kept, pending, strlen(pending)) != 0)
        return text;
    return arena_printf(arena, "%.*sQUEUED%s", (int) kept, text, text + line);
}

static void
summarize_job(call_t *call, const char *id)
{
    arena_t *arena = call_arena(call);
    json_t *result = json_object(arena);
    const json_t *job = read_job_or_reply(call, id);

    if (!job)
        return;
    const char *status = json_get_text(job, "status");
    const char *error = json_get_text(json_get(job, "error"), "message");
    const char *progress = json_get_text(json_get(job, "progress"), "text");
    const char *detail = error ? error : progress && *progress ? progress : NULL;
    json_set_text(arena, result, "executionId", id);
    json_set_text(arena, result, "status", status);
    const char *text = arena_printf(arena, "Job %s · %s%s%s", id, status ? status : "unknown",
                                    detail ? "\n" : "", detail ? detail : "");
    json_set_text(arena, result, "summary", shown_summary(arena, text));
    reply_json(call, result);
}

static void
summarize_execution(call_t *call)
{
    arena_t *arena = call_arena(call);
    const char *id = execution_or_reply(call);
    json_t *answer;

    if (!id)
        return;
    if (is_job(call)) {
        summarize_job(call, id);
        return;
    }
    if (platform_get_or_reply(call, &answer, "/api/scenarios/executions/%s/summary", id))
        return;
    json_set_text(arena, answer, "executionId", id);
    json_set_text(arena, answer, "summary",
                  shown_summary(arena, json_get_text(answer, "text")));
    reply_json(call, answer);
}
