// SPDX-License-Identifier: Apache-2.0
// The worker's connections to its brokers: says what is on offer and that it lives, and hands
// on what it is asked to do.

#ifndef PROOFARC_BROKERS_H
#define PROOFARC_BROKERS_H

#include "endpoint.h"
#include "messages.h"

typedef struct brokers brokers_t;

enum { BROKERS_MAX = 64 };

typedef struct {
    // Any broker has answered for the first time.
    void (*heard)(void *owner, const char *endpoint);
    // CALL, CANCEL or garbage from a broker; everything else is settled here.
    void (*message)(void *owner, size_t broker, const parcel_t *parcel);
    // Fills in credit, keeps_keys and counters, as they are now; counters live until the next call.
    void (*state)(void *owner, size_t broker, beat_msg_t *beat);
} brokers_ops_t;

// What stays the same as long as the worker lives.
typedef struct {
    const char *host;
    const void *entries;
    size_t entries_size;
} brokers_ready_t;

// Connects to all; brokers_begin() then makes us known. All that is given must outlive it.
exit_code_t brokers_new(zloop_t *loop, const char *const *endpoints, size_t count,
                        curve_t *curve, const brokers_ready_t *ready, const brokers_ops_t *ops,
                        void *owner, brokers_t **self_p, failure_t *why);
void brokers_destroy(brokers_t **self_p);

void brokers_begin(brokers_t *self);

// Sends without waiting. What a broker cannot be given is lost with the broker.
void brokers_send(brokers_t *self, size_t broker, const wire_table_t *table,
                  const void *message, const void *body, size_t size);

// A beat out of turn, because something in it has changed.
void brokers_beat(brokers_t *self, size_t broker);
void brokers_beat_all(brokers_t *self);

void brokers_bye(brokers_t *self);
size_t brokers_count(const brokers_t *self);
bool brokers_are_heard(const brokers_t *self);

#endif
