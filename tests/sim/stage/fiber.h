// SPDX-License-Identifier: Apache-2.0
// Coroutines: what blocks in a slot of a real process gives way to the others here.

#ifndef PROOFARC_SIM_FIBER_H
#define PROOFARC_SIM_FIBER_H

#include <stdbool.h>

typedef struct fiber fiber_t;

// Makes one; it runs when it is resumed first.
fiber_t *fiber_new(void (*run)(void *arg), void *arg);

// It must have ended, or never have begun.
void fiber_destroy(fiber_t **self_p);

// Runs it until it yields or ends.
void fiber_resume(fiber_t *self);

// Within a fiber: back to whoever resumed it.
void fiber_yield(void);

bool fiber_has_ended(const fiber_t *self);

// Frees the stacks that are kept for the next ones.
void fiber_clean_up(void);

#endif
