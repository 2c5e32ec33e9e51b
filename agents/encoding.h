// SPDX-License-Identifier: Apache-2.0
// Content-Encoding of an answer. We never ask for one, but a step may, and some servers do not
// wait to be asked.

#ifndef PROOFARC_ENCODING_H
#define PROOFARC_ENCODING_H

#include "exchange.h"

typedef struct {
    const char *bytes;  // decoded; as they came if that was not possible
    size_t size;
    bool is_truncated;    // there is more than `max`
    const char *problem;  // the encoding does not hold: "not gzip data …", or NULL
    const char *warning;  // the encoding is odd, or NULL
} content_t;

// Undoes gzip and deflate, up to `max` bytes.
void encoding_undo(arena_t *arena, const exchange_answer_t *answer, size_t max,
                   content_t *content);

#endif
