// SPDX-License-Identifier: Apache-2.0
#include "arena.h"

#include <sanitizer/asan_interface.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BLOCK = 4096,
    LARGEST_BLOCK = 1024 * 1024,
    LARGEST_KEPT = 64 * 1024,  // of arenas that are used again
    ALIGNMENT = 16
};

typedef struct block block_t;
struct block {
    block_t *previous;
    size_t used;
    size_t size;
    _Alignas(ALIGNMENT) char bytes[];
};

struct arena {
    block_t *last;
    size_t total;
};

// Ends the process when there is no memory: nobody writes that branch.
static void *
allocate(size_t size)
{
    void *memory = malloc(size);

    if (!memory) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return memory;
}

static block_t *
add_block(arena_t *self, size_t least)
{
    size_t size = self->last ? self->last->size * 2 : FIRST_BLOCK;

    if (size > LARGEST_BLOCK)
        size = LARGEST_BLOCK;
    if (size < least)
        size = least;
    block_t *block = allocate(sizeof *block + size);
    *block = (block_t){ .previous = self->last, .size = size };
    self->last = block;
    return block;
}

static void
drop_block(arena_t *self)
{
    block_t *block = self->last;

    self->last = block->previous;
    free(block);
}

arena_t *
arena_new(void)
{
    arena_t *self = allocate(sizeof *self);

    *self = (arena_t){ 0 };
    return self;
}

void
arena_destroy(arena_t **self_p)
{
    if (!*self_p)
        return;
    while ((*self_p)->last)
        drop_block(*self_p);
    free(*self_p);
    *self_p = NULL;
}

static void *
take(arena_t *self, size_t size)
{
    size_t rounded = (size + ALIGNMENT - 1) & ~(size_t) (ALIGNMENT - 1);
    block_t *block = self->last;

    if (rounded < size)
        abort();  // no object of ours is that large
    if (!block || block->size - block->used < rounded)
        block = add_block(self, rounded);
    void *memory = block->bytes + block->used;
    block->used += rounded;
    self->total += rounded;
    return memory;
}

void *
arena_alloc(arena_t *self, size_t size)
{
    return memset(take(self, size ? size : 1), 0, size);
}

char *
arena_strndup(arena_t *self, const char *text, size_t size)
{
    if (!text)
        return NULL;
    char *copy = take(self, size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

char *
arena_strdup(arena_t *self, const char *text)
{
    return text ? arena_strndup(self, text, strlen(text)) : NULL;
}

char *
arena_vprintf(arena_t *self, const char *format, va_list args)
{
    va_list again;

    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    size_t size = length < 0 ? 1 : (size_t) length + 1;
    char *text = take(self, size);
    text[0] = '\0';
    vsnprintf(text, size, format, again);
    va_end(again);
    return text;
}

char *
arena_printf(arena_t *self, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    char *text = arena_vprintf(self, format, args);
    va_end(args);
    return text;
}

size_t
arena_size(const arena_t *self)
{
    return self->total;
}

arena_t *
arenas_take(arenas_t *self)
{
    if (!self->count)
        return arena_new();
    arena_t *arena = self->kept[--self->count];
    ASAN_UNPOISON_MEMORY_REGION(arena->last->bytes, arena->last->size);
    return arena;
}

// Of its blocks the oldest is kept if it is small. Who still holds something of it is to be found out by the
// sanitizer, as if it were freed.
void
arenas_give(arenas_t *self, arena_t **arena_p)
{
    arena_t *arena = *arena_p;

    if (!arena || !arena->last || self->count == ARENAS_KEPT) {
        arena_destroy(arena_p);
        return;
    }
    while (arena->last->previous)
        drop_block(arena);
    if (arena->last->size > LARGEST_KEPT) {  // what began with a body of megabytes
        arena_destroy(arena_p);
        return;
    }
    arena->last->used = arena->total = 0;
    ASAN_POISON_MEMORY_REGION(arena->last->bytes, arena->last->size);
    self->kept[self->count++] = arena;
    *arena_p = NULL;
}

void
arenas_clear(arenas_t *self)
{
    while (self->count) {
        arena_t *arena = arenas_take(self);
        arena_destroy(&arena);
    }
}
