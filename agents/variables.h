// SPDX-License-Identifier: Apache-2.0
// {{name}} in a scenario: values from the environment, the run, the vault, generators and
// earlier steps. Filled in one pass: what a value holds is data and is never expanded again.

#ifndef PROOFARC_VARIABLES_H
#define PROOFARC_VARIABLES_H

#include "json.h"

typedef struct variables variables_t;

// How a value is written where it is filled in; the text around it stays as it is.
typedef enum {
    FILL_PLAIN,
    FILL_PATH,   // percent-encoded, unless it begins the text: then it is a path of its own
    FILL_QUERY,  // percent-encoded
} fill_t;

variables_t *variables_new(arena_t *arena);

// Sets or replaces; copies `name`; `value` must live as long.
void variables_set(variables_t *self, const char *name, const json_t *value);
void variables_set_text(variables_t *self, const char *name, const char *text);

// NULL if nothing supplied it.
const json_t *variables_get(const variables_t *self, const char *name);

// A text is no longer than this once it is filled in.
enum { VARIABLES_FILLED_MAX = 16 * 1024 * 1024 };

// `text` with every {{name}} replaced. BAD_ARGS when nothing supplies a name, TOO_LARGE over
// VARIABLES_FILLED_MAX.
status_t variables_fill(const variables_t *self, arena_t *arena, const char *text, fill_t how,
                        const char **filled_p, failure_t *why);

// A copy of a JSON value, filled: a string that is exactly "{{name}}" becomes the value itself
// with its type, other strings are texts. Member names are filled as well.
status_t variables_fill_json(const variables_t *self, arena_t *arena, const json_t *value,
                             json_t **filled_p, failure_t *why);

// Appends `text` percent-encoded (all but RFC 3986 unreserved).
void variables_encode(buffer_t *out, const char *text);

// Sets `name` to a fresh value: uuid, timestamp (seconds since 1970), isoTimestamp,
// randomInt(min,max), randomString(length), env(NAME).
status_t variables_generate(variables_t *self, const char *name, const char *generator,
                            const json_t *arguments, failure_t *why);

#endif
