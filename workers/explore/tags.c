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
        .about   = "List the tags in use with the number of tests of each kind that carry them. Call it to "
                   "choose what run_by_tag shall run.",
        .effect  = READS,
        .profile = CORE,
        .rest    = "GET /api/tags",
        .params  = {
            { "project", PROJECT, "Only tags of this project's tests." },
            { "kind",    TEXT,    "Only tags of this kind of test.", .one_of = "api_scenario|ui_test" },
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
