// SPDX-License-Identifier: Apache-2.0
#include "kinds.h"

#include <assert.h>
#include <string.h>

#include "auto.h"

// clang-format off
static const kinds_row_t rows[KIND_COUNT] = {
    [KIND_PROJECT]     = { "project",     "project",     "projects",     "/api/projects" },
    [KIND_ENVIRONMENT] = { "environment", "environment", "environments", "/api/environments" },
    [KIND_SCENARIO]    = { "scenario",    "scenario",    "scenarios",    "/api/scenarios" },
    [KIND_UI_TEST]     = { "ui_test",     "UI test",     "UI tests",     "/api/ui-tests" },
    [KIND_SUITE]       = { "suite",       "suite",       "suites",       "/api/ui-test-suites" },
    [KIND_PIPELINE]    = { "pipeline",    "pipeline",    "pipelines",    "/api/pipelines" },
    [KIND_APPLICATION] = { "application", "application", "applications", "/api/applications" },
    [KIND_TARGET]      = { "target",      "target",      "targets",      "/api/targets" },
};

static const struct {
    const char *name;
    kind_t kind;
} tests[] = {
    { "api_scenario", KIND_SCENARIO },
    { "api",          KIND_SCENARIO },
    { "ui_test",      KIND_UI_TEST },
    { "ui",           KIND_UI_TEST },
};
// clang-format on

const kinds_row_t *
kinds_row(kind_t kind)
{
    assert(kind < KIND_COUNT);
    return &rows[kind];
}

kind_t
kinds_find(const char *name)
{
    kind_t kind = 0;

    while (kind < KIND_COUNT && (!name || strcmp(rows[kind].name, name)))
        kind++;
    return kind;
}

kind_t
kinds_of_tests(const char *name)
{
    for (size_t i = 0; name && i < ROWS(tests); i++)
        if (!strcmp(tests[i].name, name))
            return tests[i].kind;
    return KIND_COUNT;
}
