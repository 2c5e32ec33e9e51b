// SPDX-License-Identifier: Apache-2.0
// The one place where the answer of a call becomes a result of MCP. Pure.

#ifndef PROOFARC_MCP_CONTENT_H
#define PROOFARC_MCP_CONTENT_H

#include "arena.h"
#include "buffer.h"
#include "mcp/protocol.h"
#include "messages.h"

// Appends {"error":{"code","message","outcome"}}: what a tool says when it fails, for failures
// that no tool has described.
void content_failure(buffer_t *out, status_t status, outcome_t outcome, const char *text);

// Appends the result of tools/call: a text block with the JSON of `body`, the extra blocks of the
// answer, structuredContent for those who know it, isError unless it went well. An empty body
// is described from the status. What would be over RESULT_MAX as the client receives it loses
// the text copy, and if that is not enough becomes a failure that says so. Blocks of a kind that
// the version does not know become text.
void content_of_tool(buffer_t *out, const answer_msg_t *answer, const char *body, size_t size,
                     protocol_t protocol);

// Appends the result of resources/read.
void content_of_resource(buffer_t *out, const char *uri, const answer_msg_t *answer,
                         const char *body, size_t size);

// Appends JSON that is a result already.
void content_as_it_is(buffer_t *out, const char *body, size_t size);

// The sentence in {"error":{"message":…}}, else what the status says. In the arena.
const char *content_message(arena_t *arena, status_t status, const char *body, size_t size);

#endif
