// SPDX-License-Identifier: Apache-2.0
// Headers read a second time, slowly and by the letter of their standards, to compare with what the
// transport makes of them.

#ifndef PROOFARC_FUZZ_READING_H
#define PROOFARC_FUZZ_READING_H

#include <stdbool.h>

#include "arena.h"

// What a header may match.
typedef enum {
    READING_BEARER,       // RFC 6750, 2.1
    READING_LOOPBACK,     // a host of this machine, with a port or without
    READING_ORIGIN,       // a page of this machine
    READING_TOKEN_QUERY,  // a query that holds a token
    READING_JSON,         // a media type, with parameters or without
    READING_VERSION,      // of MCP
    READING_ZERO,         // a weight that refuses
    READING_COUNT
} reading_t;

bool reading_matches(reading_t what, const char *text);

// RFC 9110, 12.5.1: the most exact range decides, the first of equals.
bool reading_accepts(arena_t *arena, const char *accept, const char *type);

// True if the list, separated by commas, holds the word.
bool reading_holds(arena_t *arena, const char *list, const char *word);

// What a header stands for that may be written as =?base64?…?=; NULL if it is malformed. *size_p is
// its size.
const char *reading_decoded(arena_t *arena, const char *header, size_t *size_p);

#endif
