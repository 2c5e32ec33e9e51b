// SPDX-License-Identifier: Apache-2.0
// What anybody may ask.

#include "describe.h"
#include "routes.h"
#include "settings.h"

static route_fn get_health, get_info, get_openapi;

const route_t open_routes[] = { {
                                    .method = "GET",
                                    .path = "/api/health",
                                    .id = "getHealth",
                                    .summary = "Tell whether the platform serves.",
                                    .answer =
                                        "{status: ok}; 503 when the database cannot be read.",
                                    .run = get_health,
                                },
                                {
                                    .method = "GET",
                                    .path = "/api/info",
                                    .id = "getInfo",
                                    .summary = "Tell which program this is.",
                                    .answer = "{name, version, remembersKeys}.",
                                    .run = get_info,
                                },
                                {
                                    .method = "GET",
                                    .path = "/api/openapi.json",
                                    .id = "getOpenapi",
                                    .summary = "Describe all routes.",
                                    .answer = "This document.",
                                    .run = get_openapi,
                                    .is_list = true,
                                },
                                { 0 } };

static status_t
get_health(exchange_t *x)
{
    json_t *answer = json_object(x->arena);

    store_ping(x->store);  // a database that cannot be read answers 503 in our place
    json_set_text(x->arena, answer, "status", "ok");
    return exchange_answer(x, 200, answer);
}

static status_t
get_info(exchange_t *x)
{
    json_t *answer = json_object(x->arena);

    json_set_text(x->arena, answer, "name", "proofarc-platform");
    json_set_text(x->arena, answer, "version", proofarc_version());
    json_set_bool(x->arena, answer, "remembersKeys", true);
    return exchange_answer(x, 200, answer);
}

static status_t
get_openapi(exchange_t *x)
{
    return exchange_answer(x, 200, describe_routes(x->arena));
}
