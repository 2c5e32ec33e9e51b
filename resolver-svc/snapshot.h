// SPDX-License-Identifier: Apache-2.0
// The entities of one kind that a caller can name, in id order, laid out to be small: 100,000
// of them within SNAPSHOTS_PER_PRINCIPAL. Pure: no sockets, no clock. One owner at a time;
// what it hands out lives until the next snapshot_put(), _remove() or _destroy().

#ifndef PROOFARC_SNAPSHOT_H
#define PROOFARC_SNAPSHOT_H

#include "match.h"

typedef struct snapshot snapshot_t;

// What is known of an entity before it is stored. Texts end with NUL and are copied.
typedef struct {
    int64_t id;
    const char *name;
    int64_t environment_id;  // of a target, else 0
    const int64_t *projects;
    size_t project_count;
    const char *const *tags;
    size_t tag_count;
    const char *const *history;  // tags of its past runs
    size_t history_count;
} draft_t;

snapshot_t *snapshot_new(void);
void snapshot_destroy(snapshot_t **self_p);

// Appends while a snapshot is made, in any order; snapshot_seal() sorts, and of several with
// one id keeps the last.
void snapshot_add(snapshot_t *self, const draft_t *draft);
void snapshot_seal(snapshot_t *self);

// Changes a sealed snapshot: replaces or inserts; takes out (false if it was not there).
void snapshot_put(snapshot_t *self, const draft_t *draft);
bool snapshot_remove(snapshot_t *self, int64_t id);

// Bytes of memory it holds.
size_t snapshot_size(const snapshot_t *self);

size_t snapshot_count(const snapshot_t *self);
const entity_t *snapshot_nth(const snapshot_t *self, size_t index);
const entity_t *snapshot_find(const snapshot_t *self, int64_t id);  // NULL if there is none

// Of a sealed snapshot: the first entity of this folded name, or the next one after `after`, in
// id order; NULL if there is none.
const entity_t *snapshot_named(const snapshot_t *self, const char *folded,
                               const entity_t *after);

// Tags are numbered from 0 within a snapshot; those equal under match_fold() are one.
size_t snapshot_tags(const snapshot_t *self);  // each spelling is one
const char *snapshot_tag(const snapshot_t *self, size_t number);
const char *snapshot_tag_folded(const snapshot_t *self, size_t number);

// What an entity of this snapshot belongs to and carries.
size_t snapshot_projects_of(const entity_t *entity);
int64_t snapshot_project_of(const snapshot_t *self, const entity_t *entity, size_t index);
bool snapshot_in_project(const snapshot_t *self, const entity_t *entity, int64_t project);
int64_t snapshot_environment_of(const snapshot_t *self, const entity_t *entity);  // 0: none
size_t snapshot_tags_of(const entity_t *entity, const uint32_t **numbers_p);
size_t snapshot_history_of(const entity_t *entity, const uint32_t **numbers_p);

#endif
