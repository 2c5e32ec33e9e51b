// SPDX-License-Identifier: Apache-2.0
// Environments and their links to projects.

#ifndef PROOFARC_STORE_ENVIRONMENTS_H
#define PROOFARC_STORE_ENVIRONMENTS_H

#include "store/listing.h"

// Filters: ?1 part of the name, ?2 a project.
extern const listing_t environments_listing;

json_t *environments_get(store_t *store, arena_t *arena, int64_t id);
json_t *environments_find(store_t *store, arena_t *arena, const char *name);
int64_t environments_add(store_t *store, arena_t *arena, const char *name,
                         const char *auth_requirement, bool allow_private,
                         const json_t *properties);

// False when it was linked before.
bool environments_link(store_t *store, int64_t id, int64_t project);

void environments_set_auth(store_t *store, arena_t *arena, int64_t id, const json_t *endpoint);

#endif
