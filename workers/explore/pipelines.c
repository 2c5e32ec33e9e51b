// SPDX-License-Identifier: Apache-2.0
#include "explore/explore.h"

static tool_fn list_pipelines;

// clang-format off
static const field_t pipeline_fields[] = {
    { "id",          NUMBER,     "Id of the pipeline." },
    { "name",        TEXT,       "Its name, unique in its project." },
    { "description", TEXT,       "What it is for." },
    { "projectId",   NUMBER,     "Id of its project." },
    { "project",     TEXT,       "Name of its project." },
    { "stages",      ANY | MANY, "What it runs, in order." },
    { 0 }
};

const tool_t explore_pipelines[] = {
    {
        .name    = "list_pipelines",
        .title   = "List pipelines",
        .about   = "List pipelines with their stages, of one project or all.",
        .effect  = READS,
        .profile = CORE,
        .run     = list_pipelines,
        .params  = {
            { "project", PROJECT },
        },
        .result  = {
            { "pipelines", OBJECT | MANY, "The pipelines.", .fields = pipeline_fields },
            { "total",     NUMBER,        "How many match." },
            { "returned",  NUMBER,        "How many are in this answer, 500 at most." },
        },
    },
    { 0 }
};
// clang-format on

static void
list_pipelines(call_t *call)
{
    explore_reply_list(call, "/api/pipelines");
}
