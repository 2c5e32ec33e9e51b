// SPDX-License-Identifier: Apache-2.0
// Calls that are worked on side by side in the loop. Each runs on a stack of its own (a strand),
// so that the straight code of a tool can wait for the platform or a resolver: meanwhile the
// loop and the other strands go on. No thread takes part, so that nothing has to be locked or
// handed over, and what comes in together is worked on together.

#ifndef PROOFARC_STRAND_H
#define PROOFARC_STRAND_H

#include <czmq.h>

typedef struct strands strands_t;
typedef struct strand strand_t;

typedef struct {
    // Makes what a strand works with (curl handle …) out of `shared`.
    void *(*open)(void *shared, strand_t *strand);
    // Within the strand: does the work.
    void (*work)(void *state, void *job);
    // Frees what `open` made.
    void (*close)(void *state);
    // In the loop: the job is done. It may give the next one.
    void (*done)(void *owner, void *job);
} strand_ops_t;

// `shared` and `ops` must outlive it.
strands_t *strands_new(zloop_t *loop, size_t count, const strand_ops_t *ops, void *shared,
                       void *owner);

// Jobs under way run to their end without waiting any more; their `done` is not called.
void strands_destroy(strands_t **self_p);

// Hands a job to an idle strand, which runs until it waits first; `done` may have been called
// when this returns, unless a strand or a `done` was running. False when none is idle, or all end.
bool strands_give(strands_t *self, void *job);

size_t strands_idle(const strands_t *self);
size_t strands_count(const strands_t *self);

// Within a strand: gives way until it is woken or the time has come (50 ms later at most). It may
// return earlier: look whether what is waited for is there. Returns at once when the strand is
// ending.
void strand_wait(strand_t *self, int64_t until_ms);

// Lets a strand that waits go on: now, or after the one that runs.
void strand_wake(strand_t *self);

// Nothing may be waited for any more.
bool strand_is_ending(const strand_t *self);

#endif
