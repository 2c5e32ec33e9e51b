// SPDX-License-Identifier: Apache-2.0
// The unix socket of a stack: every open connection is a lease that keeps the stack alive, and
// is told, one line of JSON each, where the broker and the platform are.

#ifndef PROOFARC_LEASE_H
#define PROOFARC_LEASE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "status.h"

enum { LEASES_MAX = 256 };

typedef struct leases leases_t;

// Listens on `path`, which nobody serves any more (the caller holds the stack's lock).
leases_t *leases_new(const char *path, failure_t *why);

// Closes all and removes the socket, so that a newcomer starts a stack of its own.
void leases_destroy(leases_t **self_p);

// What a new lease is told, and all open ones now. Copies `line`, which ends with a newline.
void leases_announce(leases_t *self, const char *line);

// What the next leases are told, from the first line on. Forgets what was announced.
void leases_greet(leases_t *self, const char *line);

// Descriptors to poll for; returns how many were written to `items` (at most LEASES_MAX + 1).
size_t leases_poll(const leases_t *self, struct pollfd *items);

// Accepts newcomers, notices those that left, reads what they say.
void leases_serve(leases_t *self);

size_t leases_open(const leases_t *self);

// True if every lease that is open comes from a newer version than ours and has asked for the
// end of this stack, {"drain": "1.2.0"}: one that nobody else uses gives way.
bool leases_want_drain(const leases_t *self);

#endif
