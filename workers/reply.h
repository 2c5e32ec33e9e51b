// SPDX-License-Identifier: Apache-2.0
// The answer of a call: the JSON of the structured result, written once. reply_json() and
// reply_failure() are declared in call.h.

#ifndef PROOFARC_REPLY_H
#define PROOFARC_REPLY_H

#include "call.h"
#include "status.h"

// {"error": {code, message, outcome}} and, if the platform listed them, its single `errors`.
void reply_error(call_t *call, const failure_t *why, const json_t *errors);

// The question that is left instead of a result.
void reply_narrowing(call_t *call, const char *asked, const json_t *narrowing);

// Ends the call with this body, in the arena.
void reply_finish(call_t *call, status_t status, outcome_t outcome, const char *json);

// A resource: the platform's JSON as it is.
void reply_resource(call_t *call, const json_t *value, const char *mime);

// What the fields let through of `value`, in their order: nothing that is null, and members of
// nested objects only if the row names them.
json_t *reply_pick(arena_t *arena, const field_t *fields, const json_t *value);

#endif
