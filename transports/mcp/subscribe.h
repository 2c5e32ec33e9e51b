// SPDX-License-Identifier: Apache-2.0
// Who wants to hear of changes: resources/subscribe for a session, subscriptions/listen without one.

#ifndef PROOFARC_MCP_SUBSCRIBE_H
#define PROOFARC_MCP_SUBSCRIBE_H

#include "mcp/exchange.h"

bool subscribe_check_uri(request_t *request);
void subscribe_watch(request_t *request);
void subscribe_unwatch(request_t *request);

// The request stays open and is told of changes until the client or the server ends it.
bool subscribe_check_listen(request_t *request);
void subscribe_listen(request_t *request);

// Ends the subscription with its result: the server is about to end.
void subscribe_finish(request_t *request);

#endif
