// SPDX-License-Identifier: Apache-2.0
// Coroutines: straight code that can wait in the middle, in one thread. A fiber has a stack of
// its own and belongs to the thread that made it.

#ifndef PROOFARC_FIBER_H
#define PROOFARC_FIBER_H

#include <stdbool.h>

typedef struct fiber fiber_t;

// Makes one; it runs when it is resumed first.
fiber_t *fiber_new(void (*run)(void *arg), void *arg);

// It must have ended, or never have begun.
void fiber_destroy(fiber_t **self_p);

// Runs it until it yields or ends. A fiber may resume another.
void fiber_resume(fiber_t *self);

// Within a fiber: back to whoever resumed it.
void fiber_yield(void);

bool fiber_has_ended(const fiber_t *self);

#endif
