// SPDX-License-Identifier: Apache-2.0
// One self-contained HTML file about one or several runs: no script, no outside resource,
// everything escaped, light and dark, printable. Expects executions as GET
// /api/scenarios/executions/{id} answers them; what is missing in one is left out.

#ifndef PROOFARC_PLATFORM_REPORT_H
#define PROOFARC_PLATFORM_REPORT_H

#include "json.h"

// Appends the page. `executions` is an array; `title` NULL makes one of the executions;
// `generated` is the time that is printed ("2026-11-30T15:04:05.123Z"), or NULL.
void report_html(buffer_t *out, const char *title, const json_t *executions,
                 const char *generated);

#endif
