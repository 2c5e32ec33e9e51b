// SPDX-License-Identifier: Apache-2.0
// Entities that a request names by id: found, or refused with a sentence.

#ifndef PROOFARC_ROUTES_FIND_H
#define PROOFARC_ROUTES_FIND_H

#include "routes.h"

// A kind of entity and how the store finds one.
typedef json_t *find_fn(store_t *store, arena_t *arena, int64_t id);

// The entity of an id in the path: NULL and 404 in x->why.
json_t *find_in_path(exchange_t *x, const char *param, const char *kind, find_fn *find);

// The entity of an id in the body: NULL and 404 in x->why. The member must be there.
json_t *find_in_body(exchange_t *x, const char *member, const char *kind, find_fn *find);

// Whether there is what a list's query asks for: true, or false and 404 in x->why. What is not
// asked for is there.
bool find_in_query(exchange_t *x, const char *argument, const char *kind, find_fn *find);

// There is no such entity: 404.
status_t find_nothing(exchange_t *x, const char *kind, int64_t id);

// Links the entity (an "application" or "environment") to the project and answers with both.
typedef bool link_fn(store_t *store, int64_t id, int64_t project);
status_t find_answer_link(exchange_t *x, const char *kind, const json_t *entity,
                          const json_t *project, link_fn *link);

#endif
