// SPDX-License-Identifier: Apache-2.0
// Tags.

#include "store/tags.h"
#include "routes/find.h"
#include "routes/list.h"
#include "store/projects.h"

static route_fn list_tags;

const route_t tag_routes[] = {
    {
        .method = "GET",
        .path = "/api/tags",
        .least = VIEWER,
        .id = "listTags",
        .summary = "List the tags that tests carry.",
        .answer = "tags of {name, count, apiScenarios, uiTests}, total, returned.",
        .run = list_tags,
        .is_list = true,
        .is_quick = true,
        .query = {
            { "projectId", M_ID, .about = "Only of this project's tests." },
            { "kind", M_TEXT, .about = "Only of tests of this kind.",
              .one_of = "api_scenario|ui_test" },
        },
    },
    { 0 }
};

static status_t
list_tags(exchange_t *x)
{
    json_t *answer = json_object(x->arena);

    if (!find_in_query(x, "projectId", "project", projects_get))
        return x->why.status;
    json_t *tags = tags_all(x->store, x->arena, exchange_asked_int(x, "projectId", 0),
                            exchange_asked(x, "kind"));

    json_set(x->arena, answer, "tags", tags);
    json_set_int(x->arena, answer, "total", (int64_t) tags->count);
    json_set_int(x->arena, answer, "returned", (int64_t) tags->count);
    return exchange_answer(x, 200, answer);
}
