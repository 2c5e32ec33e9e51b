// SPDX-License-Identifier: Apache-2.0
// Everything in the broker that decides: who its peers are, what is on offer, which call is
// where. No socket, clock or randomness is hidden in it, so that the same core can be driven
// by the shell, by the simulator and by tests.

#ifndef PROOFARC_CORE_H
#define PROOFARC_CORE_H

#include "dispatch.h"

typedef struct core core_t;

typedef struct {
    const char *instance;           // of this broker
    const char *const *categories;  // that are expected, in the order in which they are listed
    size_t categories_count;        // CATEGORIES_MAX at most
    uint64_t seed;                  // of the hash tables
    dispatch_limits_t limits;
} core_options_t;

typedef enum {
    EVENT_MESSAGE,    // `message` came from the peer
    EVENT_UNSENT,     // its pipe did not take the CALL `id`; before the peer's EVENT_LOST
    EVENT_TOO_LARGE,  // the CALL `id` is larger than a message may be
    EVENT_LOST,       // the peer is unreachable, or a transport that does not read
    EVENT_TICK,       // time goes on; several times within BEAT_MS
    EVENT_DRAIN,      // take nothing new and finish
    EVENT_END,        // answer what is left: the process ends now
} event_kind_t;

typedef struct {
    event_kind_t kind;
    side_t side;
    uint64_t route;
    message_t message;
    char id[CALL_ID_MAX + 1];
} event_t;

// Limits as in limits.h.
dispatch_limits_t core_limits(void);

// The texts are copied.
core_t *core_new(const core_options_t *options, int64_t now_ms);
void core_destroy(core_t **self_p);

// Takes one event and appends what is to be sent and logged to `out`. What it needs of the
// message it takes over; the caller clears the rest. `out` has to be sent and emptied before
// the next step, because calls in it are borrowed.
void core_step(core_t *self, event_t *event, int64_t now_ms, outbox_t *out);

// True when nobody waits for an answer.
bool core_is_idle(const core_t *self);

// The shell counts what it drops in the same struct.
counters_t *core_counters(core_t *self);

// Counters of the worker with that index as it sent them, "" if it has not; NULL behind the
// last.
const char *core_worker_counters(const core_t *self, size_t index);

#endif
