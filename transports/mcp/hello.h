// SPDX-License-Identifier: Apache-2.0
// How client and server get to know each other: initialize, server/discover, ping, and how much
// the client wants to hear.

#ifndef PROOFARC_MCP_HELLO_H
#define PROOFARC_MCP_HELLO_H

#include "mcp/exchange.h"

void hello_initialize(request_t *request);
void hello_discover(request_t *request);
void hello_ping(request_t *request);

bool hello_check_level(request_t *request);
void hello_set_level(request_t *request);

// True if a client with that capability `elicitation` (NULL: none) can be asked with forms. An empty
// one means them; one that names other modes alone does not.
bool hello_takes_forms(const json_t *elicitation);

// The level of that name (NULL for none), of static life; NULL: there is none.
const char *hello_level(const char *name);

// True if a message of this level is to reach who wants `least` and above ("": nothing).
bool hello_passes(const char *level, const char *least);

// What a session over HTTP says of its client, as the JSON that `initialize` had (borrowed).
const char *hello_capabilities(unsigned capabilities);

#endif
