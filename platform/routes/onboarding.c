// SPDX-License-Identifier: Apache-2.0
// A whole project in one call, and what is still missing of one.

#include <inttypes.h>
#include <string.h>

#include "routes/find.h"
#include "setup.h"
#include "store/projects.h"
#include "store/setup_status.h"

static route_fn get_setup_status, onboard;

const route_t onboarding_routes[] = {
    {
        .method = "GET",
        .path = "/api/projects/{projectId}/setup-status",
        .least = VIEWER,
        .id = "getSetupStatus",
        .summary = "Tell what a project has and what it lacks.",
        .answer = "{project, steps, missing, setupComplete}.",
        .run = get_setup_status,
    },
    {
        .method = "POST",
        .path = "/api/projects/onboard",
        .least = ANALYST,
        .id = "onboardProject",
        .summary = "Make or complete a project with applications, environments and targets.",
        .answer = "{projectId, project, dryRun, created, linkedExisting, setupComplete}.",
        .run = onboard,
        .body = {
            { "projectName", M_NAME, true, "Its name.", "\"payments\"" },
            { "applications", M_OBJECTS, false, "Its applications.",
              "[{\"name\": \"shop-api\", \"appTag\": \"shop\","
              " \"applicationInterfaces\": [\"REST\"]}]",
              .members = setup_application_members },
            { "environments", M_OBJECTS, false, "Its environments and their targets.",
              "[{\"name\": \"staging\", \"authRequirement\": \"PUBLIC\", \"targets\": []}]",
              .members = setup_environment_members },
            { "dryRun", M_FLAG, .about = "Only tell what would be made.", .example = "false" },
        },
    },
    { 0 }
};

// ---- what is missing

typedef struct {
    const char *name;
    bool is_done, is_needed;
    const char *detail, *next;
} step_t;

static void
add_step(exchange_t *x, json_t *steps, const step_t *step)
{
    json_t *shown = json_object(x->arena);

    json_set_text(x->arena, shown, "step", step->name);
    json_set_bool(x->arena, shown, "done", step->is_done);
    json_set_text(x->arena, shown, "detail", step->detail);
    json_set_text(x->arena, shown, "next", step->is_done ? NULL : step->next);
    json_add(steps, shown);
}

static const char *
counted(exchange_t *x, const json_t *counts, const char *what)
{
    return arena_printf(x->arena, "%" PRId64 " %s", json_get_int(counts, what, 0), what);
}

// The steps and what is missing of them, as members of `answer`. True when nothing is: a
// project is set up before it has tests.
static bool
add_steps(exchange_t *x, json_t *answer, int64_t project)
{
    const json_t *counts = setup_status_counts(x->store, x->arena, project);
    json_t *steps = json_array(x->arena), *missing = json_array(x->arena);
#define COUNT(name) json_get_int(counts, name, 0)
    const step_t all[] = {
        { "application", COUNT("applications") > 0, true, counted(x, counts, "applications"),
          "Make an application, or link one to the project." },
        { "applicationType", COUNT("applications") > 0 && !COUNT("untyped"), true,
          counted(x, counts, "untyped"), "Give each application its interfaces." },
        { "environment", COUNT("environments") > 0, true, counted(x, counts, "environments"),
          "Make an environment, or link one to the project." },
        { "target", COUNT("targets") > 0, true, counted(x, counts, "targets"),
          "Add a target with its base URL to an environment." },
        { "login", !COUNT("withoutLogin"), COUNT("needsLogin") > 0,
          arena_printf(x->arena, "%" PRId64 " of %" PRId64 " environments lack one",
                       COUNT("withoutLogin"), COUNT("needsLogin")),
          "Store a log-in in each of them, one as its default." },
        { "scenario", COUNT("scenarios") > 0, true, counted(x, counts, "scenarios"),
          "Write a scenario, or import them from an OpenAPI document." },
    };
#undef COUNT

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!all[i].is_needed)
            continue;
        add_step(x, steps, &all[i]);
        if (!all[i].is_done && i + 1 < sizeof all / sizeof *all)
            json_add(missing, json_string(x->arena, all[i].name));
    }
    json_set(x->arena, answer, "steps", steps);
    json_set(x->arena, answer, "missing", missing);
    return missing->count == 0;
}

static status_t
get_setup_status(exchange_t *x)
{
    const json_t *project = find_in_path(x, "projectId", "project", projects_get);
    json_t *answer = json_object(x->arena);

    if (!project)
        return x->why.status;
    json_set_text(x->arena, answer, "project", json_get_text(project, "name"));
    bool is_complete = add_steps(x, answer, exchange_id(x, "projectId"));
    json_set_bool(x->arena, answer, "setupComplete", is_complete);
    return exchange_answer(x, 200, answer);
}

