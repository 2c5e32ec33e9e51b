// SPDX-License-Identifier: Apache-2.0
// A category: a name and the tables of tools that its files export. workers/main.c has the one
// list of categories; `proofarc-worker explore act` serves two.

#ifndef PROOFARC_CATEGORY_H
#define PROOFARC_CATEGORY_H

#include "tool.h"

typedef struct {
    const char *name;
    const tool_t *const *tables;  // NULL-ended; each table ends with a row without a name
    const template_t *templates;  // ended by a row without a uri, or NULL
    const resource_t *resources;  // likewise
    const prompt_t *prompts;      // ended by a row without a name, or NULL
} category_t;

extern const category_t explore_category, act_category, report_category, api_authoring_category,
    setup_category, environments_category;

#endif
