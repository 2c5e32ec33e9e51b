// SPDX-License-Identifier: Apache-2.0
#include "answer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { STATUS_AT = 9, HEAD_LEAST = 12, ANSWER_MAX = 64 * 1024 * 1024 };

static bool
has_value(const char *value, size_t size, const char *wanted)
{
    size_t length = strlen(wanted);

    for (size_t i = 0; i + length <= size; i++)
        if (strncasecmp(value + i, wanted, length) == 0)
            return true;
    return false;
}

// One header line without its end. Sets *length_p if it tells the length of the body.
static void
read_header(answer_t *self, const char *line, size_t size, long *length_p)
{
    static const char length[] = "content-length:", coding[] = "transfer-encoding:",
                      connection[] = "connection:";

    if (strncasecmp(line, length, sizeof length - 1) == 0)
        *length_p = strtol(line + sizeof length - 1, NULL, 10);
    else if (strncasecmp(line, coding, sizeof coding - 1) == 0)
        self->is_chunked = has_value(line, size, "chunked");
    else if (strncasecmp(line, connection, sizeof connection - 1) == 0)
        self->closes =
            has_value(line + sizeof connection - 1, size - (sizeof connection - 1), "close");
}

static answer_state_t
read_head(answer_t *self, const char *bytes, size_t size)
{
    const char *end = memmem(bytes, size, "\r\n\r\n", 4);
    long length = -1;

    if (!end)
        return ANSWER_PARTIAL;
    if (end - bytes < HEAD_LEAST || memcmp(bytes, "HTTP/1.", 7) != 0)
        return ANSWER_BROKEN;
    self->status = (int) strtol(bytes + STATUS_AT, NULL, 10);
    for (const char *line = bytes; line < end;) {
        const char *next = memmem(line, (size_t) (end + 2 - line), "\r\n", 2);
        read_header(self, line, (size_t) (next - line), &length);
        line = next + 2;
    }
    if (length < 0 && !self->is_chunked && self->status != 204)
        return ANSWER_BROKEN;
    self->head = self->end = (size_t) (end + 4 - bytes);
    if (!self->is_chunked && length > 0)
        self->end += (size_t) length;
    return self->end > ANSWER_MAX ? ANSWER_BROKEN : ANSWER_WHOLE;
}

// Steps over whole chunks; the one of size 0 ends the answer.
static answer_state_t
read_chunks(answer_t *self, const char *bytes, size_t size)
{
    while (self->end < size) {
        const char *line = bytes + self->end;
        const char *next = memmem(line, size - self->end, "\r\n", 2);
        if (!next)
            break;
        unsigned long chunk = strtoul(line, NULL, 16);
        if (chunk > ANSWER_MAX)
            return ANSWER_BROKEN;
        size_t end = (size_t) (next + 2 - bytes) + chunk + 2;
        if (end > size)
            break;
        self->end = end;
        if (chunk == 0)
            return ANSWER_WHOLE;
    }
    return ANSWER_PARTIAL;
}

answer_state_t
answer_read(answer_t *self, const char *bytes, size_t size)
{
    if (self->head == 0) {
        answer_state_t state = read_head(self, bytes, size);
        if (state != ANSWER_WHOLE)
            return state;
    }
    if (self->is_chunked)
        return read_chunks(self, bytes, size);
    return size >= self->end ? ANSWER_WHOLE : ANSWER_PARTIAL;
}
