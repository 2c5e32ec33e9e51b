// SPDX-License-Identifier: Apache-2.0
#include "cache.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "limits.h"
#include "owners.h"
#include "view.h"

typedef struct {
    ring_t in_cache;
    ring_t in_owner;
    owner_t *owner;
    char *session;
    int64_t born_ms;
    int64_t used_ms;
    holding_t *holdings;
    size_t bytes;
} scope_t;

struct cache {
    owners_t *owners;
    size_t scope_count;
    ring_t scopes;
    size_t bytes;
    size_t principal_max, total_max;
    int64_t uses;
};

#define SCOPE_OF(place, member) ((scope_t *) ((char *) (place) -offsetof(scope_t, member)))

static void *
allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory)
        abort();
    return memory;
}

static char *
duplicate(const char *text)
{
    char *copy = text ? strdup(text) : NULL;

    if (text && !copy)
        abort();
    return copy;
}

// Bytes are counted in the scope, its owner and the cache at once.
static void
charge(cache_t *self, scope_t *scope, size_t more, size_t less)
{
    scope->bytes += more - less;
    scope->owner->bytes += more - less;
    self->bytes += more - less;
}

static bool
is_expired(const scope_t *scope, int64_t now_ms)
{
    return *scope->session ? now_ms - scope->born_ms >= SESSION_MS
                           : now_ms - scope->used_ms >= PRINCIPAL_SCOPE_MS;
}

static scope_t *
find_scope(const cache_t *self, const cache_key_t *key)
{
    owner_t *owner = owners_find(self->owners, key->principal);

    if (owner)
        for (ring_t *at = owner->scopes.next; at != &owner->scopes; at = at->next)
            if (!strcmp(SCOPE_OF(at, in_owner)->session, key->session))
                return SCOPE_OF(at, in_owner);
    return NULL;
}

static scope_t *
add_scope(cache_t *self, const cache_key_t *key, int64_t now_ms)
{
    scope_t *scope = allocate(1, sizeof *scope);

    scope->owner = owners_get(self->owners, key->principal);
    scope->session = duplicate(key->session);
    scope->born_ms = scope->used_ms = now_ms;
    ring_insert(&self->scopes, &scope->in_cache);
    ring_insert(&scope->owner->scopes, &scope->in_owner);
    charge(self, scope,
           sizeof *scope + sizeof *scope->owner + strlen(key->session) + strlen(key->principal),
           0);
    self->scope_count++;
    return scope;
}

static void
use_scope(cache_t *self, scope_t *scope, int64_t now_ms)
{
    scope->used_ms = now_ms;
    ring_remove(&scope->in_cache);
    ring_remove(&scope->in_owner);
    ring_insert(&self->scopes, &scope->in_cache);
    ring_insert(&scope->owner->scopes, &scope->in_owner);
}

static void
drop_failure(holding_t *holding)
{
    free(holding->failure);
    free(holding->failed_token);
    holding->failure = NULL;
    holding->failed_token = NULL;
}

static void
drop_holding(cache_t *self, scope_t *scope, holding_t *holding)
{
    holding_t **place = &scope->holdings;

    while (*place != holding)
        place = &(*place)->next;
    *place = holding->next;
    charge(self, scope, 0, holding->bytes);
    snapshot_destroy(&holding->snapshot);
    drop_failure(holding);
    free(holding->etag);
    free(holding);
}

static void
drop_scope(cache_t *self, scope_t *scope)
{
    owner_t *owner = scope->owner;

    while (scope->holdings)
        drop_holding(self, scope, scope->holdings);
    charge(self, scope, 0, scope->bytes);
    ring_remove(&scope->in_cache);
    ring_remove(&scope->in_owner);
    free(scope->session);
    free(scope);
    self->scope_count--;
    if (owner->scopes.next == &owner->scopes)
        owners_drop(self->owners, owner);
}

cache_t *
cache_new(size_t principal_max, size_t total_max)
{
    cache_t *self = allocate(1, sizeof *self);

    self->principal_max = principal_max;
    self->total_max = total_max;
    self->owners = owners_new();
    ring_init(&self->scopes);
    return self;
}

