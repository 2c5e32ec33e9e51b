// SPDX-License-Identifier: Apache-2.0
// What the categories offer, as the lists of MCP: assembled once per catalogue and protocol
// version, then sent from memory, byte for byte the same.

#ifndef PROOFARC_MCP_LISTING_H
#define PROOFARC_MCP_LISTING_H

#include "buffer.h"
#include "mcp/protocol.h"
#include "mcp/view.h"
#include "messages.h"

typedef struct listing listing_t;

enum { LISTING_PAGE_MAX = 500 };

typedef enum { LIST_TOOLS, LIST_RESOURCES, LIST_TEMPLATES, LIST_PROMPTS, LIST_COUNT } list_t;

// The tools within `bound` (copied; its texts are borrowed; NULL: all). A page of a list has
// `page_max` entries (0: LISTING_PAGE_MAX).
listing_t *listing_new(const view_t *bound, size_t page_max);
void listing_destroy(listing_t **self_p);

// Takes what a CATALOGUE carries. The lists that are others than before, one bit each (1 <<
// LIST_TOOLS …). BAD_ARGS in `why`, and nothing changed, when it is malformed.
unsigned listing_take(listing_t *self, const catalogue_msg_t *catalogue, failure_t *why);

// True once every category has checked in; stays so.
bool listing_is_complete(const listing_t *self);

// True if there is any entry.
bool listing_is_known(const listing_t *self);

// Changes whenever the entries do.
uint64_t listing_mark(const listing_t *self);

// The tool of that name, or NULL. One that the view (NULL: the bound alone) does not show is not
// there.
const entry_msg_t *listing_tool(const listing_t *self, const view_t *view, const char *name);

// The same for those that may be called by way of another one: a profile hides nothing.
const entry_msg_t *listing_allowed(const listing_t *self, const view_t *view, const char *name);

// The index-th entry of the kind "tool" that may be called so; NULL behind the last one.
const entry_msg_t *listing_nth(const listing_t *self, const view_t *view, size_t *cursor_p);

// True if who has this view does not see all that may be called.
bool listing_hides(const listing_t *self, const view_t *view);

// The resource of that URI, or the template it belongs to, or NULL.
const entry_msg_t *listing_resource(const listing_t *self, const char *uri);

// The entry of that kind and name, or NULL.
const entry_msg_t *listing_entry(const listing_t *self, const char *kind, const char *name);

// Appends the result of the list method, from the offset-th entry on, e.g. {"tools":[…]}. The offset
// of the next page, or 0 behind the last.
size_t listing_page(listing_t *self, const view_t *view, list_t list, protocol_t protocol,
                    size_t offset, buffer_t *out);

#endif
