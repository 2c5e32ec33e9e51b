// SPDX-License-Identifier: Apache-2.0
// What the categories offer, as the lists of MCP: assembled once per catalogue and protocol
// version, then sent from memory, byte for byte the same.

#ifndef PROOFARC_MCP_LISTING_H
#define PROOFARC_MCP_LISTING_H

#include "buffer.h"
#include "mcp/protocol.h"
#include "messages.h"

typedef struct listing listing_t;

typedef enum { LIST_TOOLS, LIST_RESOURCES, LIST_TEMPLATES, LIST_PROMPTS, LIST_COUNT } list_t;

// Shows the tools of `profile` (core, standard, wide or full) and below.
listing_t *listing_new(const char *profile);
void listing_destroy(listing_t **self_p);

// Takes what a CATALOGUE carries. True if the lists are others than before. BAD_ARGS in `why`,
// and nothing changed, when it is malformed.
bool listing_take(listing_t *self, const catalogue_msg_t *catalogue, failure_t *why);

// True once every category has checked in; stays so.
bool listing_is_complete(const listing_t *self);

// True if there is any entry.
bool listing_is_known(const listing_t *self);

// The tool of that name, or NULL. A tool above the profile is not there.
const entry_msg_t *listing_tool(const listing_t *self, const char *name);

// The resource of that URI, or the template it belongs to, or NULL.
const entry_msg_t *listing_resource(const listing_t *self, const char *uri);

// The result of the list method, e.g. {"tools":[…]}. Valid until the next listing_take().
const buffer_t *listing_result(listing_t *self, list_t list, protocol_t protocol);

#endif