void
cache_destroy(cache_t **self_p)
{
    cache_t *self = *self_p;

    if (!self)
        return;
    while (self->scopes.next != &self->scopes)
        drop_scope(self, SCOPE_OF(self->scopes.next, in_cache));
    owners_destroy(&self->owners);
    free(self);
    *self_p = NULL;
}

static holding_t *
find_holding(scope_t *scope, kind_t kind, int64_t project)
{
    holding_t *holding = scope->holdings;

    while (holding && (holding->kind != kind || holding->project != project))
        holding = holding->next;
    return holding;
}

const holding_t *
cache_find(cache_t *self, const cache_key_t *key, kind_t kind, int64_t project, int64_t now_ms)
{
    scope_t *scope = find_scope(self, key);

    if (scope && is_expired(scope, now_ms)) {
        drop_scope(self, scope);
        scope = NULL;
    }
    if (!scope)
        return NULL;
    use_scope(self, scope, now_ms);
    holding_t *holding = find_holding(scope, kind, project);
    if (holding)
        holding->used = ++self->uses;
    return holding;
}

// The place for a list in the scope of `key`, made if need be.
static holding_t *
holding_of(cache_t *self, const cache_key_t *key, kind_t kind, int64_t project, int64_t now_ms,
           scope_t **scope_p)
{
    scope_t *scope = find_scope(self, key);

    if (!scope)
        scope = add_scope(self, key, now_ms);
    use_scope(self, scope, now_ms);
    holding_t *holding = find_holding(scope, kind, project);
    if (!holding) {
        holding = allocate(1, sizeof *holding);
        holding->kind = kind;
        holding->project = project;
        holding->next = scope->holdings;
        scope->holdings = holding;
    }
    holding->used = ++self->uses;
    *scope_p = scope;
    return holding;
}

static void
count_bytes(cache_t *self, scope_t *scope, holding_t *holding)
{
    size_t bytes = sizeof *holding;

    if (holding->snapshot)
        bytes += snapshot_size(holding->snapshot);
    if (holding->etag)
        bytes += strlen(holding->etag) + 1;
    if (holding->failure)
        bytes += sizeof *holding->failure + strlen(holding->failed_token) + 1;
    charge(self, scope, bytes, holding->bytes);
    holding->bytes = bytes;
}

static holding_t *
oldest_holding_but(const scope_t *scope, const holding_t *keep)
{
    holding_t *oldest = NULL;

    for (holding_t *holding = scope->holdings; holding; holding = holding->next)
        if (holding != keep && (!oldest || holding->used < oldest->used))
            oldest = holding;
    return oldest;
}

// Drops what was used longest ago until `keep` of `scope` fits; false if it never will.
static bool
fit(cache_t *self, scope_t *scope, holding_t *keep)
{
    for (;;) {
        ring_t *oldest = NULL;
        holding_t *other;

        if (scope->owner->bytes > self->principal_max) {
            if ((oldest = ring_oldest_but(&scope->owner->scopes, &scope->in_owner)))
                drop_scope(self, SCOPE_OF(oldest, in_owner));
        } else if (self->bytes > self->total_max) {
            if ((oldest = ring_oldest_but(&self->scopes, &scope->in_cache)))
                drop_scope(self, SCOPE_OF(oldest, in_cache));
        } else {
            return true;
        }
        if (oldest)
            continue;
        if (!(other = oldest_holding_but(scope, keep)))
            return false;
        drop_holding(self, scope, other);
    }
}

bool
cache_store(cache_t *self, const cache_key_t *key, kind_t kind, int64_t project,
            snapshot_t **snapshot_p, const char *etag, int64_t now_ms)
{
    scope_t *scope;
    holding_t *holding = holding_of(self, key, kind, project, now_ms, &scope);

    snapshot_destroy(&holding->snapshot);
    drop_failure(holding);
    free(holding->etag);
    holding->snapshot = *snapshot_p;
    *snapshot_p = NULL;
    holding->etag = duplicate(etag);
    holding->fetched_ms = now_ms;
    count_bytes(self, scope, holding);
    if (fit(self, scope, holding))
        return true;
    drop_scope(self, scope);
    return false;
}

