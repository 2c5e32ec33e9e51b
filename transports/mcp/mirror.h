// SPDX-License-Identifier: Apache-2.0
// What a client says twice, in a header and in the body, has to be the same. Values that a header
// cannot hold stand there as =?base64?…?=. Pure.

#ifndef PROOFARC_MCP_MIRROR_H
#define PROOFARC_MCP_MIRROR_H

#include "json.h"

// True if the header (NULL: it is not there) says this text.
bool mirror_matches_text(const char *header, const char *text);

// True if it says this string, number or boolean.
bool mirror_matches(const char *header, const json_t *value);

// Looks at every property of the schema with x-mcp-header: Mcp-Param-<that> is there if the
// argument is, and says the same. OK, or BAD_ARGS and `why`.
status_t mirror_check(const json_t *schema, const json_t *arguments,
                      const char *(*header)(const char *name, void *arg), void *arg,
                      failure_t *why);

#endif
