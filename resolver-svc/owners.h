// SPDX-License-Identifier: Apache-2.0
// The principals that a cache holds something for. Pure.

#ifndef PROOFARC_OWNERS_H
#define PROOFARC_OWNERS_H

#include <stddef.h>

#include "ring.h"

typedef struct owners owners_t;

typedef struct owner owner_t;
struct owner {
    owner_t *next;  // of owners.c
    char *principal;
    ring_t scopes;  // what is held for it, by session; kept by the cache
    size_t bytes;
};

owners_t *owners_new(void);

// All owners must have been dropped.
void owners_destroy(owners_t **self_p);

// NULL if there is none of that name.
owner_t *owners_find(const owners_t *self, const char *principal);

// Made if there is none.
owner_t *owners_get(owners_t *self, const char *principal);

void owners_drop(owners_t *self, owner_t *owner);

#endif
