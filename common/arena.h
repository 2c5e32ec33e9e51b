// SPDX-License-Identifier: Apache-2.0
// Memory that is freed all at once: everything that belongs to one call, one document, one
// request. Not thread-safe; each arena has one owner. Running out of memory ends the process.

#ifndef PROOFARC_ARENA_H
#define PROOFARC_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct arena arena_t;

arena_t *arena_new(void);

// Frees everything taken from it. Accepts a pointer to NULL.
void arena_destroy(arena_t **self_p);

// `size` zeroed bytes, aligned for any object. Never NULL, also not for size 0.
void *arena_alloc(arena_t *self, size_t size);

// Copies that end with NUL. NULL stays NULL.
char *arena_strdup(arena_t *self, const char *text);
char *arena_strndup(arena_t *self, const char *text, size_t size);

char *arena_printf(arena_t *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprintf(arena_t *self, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

// Bytes handed out so far.
size_t arena_size(const arena_t *self);

// Empty arenas that are kept for what comes next: making and freeing one costs more than most
// requests need of it. Not thread-safe.
enum { ARENAS_KEPT = 64 };

typedef struct {
    arena_t *kept[ARENAS_KEPT];
    size_t count;
} arenas_t;

arena_t *arenas_take(arenas_t *self);

// Takes an arena back, or frees it if there are enough. Accepts a pointer to NULL.
void arenas_give(arenas_t *self, arena_t **arena_p);
void arenas_clear(arenas_t *self);

#endif
