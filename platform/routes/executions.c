// SPDX-License-Identifier: Apache-2.0
// Running scenarios and reading what came of it.

#include <string.h>

#include "auto.h"
#include "clock.h"
#include "limits.h"
#include "queue.h"
#include "report/files.h"
#include "report/report.h"
#include "routes/find.h"
#include "runs.h"
#include "store/environments.h"
#include "store/executions.h"
#include "store/jobs.h"
#include "store/projects.h"
#include "store/records.h"
#include "store/scenarios.h"

enum { VARIABLES_MAX = 200, LATEST_MAX = 100 };

static route_fn execute, run_by_tag, list_latest, get_execution, cancel;

const route_t execution_routes[] = {
    {
        .method = "POST",
        .path = "/api/scenarios/{scenarioId}/execute",
        .least = ANALYST,
        .id = "executeScenario",
        .summary = "Run a scenario.",
        .answer = "The head of the execution.",
        .code = 202,
        .run = execute,
        // clang-format off
        .body = {
            { "environmentId", M_ID, true, "Where to run it.", "1" },
            { "tags", M_TEXTS, .about = "Tags of this run.", .max = 50 },
            { "credentialTag", M_NAME, .about = "Log-in to use." },
            { "allowUnauthenticated", M_FLAG, .about = "Log nobody in." },
            { "stopOnFailure", M_FLAG, .about = "Skip what follows a failed step; true when "
              "absent." },
            { "variables", M_OBJECT, .about = "Values for {{names}}." },
        },
        // clang-format on
    },
    {
        .method = "POST",
        .path = "/api/scenarios/run-by-tag",
        .least = ANALYST,
        .id = "runByTag",
        .summary = "Run every test of a project that carries one of the tags.",
        .answer = "{dryRun, queued, skipped}, or {dryRun, wouldQueue, skipped}.",
        .run = run_by_tag,
        // clang-format off
        .body = {
            { "tags", M_TEXTS, true, "Any of these.", "[\"smoke\"]", .min = 1, .max = 50 },
            { "environmentId", M_ID, true, "Where to run them.", "1" },
            { "projectId", M_ID, true, "Whose tests.", "1" },
            { "kinds", M_TEXTS, .about = "Only tests of these kinds.",
              .one_of = "api_scenario|api|ui_test|ui", .max = 4 },
            { "credentialTag", M_NAME, .about = "Log-in to use." },
            { "maxParallel", M_INT, .about = "Most of them at once; no limit when absent.",
              .min = 1, .max = 100 },
            { "dryRun", M_FLAG, .about = "Only tell what would run.", .example = "true" },
        },
        // clang-format on
    },
    {
        .method = "GET",
        .path = "/api/scenarios/executions",
        .least = VIEWER,
        .id = "listExecutions",
        .summary = "List the latest executions, the newest first.",
        .answer = "{executions}, without their steps.",
        .run = list_latest,
        .query = { { "limit", M_INT, .about = "How many; 100 when absent.", .min = 1,
                     .max = LATEST_MAX } },
    },
    {
        .method = "GET",
        .path = "/api/scenarios/executions/{executionId}",
        .least = VIEWER,
        .id = "getExecution",
        .summary = "Get an execution with its steps.",
        .answer = "The execution.",
        .run = get_execution,
        .query = { { "waitMs", M_INT, .about = "Wait for progress or its end.",
                     .max = LONG_POLL_MS } },
    },
    {
        .method = "POST",
        .path = "/api/scenarios/executions/{executionId}/cancel",
        .least = ANALYST,
        .id = "cancelExecution",
        .summary = "Cancel an execution; one that is over stays as it is.",
        .answer = "The head of the execution.",
        .run = cancel,
    },
    { 0 }
};

// ---- run

