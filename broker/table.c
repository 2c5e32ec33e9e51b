// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"

enum { PLACES_MIN = 64 };

typedef struct {
    uint64_t hash;
    const char *name;  // NULL: the place is free
    void *thing;
} place_t;

struct table {
    place_t *places;
    size_t size;  // a power of two, at least twice `count`
    size_t count;
    uint64_t seed;
};

// FNV-1a from a seed, with a last mix because places are taken from the low bits.
static uint64_t
hash_of(const table_t *self, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u ^ self->seed;

    for (; *name; name++)
        hash = (hash ^ (unsigned char) *name) * 0x100000001b3u;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93u;
    return hash ^ hash >> 32;
}

static place_t *
places_new(size_t size)
{
    place_t *places = calloc(size, sizeof *places);

    assert(places);
    return places;
}

table_t *
table_new(uint64_t seed)
{
    table_t *self = calloc(1, sizeof *self);

    assert(self);
    *self = (table_t){ .places = places_new(PLACES_MIN), .size = PLACES_MIN, .seed = seed };
    return self;
}

void
table_destroy(table_t **self_p)
{
    if (!*self_p)
        return;
    free((*self_p)->places);
    free(*self_p);
    *self_p = NULL;
}

// The place of `name`, or the free one where it would go.
static size_t
place_of(const table_t *self, const char *name, uint64_t hash)
{
    size_t at = hash & (self->size - 1);

    for (;; at = (at + 1) & (self->size - 1)) {
        const place_t *place = &self->places[at];
        if (!place->name || (place->hash == hash && !strcmp(place->name, name)))
            return at;
    }
}

void *
table_find(const table_t *self, const char *name)
{
    return self->places[place_of(self, name, hash_of(self, name))].thing;
}

static void
grow(table_t *self)
{
    place_t *old = self->places;
    size_t size = self->size;

    self->size = 2 * size;
    self->places = places_new(self->size);
    for (size_t i = 0; i < size; i++)
        if (old[i].name)
            self->places[place_of(self, old[i].name, old[i].hash)] = old[i];
    free(old);
}

void
table_add(table_t *self, const char *name, void *thing)
{
    if (2 * (self->count + 1) > self->size)
        grow(self);
    uint64_t hash = hash_of(self, name);
    place_t *place = &self->places[place_of(self, name, hash)];

    assert(!place->name && thing);
    *place = (place_t){ hash, name, thing };
    self->count++;
}

// True if the thing at `at` would still be found with `hole` free: its search starts behind it.
static bool
may_stay(const table_t *self, size_t at, size_t hole)
{
    size_t mask = self->size - 1;
    size_t home = self->places[at].hash & mask;

    return ((at - home) & mask) < ((at - hole) & mask);
}

// What follows in the row moves up, so that no search ends early at the place that gets free.
void
table_remove(table_t *self, const char *name)
{
    size_t hole = place_of(self, name, hash_of(self, name));

    assert(self->places[hole].name);
    for (size_t at = hole;;) {
        at = (at + 1) & (self->size - 1);
        if (!self->places[at].name)
            break;
        if (may_stay(self, at, hole))
            continue;
        self->places[hole] = self->places[at];
        hole = at;
    }
    self->places[hole] = (place_t){ 0 };
    self->count--;
}

size_t
table_count(const table_t *self)
{
    return self->count;
}

void *
table_next(const table_t *self, size_t *place)
{
    while (*place < self->size) {
        const place_t *next = &self->places[(*place)++];
        if (next->name)
            return next->thing;
    }
    return NULL;
}
