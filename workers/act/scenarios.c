// SPDX-License-Identifier: Apache-2.0
#include "act/act.h"

static tool_fn execute_scenario;

// clang-format off
static const field_t assert_members[] = {
    { "path",     TEXT, "JSONPath into the body, e.g. $.items[0].id; or one of the next three." },
    { "header",   TEXT, "A header of the answer." },
    { "body",     FLAG, "True looks at the body as text." },
    { "time",     ANY,  "Alone: the answer is there in less, e.g. 500ms." },
    { "equals",   ANY,  "The value is this." },
    { "exists",   FLAG, "Whether there is one." },
    { "contains", ANY,  "A text has this part, a list this element." },
    { "matches",  TEXT, "A regular expression that is found in the text." },
    { 0 }
};

static const field_t step_members[] = {
    { "name",    TEXT,          "What reports call it; method and path when omitted." },
    { "method",  TEXT | MUST,   "HTTP method, e.g. GET." },
    { "path",    TEXT | MUST,   "Path below the base URL, e.g. /users/{{userId}}." },
    { "query",   OBJECT,        "Query arguments: names to text or lists of text." },
    { "headers", OBJECT,        "Headers: names to text." },
    { "body",    ANY,           "An object or list is sent as JSON, a text as it is." },
    { "form",    OBJECT,        "Instead of body: fields of a form." },
    { "expect",  ANY | MANY,    "Statuses, any of which is right, e.g. 200 or 2xx; 2xx when omitted." },
    { "assert",  OBJECT | MANY, "Further checks, each with one subject.", .fields = assert_members },
    { "extract", OBJECT,        "Variables for later steps: names to JSONPaths." },
    { "always",  FLAG,          "Run it even if a step before has failed, for cleaning up." },
    { 0 }
};

static const field_t auth_members[] = {
    { "authType",      TEXT, "Kept for other clients; the environment decides." },
    { "credentialTag", TEXT, "Saved login to use." },
    { 0 }
};

static const field_t warning_fields[] = {
    { "key",     TEXT, "Key it is about, e.g. steps[0].path." },
    { "message", TEXT, "What looks odd." },
    { 0 }
};

const tool_t act_scenarios[] = {
    {
        .name    = "create_api_scenario",
        .title   = "Create API scenario",
        .about   = "Author an API test from structured steps; create_scenario_from_yaml takes YAML. Then "
                   "execute_scenario.",
        .effect  = WRITES,
        .profile = STANDARD,
        .touches = "scenario",
        .rest    = "POST /api/scenarios",
        .params  = {
            { "name",           TEXT | MUST,          "Unique in the project.", .max = 200 },
            { "project",        PROJECT | MUST },
            { "environment",    ENVIRONMENT,          "For its {{properties}}." },
            { "steps",          OBJECT | MANY | MUST | BRIEF,
              "Requests, e.g. [{method: POST, path: /users, headers: {}, body: {name: Ann}, expect: [201], assert: [{path: $.name, "
              "equals: Ann}], extract: {id: $.id}}]; also name, query, form, always (after failures, too). An assert names path, "
              "header, body or time, and equals, exists, contains or matches.",
              .fields = step_members },
            { "app_tag",        TEXT,                 "Application; chooses the target.", .max = 100 },
            { "tags",           TEXT | MANY,          "For run_by_tag." },
            { "credential_tag", TEXT,                 "Saved login.", .max = 100 },
            { "auth_config",    OBJECT | BRIEF,       "Leave out; use credential_tag. {authType, credentialTag}.", .fields = auth_members },
            { "description",    TEXT,                 "What it proves.", .max = 2000 },
        },
        .result  = {
            { "id",            NUMBER,      "Id of the new scenario." },
            { "name",          TEXT,        "Its name." },
            { "description",   TEXT,        "What it proves." },
            { "projectId",     NUMBER,      "Id of its project." },
            { "project",       TEXT,        "Name of its project." },
            { "appTag",        TEXT,        "Application it tests." },
            { "credentialTag", TEXT,        "Saved login it uses." },
            { "tags",          TEXT | MANY, "Its tags." },
            { "stepCount",     NUMBER,      "How many requests it makes." },
            { "version",       NUMBER,      "1 for a new one." },
            { "warnings",      OBJECT | MANY, "What looks odd.", .fields = warning_fields },
        },
    },
    {
        .name    = "execute_scenario",
        .title   = "Run API scenario",
        .about   = "Run one API scenario. Answers with an executionId for get_execution_status; with wait, when it "
                   "ended or timedOut after 50 s.",
        .effect  = EXECUTES,
        .profile = CORE,
        .run     = execute_scenario,
        .task    = act_on_task,
        .params  = {
            { "scenario",              SCENARIO | MUST },
            { "environment",           ENVIRONMENT | MUST },
            { "project",               PROJECT },
            { "credential_tag",        TEXT,               "Saved login; else its own.", .max = 100 },
            { "allow_unauthenticated", FLAG,               "Run without login." },
            { "stop_on_failure",       FLAG,               "Default true." },
            { "variables",             OBJECT,             "Values for {{name}}." },
            { "tags",                  TEXT | MANY,        "Of this run." },
            { "wait",                  FLAG,               "Wait for the end." },
            { "summarize",             FLAG,               "With wait: text summary." },
            { "dry_run",               FLAG,               "Run nothing." },
        },
        .result  = {
            { "executionId",   TEXT,        "Id of the run, for get_execution_status." },
            { "id",            NUMBER,      "The same as a number." },
            { "scenarioId",    NUMBER,      "Id of the scenario." },
            { "scenario",      TEXT,        "Its name." },
            { "environmentId", NUMBER,      "Id of the environment." },
            { "environment",   TEXT,        "Its name." },
            { "projectId",     NUMBER,      "Id of the project." },
            { "project",       TEXT,        "Its name." },
            { "status",        TEXT,        "QUEUED, RUNNING, COMPLETED, FAILED, ERROR or CANCELLED." },
            { "outcome",       TEXT,        "PASSED, FAILED or ERROR; absent while the run is open." },
            { "totalSteps",    NUMBER,      "Steps of the scenario." },
            { "passedSteps",   NUMBER,      "Steps that passed." },
            { "failedSteps",   NUMBER,      "Steps that did not." },
            { "successRate",   DECIMAL,     "Percent of steps that passed." },
            { "credentialTag", TEXT,        "Saved login that was used; absent without one." },
            { "tags",          TEXT | MANY, "Tags of the run." },
            { "durationMs",    NUMBER,      "How long it took." },
            { "errorMessage",  TEXT,        "Why it could not be carried out." },
            { "reportUrl",     TEXT,        "Its HTML report." },
            { "reportFile",    TEXT,        "The report as a file on this machine; absent where the platform keeps none." },
            { "summary",       TEXT,        "One screen of text, with summarize." },
            { "timedOut",      FLAG,        "True when it still runs: ask get_execution_status." },
            { "dry_run",       FLAG,        "True when nothing was run." },
            { "note",          TEXT,        "What to do after a dry run." },
        },
    },
    { 0 }
};
// clang-format on

