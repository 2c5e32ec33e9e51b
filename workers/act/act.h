// SPDX-License-Identifier: Apache-2.0
// The tables of this category, one per noun.

#ifndef PROOFARC_ACT_H
#define PROOFARC_ACT_H

#include "call.h"

extern const tool_t act_scenarios[], act_tags[];

enum { LINKS_MAX = 10 };  // runs that one answer links to

// Stands beside the answer: where the whole run can be read. `id` may be NULL.
void act_link_execution(call_t *call, const json_t *id);

#endif
