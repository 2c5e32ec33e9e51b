// SPDX-License-Identifier: Apache-2.0
// What the broker itself answers to a call.

#ifndef PROOFARC_VERDICT_H
#define PROOFARC_VERDICT_H

#include "status.h"

typedef enum {
    TOO_LATE_UNSENT,  // no worker ever had it
    TOO_LATE_READ,
    TOO_LATE_WRITE,
    LOST_READ,  // with its worker
    LOST_WRITE,
    TOO_MANY_OF_PRINCIPAL,
    TOO_MANY_OF_LANE,
    TOO_MANY_BYTES,
    NO_SUCH_TOOL,
    NO_SUCH_THING,  // resource, prompt
    TOO_LARGE_TO_PASS,
    STOPPING,
    JUST_STARTED,
    VERDICT_COUNT
} verdict_t;

typedef struct {
    status_t status;
    outcome_t outcome;
    const char *sentence;
} verdict_row_t;

extern const verdict_row_t verdicts[VERDICT_COUNT];

#endif
