// SPDX-License-Identifier: Apache-2.0
// What a worker offers: the tools, templates, resources and prompts of its categories.

#ifndef PROOFARC_OFFER_H
#define PROOFARC_OFFER_H

#include <stdio.h>

#include "arena.h"
#include "category.h"
#include "status.h"

// `categories` ends with NULL. OK, or BAD_ARGS when a row breaks the rules of
// docs/tools-how-to.md; `why` names tool and rule.
status_t offer_check(const category_t *const *categories, failure_t *why);

const tool_t *offer_tool(const category_t *const *categories, const char *name);
// The template that the URI is one of; below, the template of that very text.
const template_t *offer_template(const category_t *const *categories, const char *uri);
const template_t *offer_template_itself(const category_t *const *categories, const char *uri);
const resource_t *offer_resource(const category_t *const *categories, const char *uri);
const prompt_t *offer_prompt(const category_t *const *categories, const char *name);

// catalogue_pack() of all entries; the caller frees.
void offer_pack(const category_t *const *categories, void **bytes_p, size_t *size_p);

// One line per tool: category, name, effect, profile.
void offer_print_list(const category_t *const *categories, FILE *out);

// One line of JSON per entry: {category, kind, effect, profile, budgetMs, entry}.
void offer_print_schemas(const category_t *const *categories, FILE *out);

#endif
