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
        .about   = "Search UI tests by name, tag or driver. Their tags can go to run_by_tag.",
        .effect  = READS,
        .profile = CORE,
        .rest    = "GET /api/ui-tests",
        .params  = {
            { "project", PROJECT,     "Only UI tests of this project." },
            { "name",    TEXT,        "Only those whose name contains this.", .max = 200 },
            { "tags",    TEXT | MANY, "Only those that carry one of these tags, e.g. smoke." },
            { "driver",  TEXT,        "Only those bound to this engine.", .one_of = "PLAYWRIGHT|WEBDRIVER|HTMLUNIT" },
            { "limit",   NUMBER,      "Most UI tests in one answer; 100 when omitted.", .min = 1, .max = 500 },
            { "cursor",  TEXT,        "nextCursor of the answer before; omit for the first page." },
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
        .about   = "Search UI test suites by name; each comes with the ids of its tests. Call find_ui_tests "
                   "for the tests themselves.",
        .effect  = READS,
        .profile = CORE,
        .run     = find_ui_test_suites,
        .params  = {
            { "name",    TEXT,    "Only suites whose name contains this.", .max = 200 },
            { "project", PROJECT, "Only suites of this project." },
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
