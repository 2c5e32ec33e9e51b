// SPDX-License-Identifier: Apache-2.0
// A pool of actors (threads) that do blocking work for one loop. A job is a pointer that is
// owned by the slot while it works on it and by the loop before and after.

#ifndef PROOFARC_SLOT_H
#define PROOFARC_SLOT_H

#include <czmq.h>

typedef struct slots slots_t;

typedef struct {
    // In the slot's thread: makes its private state (curl handle, database …) from `shared`,
    // which is read only. May return NULL.
    void *(*open)(const void *shared);
    // In the slot's thread: does the work.
    void (*work)(void *state, void *job);
    // In the slot's thread: frees the state.
    void (*close)(void *state);
    // In the loop: the job is done. It may give the slot its next one.
    void (*done)(void *owner, void *job);
} slot_ops_t;

// Starts `count` slots and returns when all are open. `shared` and `ops` must outlive them.
slots_t *slots_new(zloop_t *loop, size_t count, const slot_ops_t *ops, const void *shared,
                   void *owner);

// Waits for the jobs under way (their `done` is not called), then ends the threads.
void slots_destroy(slots_t **self_p);

// Hands a job to an idle slot; false when none is idle.
bool slots_give(slots_t *self, void *job);

size_t slots_idle(const slots_t *self);
size_t slots_count(const slots_t *self);

#endif
