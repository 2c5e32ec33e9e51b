// SPDX-License-Identifier: Apache-2.0
// Answers a question from the snapshots that are held, or says which one it needs first. Pure:
// settle() is called again, from the start, when that snapshot is there.
//
// References given are settled first, the certain ones before the doubtful ones, projects before
// all others, then in row order, each pinning what follows; then what is missing is asked for in
// row order.

#ifndef PROOFARC_SETTLE_H
#define PROOFARC_SETTLE_H

#include "question.h"
#include "snapshot.h"

// What is held of a list.
typedef struct {
    const snapshot_t *snapshot;  // or NULL
    int64_t age_ms;              // since it was last known to be what the platform has
    const failure_t *failure;    // why it cannot be fetched just now, or NULL
} settle_held_t;

typedef struct {
    settle_held_t (*look)(void *arg, kind_t kind, int64_t project);
    void *arg;
} settle_shelf_t;

typedef enum { SETTLE_OK, SETTLE_NARROWED, SETTLE_NEEDS, SETTLE_FAILED } settle_verdict_t;

typedef struct {
    settle_verdict_t verdict;
    json_t *body;       // SETTLE_OK, SETTLE_NARROWED: of the RESOLVED
    kind_t kind;        // SETTLE_NEEDS: this list has to be fetched, or checked if it is held
    int64_t project;    // 0: of the whole instance
    failure_t failure;  // SETTLE_FAILED
} settle_result_t;

void settle(arena_t *arena, const question_t *question, const settle_shelf_t *shelf,
            settle_result_t *result);

// The lists that settling will most likely need, so that they can be fetched side by side.
void settle_likely(const question_t *question, bool kinds[KIND_COUNT]);

#endif
