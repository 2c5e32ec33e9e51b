// SPDX-License-Identifier: Apache-2.0
// Projects.

#ifndef PROOFARC_STORE_PROJECTS_H
#define PROOFARC_STORE_PROJECTS_H

#include "store/listing.h"

// Filters: ?1 part of the name, ?2 1 to see archived ones as well.
extern const listing_t projects_listing;

// {id, name, description, archived, createdAt, projectIds}, or NULL.
json_t *projects_get(store_t *store, arena_t *arena, int64_t id);
json_t *projects_find(store_t *store, arena_t *arena, const char *name);

// Its name, or NULL.
char *projects_name(store_t *store, arena_t *arena, int64_t id);

int64_t projects_add(store_t *store, const char *name, const char *description,
                     int64_t wall_ms);

#endif
