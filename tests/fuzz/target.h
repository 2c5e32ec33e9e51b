// SPDX-License-Identifier: Apache-2.0
// What every fuzz target is: bytes go in, and nothing bad may happen.

#ifndef PROOFARC_FUZZ_TARGET_H
#define PROOFARC_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

enum { FUZZ_INPUT_MAX = 1024 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
