// SPDX-License-Identifier: Apache-2.0
// Applications.

#include "store/applications.h"
#include "routes/find.h"
#include "routes/list.h"
#include "setup.h"
#include "store/projects.h"

static route_fn list_applications, list_of_project, create_application, get_application;
static route_fn link_application;

const route_t application_routes[] = {
    {
        .method = "GET",
        .path = "/api/applications",
        .least = VIEWER,
        .id = "listApplications",
        .summary = "List applications.",
        .answer = "applications, total, returned.",
        .run = list_applications,
        .is_list = true,
        .is_quick = true,
        .query = {
            { "query", M_TEXT, .about = "Part of the name." },
            { "projectId", M_ID, .about = "Only those of this project." },
            VIEW_ARGUMENT,
            PAGE_ARGUMENTS,
        },
    },
    {
        .method = "GET",
        .path = "/api/projects/{projectId}/applications",
        .least = VIEWER,
        .id = "listProjectApplications",
        .summary = "List the applications of a project.",
        .answer = "project, applications, total, returned.",
        .run = list_of_project,
        .is_list = true,
        .is_quick = true,
        .query = { PAGE_ARGUMENTS },
    },
    {
        .method = "POST",
        .path = "/api/applications",
        .least = ANALYST,
        .id = "createApplication",
        .summary = "Make an application and link it to a project.",
        .answer = "The application; 200 with linkedExisting true when the name existed.",
        .code = 201,
        .other_code = 200,
        .run = create_application,
        // clang-format off
        .body = {
            { "projectId", M_ID, true, "The project it is for.", "1" },
            { "name", M_NAME, true, "Name, unique on the platform.", "\"shop-api\"" },
            { "appTag", M_NAME, true, "Short tag by which tests and targets refer to it.",
              "\"shop\"" },
            { "applicationInterfaces", M_TEXTS, true, "What it speaks.", "[\"REST\"]",
              INTERFACES, 1, 8 },
            { "applicationType", M_TEXT, .about = "Inferred from the interfaces when absent.",
              .example = "\"REST_SERVICE\"", .one_of = APPLICATION_TYPES },
            { "authRequirement", M_TEXT, .about = "Whether it wants a log-in; as its environments say "
              "when absent.",
              .example = "\"PUBLIC\"", .one_of = REQUIREMENTS },
            { "gitUrl", M_TEXT, .about = "Its repository." },
            { "swaggerPath", M_TEXT, .about = "Where its OpenAPI document is." },
        },
        // clang-format on
    },
    {
        .method = "GET",
        .path = "/api/applications/{applicationId}",
        .least = VIEWER,
        .id = "getApplication",
        .summary = "Get an application.",
        .answer = "The application.",
        .run = get_application,
        .is_quick = true,
    },
    {
        .method = "POST",
        .path = "/api/applications/{applicationId}/projects",
        .least = ANALYST,
        .id = "linkApplication",
        .summary = "Link an application to a project.",
        .answer = "applicationId, application, projectId, project, linked, alreadyLinked.",
        .run = link_application,
        .body = { { "projectId", M_ID, true, "The project.", "1" } },
    },
    { 0 }
};

static status_t
list_applications(exchange_t *x)
{
    return list_answer(x, &applications_listing,
                       BIND(value_text(exchange_asked(x, "query")),
                            value_id(exchange_asked_int(x, "projectId", 0))));
}

static status_t
list_of_project(exchange_t *x)
{
    int64_t project = exchange_id(x, "projectId");
    const char *name = projects_name(x->store, x->arena, project);

    if (!name)
        return find_nothing(x, "project", project);
    return list_answer_of(x, "project", name, &applications_listing,
                          BIND(value_text(NULL), value_int(project)));
}

static status_t
create_application(exchange_t *x)
{
    bool existed;

    if (!find_in_body(x, "projectId", "project", projects_get))
        return x->why.status;
    json_t *application =
        setup_application(x, x->given, exchange_int(x, "projectId", 0), &existed);
    if (!application)
        return x->why.status;
    json_set_bool(x->arena, application, "linkedExisting", existed);
    return exchange_answer(x, existed ? 200 : 201, application);
}

static status_t
get_application(exchange_t *x)
{
    const json_t *application =
        find_in_path(x, "applicationId", "application", applications_get);

    return application ? exchange_answer(x, 200, application) : x->why.status;
}

static status_t
link_application(exchange_t *x)
{
    const json_t *application =
        find_in_path(x, "applicationId", "application", applications_get);
    const json_t *project =
        application ? find_in_body(x, "projectId", "project", projects_get) : NULL;

    if (!project)
        return x->why.status;
    return find_answer_link(x, "application", application, project, applications_link);
}
