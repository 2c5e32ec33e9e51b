// SPDX-License-Identifier: Apache-2.0
#include "explore/explore.h"

static tool_fn list_environments;

// clang-format off
static const field_t environment_fields[] = {
    { "id",              NUMBER,        "Id of the environment." },
    { "name",            TEXT,          "Its name." },
    { "authRequirement", TEXT,          "PUBLIC or AUTHENTICATED." },
    { "allowPrivate",    FLAG,          "True when its targets may be loopback or private addresses." },
    { "properties",      OBJECT,        "Values that tests may use as {{name}}." },
    { "projectIds",      NUMBER | MANY, "Projects that it is linked to." },
    { 0 }
};

const tool_t explore_environments[] = {
    {
        .name    = "list_environments",
        .title   = "List environments",
        .about   = "List environments, of one project or all; list_targets has their addresses.",
        .effect  = READS,
        .profile = CORE,
        .run     = list_environments,
        .params  = {
            { "project", PROJECT },
        },
        .result  = {
            { "environments", OBJECT | MANY, "The environments.", .fields = environment_fields },
            { "total",        NUMBER,        "How many match." },
            { "returned",     NUMBER,        "How many are in this answer, 500 at most." },
        },
    },
    { 0 }
};
// clang-format on

static void
list_environments(call_t *call)
{
    explore_reply_list(call, "/api/environments");
}
