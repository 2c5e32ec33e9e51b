// SPDX-License-Identifier: Apache-2.0
// What is told of a request and its answer. Bodies are masked before they are cut: half a
// secret is one, too.

#ifndef PROOFARC_RECORD_H
#define PROOFARC_RECORD_H

#include "api/body.h"

// Sets `request` of a step's result.
void record_request(arena_t *arena, const mask_t *mask, json_t *result,
                    const exchange_request_t *request);

// Sets `response` and `timings`. `observed` holds the text of the body.
void record_answer(arena_t *arena, const mask_t *mask, json_t *result,
                   const observed_t *observed);

#endif
