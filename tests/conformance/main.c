// SPDX-License-Identifier: Apache-2.0
// A worker with one more category: what the official suites want to find at a server. With
// PROOFARC_FIXTURES=few it offers a part of it, as a version before might have.
#include <stdlib.h>

#include "fixtures.h"
#include "program.h"

static const tool_t *const tables[] = { content_tools, talking_tools, asking_tools, task_tools,
                                        NULL };

static const tool_t *const few_tables[] = { content_tools, NULL };

static category_t conformance_category = {
    .name = "conformance",
    .tables = tables,
    .templates = fixture_templates,
    .resources = fixture_resources,
    .prompts = fixture_prompts,
};

static const category_t *const all_categories[] = { &conformance_category, NULL };

int
main(int argc, char **argv)
{
    if (getenv("PROOFARC_FIXTURES"))
        conformance_category.tables = few_tables;
    return program_run("proofarc-conformance-worker", all_categories, argc, argv);
}
