// SPDX-License-Identifier: Apache-2.0
// Log-ins of an environment. What is secret in them is sealed before it comes here.

#ifndef PROOFARC_STORE_CREDENTIALS_H
#define PROOFARC_STORE_CREDENTIALS_H

#include "store/sqlite.h"

typedef struct {
    int64_t environment;
    const char *tag;
    const json_t *kinds;
    const char *username, *secret_ref;  // or NULL
    bool is_default;
} credential_t;

// All of an environment: {tag, kinds, username, isDefault, active}. Never a secret.
json_t *credentials_list(store_t *store, arena_t *arena, int64_t environment);

// {tag, kinds, username, isDefault, active, environmentId, environment}, or NULL.
json_t *credentials_get(store_t *store, arena_t *arena, int64_t environment, const char *tag);

// All of an environment with their ids, for choosing one: {id, tag, isDefault, active}.
json_t *credentials_of(store_t *store, arena_t *arena, int64_t environment);

// Adds one without its secrets; a new default takes the place of the old. Its id.
int64_t credentials_add(store_t *store, arena_t *arena, const credential_t *credential);
void credentials_seal(store_t *store, int64_t id, const void *sealed, size_t size);
void credentials_set_active(store_t *store, int64_t environment, const char *tag, bool active);

// Id of the log-in that was added last, or 0.
int64_t credentials_newest(store_t *store);

// Calls `each` with {id, environmentId, username, secretRef} and the sealed bytes: of the one
// with this id, or of all of an environment.
typedef void credential_fn(const json_t *credential, const void *sealed, size_t size,
                           void *arg);
void credentials_sealed(store_t *store, arena_t *arena, int64_t id, credential_fn *each,
                        void *arg);
void credentials_sealed_of(store_t *store, arena_t *arena, int64_t environment,
                           credential_fn *each, void *arg);

#endif
