// SPDX-License-Identifier: Apache-2.0
#include "explore/explore.h"

static tool_fn list_project_applications;

// clang-format off
static const field_t project_fields[] = {
    { "id",          NUMBER, "Id of the project." },
    { "name",        TEXT,   "Its name." },
    { "description", TEXT,   "What it is about." },
    { "archived",    FLAG,   "True when it is no longer worked on." },
    { "createdAt",   TEXT,   "When it was created (ISO 8601)." },
    { 0 }
};

static const field_t application_fields[] = {
    { "id",                    NUMBER,      "Id of the application." },
    { "name",                  TEXT,        "Its name." },
    { "appTag",                TEXT,        "Tag by which tests and targets refer to it." },
    { "applicationType",       TEXT,        "WEB_APP, REST_SERVICE, MOBILE_APP or OTHER." },
    { "applicationInterfaces", TEXT | MANY, "How it is used, e.g. REST." },
    { "authRequirement",       TEXT,        "PUBLIC or AUTHENTICATED." },
    { "gitUrl",                TEXT,        "Where its source is." },
    { "gitProvider",           TEXT,        "Who hosts the source." },
    { "swaggerPath",           TEXT,        "Path or URL of its OpenAPI document." },
    { 0 }
};

const tool_t explore_projects[] = {
    {
        .name    = "list_projects",
        .title   = "List projects",
        .about   = "List projects; also the cheapest connection check.",
        .effect  = READS,
        .profile = CORE,
        .rest    = "GET /api/projects",
        .params  = {
            { "query",            TEXT,   "Part of the name.", .max = 200 },
            { "include_archived", FLAG,   "Archived, too." },
            { "limit",            NUMBER, "Default 100.", .min = 1, .max = 500 },
            { "cursor",           TEXT,   "Last nextCursor." },
        },
        .result  = {
            { "projects",   OBJECT | MANY, "The projects.", .fields = project_fields },
            { "total",      NUMBER,        "How many match." },
            { "returned",   NUMBER,        "How many are in this answer." },
            { "nextCursor", TEXT,          "Give it back as cursor; absent on the last page." },
        },
    },
    {
        .name    = "list_project_applications",
        .title   = "List project's applications",
        .about   = "List a project's applications, git URLs included.",
        .effect  = READS,
        .profile = STANDARD,
        .run     = list_project_applications,
        .params  = {
            { "project", PROJECT | MUST },
        },
        .result  = {
            { "project",      TEXT,          "Name of the project." },
            { "applications", OBJECT | MANY, "Its applications.", .fields = application_fields },
            { "total",        NUMBER,        "How many there are." },
            { "returned",     NUMBER,        "How many are in this answer, 500 at most." },
        },
    },
    { 0 }
};
// clang-format on

static void
list_project_applications(call_t *call)
{
    json_t *list;

    if (!platform_get_or_reply(call, &list, "/api/projects/%" PRId64 "/applications?limit=%d",
                               call_id(call, "project"), LISTED_MAX))
        reply_json(call, list);
}
