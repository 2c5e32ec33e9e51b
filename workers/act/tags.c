// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "act/act.h"
#include "auto.h"
#include "http.h"

static tool_fn run_by_tag;

// clang-format off
static const field_t queued_fields[] = {
    { "kind",        TEXT,   "api_scenario or ui_test." },
    { "id",          NUMBER, "Id of the test." },
    { "name",        TEXT,   "Its name." },
    { "executionId", TEXT,   "Id of its run, for get_execution_status." },
    { "status",      TEXT,   "QUEUED." },
    { 0 }
};

static const field_t skipped_fields[] = {
    { "kind",   TEXT,   "api_scenario or ui_test." },
    { "id",     NUMBER, "Id of the test." },
    { "name",   TEXT,   "Its name." },
    { "reason", TEXT,   "Why it is not run." },
    { 0 }
};

static const field_t test_fields[] = {
    { "id",   NUMBER, "Id of the test." },
    { "name", TEXT,   "Its name." },
    { 0 }
};

static const field_t would_queue_fields[] = {
    { "api_scenarios", OBJECT | MANY, "API scenarios.", .fields = test_fields },
    { "ui_tests",      OBJECT | MANY, "UI tests, likewise." },
    { 0 }
};

const tool_t act_tags[] = {
    {
        .name    = "run_by_tag",
        .title   = "Run tests by tag",
        .about   = "Queue all API and UI tests that carry a tag; dry_run previews. Then get_execution_status of each "
                   "executionId.",
        .effect  = EXECUTES,
        .profile = CORE,
        .by_tag  = true,
        .run     = run_by_tag,
        .params  = {
            { "tags",           TEXT | MANY | MUST, "Any of these." },
            { "environment",    ENVIRONMENT | MUST },
            { "project",        PROJECT | MUST },
            { "kinds",          TEXT | MANY,        "Default all.",
              .one_of = "api_scenario|ui_test|api|ui" },
            { "credential_tag", TEXT,               "Saved login; else their own.", .max = 100 },
            { "max_parallel",   NUMBER,             "Most at once.", .min = 1, .max = 100 },
            { "dry_run",        FLAG,               "Queue nothing." },
        },
        .result  = {
            { "dry_run",     FLAG,          "True when nothing was queued." },
            { "tags",        TEXT | MANY,   "The tags." },
            { "environment", TEXT,          "Name of the environment." },
            { "project",     TEXT,          "Name of the project." },
            { "queued",      OBJECT | MANY, "Runs that were queued.", .fields = queued_fields },
            { "would_queue", OBJECT,        "Tests that would run (dry_run).", .fields = would_queue_fields },
            { "skipped",     OBJECT | MANY, "Tests that carry a tag and are not run.", .fields = skipped_fields },
            { "note",        TEXT,          "What to do next (dry_run)." },
        },
    },
    { 0 }
};

static const struct {
    const char *given, *kind, *list;
} kinds[] = {
    { "api_scenario", "api_scenario", "api_scenarios" },
    { "ui_test",      "ui_test",      "ui_tests" },
    { "api",          "api_scenario", NULL },
    { "ui",           "ui_test",      NULL },
};
// clang-format on

static void
pass_kinds(call_t *call, json_t *body)
{
    arena_t *arena = call_arena(call);
    const json_t *given = call_argument(call, "kinds");

    if (!given || !given->first)
        return;
    json_t *list = json_set(arena, body, "kinds", json_array(arena));
    for (const json_t *kind = given->first; kind; kind = kind->next)
        for (size_t i = 0; i < ROWS(kinds); i++)
            if (!strcmp(kind->text, kinds[i].given))
                json_add(list, json_string(arena, kinds[i].kind));
}

// The list of that name in the platform's answer, empty if there is none.
static json_t *
list_in(arena_t *arena, const json_t *answer, const char *name)
{
    const json_t *list = json_get(answer, name);

    return list && list->kind == JSON_ARRAY ? json_copy(arena, list) : json_array(arena);
}

static json_t *
test_of(arena_t *arena, const json_t *item)
{
    json_t *test = json_object(arena);

    json_set_int(arena, test, "id", json_get_int(item, "id", 0));
    json_set_text(arena, test, "name", json_get_text(item, "name"));
    return test;
}

