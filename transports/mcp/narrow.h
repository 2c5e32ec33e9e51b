// SPDX-License-Identifier: Apache-2.0
// A question that a tool has left, put to the person as a form: with --narrow=elicit, and a client
// that can show one. The choice becomes an argument and the tool is called again; whoever declines
// gets the plain answer.

#ifndef PROOFARC_MCP_NARROW_H
#define PROOFARC_MCP_NARROW_H

#include "mcp/exchange.h"
#include "messages.h"

// True if the client is being asked, or has been answered with the question.
bool narrow_ask(request_t *request, const answer_msg_t *answer, const char *body, size_t size);

// Takes what the person has chosen into the call. `state` is the one that narrow_ask() gave to the
// inquiry. False: it is none of ours.
bool narrow_take(request_t *request, const char *state, const json_t *responses);

#endif