// The platform's record as tools show it: the id is text as well, and `error` is kept for
// failures of the call itself.
json_t *
act_shown(arena_t *arena, json_t *execution)
{
    const json_t *id = json_get(execution, "id");
    const char *error = json_get_text(execution, "error");

    if (id)
        json_set_text(arena, execution, "executionId", id->text);
    json_remove(execution, "error");
    if (error)
        json_set_text(arena, execution, "errorMessage", error);
    return execution;
}

static void
ended(call_t *call, json_t *execution, bool timed_out)
{
    arena_t *arena = call_arena(call);
    const int64_t id = json_get_int(execution, "id", 0);

    if (timed_out)
        json_set_bool(arena, execution, "timedOut", true);
    if (call_flag(call, "summarize") && !timed_out) {
        const json_t *summary =
            platform_peek(call, "/api/scenarios/executions/%" PRId64 "/summary", id);
        if (summary)
            json_set_text(arena, execution, "summary", json_get_text(summary, "text"));
    }
    act_link_execution(call, json_get(execution, "id"));
    reply_json(call, act_shown(arena, execution));
}

// Copies an argument into the body if it was given.
static void
pass(call_t *call, json_t *body, const char *argument, const char *member)
{
    const json_t *value = call_argument(call, argument);

    if (value)
        json_set(call_arena(call), body, member, json_copy(call_arena(call), value));
}

static void
preview(call_t *call)
{
    arena_t *arena = call_arena(call);
    json_t *result = json_object(arena);
    json_t *scenario;

    if (platform_get_or_reply(call, &scenario, "/api/scenarios/%" PRId64,
                              call_id(call, "scenario")))
        return;
    json_set_bool(arena, result, "dry_run", true);
    json_set_int(arena, result, "scenarioId", call_id(call, "scenario"));
    json_set_text(arena, result, "scenario", json_get_text(scenario, "name"));
    json_set_int(arena, result, "environmentId", call_id(call, "environment"));
    json_set_text(arena, result, "project", json_get_text(scenario, "project"));
    json_set_text(arena, result, "note",
                  "Nothing was run. Call again without dry_run to run it.");
    reply_json(call, result);
}

// The tags of its runs are those of a scenario that has none: run_by_tag finds it by them.
static void
touch_history(call_t *call)
{
    const json_t *scenario = NULL;

    if (call_argument(call, "tags"))
        scenario = platform_peek(call, "/api/scenarios/%" PRId64, call_id(call, "scenario"));
    if (scenario)
        call_touched(call, "scenario", scenario);
}

static void
execute_scenario(call_t *call)
{
    arena_t *arena = call_arena(call);
    failure_t why = { 0 };
    json_t *body = json_object(arena);
    json_t *execution;

    if (call_flag(call, "summarize") && !call_flag(call, "wait")) {
        fail(&why, BAD_ARGS,
             "summarize needs wait=true; or call summarize_execution afterwards");
        reply_failure(call, &why);
        return;
    }
    if (call_flag(call, "dry_run")) {
        preview(call);
        return;
    }
    json_set_int(arena, body, "environmentId", call_id(call, "environment"));
    pass(call, body, "credential_tag", "credentialTag");
    pass(call, body, "allow_unauthenticated", "allowUnauthenticated");
    pass(call, body, "stop_on_failure", "stopOnFailure");
    pass(call, body, "variables", "variables");
    pass(call, body, "tags", "tags");
    if (platform_send_or_reply(call, &execution, "POST", body,
                               "/api/scenarios/%" PRId64 "/execute", call_id(call, "scenario")))
        return;
    touch_history(call);
    if (call_flag(call, "wait") && call_client_has_tasks(call)) {
        act_reply_as_task(call, json_get_int(execution, "id", 0));
        return;
    }
    if (call_flag(call, "wait")) {
        reply_when_done(call, ended, "/api/scenarios/executions/%" PRId64,
                        json_get_int(execution, "id", 0));
        return;
    }
    act_link_execution(call, json_get(execution, "id"));
    reply_json(call, act_shown(arena, execution));
}
