// SPDX-License-Identifier: Apache-2.0
// The processes at the other ends of one socket: transports or workers. There are few.

#ifndef PROOFARC_PEERS_H
#define PROOFARC_PEERS_H

#include <stdbool.h>

#include "link.h"
#include "outbox.h"

enum { PEERS_MAX = 1024, PEER_NAME_SIZE = 64, CREDIT_MAX = 1024 };

typedef struct {
    side_t side;
    uint64_t route;
    char instance[PEER_NAME_SIZE];
    int64_t heard_ms;  // when it last said something
    bool is_refused;   // speaks another protocol: known, so that it is told once
    bool is_leaving;   // said BYE
    link_t calls;      // those it asked for (transport) or has (worker)
    size_t under_way;  // worker: number of them that take a slot
    size_t quick;      // and of the others

    char host[PEER_NAME_SIZE];  // of workers, as all that follows
    size_t credit;              // calls with a slot that it takes at once
    bool is_full;               // its pipe was full; until it is heard again
    bool keeps_keys;            // the platform behind it remembers idempotency keys
    char *counters;             // JSON as it came, or NULL
} peer_t;

typedef struct {
    peer_t **items;
    size_t count, capacity;
} peers_t;

// Ends all of them; they must have no calls.
void peers_clear(peers_t *self);

// NULL if there is none.
peer_t *peers_of_route(const peers_t *self, uint64_t route);
peer_t *peers_of_instance(const peers_t *self, const char *instance);

// There is room for one more only below PEERS_MAX.
bool peers_are_full(const peers_t *self);
peer_t *peers_add(peers_t *self, side_t side, uint64_t route, int64_t now_ms);
void peers_remove(peers_t *self, peer_t *peer);

// Sets a name. False, and it stays as it was, if it is longer than a name may be.
bool peer_set_name(char name[PEER_NAME_SIZE], const char *text);

// Calls that a worker can be given now: of those that take a slot, or, with `quick_max`, of the
// quick ones, of which it has so many at once.
size_t peer_free_credit(const peer_t *self, size_t quick_max);

#endif