static json_t *
would_queue(arena_t *arena, const json_t *answer)
{
    const json_t *items = list_in(arena, answer, "wouldQueue");
    json_t *result = json_object(arena);

    for (size_t i = 0; i < ROWS(kinds) && kinds[i].list; i++) {
        json_t *list = json_set(arena, result, kinds[i].list, json_array(arena));
        for (const json_t *item = items->first; item; item = item->next) {
            const char *kind = json_get_text(item, "kind");
            if (kind && !strcmp(kind, kinds[i].kind))
                json_add(list, test_of(arena, item));
        }
    }
    return result;
}

// The name of a settled reference; read from the platform when an id was given that no snapshot
// knows. NULL when the call has been answered.
static const char *
name_or_reply(call_t *call, const char *reference, const char *path)
{
    const char *name = call_name(call, reference);
    json_t *entity;

    if (name)
        return name;
    if (platform_get_or_reply(call, &entity, "%s/%" PRId64, path, call_id(call, reference)))
        return NULL;
    name = json_get_text(entity, "name");
    return name ? name : "";
}

static json_t *
result_of(call_t *call, const char *environment, const char *project, const json_t *answer)
{
    arena_t *arena = call_arena(call);
    json_t *result = json_object(arena);
    const bool dry_run = call_flag(call, "dry_run");

    json_set_bool(arena, result, "dry_run", dry_run);
    json_set(arena, result, "tags", json_copy(arena, call_argument(call, "tags")));
    json_set_text(arena, result, "environment", environment);
    json_set_text(arena, result, "project", project);
    if (dry_run)
        json_set(arena, result, "would_queue", would_queue(arena, answer));
    else
        json_set(arena, result, "queued", list_in(arena, answer, "queued"));
    json_set(arena, result, "skipped", list_in(arena, answer, "skipped"));
    if (dry_run)
        json_set_text(arena, result, "note",
                      "Nothing was queued. Call again without dry_run to run these tests.");
    return result;
}

static const char *
tags_for_query(call_t *call)
{
    arena_t *arena = call_arena(call);
    const char *list = "";

    for (const json_t *tag = call_tags(call)->first; tag; tag = tag->next)
        list = arena_printf(arena, "%s%s%s", list, *list ? "," : "",
                            http_escape(arena, tag->text));
    return list;
}

// A run carries all of the tags. A scenario that was found by one of its past runs is found by
// the others as well from now on.
static void
touch_histories(call_t *call)
{
    arena_t *arena = call_arena(call);
    const char *cursor = call_tags(call)->count > 1 ? "" : NULL;

    while (cursor) {
        const json_t *page =
            platform_peek(call, "/api/scenarios?projectId=%" PRId64 "&tags=%s&limit=500%s%s",
                          call_id(call, "project"), tags_for_query(call),
                          *cursor ? "&cursor=" : "", http_escape(arena, cursor));
        const json_t *list = json_get(page, "scenarios");
        for (const json_t *it = list ? list->first : NULL; it; it = it->next) {
            const char *source = json_get_text(it, "match_source");
            if (source && !strcmp(source, "execution_history"))
                call_touched(call, "scenario", it);
        }
        cursor = json_get_text(page, "nextCursor");
    }
}

static void
link_first_runs(call_t *call, const json_t *queued)
{
    size_t count = 0;

    for (const json_t *run = queued ? queued->first : NULL; run && count < LINKS_MAX;
         run = run->next, count++)
        act_link_execution(call, json_get(run, "executionId"));
}

static void
run_by_tag(call_t *call)
{
    arena_t *arena = call_arena(call);
    json_t *body = json_object(arena);
    json_t *answer;

    const char *environment = name_or_reply(call, "environment", "/api/environments");
    if (!environment)
        return;
    const char *project = name_or_reply(call, "project", "/api/projects");
    if (!project)
        return;
    json_set(arena, body, "tags", json_copy(arena, call_tags(call)));
    json_set_int(arena, body, "environmentId", call_id(call, "environment"));
    json_set_int(arena, body, "projectId", call_id(call, "project"));
    pass_kinds(call, body);
    if (call_text(call, "credential_tag"))
        json_set_text(arena, body, "credentialTag", call_text(call, "credential_tag"));
    if (call_number(call, "max_parallel", 0))
        json_set_int(arena, body, "maxParallel", call_number(call, "max_parallel", 0));
    json_set_bool(arena, body, "dryRun", call_flag(call, "dry_run"));
    if (platform_send_or_reply(call, &answer, "POST", body, "/api/scenarios/run-by-tag"))
        return;
    if (!call_flag(call, "dry_run")) {
        touch_histories(call);
        link_first_runs(call, json_get(answer, "queued"));
    }
    reply_json(call, result_of(call, environment, project, answer));
}