bool
cache_confirm(cache_t *self, const cache_key_t *key, kind_t kind, int64_t project,
              const char *etag, int64_t now_ms)
{
    scope_t *scope = find_scope(self, key);
    holding_t *holding = scope ? find_holding(scope, kind, project) : NULL;

    if (!holding || !holding->snapshot || !holding->etag || strcmp(holding->etag, etag))
        return false;
    holding->fetched_ms = now_ms;
    drop_failure(holding);
    count_bytes(self, scope, holding);
    return true;
}

void
cache_hold(cache_t *self, const cache_key_t *key, kind_t kind, int64_t project,
           const failure_t *failure, const char *token, int64_t until_ms, int64_t now_ms)
{
    scope_t *scope;
    holding_t *holding = holding_of(self, key, kind, project, now_ms, &scope);

    drop_failure(holding);
    holding->failure = allocate(1, sizeof *failure);
    *holding->failure = *failure;
    holding->failed_token = duplicate(token);
    holding->failed_until_ms = until_ms;
    count_bytes(self, scope, holding);
    if (!fit(self, scope, holding))
        drop_scope(self, scope);
}

static bool
has_project(const draft_t *draft, int64_t project)
{
    for (size_t i = 0; i < draft->project_count; i++)
        if (draft->projects[i] == project)
            return true;
    return false;
}

// False if the snapshot cannot follow.
static bool
patch(holding_t *holding, const json_t *entity, bool removed)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    failure_t why;
    draft_t draft;
    int64_t id;

    if (!json_get(entity, "id") || !json_int(json_get(entity, "id"), &id))
        return false;
    free(holding->etag);  // it described what the platform had before the write
    holding->etag = NULL;
    if (removed) {
        snapshot_remove(holding->snapshot, id);
        return true;
    }
    if (view_entity(arena, entity, holding->snapshot, snapshot_find(holding->snapshot, id),
                    &draft, &why))
        return false;
    if (holding->project && !has_project(&draft, holding->project))
        snapshot_remove(holding->snapshot, id);
    else
        snapshot_put(holding->snapshot, &draft);
    return true;
}

static void
patch_scope(cache_t *self, scope_t *scope, kind_t kind, const json_t *entity, bool removed)
{
    for (holding_t *holding = scope->holdings, *next; holding; holding = next) {
        next = holding->next;
        if (!holding->snapshot)
            continue;
        // What belonged to a project that is gone cannot be told from here.
        bool follows = holding->kind == kind ? patch(holding, entity, removed)
                                             : !(removed && kind == KIND_PROJECT);
        if (follows)
            count_bytes(self, scope, holding);
        else
            drop_holding(self, scope, holding);
    }
}

void
cache_patch(cache_t *self, const char *principal, kind_t kind, const json_t *entity,
            bool removed)
{
    owner_t *owner = owners_find(self->owners, principal);
    ring_t *next;

    if (!owner)
        return;
    for (ring_t *at = owner->scopes.next; at != &owner->scopes; at = at->next)
        patch_scope(self, SCOPE_OF(at, in_owner), kind, entity, removed);
    while (owner && owner->bytes > self->principal_max) {
        next = owner->scopes.previous;
        owner = owner->scopes.next == next ? NULL : owner;
        drop_scope(self, SCOPE_OF(next, in_owner));
    }
}

void
cache_expire(cache_t *self, int64_t now_ms)
{
    for (ring_t *at = self->scopes.next, *next; at != &self->scopes; at = next) {
        next = at->next;
        scope_t *scope = SCOPE_OF(at, in_cache);
        if (!scope->holdings || is_expired(scope, now_ms))
            drop_scope(self, scope);
    }
}

size_t
cache_size(const cache_t *self)
{
    return self->bytes;
}

size_t
cache_scopes(const cache_t *self)
{
    return self->scope_count;
}
