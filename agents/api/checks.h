// SPDX-License-Identifier: Apache-2.0
// What a step expects of an answer: status codes and assertions on the body, a header, the
// time. Every check says what it looked for and what was there.

#ifndef PROOFARC_CHECKS_H
#define PROOFARC_CHECKS_H

#include "exchange.h"
#include "variables.h"

typedef struct {
    const exchange_answer_t *answer;
    const char *text;  // body as UTF-8
    size_t size;
    const json_t *body;    // parsed, or NULL
    const char *not_json;  // why there is no `body`: "body is empty, not JSON" …
} observed_t;

// Appends {check, passed, expected, actual, message} for each check of the step to `results`.
// Returns whether all hold. A malformed assertion is a check that failed, with the reason.
bool checks_run(arena_t *arena, const json_t *step, const observed_t *observed,
                const variables_t *variables, json_t *results);

// Takes what `extract` {name: JSONPath} names out of the body into `variables` and `extracted`. A path
// without a match is a failed check.
bool checks_extract(arena_t *arena, const json_t *step, const observed_t *observed,
                    variables_t *variables, json_t *extracted, json_t *results);

#endif
