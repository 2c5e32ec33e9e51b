// SPDX-License-Identifier: Apache-2.0
#include "explore/explore.h"

// clang-format off
static const field_t scenario_fields[] = {
    { "id",            NUMBER,      "Id of the scenario." },
    { "name",          TEXT,        "Its name, unique in its project." },
    { "description",   TEXT,        "What it proves." },
    { "projectId",     NUMBER,      "Id of its project." },
    { "project",       TEXT,        "Name of its project." },
    { "appTag",        TEXT,        "Application it tests." },
    { "credentialTag", TEXT,        "Saved login it uses." },
    { "authType",      TEXT,        "NONE or CREDENTIAL." },
    { "tags",          TEXT | MANY, "Its tags; run_by_tag takes them." },
    { "match_source",  TEXT,        "static_tags or execution_history: where the tag was found." },
    { "stepCount",     NUMBER,      "How many requests it makes." },
    { "version",       NUMBER,      "Grows with every change." },
    { "updatedAt",     TEXT,        "When it was changed last (ISO 8601)." },
    { 0 }
};

const tool_t explore_scenarios[] = {
    {
        .name    = "find_scenarios",
        .title   = "Find API scenarios",
        .about   = "Search API scenarios by name, tag or auth type; their tags are for run_by_tag.",
        .effect  = READS,
        .profile = CORE,
        .rest    = "GET /api/scenarios",
        .params  = {
            { "project",   PROJECT },
            { "name",      TEXT,        "Or part of it.", .max = 200 },
            { "tags",      TEXT | MANY, "Any of these." },
            { "auth_type", TEXT,        "Do they log in.", .one_of = "NONE|CREDENTIAL" },
            { "limit",     NUMBER,      "Default 100.", .min = 1, .max = 500 },
            { "cursor",    TEXT,        "Last nextCursor." },
        },
        .result  = {
            { "scenarios",  OBJECT | MANY, "The scenarios.", .fields = scenario_fields },
            { "total",      NUMBER,        "How many match." },
            { "returned",   NUMBER,        "How many are in this answer." },
            { "nextCursor", TEXT,          "Give it back as cursor; absent on the last page." },
        },
    },
    { 0 }
};
// clang-format on
