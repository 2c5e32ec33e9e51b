// SPDX-License-Identifier: Apache-2.0
// A tool needs to know something of the client. Versions that begin with `initialize` are asked by
// requests of ours, on the way of the request that caused them; the others get an answer
// that says what is missing, and come again with it. Either way the tool is called once more.

#ifndef PROOFARC_MCP_INQUIRY_H
#define PROOFARC_MCP_INQUIRY_H

#include "mcp/exchange.h"

enum { INQUIRY_MS = 5 * 60 * 1000 };  // how long a client may think about an answer

// What a call is to be repeated with: reads inputResponses. False: they are malformed, and the
// request has been answered.
bool inquiry_read(request_t *request);

// Opens requestState, once it is known who calls. False: it is none of ours for this call, and the
// request has been answered.
bool inquiry_open_state(request_t *request);

// Whose state it is that comes back with the answers: the worker's, or the transport's own.
typedef enum { INQUIRY_OF_TOOL = '=', INQUIRY_OF_OURS = '~' } inquiry_owner_t;

// Asks what is in `asked` ({key: {"method", "params"}}); state NULL: none.
void inquiry_put(request_t *request, const json_t *asked, inquiry_owner_t owner,
                 const char *state);

// The answer of a call says INPUT_REQUIRED: asks, in the way of the request's version.
void inquiry_start(request_t *request, const char *body, size_t size);

// A response of the client, perhaps to one of our requests. True if it is.
bool inquiry_take(service_t *service, const peer_t *peer, const rpc_message_t *message);

// Ends the call: the client will not answer.
void inquiry_end(request_t *request);

// True if the client has thought for too long.
bool inquiry_is_overdue(const request_t *request, int64_t now_ms);

#endif
