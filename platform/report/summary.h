// SPDX-License-Identifier: Apache-2.0
// A run on one screen of text: a header, then one line per step.

#ifndef PROOFARC_PLATFORM_SUMMARY_H
#define PROOFARC_PLATFORM_SUMMARY_H

#include "json.h"

// Appends, for an execution as GET /api/scenarios/executions/{id} answers it:
//   Execution 12 · Pets · FAILED
//   3/4 passed · 412 ms · staging
//   ✓ list pets · 200 · 35 ms
//   ✗ get pet · 500 · 80 ms · expected status 200
// At most 100 steps; those that failed come first then.
void summary_text(buffer_t *out, const json_t *execution);

#endif
