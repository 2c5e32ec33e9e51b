// SPDX-License-Identifier: Apache-2.0
// What arrives during one request, as libcurl hands it over: the head line by line, the body in
// pieces, both within limits.

#ifndef PROOFARC_ARRIVAL_H
#define PROOFARC_ARRIVAL_H

#include <stdbool.h>

#include "json.h"
#include "limits.h"

enum { ARRIVAL_HEADERS_MAX = 256, ARRIVAL_HEAD_MAX = 128 * KIB };

typedef struct {
    arena_t *arena;   // of the headers
    json_t *headers;  // array of [name, value] of the last answer; interim ones are dropped
    size_t head_size;
    buffer_t body;
    size_t body_max;
    bool is_truncated;  // there was more than body_max
    bool is_head_over;  // the head is over a limit
    char version[16];   // "HTTP/1.1"
} arrival_t;

arrival_t arrival_begin(arena_t *arena, size_t body_max);
void arrival_clear(arrival_t *self);

// Callbacks of libcurl with an arrival_t: they take everything, or nothing to end the transfer.
size_t arrival_header(char *line, size_t one, size_t size, void *arrival);
size_t arrival_body(char *bytes, size_t one, size_t size, void *arrival);

#endif
