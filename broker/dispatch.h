// SPDX-License-Identifier: Apache-2.0
// The calls on their way: lanes, workers, deadlines and who is told what. Part of the pure
// core: every function takes the time from dispatch_begin() and writes letters to its outbox.

#ifndef PROOFARC_DISPATCH_H
#define PROOFARC_DISPATCH_H

#include "calls.h"
#include "counters.h"
#include "registry.h"
#include "verdict.h"

typedef struct dispatch dispatch_t;

typedef struct {
    size_t under_way_per_principal;
    size_t waiting_per_principal;
    size_t waiting_per_lane;
    size_t quick_per_worker;  // calls from memory that a worker has at once
    size_t bytes_max;         // of all calls held
    int64_t catalogue_ms;     // from the start: how long an unknown tool may still turn up
} dispatch_limits_t;

// `registry` and `counters` must outlive it.
dispatch_t *dispatch_new(const dispatch_limits_t *limits, const registry_t *registry,
                         counters_t *counters, uint64_t seed, int64_t now_ms);
void dispatch_destroy(dispatch_t **self_p);

// Before anything else in a step.
void dispatch_begin(dispatch_t *self, int64_t now_ms, outbox_t *out);

// Last thing in a step: gives waiting calls to idle workers.
void dispatch_pump(dispatch_t *self);

// A CALL, taken over unless it is refused; either way the transport gets its one answer.
void dispatch_call(dispatch_t *self, message_t *message, peer_t *transport);

// Answers a CALL that is not looked at: from a transport that is not known, or while stopping.
void dispatch_refuse(dispatch_t *self, const message_t *message, uint64_t route, verdict_t why);

// Messages about a call. Only its transport, or the worker that has it, is listened to.
void dispatch_cancel(dispatch_t *self, message_t *message, peer_t *transport);
void dispatch_relay(dispatch_t *self, message_t *message, peer_t *worker);
void dispatch_answer(dispatch_t *self, message_t *message, peer_t *worker);

// A CALL did not leave: it waits again, or is answered if it never will.
void dispatch_unsent(dispatch_t *self, const char *id, peer_t *worker, bool is_too_large);

// A worker serves the category, or none any more.
void dispatch_serve(dispatch_t *self, peer_t *worker, size_t category);
void dispatch_serve_none(dispatch_t *self, const peer_t *worker);

// A peer is lost: its calls are repeated, dropped or answered.
void dispatch_worker_gone(dispatch_t *self, peer_t *worker);
void dispatch_transport_gone(dispatch_t *self, peer_t *transport);

// More tools are known: calls that waited for theirs go on.
void dispatch_catalogue_changed(dispatch_t *self);

// Answers what is overdue.
void dispatch_expire(dispatch_t *self);

// Answers everything: the broker ends now.
void dispatch_end(dispatch_t *self);

#endif
