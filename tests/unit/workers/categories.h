// SPDX-License-Identifier: Apache-2.0
// Every category there is, for tests that look at all rows.

#ifndef PROOFARC_TESTS_CATEGORIES_H
#define PROOFARC_TESTS_CATEGORIES_H

#include "category.h"

static const category_t *const all_categories[] = {
    &explore_category,       &act_category,   &report_category,
    &api_authoring_category, &setup_category, &environments_category,
};

// Calls `look` for every row of every category.
static inline void
each_tool(void (*look)(const category_t *category, const tool_t *tool, void *arg), void *arg)
{
    for (size_t i = 0; i < sizeof all_categories / sizeof *all_categories; i++)
        for (const tool_t *const *table = all_categories[i]->tables; *table; table++)
            for (const tool_t *tool = *table; tool->name; tool++)
                look(all_categories[i], tool, arg);
}

#endif
