// SPDX-License-Identifier: Apache-2.0
#include "explore/explore.h"

static tool_fn find_ui_test_suites;

// clang-format off
static const field_t ui_test_fields[] = {
    { "id",            NUMBER,      "Id of the UI test." },
    { "name",          TEXT,        "Its name, unique in its project." },
    { "description",   TEXT,        "What it proves." },
    { "projectId",     NUMBER,      "Id of its project." },
    { "project",       TEXT,        "Name of its project." },
    { "driver",        TEXT,        "Engine it is bound to; absent when any will do." },
    { "appTag",        TEXT,        "Application it tests." },
    { "credentialTag", TEXT,        "Saved login it uses." },
    { "tags",          TEXT | MANY, "Its tags; run_by_tag takes them." },
    { 0 }
};

static const field_t suite_fields[] = {
    { "id",        NUMBER,        "Id of the suite." },
    { "name",      TEXT,          "Its name, unique in its project." },
    { "projectId", NUMBER,        "Id of its project." },
    { "project",   TEXT,          "Name of its project." },
    { "tests",     NUMBER | MANY, "Ids of the UI tests in it." },
    { 0 }
};

const tool_t explore_ui_tests[] = {
    {
        .name    = "find_ui_tests",
        .title   = "Find UI tests",
        .about   = "Search UI tests by name, tag or driver; their tags are for run_by_tag.",
        .effect  = READS,
        .profile = CORE,
        .rest    = "GET /api/ui-tests",
        .params  = {
            { "project", PROJECT },
            { "name",    TEXT,        "Or part of it.", .max = 200 },
            { "tags",    TEXT | MANY, "Any of these." },
            { "driver",  TEXT,        "Engine they need.", .one_of = "PLAYWRIGHT|WEBDRIVER|HTMLUNIT" },
            { "limit",   NUMBER,      "Default 100.", .min = 1, .max = 500 },
            { "cursor",  TEXT,        "Last nextCursor." },
        },
        .result  = {
            { "uiTests",    OBJECT | MANY, "The UI tests.", .fields = ui_test_fields },
            { "total",      NUMBER,        "How many match." },
            { "returned",   NUMBER,        "How many are in this answer." },
            { "nextCursor", TEXT,          "Give it back as cursor; absent on the last page." },
        },
    },
    {
        .name    = "find_ui_test_suites",
        .title   = "Find UI test suites",
        .about   = "Search UI test suites by name; they hold the ids of their tests.",
        .effect  = READS,
        .profile = CORE,
        .run     = find_ui_test_suites,
        .params  = {
            { "name",    TEXT,    "Or part of it.", .max = 200 },
            { "project", PROJECT },
        },
        .result  = {
            { "uiTestSuites", OBJECT | MANY, "The suites.", .fields = suite_fields },
            { "total",        NUMBER,        "How many match." },
            { "returned",     NUMBER,        "How many are in this answer, 500 at most." },
        },
    },
    { 0 }
};
// clang-format on

static void
find_ui_test_suites(call_t *call)
{
    explore_reply_list(call, "/api/ui-test-suites");
}
