// SPDX-License-Identifier: Apache-2.0
// JSONPath, RFC 9535: all of it, functions included (match and search by PCRE2 with limits).

#ifndef PROOFARC_JSONPATH_H
#define PROOFARC_JSONPATH_H

#include "json.h"

typedef struct jsonpath jsonpath_t;

typedef struct {
    const json_t **nodes;  // in the arena, in the order of the RFC
    size_t count;
} jsonpath_nodes_t;

// Compiles a query such as $.items[?@.price < 10].id. On OK *path_p lives in `arena`; on
// BAD_ARGS `why` names the column and what was expected there.
status_t jsonpath_compile(arena_t *arena, const char *query, jsonpath_t **path_p,
                          failure_t *why);

// Selects nodes of `root`. TOO_LARGE when more than JSONPATH_NODES_MAX would be visited.
status_t jsonpath_select(arena_t *arena, const jsonpath_t *path, const json_t *root,
                         jsonpath_nodes_t *nodes, failure_t *why);

#endif
