// SPDX-License-Identifier: Apache-2.0
// What a path is for: /mcp, /mcp/PROFILE (a slash at their end means nothing), /sse and /messages.
// Pure.

#ifndef PROOFARC_HTTP_ROUTE_H
#define PROOFARC_HTTP_ROUTE_H

#include <stdbool.h>

typedef enum { AT_MCP, AT_SSE, AT_MESSAGES } place_t;

enum { ROUTE_PROFILE_SIZE = 16 };

typedef struct {
    place_t place;
    char profile[ROUTE_PROFILE_SIZE];  // "" for none
    const char *methods;               // that are served there, separated by blanks
} route_t;

// True and *route filled if the path is one of ours.
bool route_read(const char *path, route_t *route);

#endif
