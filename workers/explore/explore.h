// SPDX-License-Identifier: Apache-2.0
// The tables of this category, one per noun.

#ifndef PROOFARC_EXPLORE_H
#define PROOFARC_EXPLORE_H

#include "call.h"

extern const tool_t explore_projects[], explore_environments[], explore_scenarios[],
    explore_ui_tests[], explore_pipelines[], explore_tags[], explore_whoami[];
extern const prompt_t explore_prompts[];

// Answers with the first LISTED_MAX entities of a list whose tool has no cursor, optionally
// those of the argument `project`, optionally those whose name contains the argument `name`.
// `total` tells how many there are.
void explore_reply_list(call_t *call, const char *path);

enum { LISTED_MAX = 500 };

#endif
