// SPDX-License-Identifier: Apache-2.0
#include "complete.h"

#include <string.h>
#include <strings.h>

#include "auto.h"
#include "call_state.h"
#include "reply.h"

// clang-format off
static const struct {
    const char *kind, *path, *list;
    const char *member;  // NULL: name
} sources[] = {
    { "project",     "/api/projects?view=names",       "items" },
    { "environment", "/api/environments?view=names",   "items" },
    { "scenario",    "/api/scenarios?view=names",      "items" },
    { "ui_test",     "/api/ui-tests?view=names",       "items" },
    { "suite",       "/api/ui-test-suites?view=names", "items" },
    { "pipeline",    "/api/pipelines?view=names",      "items" },
    { "application", "/api/applications?view=names",   "items" },
    { "target",      "/api/targets?view=names",        "items" },
    { "tag",         "/api/tags",                      "tags"  },
    { "execution",   "/api/scenarios/executions",      "executions", "id" },
};
// clang-format on

static size_t
source_of(const char *kind)
{
    size_t index = 0;

    while (index < ROWS(sources) && strcmp(sources[index].kind, kind))
        index++;
    return index;
}

bool
complete_knows(const char *completes)
{
    return source_of(completes) < ROWS(sources);
}

static bool
is_proposed(const json_t *values, const char *name)
{
    for (const json_t *value = values->first; value; value = value->next)
        if (!strcmp(value->text, name))
            return true;
    return false;
}

static void
reply_values(call_t *call, json_t *values, int64_t total)
{
    json_t *body = json_object(call->arena);

    json_set(call->arena, body, "values", values);
    json_set_int(call->arena, body, "total", total);
    json_set_bool(call->arena, body, "hasMore", total > (int64_t) values->count);
    reply_finish(call, OK, DONE, json_text(call->arena, body));
}

static void
propose(call_t *call, const json_t *list, const char *member, const char *typed)
{
    json_t *values = json_array(call->arena);
    const size_t length = strlen(typed);
    int64_t total = 0;

    for (const json_t *item = list ? list->first : NULL; item; item = item->next) {
        const json_t *value = json_get(item, member);
        const char *name = value ? value->text : NULL;
        if (!name || strncasecmp(name, typed, length) || is_proposed(values, name))
            continue;
        total++;
        if (values->count < PROPOSED_MAX)
            json_add(values, json_string(call->arena, name));
    }
    reply_values(call, values, total);
}

void
complete_reply(call_t *call, const char *completes, const char *typed)
{
    const size_t index = completes ? source_of(completes) : ROWS(sources);
    json_t *answer;

    if (index == ROWS(sources))
        reply_values(call, json_array(call->arena), 0);
    else if (!platform_get_or_reply(call, &answer, "%s", sources[index].path))
        propose(call, json_get(answer, sources[index].list),
                sources[index].member ? sources[index].member : "name", typed);
}
