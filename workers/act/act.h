// SPDX-License-Identifier: Apache-2.0
// The tables of this category, one per noun.

#ifndef PROOFARC_ACT_H
#define PROOFARC_ACT_H

#include "call.h"

extern const tool_t act_scenarios[], act_tags[];

enum { LINKS_MAX = 10 };  // runs that one answer links to

// Stands beside the answer: where the whole run can be read. `id` may be NULL.
void act_link_execution(call_t *call, const json_t *id);

// What execute_scenario answers about the platform's record of a run; it changes the record.
json_t *act_shown(arena_t *arena, json_t *execution);

// A run as a task: its id is the number of the execution and the unguessable id of its job, both
// the platform's, so that no process has to remember it.
void act_reply_as_task(call_t *call, int64_t execution);
tool_fn act_on_task;

#endif
