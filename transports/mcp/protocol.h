// SPDX-License-Identifier: Apache-2.0
// The protocol versions, oldest first, and what a client of each can read. The last one has no
// `initialize`: each of its requests says its version (mcp/stateless.h).

#ifndef PROOFARC_MCP_PROTOCOL_H
#define PROOFARC_MCP_PROTOCOL_H

#include <stdbool.h>

typedef enum {
    PROTOCOL_2024_11_05,
    PROTOCOL_2025_03_26,
    PROTOCOL_2025_06_18,
    PROTOCOL_2025_11_25,
    PROTOCOL_2026_07_28,
    PROTOCOL_COUNT
} protocol_t;

enum {
    PROTOCOL_NEWEST = PROTOCOL_2025_11_25,   // of those that begin with `initialize`
    PROTOCOL_ASSUMED = PROTOCOL_2025_03_26,  // of a client that names none over HTTP
};

const char *protocol_name(protocol_t protocol);

// True and *protocol_p set if `name` (may be NULL) is one that begins with `initialize`.
bool protocol_find(const char *name, protocol_t *protocol_p);

// True if `name` (may be NULL) has the form of a version and is newer than all of those.
bool protocol_is_newer(const char *name);

// What came with which version.
bool protocol_is_stateless(protocol_t protocol);     // no `initialize`, no session
bool protocol_has_batches(protocol_t protocol);      // in one version only
bool protocol_has_annotations(protocol_t protocol);  // of tools; `message` of progress
bool protocol_has_structure(protocol_t protocol);    // structuredContent, outputSchema, title
bool protocol_has_icons(protocol_t protocol);  // and streams that begin with an empty event

#endif
