// SPDX-License-Identifier: Apache-2.0
// Tasks that a subscription follows (extension io.modelcontextprotocol/tasks): they are looked at one
// after the other, and the client is told when the status of one has changed.

#ifndef PROOFARC_MCP_FOLLOW_H
#define PROOFARC_MCP_FOLLOW_H

#include "mcp/exchange.h"
#include "messages.h"

typedef struct follow follow_t;

enum {
    FOLLOWED_MAX = 32,       // tasks of one subscription
    FOLLOWED_ID_MAX = 256,   // bytes of an id
    FOLLOW_EVERY_MS = 1000,  // between two looks at one task
    FOLLOW_LEAST_MS = 100,   // between two looks at any of them
};

// Follows the tasks of this array of ids, as many as there may be, and appends those to `honoured`
// as an array. Each is taken to be at work: whatever else it is is told.
follow_t *follow_new(request_t *request, const json_t *ids, buffer_t *honoured);
void follow_destroy(follow_t **self_p);

// Looks at the next one if it is time to.
void follow_tick(follow_t *self, int64_t now_ms);

// What the worker says of the one that was looked at.
void follow_answer(follow_t *self, const answer_msg_t *answer, const char *body, size_t size);

#endif
