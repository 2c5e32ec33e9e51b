// SPDX-License-Identifier: Apache-2.0
// Doubly linked rings whose links live in the things they connect. An empty ring is a head
// that points to itself; a thing that stands in no ring is one as well.

#ifndef PROOFARC_LINK_H
#define PROOFARC_LINK_H

#include <stdbool.h>

typedef struct link link_t;
struct link {
    link_t *prev;
    link_t *next;
    void *owner;  // the thing this link lives in; NULL in a head
};

void link_init(link_t *self, void *owner);

// Puts `item`, which stands in no ring, at the end or at the front of the ring of `head`.
void link_append(link_t *head, link_t *item);
void link_prepend(link_t *head, link_t *item);

// Takes it out of its ring. Fine if it stands in none.
void link_remove(link_t *item);

// Owner of the first link of a ring, NULL if it is empty.
void *link_first(const link_t *head);

bool link_is_alone(const link_t *self);

#endif
