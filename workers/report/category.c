// SPDX-License-Identifier: Apache-2.0
#include "category.h"
#include "report/report.h"

static const tool_t *const tables[] = { report_executions, NULL };

// clang-format off
static const template_t templates[] = {
    {
        .uri   = "proofarc://execution/{execution_id}",
        .name  = "execution",
        .title = "Execution of an API scenario",
        .about = "One run with the request, response, timings and checks of every step; secrets are masked. "
                 "The executionId comes from execute_scenario or run_by_tag.",
        .mime  = "application/json",
        .rest  = "GET /api/scenarios/executions/{execution_id}",
        .completes = "execution",
    },
    { 0 }
};
// clang-format on

const category_t report_category = {
    .name = "report",
    .tables = tables,
    .templates = templates,
};
