// SPDX-License-Identifier: Apache-2.0
// What a step expects of an answer: status codes and assertions on the body, a header, the
// time. Every check says what it looked for and what was there.

#ifndef PROOFARC_CHECKS_H
#define PROOFARC_CHECKS_H

#include "api/run.h"
#include "limits.h"

typedef struct {
    const exchange_answer_t *answer;
    const char *text;  // body as UTF-8
    size_t size;
    const json_t *body;    // parsed, or NULL
    const char *not_json;  // why there is no `body`: "body is empty, not JSON" …
    const char *encoding;  // what is wrong with its Content-Encoding, or NULL
} observed_t;

enum {
    CHECKS_SHOWN_MAX = 300,        // bytes of a value in a check
    CHECKS_EXTRACT_MAX = 1 * MIB,  // of an extracted value, as JSON
    CHECKS_EXTRACT_SHOWN_MAX = 4 * KIB,
    CHECKS_VARIABLES_MAX = 256 * MIB,  // memory of all values of a run
};

// Appends {check, passed, expected, actual, message} for each check of the step to `results`,
// which lives in `arena`. Returns whether all hold. A malformed assertion is a check that
// failed, with the reason.
bool checks_run(const run_t *run, arena_t *arena, const json_t *step,
                const observed_t *observed, json_t *results);

// Takes what `extract` {name: JSONPath} names out of the body into the run's variables and, cut
// if it is long, into `extracted`. A path without a match is a failed check.
bool checks_extract(run_t *run, arena_t *arena, const json_t *step, const observed_t *observed,
                    json_t *extracted, json_t *results);

#endif
