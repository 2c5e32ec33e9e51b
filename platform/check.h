// SPDX-License-Identifier: Apache-2.0
// The check of a body and a query against the rows of their route. What is let through is
// converted: names trimmed, ids and limits numbers, comma-separated texts lists, null absent.

#ifndef PROOFARC_PLATFORM_CHECK_H
#define PROOFARC_PLATFORM_CHECK_H

#include "routes.h"

// Parses the body of `x` and sets x->given. BAD_ARGS: not JSON, a member twice, unknown (with
// the known ones), missing or malformed.
status_t check_body(exchange_t *x);

// Sets x->arguments from the query string.
status_t check_query(exchange_t *x);

// Trims `text` and checks that it can be a name; NULL and `why` otherwise.
const char *check_name(arena_t *arena, const char *member, const char *text, failure_t *why);

#endif
