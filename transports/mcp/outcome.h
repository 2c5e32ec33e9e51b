// SPDX-License-Identifier: Apache-2.0
// From what a worker has answered to what the client gets. The way there is in mcp/invoke.h.

#ifndef PROOFARC_MCP_OUTCOME_H
#define PROOFARC_MCP_OUTCOME_H

#include "mcp/exchange.h"

// There is no resource at the address that was asked for.
void outcome_no_resource(request_t *request);

#endif
