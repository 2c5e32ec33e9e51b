// SPDX-License-Identifier: Apache-2.0
// Bytes that grow at the end. Always followed by a NUL that is not counted.

#ifndef PROOFARC_BUFFER_H
#define PROOFARC_BUFFER_H

#include <stddef.h>

typedef struct {
    char *bytes;  // malloc'ed, or NULL while nothing was added
    size_t size;
    size_t capacity;
} buffer_t;

// Frees the bytes and makes it empty again. Usable with AUTO.
void buffer_clear(buffer_t *self);

void buffer_add(buffer_t *self, const void *bytes, size_t size);
void buffer_text(buffer_t *self, const char *text);
void buffer_char(buffer_t *self, char c);
void buffer_printf(buffer_t *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Room for `most` bytes behind what is there, for a writer that knows how many they are only once
// it has written them; buffer_grew() then says so. Valid until the next call.
char *buffer_room(buffer_t *self, size_t most);
void buffer_grew(buffer_t *self, size_t size);

// Hands the bytes (NUL-terminated, never NULL) to the caller, who frees them; leaves `self` empty.
char *buffer_take(buffer_t *self, size_t *size_p);

#endif
