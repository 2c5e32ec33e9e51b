// SPDX-License-Identifier: Apache-2.0
// The lines of a client's stream, however its bytes are cut. Pure.

#ifndef PROOFARC_STDIO_FRAMING_H
#define PROOFARC_STDIO_FRAMING_H

#include <stdbool.h>

#include "buffer.h"

typedef struct {
    size_t line_max;  // bytes of a line without its end; set by the caller
    buffer_t input;
    size_t begin;      // bytes of it that are served
    size_t scanned;    // behind them, that hold no line end
    bool is_skipping;  // the rest of a line that was too long
    bool is_over;      // what has no line end is a line, too
} framing_t;

typedef enum { FRAMING_NONE, FRAMING_LINE, FRAMING_TOO_LONG } framing_found_t;

void framing_add(framing_t *self, const void *bytes, size_t size);

// Nothing more will be added.
void framing_end(framing_t *self);

// The next line that is whole: without LF or CRLF, without a byte order mark; blank ones are left
// out. It lives until anything else is done with `self`. FRAMING_TOO_LONG stands once for each line
// that is, as soon as that is known: at most line_max + 1 bytes wait for a line's end once this
// has found nothing.
framing_found_t framing_next(framing_t *self, const char **line_p, size_t *size_p);

void framing_clear(framing_t *self);

#endif
