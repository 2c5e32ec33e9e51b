// SPDX-License-Identifier: Apache-2.0
// The calls that wait for one category, and the workers that serve it. Principals take turns,
// so that one that asks for much does not keep the others waiting. Calls that are answered from
// memory have lanes of their own: they need no slot, so they do not wait for one.

#ifndef PROOFARC_LANE_H
#define PROOFARC_LANE_H

#include "calls.h"

// `quick_max` 0 for calls that take a slot; else how many of them a worker has at once. There is a
// lane of no category as well, for calls whose tool nobody has offered yet.
lane_t *lane_new(size_t quick_max);

// It must be empty.
void lane_destroy(lane_t **self_p);

size_t lane_waiting(const lane_t *self);

// Puts the call behind, or before, those of its principal, whose `waiting` counts it.
void lane_push(lane_t *self, call_t *call);
void lane_push_front(lane_t *self, call_t *call);

// Takes a call out of the lane it waits in.
void lane_remove(call_t *call);

// Takes the next call: principals in turn, without those that have `under_way_max` calls under
// way. NULL if there is none.
call_t *lane_pop(lane_t *self, size_t under_way_max);

// A worker serves it, or does so no more; fine to say twice.
void lane_add_worker(lane_t *self, peer_t *worker);
void lane_remove_worker(lane_t *self, const peer_t *worker);

// The worker with the most free credit, NULL if none has any.
peer_t *lane_idlest(const lane_t *self);

#endif
