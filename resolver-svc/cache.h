// SPDX-License-Identifier: Apache-2.0
// The snapshots that are held, by session and principal, within budgets. Never shared between
// principals. Pure: `now_ms` comes from the caller and only ever grows.
//
// A scope is one session of one principal and lives SESSION_MS; a caller without a session has
// one scope per principal, which lives until it was not used for PRINCIPAL_SCOPE_MS. Over a
// budget the least recently used scope goes first, then the least recently used snapshot.

#ifndef PROOFARC_CACHE_H
#define PROOFARC_CACHE_H

#include "json.h"
#include "kinds.h"
#include "snapshot.h"
#include "status.h"

typedef struct cache cache_t;

typedef struct {
    const char *session;  // "" without one
    const char *principal;
} cache_key_t;

// What is held of one list. Read only for others; valid until the next call that stores,
// holds, patches or expires.
typedef struct holding holding_t;
struct holding {
    holding_t *next;
    kind_t kind;
    int64_t project;       // 0: of the whole instance
    snapshot_t *snapshot;  // NULL if only a failure is held
    char *etag;            // NULL if it has none that still describes the snapshot
    int64_t fetched_ms;    // when it was last known to be what the platform has
    failure_t *failure;    // why the last fetch failed, until `failed_until_ms`
    char *failed_token;    // the token that it failed with
    int64_t failed_until_ms;
    int64_t used;  // grows with every use
    size_t bytes;
};

cache_t *cache_new(size_t principal_max, size_t total_max);
void cache_destroy(cache_t **self_p);

// What is held for the key, or NULL; counts as a use.
const holding_t *cache_find(cache_t *self, const cache_key_t *key, kind_t kind, int64_t project,
                            int64_t now_ms);

// Keeps *snapshot_p (taken over, also on failure) in place of what was held. `etag` may be
// NULL. False if it does not fit into the budgets.
bool cache_store(cache_t *self, const cache_key_t *key, kind_t kind, int64_t project,
                 snapshot_t **snapshot_p, const char *etag, int64_t now_ms);

// The platform says that the snapshot with this ETag is what it still has. False if that one is
// not held any more.
bool cache_confirm(cache_t *self, const cache_key_t *key, kind_t kind, int64_t project,
                   const char *etag, int64_t now_ms);

// Remembers why a fetch with this token failed; a snapshot that is held stays.
void cache_hold(cache_t *self, const cache_key_t *key, kind_t kind, int64_t project,
                const failure_t *failure, const char *token, int64_t until_ms, int64_t now_ms);

// A write changed this entity, or took it away: every snapshot of the principal follows. One
// that cannot (the entity has no id, or no name is known) is dropped and will be fetched again.
void cache_patch(cache_t *self, const char *principal, kind_t kind, const json_t *entity,
                 bool removed);

// Drops what has outlived its time.
void cache_expire(cache_t *self, int64_t now_ms);

size_t cache_size(const cache_t *self);  // bytes
size_t cache_scopes(const cache_t *self);

#endif
