// SPDX-License-Identifier: Apache-2.0
// Targets.

#include "store/targets.h"
#include "routes/find.h"
#include "routes/list.h"
#include "setup.h"
#include "store/environments.h"

#define TARGET_AUTH_TYPES "UI_LOGIN|BEARER|COOKIE|HEADER|BASIC|NONE"

static route_fn list_targets, create_target, set_target_auth;

static const member_t auth_config[] = {
    { "authType", M_TEXT, true, "How tests log in there.", "\"BEARER\"", TARGET_AUTH_TYPES },
    { "credentialTag", M_NAME, .about = "Log-in to use.", .example = "\"default\"" },
    { 0 }
};

const route_t target_routes[] = {
    {
        .method = "GET",
        .path = "/api/targets",
        .least = VIEWER,
        .id = "listTargets",
        .summary = "List targets.",
        .answer = "targets, total, returned.",
        .run = list_targets,
        .is_list = true,
        .is_quick = true,
        .query = {
            { "environmentId", M_ID, .about = "Only those of this environment." },
            { "projectId", M_ID, .about = "Only those of this project's environments." },
            VIEW_ARGUMENT,
            PAGE_ARGUMENTS,
        },
    },
    {
        .method = "POST",
        .path = "/api/environments/{environmentId}/targets",
        .least = ANALYST,
        .id = "createTarget",
        .summary = "Add an address to an environment.",
        .answer = "The target.",
        .code = 201,
        .run = create_target,
        // clang-format off
        .body = {
            { "name", M_NAME, true, "Name, unique in the environment.", "\"shop\"" },
            { "targetType", M_TEXT, true, "What is there.", "\"REST_SERVICE\"", TARGET_TYPES },
            { "baseUrl", M_TEXT, true, "Address, without a slash at the end.",
              "\"http://127.0.0.1:8080\"" },
            { "appTag", M_NAME, .about = "Tag of the application that is there.",
              .example = "\"shop\"" },
            { "applicationId", M_ID, .about = "The application that is there." },
        },
        // clang-format on
    },
    {
        .method = "PUT",
        .path = "/api/targets/{targetId}/auth",
        .least = ANALYST,
        .id = "setTargetAuth",
        .summary = "Say how tests log in at a target.",
        .answer = "The target.",
        .run = set_target_auth,
        .body = { { "authConfig", M_OBJECT, true, "How, and with which log-in.",
                    "{\"authType\": \"BEARER\", \"credentialTag\": \"default\"}",
                    .members = auth_config } },
    },
    { 0 }
};

static status_t
list_targets(exchange_t *x)
{
    return list_answer(x, &targets_listing,
                       BIND(value_id(exchange_asked_int(x, "environmentId", 0)),
                            value_id(exchange_asked_int(x, "projectId", 0))));
}

static status_t
create_target(exchange_t *x)
{
    const json_t *environment =
        find_in_path(x, "environmentId", "environment", environments_get);
    const json_t *target =
        environment ? setup_target(x, exchange_id(x, "environmentId"), x->given) : NULL;

    return target ? exchange_answer(x, 201, target) : x->why.status;
}

static status_t
set_target_auth(exchange_t *x)
{
    const json_t *target = find_in_path(x, "targetId", "target", targets_get);

    if (!target)
        return x->why.status;
    int64_t id = exchange_id(x, "targetId");
    targets_set_auth(x->store, x->arena, id, exchange_json(x, "authConfig"));
    return exchange_answer(x, 200, targets_get(x->store, x->arena, id));
}
