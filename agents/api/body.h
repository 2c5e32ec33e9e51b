// SPDX-License-Identifier: Apache-2.0
// Bodies: of a request as the step describes it, of an answer as checks see it.

#ifndef PROOFARC_BODY_H
#define PROOFARC_BODY_H

#include "api/checks.h"

typedef struct {
    const char *bytes;  // NULL: no body
    size_t size;
    const char *content_type;  // or NULL
} body_t;

// Fills the step's body {kind, json, text, contentType} in. BAD_ARGS when a variable is
// missing.
status_t body_of_step(arena_t *arena, const json_t *body, const variables_t *variables,
                      body_t *result, failure_t *why);

// Makes text and JSON of an answer's body: content encoding, character set (the header's, else
// `charset` of the step, which may be NULL, else UTF-8), byte order mark, duplicate members. What
// is odd goes to `warnings`.
void body_observe(arena_t *arena, const exchange_answer_t *answer, const char *charset,
                  observed_t *observed, json_t *warnings);

#endif
