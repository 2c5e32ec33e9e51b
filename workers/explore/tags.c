// SPDX-License-Identifier: Apache-2.0
#include "explore/explore.h"

// clang-format off
static const field_t tag_fields[] = {
    { "name",         TEXT,   "The tag." },
    { "count",        NUMBER, "Tests that carry it." },
    { "apiScenarios", NUMBER, "API scenarios among them." },
    { "uiTests",      NUMBER, "UI tests among them." },
    { 0 }
};

const tool_t explore_tags[] = {
    {
        .name    = "list_tags",
        .title   = "List tags",
        .about   = "List tags and how many tests of each kind carry them, for run_by_tag.",
        .effect  = READS,
        .profile = CORE,
        .rest    = "GET /api/tags",
        .params  = {
            { "project", PROJECT },
            { "kind",    TEXT,    "Default both.", .one_of = "api_scenario|ui_test" },
        },
        .result  = {
            { "tags",     OBJECT | MANY, "The tags.", .fields = tag_fields },
            { "total",    NUMBER,        "How many there are." },
            { "returned", NUMBER,        "How many are in this answer." },
        },
    },
    { 0 }
};
// clang-format on
