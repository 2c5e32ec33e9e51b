// SPDX-License-Identifier: Apache-2.0
// One step of a run in the report, and the classes that outcomes have in the style sheet.

#ifndef PROOFARC_PLATFORM_REPORT_STEP_H
#define PROOFARC_PLATFORM_REPORT_STEP_H

#include "json.h"

// "pass", "fail", "error" or "skip": of PASSED, COMPLETED, FAILED, ERROR, SKIPPED …
const char *report_step_class(const char *status);

// The message of a step that failed: its error, else its first check that did not hold; or NULL.
const char *report_step_message(const json_t *step);

double report_step_ms(const json_t *step);

// "512 B", "3.4 KB"; "840 ms", "2.41 s".
void report_step_write_size(buffer_t *out, double bytes);
void report_step_write_ms(buffer_t *out, double ms);

// Appends the step as a details element, open if it failed; `longest_ms` is the length of the
// full bar.
void report_step_write(buffer_t *out, const json_t *step, double longest_ms);

#endif
