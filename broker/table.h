// SPDX-License-Identifier: Apache-2.0
// Things by their name: a hash table with open addressing. The names belong to the things and
// must not change while they stand in it.

#ifndef PROOFARC_TABLE_H
#define PROOFARC_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct table table_t;

// `seed` makes the places of names hard to guess for those who choose the names.
table_t *table_new(uint64_t seed);
void table_destroy(table_t **self_p);

// NULL if there is nothing of that name.
void *table_find(const table_t *self, const char *name);

// There must be nothing of that name yet.
void table_add(table_t *self, const char *name, void *thing);

// There must be something of that name.
void table_remove(table_t *self, const char *name);

size_t table_count(const table_t *self);

// Goes through all things in no particular order: start with *place 0, ends with NULL. The
// table must not change meanwhile.
void *table_next(const table_t *self, size_t *place);

#endif
