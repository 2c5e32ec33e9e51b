// SPDX-License-Identifier: Apache-2.0
// Everything that the resolver decides: which list is fetched when, and by whose token; who
// waits for it; what is answered. No socket and no clock in it.
//
// A list is fetched by one flight at a time, whoever waits for it. A flight that was under way
// when a FORGET came starts again; one that fails by its leader's own token or time goes on with
// a follower's. A failure is held for FETCH_HOLD_MS, so that a dead platform is not stormed.

#ifndef PROOFARC_CORE_H
#define PROOFARC_CORE_H

#include <stddef.h>

#include "flight.h"
#include "messages.h"

typedef struct core core_t;

// Who asked, as the shell knows it; copied.
typedef struct {
    const void *bytes;
    size_t size;
} core_peer_t;

// Receives an answer; what it points to is valid during the call.
typedef void core_answer_fn(void *arg, const core_peer_t *peer, const resolved_msg_t *answer,
                            const void *body, size_t size);

core_t *core_new(size_t principal_max, size_t total_max, core_answer_fn *answer, void *arg);
void core_destroy(core_t **self_p);

// A RESOLVE came. It is answered now, or after a fetch, or when its time is up.
void core_resolve(core_t *self, const core_peer_t *peer, const resolve_msg_t *message,
                  const void *body, size_t size, int64_t now_ms);

// A FORGET came; when this returns, no snapshot of the principal contradicts it.
void core_forget(core_t *self, const forget_msg_t *message, const void *body, size_t size);

// The next list to fetch, or NULL when there is none. The core owns it.
flight_t *core_next_fetch(core_t *self, int64_t now_ms);

// The work on it has ended; its result is filled in.
void core_fetched(core_t *self, flight_t *flight, int64_t now_ms);

// Answers those whose time is up and drops what is too old.
void core_tick(core_t *self, int64_t now_ms);

// When core_tick() has to be called at the latest, INT64_MAX if nobody waits.
int64_t core_due_ms(const core_t *self);

size_t core_waiting(const core_t *self);
const cache_t *core_cache(const core_t *self);

#endif
