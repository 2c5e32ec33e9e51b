// SPDX-License-Identifier: Apache-2.0
#include "auto.h"
#include "setup/setup.h"

static tool_fn onboard_project;

// clang-format off
static const field_t application_members[] = {
    { "name",                  TEXT | MUST,        "Name of the application." },
    { "appTag",                TEXT | MUST,        "Tag by which tests and targets refer to it." },
    { "applicationInterfaces", TEXT | MANY | MUST, "How it is used.",
      .one_of = "WEB_UI|REST|GRAPHQL|SOAP|GRPC|MESSAGING|WEBSOCKET|MOBILE_UI" },
    { "applicationType",       TEXT,               "Inferred from the interfaces when omitted.",
      .one_of = "WEB_APP|REST_SERVICE|MOBILE_APP|OTHER" },
    { "authRequirement",       TEXT,               "Whether it wants a login.", .one_of = "PUBLIC|AUTHENTICATED" },
    { "gitUrl",                TEXT,               "Where its source is." },
    { "swaggerPath",           TEXT,               "Path or URL of its OpenAPI document." },
    { 0 }
};

static const field_t target_members[] = {
    { "name",       TEXT | MUST, "Name of the target, unique in its environment." },
    { "targetType", TEXT | MUST, "What answers there.", .one_of = "WEB_APP|REST_SERVICE" },
    { "baseUrl",    TEXT | MUST, "Address without a trailing slash." },
    { "appTag",     TEXT,        "Application that answers there." },
    { 0 }
};

static const field_t environment_members[] = {
    { "name",            TEXT | MUST,   "Name of the environment, e.g. staging." },
    { "authRequirement", TEXT | MUST,   "Whether its targets want a login.", .one_of = "PUBLIC|AUTHENTICATED" },
    { "targets",         OBJECT | MANY, "Addresses to test.", .fields = target_members },
    { 0 }
};

static const field_t thing_fields[] = {
    { "kind", TEXT,   "project, application, environment or target." },
    { "id",   NUMBER, "Its id; absent in a dry run for what does not exist yet." },
    { "name", TEXT,   "Its name." },
    { 0 }
};

const tool_t setup_onboarding[] = {
    {
        .name    = "onboard_project",
        .title   = "Set up project",
        .about   = "Create or complete a project with applications, environments and targets, all or nothing. Logins: "
                   "add_environment_credential.",
        .effect  = WRITES,
        .profile = STANDARD,
        .run     = onboard_project,
        .params  = {
            { "project_name", TEXT | MUST,          "Unique.", .max = 200 },
            { "applications", OBJECT | MANY | MUST | BRIEF,
              "[{name, appTag, applicationInterfaces, applicationType?, authRequirement?, gitUrl?, swaggerPath?}], as in create_application.",
              .fields = application_members },
            { "environments", OBJECT | MANY | MUST | BRIEF,
              "[{name, authRequirement: PUBLIC or AUTHENTICATED, targets: [{name, targetType: WEB_APP or REST_SERVICE, baseUrl, appTag?}]}].",
              .fields = environment_members },
            { "dry_run",      FLAG,                 "Create nothing." },
        },
        .result  = {
            { "projectId",      NUMBER,        "Id of the project; absent in a dry run for a new one." },
            { "project",        TEXT,          "Name of the project." },
            { "dryRun",         FLAG,          "True when nothing was changed." },
            { "created",        OBJECT | MANY, "What was created.", .fields = thing_fields },
            { "linkedExisting", OBJECT | MANY, "What existed and was linked.", .fields = thing_fields },
            { "setupComplete",  FLAG,          "True when nothing is missing any more." },
        },
    },
    { 0 }
};

// What onboarding may have changed, and where it is read again so that snapshots can be patched.
static const struct {
    const char *kind, *plural, *path;
} touched[] = {
    { "application", "applications", "/api/applications" },
    { "environment", "environments", "/api/environments" },
    { "target",      "targets",      "/api/targets" },
};
// clang-format on

static void
touch_project(call_t *call, int64_t project)
{
    const json_t *answer = platform_peek(call, "/api/projects/%" PRId64, project);

    if (answer)
        call_touched(call, "project", answer);
    for (size_t i = 0; i < ROWS(touched); i++) {
        answer =
            platform_peek(call, "%s?projectId=%" PRId64 "&limit=500", touched[i].path, project);
        const json_t *list = json_get(answer, touched[i].plural);
        for (const json_t *entity = list ? list->first : NULL; entity; entity = entity->next)
            call_touched(call, touched[i].kind, entity);
    }
}

static void
onboard_project(call_t *call)
{
    arena_t *arena = call_arena(call);
    json_t *body = json_object(arena);
    json_t *answer;

    json_set_text(arena, body, "projectName", call_text(call, "project_name"));
    json_set(arena, body, "applications",
             json_copy(arena, call_argument(call, "applications")));
    json_set(arena, body, "environments",
             json_copy(arena, call_argument(call, "environments")));
    json_set_bool(arena, body, "dryRun", call_flag(call, "dry_run"));
    if (platform_send_or_reply(call, &answer, "POST", body, "/api/projects/onboard"))
        return;

    if (!call_flag(call, "dry_run"))
        touch_project(call, json_get_int(answer, "projectId", 0));
    reply_json(call, answer);
}
