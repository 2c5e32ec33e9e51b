// SPDX-License-Identifier: Apache-2.0
// One HTTP/1.1 answer as its bytes arrive: where the body begins and when it is whole. Knows
// Content-Length and chunks, which is what servers with JSON or SSE answers use.

#ifndef BENCH_ANSWER_H
#define BENCH_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum { ANSWER_PARTIAL, ANSWER_WHOLE, ANSWER_BROKEN } answer_state_t;

typedef struct {
    size_t head;  // bytes of status line and headers; 0 while they are not whole
    size_t end;   // bytes of the whole answer once known; of the chunks seen until then
    int status;
    bool is_chunked;
    bool closes;  // the server closes the connection behind it
} answer_t;

// Looks at all bytes received so far (`size` of them, not terminated). Call it with the same
// `self`, zeroed for a new answer, whenever there are more.
answer_state_t answer_read(answer_t *self, const char *bytes, size_t size);

#endif
