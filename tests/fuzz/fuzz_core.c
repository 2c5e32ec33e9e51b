// SPDX-License-Identifier: Apache-2.0
// The broker's core: the bytes are the chance of a simulated run, whose judge looks at every step.

#include "play.h"
#include "target.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    counters_t sum = { 0 };

    play(1, bytes, size, false, &sum);
    return 0;
}
