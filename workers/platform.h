// SPDX-License-Identifier: Apache-2.0
// REST calls for a tool: the caller's token, deadline and keys, and what a failure means.
// platform_…_or_reply() are declared in call.h.

#ifndef PROOFARC_PLATFORM_H
#define PROOFARC_PLATFORM_H

#include "call.h"
#include "rest.h"

// Sends the request. 0 and *answer_p on any 2xx; otherwise -1, and the call has been answered.
int platform_request_or_reply(call_t *call, const rest_request_t *request, json_t **answer_p);

// Answers the call with what an HTTP answer other than 2xx means. `retry_after` is the header of
// that name, or NULL: nothing here waits for it, but the caller is told.
void platform_reply_refusal(call_t *call, const char *path, bool is_write, long code,
                            const char *body, const char *retry_after);

typedef enum { PLATFORM_KNOWS, PLATFORM_KNOWS_NOT, PLATFORM_TELLS_NOT } platform_knows_t;

// Asks whether there is an entity of this kind and id. It tells only of kinds that have a route
// for one entity.
platform_knows_t platform_knows(call_t *call, int kind, const char *id);

#endif
