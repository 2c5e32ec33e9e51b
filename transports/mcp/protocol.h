// SPDX-License-Identifier: Apache-2.0
// The protocol versions that begin with `initialize`, oldest first, and what a client of each
// can read.

#ifndef PROOFARC_MCP_PROTOCOL_H
#define PROOFARC_MCP_PROTOCOL_H

#include <stdbool.h>

typedef enum {
    PROTOCOL_2024_11_05,
    PROTOCOL_2025_03_26,
    PROTOCOL_2025_06_18,
    PROTOCOL_2025_11_25,
    PROTOCOL_COUNT
} protocol_t;

enum {
    PROTOCOL_NEWEST = PROTOCOL_2025_11_25,
    PROTOCOL_ASSUMED = PROTOCOL_2025_03_26,  // of a client that names none over HTTP
};

const char *protocol_name(protocol_t protocol);

// True and *protocol_p set if `name` (may be NULL) is one of them.
bool protocol_find(const char *name, protocol_t *protocol_p);

// What came with which version.
bool protocol_has_batches(protocol_t protocol);      // in one version only
bool protocol_has_annotations(protocol_t protocol);  // of tools; `message` of progress
bool protocol_has_structure(protocol_t protocol);    // structuredContent, outputSchema, title

#endif
