// SPDX-License-Identifier: Apache-2.0
// The OpenAPI 3.1 document of all routes, made from their rows.

#ifndef PROOFARC_PLATFORM_DESCRIBE_H
#define PROOFARC_PLATFORM_DESCRIBE_H

#include "json.h"

json_t *describe_routes(arena_t *arena);

#endif