// Values become texts; what is none is refused.
static status_t
check_variables(exchange_t *x, const json_t *variables)
{
    if (variables && variables->count > VARIABLES_MAX)
        return exchange_refuse(x, "variables", "has more than %d entries", VARIABLES_MAX);
    for (const json_t *one = variables ? variables->first : NULL; one; one = one->next)
        if (one->kind == JSON_OBJECT || one->kind == JSON_ARRAY)
            return exchange_refuse(x, "variables", "must hold texts, \"%.80s\" is none",
                                   one->key);
    return OK;
}

static status_t
execute(exchange_t *x)
{
    const run_wish_t wish = {
        .scenario = exchange_id(x, "scenarioId"),
        .environment = exchange_int(x, "environmentId", 0),
        .credential_tag = exchange_text(x, "credentialTag"),
        .allow_unauthenticated = exchange_flag(x, "allowUnauthenticated", false),
        .stop_on_failure = exchange_flag(x, "stopOnFailure", true),
        .variables = exchange_json(x, "variables"),
        .tags = exchange_json(x, "tags"),
    };
    run_plan_t plan;

    if (check_variables(x, wish.variables) || runs_plan(x, &wish, &plan))
        return x->why.status;
    int64_t id = runs_queue(x, &plan);
    return exchange_answer(x, 202, executions_head(x->store, x->arena, id));
}

// ---- run by tag

typedef struct {
    bool is_dry;
    json_t *queued, *skipped;
    char batch[JOBS_ID_SIZE];
    int64_t batch_max;  // 0: they are no batch
} fan_out_t;

static json_t *
entry_of(exchange_t *x, const char *kind, const json_t *test)
{
    json_t *entry = json_object(x->arena);

    json_set_text(x->arena, entry, "kind", kind);
    json_set_int(x->arena, entry, "id", json_get_int(test, "id", 0));
    json_set_text(x->arena, entry, "name", json_get_text(test, "name"));
    return entry;
}

static void
skip(exchange_t *x, fan_out_t *out, json_t *entry, const char *reason)
{
    json_set_text(x->arena, entry, "reason", reason);
    json_add(out->skipped, entry);
}

static void
fan_out_one(exchange_t *x, fan_out_t *out, const json_t *scenario)
{
    const run_wish_t wish = {
        .scenario = json_get_int(scenario, "id", 0),
        .environment = exchange_int(x, "environmentId", 0),
        .credential_tag = exchange_text(x, "credentialTag"),
        .stop_on_failure = true,
        .tags = exchange_json(x, "tags"),
    };
    json_t *entry = entry_of(x, "api_scenario", scenario);
    run_plan_t plan;

    if (runs_plan(x, &wish, &plan)) {
        skip(x, out, entry, arena_printf(x->arena, "%s: %s", x->why.code, x->why.text));
        x->why = (failure_t){ 0 };
        return;
    }
    if (out->batch_max) {
        plan.batch = out->batch;
        plan.batch_max = out->batch_max;
    }
    if (!out->is_dry) {
        json_set_int(x->arena, entry, "executionId", runs_queue(x, &plan));
        json_set_text(x->arena, entry, "status", "PENDING");
    }
    json_add(out->queued, entry);
}

static bool
wants(const json_t *kinds, const char *kind, const char *short_kind)
{
    if (!kinds || !kinds->count)
        return true;
    for (const json_t *one = kinds->first; one; one = one->next)
        if (strcmp(one->text, kind) == 0 || strcmp(one->text, short_kind) == 0)
            return true;
    return false;
}

static void
fan_out(exchange_t *x, fan_out_t *out)
{
    int64_t project = exchange_int(x, "projectId", 0);
    const json_t *tags = exchange_json(x, "tags"), *kinds = exchange_json(x, "kinds");

    if (wants(kinds, "api_scenario", "api")) {
        const json_t *scenarios = scenarios_tagged(x->store, x->arena, project, tags);
        for (const json_t *one = scenarios->first; one; one = one->next)
            fan_out_one(x, out, one);
    }
    if (wants(kinds, "ui_test", "ui")) {
        const json_t *tests = ui_tests_tagged(x->store, x->arena, project, tags);
        for (const json_t *one = tests->first; one; one = one->next)
            skip(x, out, entry_of(x, "ui_test", one),
                 "NO_ENGINE: no agent runs UI tests here; they are kept as records");
    }
}

