// SPDX-License-Identifier: Apache-2.0
// Three tools of the transport itself, for clients whose view hides some: search what there is,
// look at one, call it. They are listed only where something is hidden, and reach no further
// than the view allows.

#ifndef PROOFARC_MCP_ROUTER_H
#define PROOFARC_MCP_ROUTER_H

#include "mcp/exchange.h"

// The index-th entry of the list of tools, as JSON; NULL behind the last one.
const char *router_entry(size_t index);

// True if it is one of these tools, and the request's view has them.
bool router_is(const request_t *request, const char *name);

// Reads what call_tool is to call into the request's call. False: the request has been answered.
bool router_redirect(request_t *request);

// True if it is call_tool, which router_redirect() is for.
bool router_calls(const char *name);

// Answers a call of one of the others.
void router_run(request_t *request);

#endif
