// SPDX-License-Identifier: Apache-2.0
// REST lines: "POST /api/environments/{environment}/targets". A placeholder takes the id of a
// reference or the text of an argument; what is left over is the query of a GET and the body of
// the rest, in camelCase, with references as <kind>Id. Nothing else: a tool that needs an `if`
// is a function.

#ifndef PROOFARC_REST_H
#define PROOFARC_REST_H

#include "json.h"
#include "tool.h"

typedef struct {
    const char *method;
    const char *path;    // with the query
    const json_t *body;  // NULL for a GET
} rest_request_t;

// Makes the request of the row out of checked arguments and settled references. BAD_ARGS when a
// placeholder has no value, or one that would change the path.
status_t rest_map(arena_t *arena, const tool_t *tool, const json_t *arguments,
                  const json_t *resolved, rest_request_t *request, failure_t *why);

// The same for a template's line, whose one placeholder takes `value`.
status_t rest_map_template(arena_t *arena, const template_t *template, const char *value,
                           rest_request_t *request, failure_t *why);

// "app_tag" → "appTag"
const char *rest_camel(arena_t *arena, const char *name);

#endif
