// SPDX-License-Identifier: Apache-2.0
// Targets: the addresses of an environment.

#ifndef PROOFARC_STORE_TARGETS_H
#define PROOFARC_STORE_TARGETS_H

#include "store/listing.h"

typedef struct {
    int64_t environment;
    const char *name, *type, *base_url;
    const char *app_tag;  // or NULL
    int64_t application;  // or 0
} target_t;

// Filters: ?1 an environment, ?2 a project.
extern const listing_t targets_listing;

json_t *targets_get(store_t *store, arena_t *arena, int64_t id);

// The one of an environment with this name; with this type and address.
json_t *targets_named(store_t *store, arena_t *arena, int64_t environment, const char *name);
json_t *targets_at(store_t *store, arena_t *arena, int64_t environment, const char *type,
                   const char *base_url);

int64_t targets_add(store_t *store, const target_t *target);
void targets_set_auth(store_t *store, arena_t *arena, int64_t id, const json_t *auth_config);

// Those of an environment that an application's tag selects (all without a tag), REST_SERVICE
// before WEB_APP.
json_t *targets_for(store_t *store, arena_t *arena, int64_t environment, const char *app_tag);

#endif
