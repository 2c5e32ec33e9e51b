// SPDX-License-Identifier: Apache-2.0
// A ring in order of use: `next` is less recently used. The ring's head is a place of its own,
// which belongs to no element.

#ifndef PROOFARC_RING_H
#define PROOFARC_RING_H

#include <stddef.h>

typedef struct ring ring_t;
struct ring {
    ring_t *previous, *next;
};

static inline void
ring_init(ring_t *head)
{
    head->previous = head->next = head;
}

static inline void
ring_remove(ring_t *place)
{
    place->previous->next = place->next;
    place->next->previous = place->previous;
}

// As the most recently used.
static inline void
ring_insert(ring_t *head, ring_t *place)
{
    place->previous = head;
    place->next = head->next;
    head->next->previous = place;
    head->next = place;
}

// The least recently used, but for `keep`; NULL if there is no other.
static inline ring_t *
ring_oldest_but(const ring_t *head, const ring_t *keep)
{
    ring_t *oldest = head->previous == keep ? keep->previous : head->previous;

    return oldest == head ? NULL : oldest;
}

#endif
