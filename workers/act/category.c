// SPDX-License-Identifier: Apache-2.0
#include "category.h"
#include "act/act.h"

static const tool_t *const tables[] = { act_scenarios, act_tags, NULL };

const category_t act_category = { .name = "act", .tables = tables };
