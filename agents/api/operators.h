// SPDX-License-Identifier: Apache-2.0
// The comparisons that an assertion may make: one table.

#ifndef PROOFARC_OPERATORS_H
#define PROOFARC_OPERATORS_H

#include "json.h"

// Whether `actual` (NULL: nothing is there) stands to `wanted` (NULL: none was given) as `name`
// says. False with `why` set when the question makes no sense (unknown operator, no pattern).
// A value that is missing equals nothing, not even null.
bool operator_holds(arena_t *arena, const char *name, const json_t *actual,
                    const json_t *wanted, failure_t *why);

#endif
