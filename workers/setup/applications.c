// SPDX-License-Identifier: Apache-2.0
#include "setup/setup.h"

static tool_fn link_application;

// clang-format off
static const field_t application_fields[] = {
    { "id",                    NUMBER,        "Id of the application." },
    { "name",                  TEXT,          "Its name, unique in the platform." },
    { "appTag",                TEXT,          "Tag by which tests and targets refer to it." },
    { "applicationType",       TEXT,          "WEB_APP, REST_SERVICE, MOBILE_APP or OTHER." },
    { "applicationInterfaces", TEXT | MANY,   "How it is used, e.g. REST." },
    { "authRequirement",       TEXT,          "PUBLIC or AUTHENTICATED." },
    { "gitUrl",                TEXT,          "Where its source is." },
    { "swaggerPath",           TEXT,          "Path or URL of its OpenAPI document." },
    { "projectIds",            NUMBER | MANY, "Projects that it is linked to." },
    { 0 }
};

const tool_t setup_applications[] = {
    {
        .name    = "create_application",
        .title   = "Create application",
        .about   = "Create an application, or take the one of that name, and link it to a project.",
        .effect  = WRITES,
        .profile = STANDARD,
        .touches = "application",
        .rest    = "POST /api/applications",
        .params  = {
            { "project",                PROJECT | MUST },
            { "name",                   TEXT | MUST,        "Unique.", .max = 200 },
            { "app_tag",                TEXT | MUST,        "Tests and targets use it.", .max = 100 },
            { "application_interfaces", TEXT | MANY | MUST, "At least one.",
              .one_of = "WEB_UI|REST|GRAPHQL|SOAP|GRPC|MESSAGING|WEBSOCKET|MOBILE_UI" },
            { "application_type",       TEXT,               "Default inferred.",
              .one_of = "WEB_APP|REST_SERVICE|MOBILE_APP|OTHER" },
            { "auth_requirement",       TEXT,               "Does it want a login.", .one_of = "PUBLIC|AUTHENTICATED" },
            { "git_url",                TEXT,               "Its source.", .max = 2000 },
            { "swagger_path",           TEXT,               "Path or URL of its OpenAPI document.", .max = 2000 },
        },
        .result  = {
            { "id",                    NUMBER,        "Id of the application." },
            { "name",                  TEXT,          "Its name." },
            { "appTag",                TEXT,          "Tag by which tests and targets refer to it." },
            { "applicationType",       TEXT,          "WEB_APP, REST_SERVICE, MOBILE_APP or OTHER." },
            { "applicationInterfaces", TEXT | MANY,   "How it is used." },
            { "authRequirement",       TEXT,          "PUBLIC or AUTHENTICATED." },
            { "gitUrl",                TEXT,          "Where its source is." },
            { "swaggerPath",           TEXT,          "Path or URL of its OpenAPI document." },
            { "projectIds",            NUMBER | MANY, "Projects that it is linked to." },
            { "linkedExisting",        FLAG,          "True when it existed and was only linked." },
        },
    },
    {
        .name    = "link_application_to_project",
        .title   = "Link application",
        .about   = "Link an existing application to another project.",
        .effect  = WRITES,
        .profile = STANDARD,
        .links   = true,
        .run     = link_application,
        .params  = {
            { "application", APPLICATION | MUST },
            { "project",     PROJECT | MUST },
        },
        .result  = {
            { "applicationId", NUMBER, "Id of the application." },
            { "application",   TEXT,   "Its name." },
            { "projectId",     NUMBER, "Id of the project." },
            { "project",       TEXT,   "Its name." },
            { "linked",        FLAG,   "True." },
            { "alreadyLinked", FLAG,   "True when it was linked before." },
        },
    },
    {
        .name    = "list_applications",
        .title   = "List applications",
        .about   = "List all applications; list_project_applications has those of one project.",
        .effect  = READS,
        .profile = STANDARD,
        .rest    = "GET /api/applications",
        .params  = {
            { "query",  TEXT,   "Part of the name.", .max = 200 },
            { "limit",  NUMBER, "Default 100.", .min = 1, .max = 500 },
            { "cursor", TEXT,   "Last nextCursor." },
        },
        .result  = {
            { "applications", OBJECT | MANY, "The applications.", .fields = application_fields },
            { "total",        NUMBER,        "How many match." },
            { "returned",     NUMBER,        "How many are in this answer." },
            { "nextCursor",   TEXT,          "Give it back as cursor; absent on the last page." },
        },
    },
    { 0 }
};
// clang-format on

// The answer of the link names no other projects, which snapshots need: the application is read.
static void
link_application(call_t *call)
{
    arena_t *arena = call_arena(call);
    const int64_t application = call_id(call, "application");
    json_t *body = json_object(arena);
    json_t *answer;

    json_set_int(arena, body, "projectId", call_id(call, "project"));
    if (platform_send_or_reply(call, &answer, "POST", body,
                               "/api/applications/%" PRId64 "/projects", application))
        return;
    const json_t *entity = platform_peek(call, "/api/applications/%" PRId64, application);
    if (entity)
        call_touched(call, "application", entity);
    reply_json(call, answer);
}
