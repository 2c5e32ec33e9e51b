// SPDX-License-Identifier: Apache-2.0
// The methods of MCP: one table, one function each.

#ifndef PROOFARC_MCP_METHODS_H
#define PROOFARC_MCP_METHODS_H

#include "mcp/exchange.h"

// Begins a request: it is answered now, sent on, or parked until what its method needs is there.
void methods_start(request_t *request);

// Tries a parked request again.
void methods_retry(request_t *request);

// Ends a parked request: nobody waits any more.
void methods_give_up(request_t *request);

// A notification of the client. Never answered, whatever it is.
void methods_notice(service_t *service, const peer_t *peer, const rpc_message_t *message);

#endif
