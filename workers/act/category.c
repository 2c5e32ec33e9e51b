// SPDX-License-Identifier: Apache-2.0
#include "category.h"
#include "act/act.h"

static const tool_t *const tables[] = { act_scenarios, act_tags, NULL };

void
act_link_execution(call_t *call, const json_t *id)
{
    arena_t *arena = call_arena(call);

    if (!id || (id->kind != JSON_NUMBER && id->kind != JSON_STRING))
        return;
    call_add_block(
        call, block_of_link(call, arena_printf(arena, "proofarc://execution/%s", id->text),
                            arena_printf(arena, "Execution %s", id->text), "application/json"));
}

const category_t act_category = { .name = "act", .tables = tables };
