// SPDX-License-Identifier: Apache-2.0
// Environments and the way to log in there.

#include <string.h>

#include "base_url.h"
#include "jsonpath.h"
#include "routes/find.h"
#include "routes/list.h"
#include "setup.h"
#include "store/environments.h"
#include "store/projects.h"

static route_fn list_environments, create_environment, get_environment, link_environment;
static route_fn set_auth_endpoint;

const route_t environment_routes[] = {
    {
        .method = "GET",
        .path = "/api/environments",
        .least = VIEWER,
        .id = "listEnvironments",
        .summary = "List environments.",
        .answer = "environments, total, returned.",
        .run = list_environments,
        .is_list = true,
        .is_quick = true,
        .query = {
            { "projectId", M_ID, .about = "Only those of this project." },
            { "query", M_TEXT, .about = "Part of the name." },
            VIEW_ARGUMENT,
            PAGE_ARGUMENTS,
        },
    },
    {
        .method = "POST",
        .path = "/api/environments",
        .least = ANALYST,
        .id = "createEnvironment",
        .summary = "Make an environment and link it to a project.",
        .answer = "The environment; 200 with linkedExisting true when the name existed.",
        .code = 201,
        .other_code = 200,
        .run = create_environment,
        // clang-format off
        .body = {
            { "name", M_NAME, true, "Name, unique on the platform.", "\"staging\"" },
            { "authRequirement", M_TEXT, true, "Whether its targets want a log-in.",
              "\"PUBLIC\"", REQUIREMENTS },
            { "projectId", M_ID, .about = "A project to link it to.", .example = "1" },
            { "properties", M_OBJECT, .about = "Variables of tests that run there.",
              .example = "{\"tenantCode\": \"t1\"}" },
            { "allowPrivate", M_FLAG,
              .about = "Whether targets may have private or loopback addresses." },
        },
        // clang-format on
    },
    {
        .method = "GET",
        .path = "/api/environments/{environmentId}",
        .least = VIEWER,
        .id = "getEnvironment",
        .summary = "Get an environment.",
        .answer = "The environment.",
        .run = get_environment,
        .is_quick = true,
    },
    {
        .method = "POST",
        .path = "/api/environments/{environmentId}/projects",
        .least = ANALYST,
        .id = "linkEnvironment",
        .summary = "Link an environment to a project.",
        .answer = "environmentId, environment, projectId, project, linked, alreadyLinked.",
        .run = link_environment,
        .body = { { "projectId", M_ID, true, "The project.", "1" } },
    },
    {
        .method = "PUT",
        .path = "/api/environments/{environmentId}/auth-endpoint",
        .least = ANALYST,
        .id = "setAuthEndpoint",
        .summary = "Say how to log in.",
        .answer = "The environment.",
        .run = set_auth_endpoint,
        // clang-format off
        .body = {
            { "loginEndpoint", M_TEXT, true, "Path below the target, or an absolute URL.",
              "\"/api/auth/login\"", .max = 2000 },
            { "authType", M_TEXT, .about = "How later requests carry it, BEARER when absent.",
              .example = "\"BEARER\"", .one_of = "BEARER|COOKIE|HEADER" },
            { "tokenJsonPath", M_TEXT, .about = "Where the token is in the answer; when absent, "
              "the first of $.token, $.accessToken, $.access_token.", .example = "\"$.token\"" },
            { "headerName", M_TEXT, .about = "With HEADER: the header that carries the token." },
            { "method", M_TEXT, .about = "POST when absent.", .one_of = "POST|PUT|PATCH|GET" },
            { "body", M_OBJECT, .about = "What is sent, with {{username}} and {{password}}." },
        },
        // clang-format on
    },
    { 0 }
};

static status_t
list_environments(exchange_t *x)
{
    return list_answer(x, &environments_listing,
                       BIND(value_text(exchange_asked(x, "query")),
                            value_id(exchange_asked_int(x, "projectId", 0))));
}

static status_t
create_environment(exchange_t *x)
{
    int64_t project = exchange_int(x, "projectId", 0);
    bool existed;

    if (project && !find_in_body(x, "projectId", "project", projects_get))
        return x->why.status;
    json_t *environment = setup_environment(x, x->given, project, &existed);
    if (!environment)
        return x->why.status;
    if (existed && !project)
        return fail_coded(&x->why, CONFLICT, "ENVIRONMENT_EXISTS",
                          "an environment called \"%s\" exists already (id %d); name a project "
                          "to link it to",
                          json_get_text(environment, "name"),
                          (int) json_get_int(environment, "id", 0));
    json_set_bool(x->arena, environment, "linkedExisting", existed);
    return exchange_answer(x, existed ? 200 : 201, environment);
}

static json_t *
find_environment(exchange_t *x)
{
    return find_in_path(x, "environmentId", "environment", environments_get);
}

static status_t
get_environment(exchange_t *x)
{
    const json_t *environment = find_environment(x);

    return environment ? exchange_answer(x, 200, environment) : x->why.status;
}

static status_t
link_environment(exchange_t *x)
{
    const json_t *environment = find_environment(x);
    const json_t *project =
        environment ? find_in_body(x, "projectId", "project", projects_get) : NULL;

    if (!project)
        return x->why.status;
    return find_answer_link(x, "environment", environment, project, environments_link);
}

// ---- how to log in

static status_t
check_endpoint(exchange_t *x)
{
    const char *endpoint = exchange_text(x, "loginEndpoint");
    const char *query = exchange_text(x, "tokenJsonPath");
    const char *header = exchange_text(x, "headerName");
    jsonpath_t *path;
    failure_t why;

    if (endpoint[0] != '/' && !base_url_is_absolute(endpoint))
        return exchange_refuse(x, "loginEndpoint", "must begin with / or be an absolute URL");
    if (strpbrk(endpoint, " \t\r\n"))
        return exchange_refuse(x, "loginEndpoint", "must have no blanks");
    if (query && jsonpath_compile(x->arena, query, &path, &why))
        return exchange_refuse(x, "tokenJsonPath", "is no JSONPath: %s", why.text);
    if (header
        && (!*header
            || strspn(header, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789-_")
                   != strlen(header)))
        return exchange_refuse(x, "headerName", "is no name of a header");
    const char *type = exchange_text(x, "authType");
    if (type && strcmp(type, "HEADER") == 0 && !header)
        return exchange_refuse(x, "headerName", "is missing: HEADER needs to know which one");
    return OK;
}

static status_t
set_auth_endpoint(exchange_t *x)
{
    const json_t *environment = find_environment(x);

    if (!environment || check_endpoint(x))
        return x->why.status;
    if (!exchange_text(x, "authType"))
        json_set_text(x->arena, x->given, "authType", "BEARER");
    int64_t id = exchange_id(x, "environmentId");
    environments_set_auth(x->store, x->arena, id, x->given);
    return exchange_answer(x, 200, environments_get(x->store, x->arena, id));
}
