// SPDX-License-Identifier: Apache-2.0
// One run of the broker's core against processes that call, answer, cancel, crash, freeze, come
// back, lie and say things twice, over connections that lose and delay, with limits so small
// that all of them are met.

#ifndef PROOFARC_PLAY_H
#define PROOFARC_PLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"

// All chance comes from `bytes` (NULL for none), and from the seed when they are used up. Ends
// the process when something is not as it must be; adds what was met to *sum.
void play(uint64_t seed, const unsigned char *bytes, size_t size, bool is_loud,
          counters_t *sum);

#endif
