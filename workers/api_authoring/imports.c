// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "api_authoring/api_authoring.h"
#include "auto.h"
#include "http.h"

static tool_fn create_scenario_from_swagger;

// clang-format off
static const field_t scenario_fields[] = {
    { "id",   NUMBER, "Id of the scenario; absent in a dry run for a new one." },
    { "name", TEXT,   "Its name." },
    { 0 }
};

static const field_t warning_fields[] = {
    { "pointer", TEXT, "JSON pointer into the document." },
    { "message", TEXT, "What could not be generated." },
    { 0 }
};

const tool_t api_authoring_imports[] = {
    {
        .name    = "create_scenario_from_swagger",
        .title   = "Import OpenAPI document",
        .about   = "Generate an API scenario per endpoint of an OpenAPI document; repeating it updates them. Then "
                   "run_by_tag.",
        .effect  = WRITES,
        .profile = STANDARD,
        .run     = create_scenario_from_swagger,
        .params  = {
            { "project",        PROJECT | MUST },
            { "environment",    ENVIRONMENT | MUST },
            { "url",            TEXT | MUST,        "See detect_api_spec.", .max = 2000 },
            { "path_globs",     TEXT | MANY,        "E.g. GET /users/**." },
            { "credential_tag", TEXT,               "Saved login, if it wants one.", .max = 100 },
            { "tags",           TEXT | MANY,        "For run_by_tag." },
            { "dry_run",        FLAG,               "Save nothing." },
        },
        .result  = {
            { "dryRun",    FLAG,          "True when nothing was saved." },
            { "created",   OBJECT | MANY, "Scenarios that are new.", .fields = scenario_fields },
            { "updated",   OBJECT | MANY, "Scenarios that changed.", .fields = scenario_fields },
            { "unchanged", OBJECT | MANY, "Scenarios that are as they were.", .fields = scenario_fields },
            { "kept",      OBJECT | MANY, "Scenarios edited by hand since; left as they are.", .fields = scenario_fields },
            { "total",     NUMBER,        "How many operations match." },
            { "warnings",  OBJECT | MANY, "What could not be generated.", .fields = warning_fields },
        },
    },
    { 0 }
};
// clang-format on

static int
by_value(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *) left;
    const int64_t b = *(const int64_t *) right;

    return (a > b) - (a < b);
}

// Ids of what was created or updated, sorted; an import makes thousands.
static int64_t *
changed_ids(arena_t *arena, const json_t *result, size_t *count_p)
{
    const json_t *lists[] = { json_get(result, "created"), json_get(result, "updated") };
    size_t count = 0;

    for (size_t i = 0; i < ROWS(lists); i++)
        count += lists[i] ? lists[i]->count : 0;
    int64_t *ids = arena_alloc(arena, count * sizeof *ids);
    count = 0;
    for (size_t i = 0; i < ROWS(lists); i++)
        for (const json_t *it = lists[i] ? lists[i]->first : NULL; it; it = it->next)
            ids[count++] = json_get_int(it, "id", 0);
    qsort(ids, count, sizeof *ids, by_value);
    *count_p = count;
    return ids;
}

// Snapshots want tags, which the result does not name: the project's scenarios are read again,
// page by page, and those of the result are patched in.
static void
touch_scenarios(call_t *call, const json_t *result)
{
    arena_t *arena = call_arena(call);
    const char *cursor = "";
    size_t count;

    const int64_t *ids = changed_ids(arena, result, &count);
    while (count && cursor) {
        const json_t *page = platform_peek(
            call, "/api/scenarios?projectId=%" PRId64 "&limit=500%s%s",
            call_id(call, "project"), *cursor ? "&cursor=" : "", http_escape(arena, cursor));
        const json_t *list = json_get(page, "scenarios");
        for (const json_t *it = list ? list->first : NULL; it; it = it->next) {
            const int64_t id = json_get_int(it, "id", 0);
            if (bsearch(&id, ids, count, sizeof id, by_value))
                call_touched(call, "scenario", it);
        }
        cursor = json_get_text(page, "nextCursor");
    }
}

static void
imported(call_t *call, json_t *job, bool timed_out)
{
    const char *id = json_get_text(job, "jobId");
    const char *late = arena_printf(
        call_arena(call),
        "the import goes on; call get_execution_status with execution_id \"%s\" and kind "
        "\"import_job\"",
        id ? id : "");
    json_t *result = api_authoring_result_or_reply(call, job, timed_out, late);

    if (!result)
        return;
    if (!call_flag(call, "dry_run"))
        touch_scenarios(call, result);
    reply_json(call, result);
}

static void
create_scenario_from_swagger(call_t *call)
{
    static const struct {
        const char *argument, *member;
    } passed[] = {
        { "url", "url" },
        { "path_globs", "pathGlobs" },
        { "credential_tag", "credentialTag" },
        { "tags", "tags" },
        { "dry_run", "dryRun" },
    };
    arena_t *arena = call_arena(call);
    json_t *body = json_object(arena);
    json_t *job;

    json_set_int(arena, body, "projectId", call_id(call, "project"));
    json_set_int(arena, body, "environmentId", call_id(call, "environment"));
    for (size_t i = 0; i < ROWS(passed); i++) {
        const json_t *value = call_argument(call, passed[i].argument);
        if (value)
            json_set(arena, body, passed[i].member, json_copy(arena, value));
    }
    if (platform_send_or_reply(call, &job, "POST", body, "/api/specs/import"))
        return;
    const char *id = json_get_text(job, "jobId");
    reply_when_done(call, imported, "/api/jobs/%s", http_escape(arena, id ? id : ""));
}
