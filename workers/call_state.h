// SPDX-License-Identifier: Apache-2.0
// A call as the runtime sees it; tools see call.h alone. All of it lives in the loop's thread; a
// strand works on it.

#ifndef PROOFARC_CALL_STATE_H
#define PROOFARC_CALL_STATE_H

#include "call.h"
#include "http.h"
#include "limits.h"
#include "messages.h"
#include "news.h"
#include "refs.h"
#include "strand.h"
#include "waiter.h"

enum {
    MARGIN_MS = 500,        // the worker ends this long before the caller does
    FINISH_MS = 1000,       // of a call that waited: for its last requests
    ANSWER_FRAME = 2 * KIB  // of a client's message around the result: id, names of members
};

// What a strand works with.
typedef struct {
    const char *platform;  // base URL without a slash at its end
    http_t *http;
    refs_t *refs;
    const news_t *news;
    waiter_t *waiter;
    strand_t *strand;
} desk_t;

struct call {
    call_msg_t message;
    arenas_t *arenas;  // that its own comes from
    arena_t *arena;
    const char *body;  // the arguments as they came
    size_t body_size;
    const tool_t *tool;  // one of these five
    const template_t *template;
    const resource_t *resource;
    const prompt_t *prompt;
    bool is_of_task;     // something is done with a task of the tool
    bool is_completion;  // of an argument of the prompt or template
    int64_t began_ms;
    int64_t deadline_ms;  // nothing is sent to the platform after it
    bool is_cancelled;
    desk_t *desk;  // of the strand that works on it; NULL for a quick row

    json_t *arguments;      // checked
    json_t *resolved;       // {"project": {"id", "name"}} of the references that were given
    json_t *tags;           // as the tests spell them; NULL if the row is not by tag
    int writes;             // sent to the platform
    int writes_done;        // of these, answered with 2xx
    const char *read_path;  // of the latest GET, or NULL

    json_t *blocks;        // beside the result, or NULL
    json_t *asked_inputs;  // {key: {method, params}} that this round asks, or NULL
    json_t *lacking;       // capabilities that it would have to have, or NULL
    const char *state;     // for the next round, or NULL

    finish_fn *finish;  // set: the call waits, or has waited, for `wait_path`
    const char *wait_path;
    char *waited;      // latest answer to it, malloc'ed, or NULL
    long waited_code;  // its HTTP code, 0 for none
    bool timed_out;

    bool is_answered;
    status_t status;
    outcome_t outcome;
    const char *asked;   // the parameter a narrowing is about, or ""
    const char *answer;  // JSON, in the arena
    size_t answer_size;
    const char *content;  // JSON array of blocks, or ""
    const char *mime;     // of a resource, or ""
    bool is_base64;       // of a resource

    size_t broker;    // that it came from
    bool is_waiting;  // in the waiter's hands
    call_t *next;     // in the list that holds it
};

// Takes the message over; `body` is copied. Its time starts now. `arenas` must outlive it.
call_t *call_new(arenas_t *arenas, call_msg_t *message, const void *body, size_t size);
void call_destroy(call_t **self_p);

// Longest time a call of the tool may take, as READY says it.
int64_t call_budget(const tool_t *tool);

// Does the next part of the call: afterwards it is answered or waits. `desk` is NULL for rows
// that do no I/O; any other runs in a strand.
void call_work(call_t *self, desk_t *desk);

// Milliseconds until the deadline, 0 once it has passed.
int64_t call_left(const call_t *self);

#endif
