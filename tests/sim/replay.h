// SPDX-License-Identifier: Apache-2.0
// A run that ends where no judge has condemned it, in an assert or by a sanitizer, says as well
// how it is played again.

#ifndef PROOFARC_SIM_REPLAY_H
#define PROOFARC_SIM_REPLAY_H

#include <stdint.h>

// Before each run.
void replay_begin(const char *program, uint64_t seed);

#endif
