// SPDX-License-Identifier: Apache-2.0
#include "peers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void
peer_free(peer_t *peer)
{
    assert(link_is_alone(&peer->calls));
    free(peer->counters);
    free(peer);
}

void
peers_clear(peers_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        peer_free(self->items[i]);
    free(self->items);
    *self = (peers_t){ 0 };
}

peer_t *
peers_of_route(const peers_t *self, uint64_t route)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->items[i]->route == route)
            return self->items[i];
    return NULL;
}

peer_t *
peers_of_instance(const peers_t *self, const char *instance)
{
    for (size_t i = 0; i < self->count; i++)
        if (!strcmp(self->items[i]->instance, instance))
            return self->items[i];
    return NULL;
}

bool
peers_are_full(const peers_t *self)
{
    return self->count >= PEERS_MAX;
}

peer_t *
peers_add(peers_t *self, side_t side, uint64_t route, int64_t now_ms)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? 2 * self->capacity : 16;
        self->items = realloc(self->items, self->capacity * sizeof *self->items);
        assert(self->items);
    }
    peer_t *peer = calloc(1, sizeof *peer);
    assert(peer);
    *peer = (peer_t){ .side = side, .route = route, .heard_ms = now_ms };
    link_init(&peer->calls, NULL);
    self->items[self->count++] = peer;
    return peer;
}

void
peers_remove(peers_t *self, peer_t *peer)
{
    size_t at = 0;

    while (self->items[at] != peer)
        at++;
    self->count--;
    memmove(&self->items[at], &self->items[at + 1], (self->count - at) * sizeof *self->items);
    peer_free(peer);
}

bool
peer_set_name(char name[PEER_NAME_SIZE], const char *text)
{
    size_t size = strlen(text) + 1;

    if (size > PEER_NAME_SIZE)
        return false;
    memcpy(name, text, size);
    return true;
}

size_t
peer_free_credit(const peer_t *self, size_t quick_max)
{
    size_t most = quick_max && self->credit ? quick_max : self->credit;
    size_t used = quick_max ? self->quick : self->under_way;

    if (self->is_leaving || self->is_full || used >= most)
        return 0;
    return most - used;
}
