// SPDX-License-Identifier: Apache-2.0
// One run of settle(): what is pinned so far, and the steps that settle.c and tagged.c share.
// A step returns true when it has ended the run (the result says how).

#ifndef PROOFARC_STATE_H
#define PROOFARC_STATE_H

#include "narrowing.h"
#include "settle.h"

typedef struct {
    const entity_t **entities;
    size_t count;
} list_t;

typedef struct {
    arena_t *arena;
    const question_t *question;
    const settle_shelf_t *shelf;
    settle_result_t *result;
    bool is_settled[QUESTION_REFS_MAX];
    json_t *resolved;
    json_t *scoped_by;
    bool has_project, has_environment;  // pinned
    int64_t project, environment;
    const entity_t *environment_entity;  // NULL if the id is all that is known
    const snapshot_t *environments;      // its snapshot
    int64_t *tagged;                     // projects that own a test with one of the tags
    size_t tagged_count;
    bool has_tagged;
    json_t *tags;  // as tests spell them
} state_t;

// The list of this kind, or of the pinned project where the whole list is too large.
bool state_need(state_t *self, kind_t kind, const snapshot_t **snapshot_p);

// Before something is said not to exist: a list older than SNAPSHOT_FRESH_MS is checked.
bool state_need_fresh(state_t *self, kind_t kind);

// Everything that is in the scope of what is pinned, in id order.
void state_scope(const state_t *self, kind_t kind, const snapshot_t *snapshot, list_t *list);

// Those of this folded name that are.
void state_named(const state_t *self, kind_t kind, const snapshot_t *snapshot,
                 const char *folded, list_t *list);

// True if one of the entity's projects may still be meant.
bool state_is_reachable(const state_t *self, const snapshot_t *snapshot,
                        const entity_t *entity);

// Settles a reference; `entity` may be NULL when only the id is known.
void state_pin(state_t *self, size_t ref, int64_t id, const snapshot_t *snapshot,
               const entity_t *entity);

// Ends the run with the one question about this reference.
bool state_narrow(state_t *self, size_t ref, narrowing_kind_t kind, const list_t *list,
                  const snapshot_t *snapshot, const entity_t *named);

// Ends the run with a body for the narrowing about `param`.
bool state_asked(state_t *self, const char *param, json_t *narrowing);

#endif
