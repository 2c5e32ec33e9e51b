// SPDX-License-Identifier: Apache-2.0
// OpenAPI documents: agents fetch them, round by round until no referenced file is missing;
// what they hold is read here.

#ifndef PROOFARC_PLATFORM_SPECS_H
#define PROOFARC_PLATFORM_SPECS_H

#include "exchange.h"

typedef struct spec_outcome spec_outcome_t;

// Queues a job that fetches documents: its id. `purpose` is detect, parse or import; `options`
// is kept for it and may hold pathGlobs, limit, offset, and for an import projectId,
// environmentId, credentialTag, tags, appTag, dryRun.
const char *specs_queue(exchange_t *x, const char *purpose, const char *url, bool allow_private,
                        const json_t *options);

// Reads what an agent fetched; takes long for large documents. Changes nothing.
spec_outcome_t *specs_read(exchange_t *x, const json_t *job, const json_t *result);

// Keeps the outcome: the job ends, or goes into another round.
void specs_finish(exchange_t *x, const json_t *job, const spec_outcome_t *outcome);

// The result of a parse of pasted text, at once. NULL and x->why when it is no OpenAPI
// document.
json_t *specs_parse(exchange_t *x, const char *text, const json_t *options);

#endif
