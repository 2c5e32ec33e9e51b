// SPDX-License-Identifier: Apache-2.0
#include "setup/setup.h"

// clang-format off
static const field_t step_fields[] = {
    { "step",   TEXT, "What has to be set up, e.g. target." },
    { "done",   FLAG, "True when it is." },
    { "detail", TEXT, "What is there, or what is missing." },
    { "next",   TEXT, "What to do when it is not done." },
    { 0 }
};

const tool_t setup_projects[] = {
    {
        .name    = "create_project",
        .title   = "Create project",
        .about   = "Create an empty project; onboard_project makes a whole one.",
        .effect  = WRITES,
        .profile = STANDARD,
        .touches = "project",
        .rest    = "POST /api/projects",
        .params  = {
            { "name",        TEXT | MUST, "Unique.", .max = 200 },
            { "description", TEXT,        "What for.", .max = 2000 },
        },
        .result  = {
            { "id",          NUMBER, "Id of the new project." },
            { "name",        TEXT,   "Its name." },
            { "description", TEXT,   "What it is about." },
            { "archived",    FLAG,   "False for a new project." },
            { "createdAt",   TEXT,   "When it was created (ISO 8601)." },
        },
    },
    {
        .name    = "get_project_setup_status",
        .title   = "Check set-up",
        .about   = "What is set up in a project, what is missing, and what to do next.",
        .effect  = READS,
        .profile = STANDARD,
        .rest    = "GET /api/projects/{project}/setup-status",
        .params  = {
            { "project", PROJECT | MUST },
        },
        .result  = {
            { "project",       TEXT,          "Name of the project." },
            { "steps",         OBJECT | MANY, "The steps, in the order to take them.", .fields = step_fields },
            { "missing",       TEXT | MANY,   "Steps that are not done." },
            { "setupComplete", FLAG,          "True when nothing is missing." },
        },
    },
    { 0 }
};
// clang-format on
