// SPDX-License-Identifier: Apache-2.0
#include "pool.h"

#include <sodium.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 512, LARGEST_CHUNK = 64 * 1024, FIRST_ROWS = 16 };

typedef struct chunk chunk_t;
struct chunk {
    chunk_t *next;
    size_t size;
    size_t used;
    _Alignas(uint32_t) char bytes[];
};

typedef struct {
    uint32_t size;
    uint32_t hash;
    uint32_t number;
    char bytes[];
} piece_t;

struct pool {
    chunk_t *chunks;  // the newest first
    size_t usual;     // size of the next one
    size_t chunk_bytes;
    piece_t **rows;  // open addressing; a power of two, at most three quarters full
    size_t row_count;
    size_t row_used;
    // The texts come from callers: without a secret they could choose ones that all collide.
    unsigned char key[crypto_shorthash_KEYBYTES];
};

static void *
allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory)
        abort();
    return memory;
}

pool_t *
pool_new(void)
{
    pool_t *self = allocate(1, sizeof *self);

    self->usual = FIRST_CHUNK;
    self->row_count = FIRST_ROWS;
    self->rows = allocate(self->row_count, sizeof *self->rows);
    randombytes_buf(self->key, sizeof self->key);
    return self;
}

void
pool_destroy(pool_t **self_p)
{
    pool_t *self = *self_p;

    if (!self)
        return;
    while (self->chunks) {
        chunk_t *chunk = self->chunks;
        self->chunks = chunk->next;
        free(chunk);
    }
    free(self->rows);
    free(self);
    *self_p = NULL;
}

// A large piece gets a chunk of its own behind the first, whose rest stays in use.
static chunk_t *
add_chunk(pool_t *self, size_t size)
{
    bool is_large = size > self->usual / 4;
    size_t chunk_size = is_large ? size : self->usual;
    chunk_t *chunk = allocate(1, sizeof *chunk + chunk_size);
    chunk_t **place = is_large && self->chunks ? &self->chunks->next : &self->chunks;

    if (!is_large && self->usual < LARGEST_CHUNK)
        self->usual *= 2;
    chunk->size = chunk_size;
    chunk->next = *place;
    *place = chunk;
    self->chunk_bytes += sizeof *chunk + chunk_size;
    return chunk;
}

static char *
take(pool_t *self, size_t size, size_t alignment)
{
    chunk_t *chunk = self->chunks;
    size_t begin = chunk ? (chunk->used + alignment - 1) / alignment * alignment : 0;

    if (!chunk || begin > chunk->size || size > chunk->size - begin) {
        chunk = add_chunk(self, size);
        begin = 0;
    }
    chunk->used = begin + size;
    return chunk->bytes + begin;
}

const char *
pool_text(pool_t *self, const char *text, size_t length)
{
    char *copy = take(self, length + 1, 1);

    memcpy(copy, text, length);
    return copy;
}

// The row that holds these bytes, or the free one where they belong.
static piece_t **
find(const pool_t *self, const void *bytes, size_t size, uint32_t hash)
{
    size_t mask = self->row_count - 1;

    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        piece_t *piece = self->rows[i];
        if (!piece
            || (piece->hash == hash && piece->size == size
                && !memcmp(piece->bytes, bytes, size)))
            return &self->rows[i];
    }
}

static void
grow(pool_t *self)
{
    piece_t **old = self->rows;
    size_t old_count = self->row_count;

    self->row_count *= 2;
    self->rows = allocate(self->row_count, sizeof *self->rows);
    for (size_t i = 0; i < old_count; i++)
        if (old[i])
            *find(self, old[i]->bytes, old[i]->size, old[i]->hash) = old[i];
    free(old);
}

static piece_t *
add_piece(pool_t *self, const void *bytes, size_t size, uint32_t hash)
{
    piece_t *piece = (piece_t *) take(self, sizeof *piece + size, _Alignof(piece_t));

    *piece = (piece_t){ .size = (uint32_t) size, .hash = hash, .number = POOL_FRESH };
    memcpy(piece->bytes, bytes, size);
    return piece;
}

const void *
pool_intern(pool_t *self, const void *bytes, size_t size, uint32_t **number_p)
{
    uint64_t hash = 0;

    if ((self->row_used + 1) * 4 > self->row_count * 3)
        grow(self);
    crypto_shorthash((unsigned char *) &hash, bytes, size, self->key);
    piece_t **row = find(self, bytes, size, (uint32_t) hash);
    if (!*row) {
        *row = add_piece(self, bytes, size, (uint32_t) hash);
        self->row_used++;
    }
    *number_p = &(*row)->number;
    return (*row)->bytes;
}

size_t
pool_size(const pool_t *self)
{
    return sizeof *self + self->chunk_bytes + self->row_count * sizeof *self->rows;
}
