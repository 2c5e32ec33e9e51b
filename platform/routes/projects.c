// SPDX-License-Identifier: Apache-2.0
// Projects.

#include "store/projects.h"
#include "routes/find.h"
#include "routes/list.h"

static route_fn list_projects, create_project, get_project;

const route_t project_routes[] = {
    {
        .method = "GET",
        .path = "/api/projects",
        .least = VIEWER,
        .id = "listProjects",
        .summary = "List projects.",
        .answer = "projects of {id, name, description, archived, createdAt}, total, returned.",
        .run = list_projects,
        .is_list = true,
        .is_quick = true,
        .query = {
            { "query", M_TEXT, .about = "Part of the name." },
            { "includeArchived", M_FLAG, .about = "Archived ones as well." },
            VIEW_ARGUMENT,
            PAGE_ARGUMENTS,
        },
    },
    {
        .method = "POST",
        .path = "/api/projects",
        .least = ANALYST,
        .id = "createProject",
        .summary = "Make a project.",
        .answer = "The project.",
        .code = 201,
        .run = create_project,
        .body = {
            { "name", M_NAME, true, "Name, unique whatever the letter case.", "\"payments\"" },
            { "description", M_TEXT, .about = "For people.", .example = "\"Card payments\"" },
        },
    },
    {
        .method = "GET",
        .path = "/api/projects/{projectId}",
        .least = VIEWER,
        .id = "getProject",
        .summary = "Get a project.",
        .answer = "The project.",
        .run = get_project,
        .is_quick = true,
    },
    { 0 }
};

static status_t
list_projects(exchange_t *x)
{
    bool archived = json_get_bool(x->arguments, "includeArchived", false);

    return list_answer(x, &projects_listing,
                       BIND(value_text(exchange_asked(x, "query")), value_int(archived)));
}

static status_t
create_project(exchange_t *x)
{
    const char *name = exchange_text(x, "name");
    const json_t *old = projects_find(x->store, x->arena, name);

    if (old)
        return fail_coded(&x->why, CONFLICT, "PROJECT_EXISTS",
                          "a project called \"%s\" exists already (id %d); choose another name",
                          json_get_text(old, "name"), (int) json_get_int(old, "id", 0));
    int64_t id = projects_add(x->store, name, exchange_text(x, "description"), x->wall_ms);
    return exchange_answer(x, 201, projects_get(x->store, x->arena, id));
}

static status_t
get_project(exchange_t *x)
{
    const json_t *project = find_in_path(x, "projectId", "project", projects_get);

    return project ? exchange_answer(x, 200, project) : x->why.status;
}
