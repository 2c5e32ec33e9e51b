// SPDX-License-Identifier: Apache-2.0
// Server-sent events, as the bytes of a stream (WHATWG HTML, 9.2). Pure.

#ifndef PROOFARC_HTTP_SSE_H
#define PROOFARC_HTTP_SSE_H

#include "buffer.h"

// Neither name nor id holds a line end: they are ours.
typedef struct {
    const char *name;  // NULL for none, which readers take for "message"
    const char *id;    // NULL for none
    int retry_ms;      // after which to come back; 0: it says nothing of that
    const char *data;  // any bytes
    size_t size;
} sse_event_t;

// Appends the event. Its data arrives as it is, but for CR and CRLF, which arrive as LF.
void sse_write(buffer_t *out, const sse_event_t *event);

// Appends a comment: a sign of life that no reader looks at.
void sse_comment(buffer_t *out);

#endif
