// SPDX-License-Identifier: Apache-2.0
// Protocol 2026-07-28: no `initialize`, no session; each request says in `_meta` who speaks which
// version and can do what, and over HTTP its headers say the same once more. The one place
// where a result becomes one of that version.

#ifndef PROOFARC_MCP_STATELESS_H
#define PROOFARC_MCP_STATELESS_H

#include "mcp/exchange.h"

// Prefix of the members of `_meta` that are the protocol's own.
#define STATELESS_META "io.modelcontextprotocol/"

// The extension that makes a long call a task.
#define STATELESS_TASKS "io.modelcontextprotocol/tasks"

// True if the body is a message of that version, whatever its headers say.
bool stateless_claims(const char *bytes, size_t size);

// Decides which version the request belongs to, and marks it. False: it is one of the stateless
// version and wrong; it has been answered.
bool stateless_admit(request_t *request);

// Once it is known that the method is served: Mcp-Method and Mcp-Name say what the body says.
// False: answered.
bool stateless_check_headers(request_t *request, const char *named_by);

// For each argument that the tool's schema wants in a header, too (x-mcp-header). False: answered.
bool stateless_check_arguments(request_t *request, const char *entry);

// Completes the result that begins in `out` at `begin`: resultType, serverInfo, and for a list or
// a resource how long it may be kept.
void stateless_seal(buffer_t *out, size_t begin, const request_t *request);

// The HTTP code that goes with a JSON-RPC error.
int stateless_http(int code);

#endif
