// SPDX-License-Identifier: Apache-2.0
// The check of a call's arguments against its row, and their conversion: what real clients
// send (numbers as text, lists as one string, JSON in a string, null and "" and "null" for
// nothing) becomes what the row says.

#ifndef PROOFARC_ARGUMENTS_H
#define PROOFARC_ARGUMENTS_H

#include "json.h"
#include "tool.h"

// Checks `given` (an object, or NULL for none) and sets *checked_p to a fresh object that has
// exactly the parameters which were given, converted: TEXT a string, NUMBER an integer, FLAG a
// boolean, MANY an array, OBJECT an object, references a string or an integer. Members that clients add on
// their own (_meta, toolCallId, sessionId, chatInput, action) are dropped. BAD_ARGS names the
// parameter, what was given and what is expected; an unknown one lists those that exist; a
// missing MUST that is no reference is named. The resolver asks for missing references.
status_t arguments_check(arena_t *arena, const tool_t *tool, const json_t *given,
                         json_t **checked_p, failure_t *why);

// True if a reference counts as missing: absent, null, "", blanks, "null".
bool arguments_is_missing(const json_t *value);

#endif