// ---- all in one call

typedef struct {
    json_t *created, *linked;
} report_t;

static void
note(exchange_t *x, json_t *list, const char *kind, const json_t *entity)
{
    json_t *entry = json_object(x->arena);

    json_set_text(x->arena, entry, "kind", kind);
    json_set_int(x->arena, entry, "id", json_get_int(entity, "id", 0));
    json_set_text(x->arena, entry, "name", json_get_text(entity, "name"));
    json_add(list, entry);
}

static bool
is_among(const json_t *list, const json_t *entry)
{
    for (const json_t *one = list->first; one; one = one->next)
        if (json_get_int(one, "id", 0) == json_get_int(entry, "id", 0)
            && strcmp(json_get_text(one, "kind"), json_get_text(entry, "kind")) == 0)
            return true;
    return false;
}

// What a rehearsal made is gone when it ends: its ids say nothing.
static void
leave_out_ids(const report_t *report)
{
    for (json_t *entry = report->linked->first; entry; entry = entry->next)
        if (is_among(report->created, entry))
            json_remove(entry, "id");
    for (json_t *entry = report->created->first; entry; entry = entry->next)
        json_remove(entry, "id");
}

static json_t *
onboard_project(exchange_t *x, report_t *report)
{
    const char *name = exchange_text(x, "projectName");
    json_t *project = projects_find(x->store, x->arena, name);

    if (project) {
        note(x, report->linked, "project", project);
        return project;
    }
    int64_t id = projects_add(x->store, name, NULL, x->wall_ms);
    project = projects_get(x->store, x->arena, id);
    if (project)
        note(x, report->created, "project", project);
    return project;
}

static status_t
onboard_target(exchange_t *x, int64_t environment, const json_t *given, report_t *report)
{
    const json_t *old = setup_old_target(x, environment, given);

    if (!old && x->why.status)
        return x->why.status;  // its base URL is none
    const json_t *target = old ? old : setup_target(x, environment, given);
    if (!target)
        return x->why.status;
    note(x, old ? report->linked : report->created, "target", target);
    return OK;
}

static status_t
onboard_environment(exchange_t *x, int64_t project, const json_t *given, report_t *report)
{
    bool existed;
    const json_t *environment = setup_environment(x, given, project, &existed);
    const json_t *targets = json_get(given, "targets");

    if (!environment)
        return x->why.status;
    note(x, existed ? report->linked : report->created, "environment", environment);
    for (const json_t *target = targets ? targets->first : NULL; target; target = target->next)
        if (onboard_target(x, json_get_int(environment, "id", 0), target, report))
            return x->why.status;
    return OK;
}

static status_t
onboard_all(exchange_t *x, int64_t project, report_t *report)
{
    const json_t *applications = exchange_json(x, "applications");
    const json_t *environments = exchange_json(x, "environments");

    for (const json_t *given = applications ? applications->first : NULL; given;
         given = given->next) {
        bool existed;
        const json_t *application = setup_application(x, given, project, &existed);
        if (!application)
            return x->why.status;
        note(x, existed ? report->linked : report->created, "application", application);
    }
    for (const json_t *given = environments ? environments->first : NULL; given;
         given = given->next)
        if (onboard_environment(x, project, given, report))
            return x->why.status;
    return OK;
}

static status_t
onboard(exchange_t *x)
{
    report_t report = { json_array(x->arena), json_array(x->arena) };
    json_t *answer = json_object(x->arena), *status = json_object(x->arena);
    const json_t *project = onboard_project(x, &report);
    bool is_dry = exchange_flag(x, "dryRun", false);

    int64_t id = json_get_int(project, "id", 0);
    if (onboard_all(x, id, &report))
        return x->why.status;
    bool is_new = report.created->first && report.created->count
                  && strcmp(json_get_text(report.created->first, "kind"), "project") == 0;
    json_set(x->arena, answer, "projectId",
             is_dry && is_new ? json_null(x->arena) : json_number(x->arena, id));
    json_set_text(x->arena, answer, "project", exchange_text(x, "projectName"));
    json_set_bool(x->arena, answer, "dryRun", is_dry);
    json_set(x->arena, answer, "created", report.created);
    json_set(x->arena, answer, "linkedExisting", report.linked);
    json_set_bool(x->arena, answer, "setupComplete", add_steps(x, status, id));
    if (is_dry)
        leave_out_ids(&report);
    x->is_rehearsal = is_dry;
    return exchange_answer(x, 200, answer);
}
