// SPDX-License-Identifier: Apache-2.0
#include "buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 256 };

static void
reserve(buffer_t *self, size_t more)
{
    size_t want = self->size + more + 1;

    if (want <= self->capacity)
        return;
    size_t capacity = self->capacity ? self->capacity : FIRST_CAPACITY;
    while (capacity < want)
        capacity *= 2;
    char *bytes = realloc(self->bytes, capacity);
    if (!bytes) {
        fputs("out of memory\n", stderr);
        abort();
    }
    self->bytes = bytes;
    self->capacity = capacity;
}

void
buffer_clear(buffer_t *self)
{
    free(self->bytes);
    *self = (buffer_t){ 0 };
}

void
buffer_add(buffer_t *self, const void *bytes, size_t size)
{
    reserve(self, size);
    if (size)
        memcpy(self->bytes + self->size, bytes, size);
    self->size += size;
    self->bytes[self->size] = '\0';
}

void
buffer_text(buffer_t *self, const char *text)
{
    buffer_add(self, text, strlen(text));
}

void
buffer_char(buffer_t *self, char c)
{
    reserve(self, 1);
    self->bytes[self->size++] = c;
    self->bytes[self->size] = '\0';
}

void
buffer_printf(buffer_t *self, const char *format, ...)
{
    va_list args, again;

    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0) {
        reserve(self, (size_t) length);
        vsnprintf(self->bytes + self->size, (size_t) length + 1, format, again);
        self->size += (size_t) length;
    }
    va_end(again);
}

char *
buffer_room(buffer_t *self, size_t most)
{
    reserve(self, most);
    return self->bytes + self->size;
}

void
buffer_grew(buffer_t *self, size_t size)
{
    self->size += size;
    self->bytes[self->size] = '\0';
}

char *
buffer_take(buffer_t *self, size_t *size_p)
{
    reserve(self, 0);
    self->bytes[self->size] = '\0';
    char *bytes = self->bytes;
    if (size_p)
        *size_p = self->size;
    *self = (buffer_t){ 0 };
    return bytes;
}
