// SPDX-License-Identifier: Apache-2.0
#include "stdio/framing.h"

#include <string.h>

#include "limits.h"

enum { IDLE_BUFFER = 256 * KIB };  // an empty buffer larger than that is given back

static const char byte_order_mark[] = "\xef\xbb\xbf";

static bool
is_blank(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != ' ' && bytes[i] != '\t')
            return false;
    return true;
}

// A line that has been taken out, without its LF.
static framing_found_t
judge(framing_t *self, const char *bytes, size_t size, const char **line_p, size_t *size_p)
{
    const size_t mark = sizeof byte_order_mark - 1;
    bool was_skipped = self->is_skipping;

    self->is_skipping = false;
    if (was_skipped)
        return FRAMING_NONE;
    if (size && bytes[size - 1] == '\r')
        size--;
    if (size > self->line_max)
        return FRAMING_TOO_LONG;
    if (size >= mark && !memcmp(bytes, byte_order_mark, mark)) {
        bytes += mark;
        size -= mark;
    }
    if (is_blank(bytes, size))
        return FRAMING_NONE;
    *line_p = bytes;
    *size_p = size;
    return FRAMING_LINE;
}

// Takes out the next `size` bytes.
static const char *
take(framing_t *self, size_t size)
{
    const char *bytes = self->input.bytes + self->begin;

    self->begin += size;
    self->scanned = 0;
    return bytes;
}

static void
drop_taken(framing_t *self)
{
    buffer_t *input = &self->input;

    if (!self->begin)
        return;
    input->size -= self->begin;
    memmove(input->bytes, input->bytes + self->begin, input->size);
    self->begin = 0;
    if (!input->size && input->capacity > IDLE_BUFFER)
        buffer_clear(input);
}

void
framing_add(framing_t *self, const void *bytes, size_t size)
{
    drop_taken(self);
    buffer_add(&self->input, bytes, size);
}

void
framing_end(framing_t *self)
{
    self->is_over = true;
}

static const char *
find_end(const framing_t *self, size_t left)
{
    if (left == self->scanned)
        return NULL;
    return memchr(self->input.bytes + self->begin + self->scanned, '\n', left - self->scanned);
}

// What has no line end. One byte more than a line may have can still be the CR of its end.
static framing_found_t
look_at_rest(framing_t *self, size_t left, const char **line_p, size_t *size_p)
{
    framing_found_t found = FRAMING_NONE;

    if (self->is_over && left) {
        found = judge(self, take(self, left), left, line_p, size_p);
        if (found != FRAMING_NONE)
            return found;
        left = 0;
    }
    self->scanned = left;
    if (left > self->line_max + 1) {
        take(self, left);
        found = self->is_skipping ? FRAMING_NONE : FRAMING_TOO_LONG;
        self->is_skipping = true;
    }
    drop_taken(self);
    return found;
}

framing_found_t
framing_next(framing_t *self, const char **line_p, size_t *size_p)
{
    for (;;) {
        size_t left = self->input.size - self->begin;
        const char *end = find_end(self, left);
        if (!end)
            return look_at_rest(self, left, line_p, size_p);
        size_t size = (size_t) (end - self->input.bytes) - self->begin;
        framing_found_t found = judge(self, take(self, size + 1), size, line_p, size_p);
        if (found != FRAMING_NONE)
            return found;
    }
}

void
framing_clear(framing_t *self)
{
    buffer_clear(&self->input);
    self->begin = self->scanned = 0;
}
