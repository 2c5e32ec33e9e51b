// SPDX-License-Identifier: Apache-2.0
// Applications and their links to projects.

#ifndef PROOFARC_STORE_APPLICATIONS_H
#define PROOFARC_STORE_APPLICATIONS_H

#include "store/listing.h"

typedef struct {
    const char *name, *app_tag, *type;
    const json_t *interfaces;
    const char *auth_requirement;
    const char *git_url, *git_provider, *swagger_path;  // or NULL
} application_t;

// Filters: ?1 part of the name, ?2 a project.
extern const listing_t applications_listing;

json_t *applications_get(store_t *store, arena_t *arena, int64_t id);
json_t *applications_find(store_t *store, arena_t *arena, const char *name);
int64_t applications_add(store_t *store, arena_t *arena, const application_t *application);

// True if there are applications with this tag and none of them wants a log-in.
bool applications_are_public(store_t *store, const char *app_tag);

// False when it was linked before.
bool applications_link(store_t *store, int64_t id, int64_t project);

#endif
