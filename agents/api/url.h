// SPDX-License-Identifier: Apache-2.0
// The URL of a step: base, path and query, filled in.

#ifndef PROOFARC_URL_H
#define PROOFARC_URL_H

#include "variables.h"

// `base` and `path` with exactly one slash between them, unless the path is a URL of its own;
// then `query`, an object of texts and lists of texts, percent-encoded. BAD_ARGS when a
// variable is missing or the result is no http address.
status_t url_of_step(arena_t *arena, const variables_t *variables, const char *base,
                     const char *path, const json_t *query, const char **url_p, failure_t *why);

#endif
