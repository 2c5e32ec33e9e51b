// SPDX-License-Identifier: Apache-2.0
// What a tool's function sees of its call. Everything belongs to the call, which has an arena:
// functions free nothing. A function named …_or_reply has answered already when it fails.

#ifndef PROOFARC_CALL_H
#define PROOFARC_CALL_H

#include <inttypes.h>

#include "json.h"
#include "tool.h"

arena_t *call_arena(const call_t *call);

// Arguments, checked and converted by the row.
const json_t *call_argument(const call_t *call, const char *name);  // NULL if absent
const char *call_text(const call_t *call, const char *name);        // NULL if absent
int64_t call_number(const call_t *call, const char *name, int64_t fallback);
bool call_flag(const call_t *call, const char *name);  // false if absent

// A settled reference: its id, and its name (NULL when an id was given that no snapshot knows).
// 0 if the reference is optional and was not given.
int64_t call_id(const call_t *call, const char *name);
const char *call_name(const call_t *call, const char *name);

// The tags of a row with .by_tag as the tests spell them that carry one, "Smoke" for "SMOKE".
const json_t *call_tags(const call_t *call);

// Who calls.
const char *call_principal(const call_t *call);
const char *call_profile(const call_t *call);

// Something is asked of the client: `method` is elicitation/create, sampling/createMessage or
// roots/list. Its result, or NULL: then the function returns without a reply (it may ask more
// before), and runs again from its beginning when the client has answered. Ask before you write.
const json_t *call_ask(call_t *call, const char *key, const char *method, const json_t *params);

// Whether the client declared "elicitation", "sampling" or "roots".
bool call_client_can(const call_t *call, const char *capability);

// What the function keeps between its rounds; NULL in the first.
const char *call_state(const call_t *call);
void call_set_state(call_t *call, const char *state);

// Said while the function works, if the client wants to hear it. `level` is debug, info, notice,
// warning, error, critical, alert or emergency.
void call_log(call_t *call, const char *level, const char *text);
void call_progress(call_t *call, int64_t done, int64_t total, const char *text);

// Tells every client that a list ("tools", "prompts", "resources") or one "resource" has changed.
void call_changed(call_t *call, const char *kind, const char *uri);

// Adds a block of MCP content (text, image, audio, resource, resource_link) to the answer.
void call_add_block(call_t *call, json_t *block);
json_t *block_of_text(call_t *call, const char *text);
json_t *block_of_image(call_t *call, const char *mime, const char *base64);
json_t *block_of_audio(call_t *call, const char *mime, const char *base64);
json_t *block_of_resource(call_t *call, const char *uri, const char *mime, const char *text);
json_t *block_of_link(call_t *call, const char *uri, const char *name, const char *mime);

// One REST call with the caller's token, deadline and idempotency key. 0 and *answer_p on any
// 2xx. Otherwise -1, and the call has been answered (a 404 for a reference given as digits
// becomes its not_found narrowing).
int platform_get_or_reply(call_t *call, json_t **answer_p, const char *path, ...)
    __attribute__((format(printf, 3, 4)));
int platform_send_or_reply(call_t *call, json_t **answer_p, const char *method,
                           const json_t *body, const char *path, ...)
    __attribute__((format(printf, 5, 6)));

// A GET that answers nothing: NULL when it failed. For what a write that has happened still
// wants to know, because a failure must not be said of it any more.
json_t *platform_peek(call_t *call, const char *path, ...)
    __attribute__((format(printf, 2, 3)));

// Answers. Exactly one per call; only fields of the row's result table are let through.
void reply_json(call_t *call, const json_t *result);
void reply_failure(call_t *call, const failure_t *why);

// Of a row that is `plain`: the blocks that were added are the answer.
void reply_blocks(call_t *call);

// Of a prompt: an array of {role, content}; reply_prompt() is for a single text.
void reply_messages(call_t *call, const json_t *messages);
void reply_prompt(call_t *call, const char *text);

// Of a resource: text, or bytes as base64.
void reply_text(call_t *call, const char *text);
void reply_base64(call_t *call, const char *base64);

// A row with `task` may answer with one instead, if the client has tasks: reply_new_task(). Its
// id is the row's name, a dot and `id`. Later the row's `task` function is called with the
// argument `op`: get, update (with `responses`) or cancel. For get it replies with the task and,
// by its status, a `result` (completed), `error` (failed) or `inputRequests` (input_required);
// for the others with NULL; for an id that there is not with NOT_FOUND.
bool call_client_has_tasks(const call_t *call);
void reply_needs_tasks(call_t *call);
json_t *task_of(call_t *call, const char *id, const char *status, const char *created,
                const char *updated);
void reply_new_task(call_t *call, json_t *task);
const char *call_task(const call_t *call);  // the `id`
void reply_task(call_t *call, const json_t *task);

// What the call itself would have answered: `value` as the row shows it, a string if it is plain.
json_t *task_result(call_t *call, const json_t *value, bool failed);

// Leaves the strand: the worker's waiter long-polls `path` (GET, answers {status, …} and knows
// ?waitMs=) with progress until its status is final or the caller's time is nearly up, then
// calls `finish` with the last answer; `timed_out` says which. `finish` runs in a strand again
// and must reply.
typedef void finish_fn(call_t *call, json_t *answer, bool timed_out);
void reply_when_done(call_t *call, finish_fn *finish, const char *path, ...)
    __attribute__((format(printf, 3, 4)));

// A write changed or made this entity {id, name, projectIds, tags …}: it is patched into every
// snapshot of the principal before this returns (FORGET_MS at most).
void call_touched(call_t *call, const char *kind, const json_t *entity);

#endif
