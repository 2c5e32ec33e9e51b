// SPDX-License-Identifier: Apache-2.0
// UI tests, UI test suites and pipelines: kept and found, not run.

#ifndef PROOFARC_STORE_RECORDS_H
#define PROOFARC_STORE_RECORDS_H

#include "store/listing.h"

// Filters of all: ?1 a project, ?2 part of the name. Of UI tests also ?3 tags (a JSON list, any
// of them) and ?4 a driver.
extern const listing_t ui_tests_listing, ui_suites_listing, pipelines_listing;

json_t *ui_tests_get(store_t *store, arena_t *arena, int64_t id);
json_t *ui_suites_get(store_t *store, arena_t *arena, int64_t id);
json_t *pipelines_get(store_t *store, arena_t *arena, int64_t id);

// The id of a record's name in a project, 0 if there is none.
int64_t ui_tests_named(store_t *store, int64_t project, const char *name);
int64_t ui_suites_named(store_t *store, int64_t project, const char *name);
int64_t pipelines_named(store_t *store, int64_t project, const char *name);

// `given` is the checked body of their route.
int64_t ui_tests_add(store_t *store, arena_t *arena, const json_t *given);
int64_t ui_suites_add(store_t *store, arena_t *arena, const json_t *given);
int64_t pipelines_add(store_t *store, arena_t *arena, const json_t *given);

// UI tests of a project that carry one of the tags: {id, name}.
json_t *ui_tests_tagged(store_t *store, arena_t *arena, int64_t project, const json_t *tags);

#endif
