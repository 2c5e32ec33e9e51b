// SPDX-License-Identifier: Apache-2.0
#include "category.h"
#include "explore/explore.h"
#include "http.h"

static const tool_t *const tables[] = {
    explore_projects,  explore_environments, explore_scenarios, explore_ui_tests,
    explore_pipelines, explore_tags,         explore_whoami,    NULL,
};

const category_t explore_category = { .name = "explore",
                                      .tables = tables,
                                      .prompts = explore_prompts };

void
explore_reply_list(call_t *call, const char *path)
{
    const int64_t project = call_id(call, "project");
    const char *name = call_text(call, "name");
    json_t *list;

    char *query = arena_printf(call_arena(call), "%s?limit=%d", path, LISTED_MAX);
    if (project)
        query = arena_printf(call_arena(call), "%s&projectId=%" PRId64, query, project);
    if (name)
        query = arena_printf(call_arena(call), "%s&name=%s", query,
                             http_escape(call_arena(call), name));
    if (!platform_get_or_reply(call, &list, "%s", query))
        reply_json(call, list);
}
