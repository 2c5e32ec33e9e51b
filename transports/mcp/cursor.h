// SPDX-License-Identifier: Apache-2.0
// Cursors: where the next page of a list begins, sealed for the client to bring back. One is good
// for one list, in the state that it was issued for. Pure.

#ifndef PROOFARC_MCP_CURSOR_H
#define PROOFARC_MCP_CURSOR_H

#include "json.h"
#include "mcp/sealed.h"

// Which list, by its method, and its state (listing_mark()).
typedef struct {
    const char *method;
    uint64_t mark;
} cursor_list_t;

// Appends the cursor of the page that begins at this entry.
void cursor_write(const sealer_t *sealer, const cursor_list_t *list, size_t offset,
                  buffer_t *out);

// True and *offset_p set if the client's cursor is one of this list. None, or null, is that of the
// first page.
bool cursor_read(const sealer_t *sealer, const cursor_list_t *list, const json_t *cursor,
                 size_t *offset_p);

#endif
