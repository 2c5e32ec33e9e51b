// SPDX-License-Identifier: Apache-2.0
#include "find.h"

#include <string.h>

#include "auto.h"
#include "offer.h"

static status_t
find_tool(call_t *call, const category_t *const *categories, failure_t *why)
{
    call->tool = offer_tool(categories, call->message.name);
    return call->tool ? OK : fail(why, NO_TOOL, "there is no tool %.40s", call->message.name);
}

// The id of a task begins with the name of its tool.
static status_t
find_task(call_t *call, const category_t *const *categories, failure_t *why)
{
    const char *name = call->message.name;

    call->is_of_task = true;
    call->tool = offer_tool(categories, arena_strndup(call->arena, name, strcspn(name, ".")));
    if (call->tool && call->tool->task)
        return OK;
    call->tool = NULL;
    return fail(why, NOT_FOUND, "there is no task of this id");
}

static status_t
find_prompt(call_t *call, const category_t *const *categories, failure_t *why)
{
    call->prompt = offer_prompt(categories, call->message.name);
    return call->prompt ? OK
                        : fail(why, NO_TOOL, "there is no prompt %.40s", call->message.name);
}

static status_t
find_resource(call_t *call, const category_t *const *categories, failure_t *why)
{
    const char *uri = call->message.name;

    call->resource = offer_resource(categories, uri);
    if (!call->resource)
        call->template = offer_template(categories, uri);
    return call->resource || call->template
               ? OK
               : fail(why, NOT_FOUND, "there is no resource of this URI");
}

// The reference of a completion is a prompt or the template itself.
static status_t
find_completed(call_t *call, const category_t *const *categories, failure_t *why)
{
    call->is_completion = true;
    call->prompt = offer_prompt(categories, call->message.name);
    if (!call->prompt)
        call->template = offer_template_itself(categories, call->message.name);
    return call->prompt || call->template
               ? OK
               : fail(why, NOT_FOUND, "there is no prompt and no template %.60s",
                      call->message.name);
}

// clang-format off
static const struct {
    const char *kind;
    status_t (*find)(call_t *call, const category_t *const *categories, failure_t *why);
} kinds[] = {
    { "tool",     find_tool      },
    { "resource", find_resource  },
    { "prompt",   find_prompt    },
    { "complete", find_completed },
    { "task",     find_task      },
};
// clang-format on

status_t
find_row(call_t *call, const category_t *const *categories, failure_t *why)
{
    for (size_t i = 0; i < ROWS(kinds); i++)
        if (!strcmp(kinds[i].kind, call->message.kind))
            return kinds[i].find(call, categories, why);
    return fail(why, NO_TOOL, "nothing of this kind is offered here");
}
