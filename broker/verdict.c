// SPDX-License-Identifier: Apache-2.0
#include "verdict.h"

#define LOOK_IT_UP                                                                             \
    "it may have happened: look with the list and get tools, or repeat the call with the "     \
    "same idempotency_key"

// clang-format off
const verdict_row_t verdicts[VERDICT_COUNT] = {
    [TOO_LATE_UNSENT] = { TIMEOUT, NOT_SENT,
        "the time was up before a worker was free; nothing was done, repeating is safe" },
    [TOO_LATE_READ] = { TIMEOUT, FAILED,
        "the time was up before the answer came; repeating is safe" },
    [TOO_LATE_WRITE] = { TIMEOUT, UNKNOWN_OUTCOME, "the time was up; " LOOK_IT_UP },
    [LOST_READ] = { BACKEND, FAILED,
        "the process that worked on the call was lost; repeating is safe" },
    [LOST_WRITE] = { UNKNOWN, UNKNOWN_OUTCOME,
        "the process that worked on the call was lost; " LOOK_IT_UP },
    [TOO_MANY_OF_PRINCIPAL] = { BUSY, NOT_SENT,
        "too many of your calls are waiting; repeat the call in a moment" },
    [TOO_MANY_OF_LANE] = { BUSY, NOT_SENT,
        "too many calls wait for tools of this kind; repeat the call in a moment" },
    [TOO_MANY_BYTES] = { BUSY, NOT_SENT,
        "the calls that are waiting are too large together; repeat the call in a moment" },
    [NO_SUCH_TOOL] = { NO_TOOL, FAILED, "there is no tool of that name" },
    [NO_SUCH_THING] = { NO_TOOL, FAILED, "there is nothing of that name" },
    [TOO_LARGE_TO_PASS] = { TOO_LARGE, FAILED, "the call is too large to be passed on" },
    [STOPPING] = { BUSY, NOT_SENT, "the server is stopping; repeat the call in a moment" },
    [JUST_STARTED] = { BUSY, NOT_SENT,
        "the broker has just started; repeat the call in a moment" },
};
// clang-format on
