// SPDX-License-Identifier: Apache-2.0
// Finds the entities of a snapshot by their folded name, however many there are. Four to eight
// bytes for each of them beside the entities themselves, which are the snapshot's.

#ifndef PROOFARC_NAMES_H
#define PROOFARC_NAMES_H

#include "match.h"

typedef struct {
    unsigned char key[16];   // of the hash: names come from anybody
    uint32_t *heads;         // by hash: index of the first entity + 1, 0 for none
    size_t head_count;       // a power of two, or 0
    uint32_t *next;          // by index: index of the next one + 1
    size_t count, capacity;  // of `next`
} names_t;

// Begins anew with `count` entities, fewer than 2^32.
void names_build(names_t *self, const entity_t *entities, size_t count);

// Adds the last one of `count` entities; all others are known.
void names_add(names_t *self, const entity_t *entities, size_t count);

void names_clear(names_t *self);

// Bytes of memory it holds.
size_t names_size(const names_t *self);

// The first entity of this folded name, or the next one after `after`, in the order of the
// entities; NULL when there is none.
const entity_t *names_find(const names_t *self, const entity_t *entities, const char *folded,
                           const entity_t *after);

#endif
