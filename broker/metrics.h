// SPDX-License-Identifier: Apache-2.0
// Counters as a BEAT carries them: one JSON object of numbers.

#ifndef PROOFARC_METRICS_H
#define PROOFARC_METRICS_H

#include "buffer.h"
#include "core.h"

// Appends the broker's counters ("broker_calls" …) and, by name, the sums of its workers'
// ("worker_calls" …). Names that are no plain names, and values that are no integers, are left
// out.
void metrics_write(buffer_t *out, core_t *core);

#endif