static status_t
run_by_tag(exchange_t *x)
{
    fan_out_t out = {
        .is_dry = exchange_flag(x, "dryRun", false),
        .queued = json_array(x->arena),
        .skipped = json_array(x->arena),
        .batch_max = exchange_int(x, "maxParallel", 0),
    };
    json_t *answer = json_object(x->arena);

    if (!find_in_body(x, "environmentId", "environment", environments_get)
        || !find_in_body(x, "projectId", "project", projects_get))
        return x->why.status;
    jobs_new_id(out.batch);
    fan_out(x, &out);
    json_set_bool(x->arena, answer, "dryRun", out.is_dry);
    json_set(x->arena, answer, out.is_dry ? "wouldQueue" : "queued", out.queued);
    json_set(x->arena, answer, "skipped", out.skipped);
    return exchange_answer(x, 200, answer);
}

// ---- read

static bool
is_open(const json_t *execution)
{
    const char *status = json_get_text(execution, "status");

    return strcmp(status, "PENDING") == 0 || strcmp(status, "RUNNING") == 0;
}

// True when the caller is to wait: the run is open and nothing has changed since it asked
// first.
static bool
must_wait(exchange_t *x, const json_t *execution)
{
    int64_t wait_ms = exchange_asked_int(x, "waitMs", 0), job, changes;

    jobs_watch(x->store, json_get_int(execution, "id", 0), &job, &changes);
    if (!x->parked_before)
        x->seen = changes;
    if (!wait_ms || x->last_try || !is_open(execution) || changes != x->seen)
        return false;
    x->park_ms = wait_ms;
    x->park_job = job;
    return true;
}

// The report as a file, made when its path is told. A run that is open has none.
static void
add_file(exchange_t *x, json_t *execution)
{
    AUTO(buffer_clear) buffer_t page = { 0 };
    json_t *executions = json_array(x->arena);
    const char *path = NULL;
    char now[CLOCK_TEXT_SIZE];

    if (x->platform->reports && !is_open(execution)) {
        clock_format(x->wall_ms, now);
        json_add(executions, json_copy(x->arena, execution));
        report_html(&page, NULL, executions, now);
        path = report_file_write(x->arena, x->platform->reports,
                                 json_get_int(execution, "id", 0), &page);
    }
    json_set_text(x->arena, execution, "reportFile", path);
}

static status_t
list_latest(exchange_t *x)
{
    json_t *answer = json_object(x->arena);
    int64_t count = exchange_asked_int(x, "limit", LATEST_MAX);

    json_set(x->arena, answer, "executions", executions_latest(x->store, x->arena, count));
    return exchange_answer(x, 200, answer);
}

static status_t
get_execution(exchange_t *x)
{
    const json_t *head = find_in_path(x, "executionId", "execution", executions_head);

    if (!head)
        return x->why.status;
    if (must_wait(x, head))
        return OK;
    json_t *execution = executions_get(x->store, x->arena, exchange_id(x, "executionId"));
    if (execution)
        add_file(x, execution);
    return exchange_answer(x, 200, execution);
}

static status_t
cancel(exchange_t *x)
{
    const json_t *execution = find_in_path(x, "executionId", "execution", executions_get);
    int64_t id = exchange_id(x, "executionId");

    if (!execution)
        return x->why.status;
    const char *job = json_get_text(execution, "jobId");
    if (job)
        queue_cancel(x, jobs_get(x->store, x->arena, job));
    return exchange_answer(x, 200, executions_head(x->store, x->arena, id));
}
