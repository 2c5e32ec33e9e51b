// SPDX-License-Identifier: Apache-2.0
// Deadlines in the order in which they fall due: a heap whose items live in the things they
// belong to. Changing or leaving costs the logarithm of their number.

#ifndef PROOFARC_DEADLINE_H
#define PROOFARC_DEADLINE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t due_ms;
    size_t place;  // in the heap, from 1; 0: it stands in none
    void *owner;
} deadline_t;

typedef struct {
    deadline_t **items;  // items[0] is not used
    size_t count;
    size_t capacity;
} deadlines_t;

void deadlines_clear(deadlines_t *self);

// Sets when `item` falls due; it need not stand in the heap yet.
void deadline_set(deadlines_t *self, deadline_t *item, int64_t due_ms);

// Takes it out. Fine if it is not in.
void deadline_remove(deadlines_t *self, deadline_t *item);

// Owner of the earliest that is due at `now_ms`, NULL if none is. It stays in the heap.
void *deadline_due(const deadlines_t *self, int64_t now_ms);

#endif
