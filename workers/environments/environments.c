// SPDX-License-Identifier: Apache-2.0
#include "environments/environments.h"

static tool_fn create_environment, link_environment;

// clang-format off
static const field_t endpoint_fields[] = {
    { "loginEndpoint", TEXT, "Where the log-in is posted to." },
    { "authType",      TEXT, "How later requests carry what it gives: BEARER or COOKIE." },
    { "tokenJsonPath", TEXT, "Where the token is in the answer; absent: its usual places." },
    { 0 }
};

const tool_t environments_environments[] = {
    {
        .name    = "create_environment",
        .title   = "Create environment",
        .about   = "Create an environment, or take the one of that name, and link it to a project. Then add_target.",
        .effect  = WRITES,
        .profile = STANDARD,
        .run     = create_environment,
        .params  = {
            { "name",             TEXT | MUST, "E.g. staging.", .max = 200 },
            { "auth_requirement", TEXT | MUST, "Do targets want a login.", .one_of = "PUBLIC|AUTHENTICATED" },
            { "project",          PROJECT },
        },
        .result  = {
            { "id",              NUMBER,        "Id of the environment." },
            { "name",            TEXT,          "Its name." },
            { "authRequirement", TEXT,          "PUBLIC or AUTHENTICATED." },
            { "allowPrivate",    FLAG,          "True when its targets may be loopback or private addresses." },
            { "projectIds",      NUMBER | MANY, "Projects that it is linked to." },
            { "linkedExisting",  FLAG,          "True when it existed and was only linked." },
        },
    },
    {
        .name    = "link_environment",
        .title   = "Link environment",
        .about   = "Link an existing environment and its targets to another project.",
        .effect  = WRITES,
        .profile = FULL,
        .links   = true,
        .run     = link_environment,
        .params  = {
            { "environment", ENVIRONMENT | MUST },
            { "project",     PROJECT | MUST },
        },
        .result  = {
            { "environmentId", NUMBER, "Id of the environment." },
            { "environment",   TEXT,   "Its name." },
            { "projectId",     NUMBER, "Id of the project." },
            { "project",       TEXT,   "Its name." },
            { "linked",        FLAG,   "True." },
            { "alreadyLinked", FLAG,   "True when it was linked before." },
        },
    },
    {
        .name    = "set_environment_auth_endpoint",
        .title   = "Set log-in of API tests",
        .about   = "Set where API tests log in and where the token is; add_environment_credential stores the login.",
        .effect  = WRITES,
        .profile = FULL,
        .touches = "environment",
        .rest    = "PUT /api/environments/{environment}/auth-endpoint",
        .params  = {
            { "environment",     ENVIRONMENT | MUST },
            { "login_endpoint",  TEXT | MUST,        "E.g. /api/auth/login.", .max = 2000 },
            { "auth_type",       TEXT,               "Default BEARER.", .one_of = "BEARER|COOKIE" },
            { "token_json_path", TEXT,               "E.g. $.token; default the usual places.", .max = 500 },
        },
        .result  = {
            { "id",           NUMBER, "Id of the environment." },
            { "name",         TEXT,   "Its name." },
            { "authEndpoint", OBJECT, "How tests log in.", .fields = endpoint_fields },
        },
    },
    { 0 }
};
// clang-format on

// A link changes the projects of the environment's targets as well.
static void
touch_targets(call_t *call, int64_t environment)
{
    const json_t *answer =
        platform_peek(call, "/api/targets?environmentId=%" PRId64 "&limit=500", environment);
    const json_t *targets = json_get(answer, "targets");

    for (const json_t *target = targets ? targets->first : NULL; target; target = target->next)
        call_touched(call, "target", target);
}

static void
create_environment(call_t *call)
{
    arena_t *arena = call_arena(call);
    json_t *body = json_object(arena);
    json_t *answer;

    json_set_text(arena, body, "name", call_text(call, "name"));
    json_set_text(arena, body, "authRequirement", call_text(call, "auth_requirement"));
    if (call_id(call, "project"))
        json_set_int(arena, body, "projectId", call_id(call, "project"));
    if (platform_send_or_reply(call, &answer, "POST", body, "/api/environments"))
        return;
    call_touched(call, "environment", answer);
    if (json_get_bool(answer, "linkedExisting", false))
        touch_targets(call, json_get_int(answer, "id", 0));
    reply_json(call, answer);
}

static void
link_environment(call_t *call)
{
    arena_t *arena = call_arena(call);
    const int64_t environment = call_id(call, "environment");
    json_t *body = json_object(arena);
    json_t *answer;

    json_set_int(arena, body, "projectId", call_id(call, "project"));
    if (platform_send_or_reply(call, &answer, "POST", body,
                               "/api/environments/%" PRId64 "/projects", environment))
        return;
    const json_t *entity = platform_peek(call, "/api/environments/%" PRId64, environment);
    if (entity)
        call_touched(call, "environment", entity);
    touch_targets(call, environment);
    reply_json(call, answer);
}
