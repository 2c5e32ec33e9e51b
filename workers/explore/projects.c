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
        .about   = "List the projects you may see. Start here; it is also the cheapest check that the "
                   "connection works. Then call get_project_setup_status or find_scenarios.",
        .effect  = READS,
        .profile = CORE,
        .rest    = "GET /api/projects",
        .params  = {
            { "query",            TEXT,   "Only projects whose name contains this.", .max = 200 },
            { "include_archived", FLAG,   "Archived projects too." },
            { "limit",            NUMBER, "Most projects in one answer; 100 when omitted.", .min = 1, .max = 500 },
            { "cursor",           TEXT,   "nextCursor of the answer before; omit for the first page." },
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
        .title   = "List a project's applications",
        .about   = "List the applications linked to a project, with their git URLs. Use it to learn what a "
                   "project tests; then read a repository or call detect_api_spec.",
        .effect  = READS,
        .profile = STANDARD,
        .run     = list_project_applications,
        .params  = {
            { "project", PROJECT | MUST, "The project." },
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
