// SPDX-License-Identifier: Apache-2.0
// Several transports behind one address: what the client of a session says to one of them may
// concern a request, a stream or a setting at another. Such messages are told to all.

#ifndef PROOFARC_MCP_SHARED_H
#define PROOFARC_MCP_SHARED_H

#include "mcp/exchange.h"
#include "messages.h"

// Tells the others. Nothing happens for a client without a session, or with one connection for all.
void shared_tell(service_t *service, const peer_t *peer, const rpc_message_t *message);

// What another transport was told. Nothing of it is answered, and it is not told again.
void shared_take(service_t *service, const said_msg_t *said);

#endif
