// SPDX-License-Identifier: Apache-2.0
#include "api_authoring/api_authoring.h"
#include "limits.h"

static tool_fn update_api_scenario_from_yaml, get_scenario_yaml;

// clang-format off
static const field_t finding_fields[] = {
    { "line",    NUMBER,      "Line in the YAML." },
    { "column",  NUMBER,      "Column in the line." },
    { "key",     TEXT,        "Key it is about, e.g. steps[0].method." },
    { "message", TEXT,        "What is wrong." },
    { "allowed", TEXT | MANY, "What may stand there." },
    { 0 }
};

const tool_t api_authoring_yaml[] = {
    {
        .name    = "validate_scenario_yaml",
        .title   = "Check scenario YAML",
        .about   = "Check a draft of an API scenario without saving it; every error names line, column, key and what is "
                   "allowed. Repeat until valid, then call create_scenario_from_yaml.",
        .effect  = READS,
        .profile = CORE,
        .rest    = "POST /api/scenarios/validate",
        .params  = {
            { "yaml_text",   TEXT | MUST, "The draft, e.g. \"name: Health\\nsteps:\\n- {method: GET, path: /health}\".", .max = YAML_MAX },
            { "environment", ENVIRONMENT, "Environment whose properties count as known variables." },
            { "project",     PROJECT,     "Project it is meant for." },
        },
        .result  = {
            { "valid",     FLAG,          "True when it can be stored." },
            { "name",      TEXT,          "Name in the draft." },
            { "stepCount", NUMBER,        "Steps in the draft." },
            { "errors",    OBJECT | MANY, "What has to change.", .fields = finding_fields },
            { "warnings",  OBJECT | MANY, "What looks odd.", .fields = finding_fields },
        },
    },
    {
        .name    = "create_scenario_from_yaml",
        .title   = "Create an API scenario from YAML",
        .about   = "Store an API scenario written in YAML; check it with validate_scenario_yaml first. Its name must be new "
                   "in the project. Then call execute_scenario.",
        .effect  = WRITES,
        .profile = CORE,
        .touches = "scenario",
        .rest    = "POST /api/scenarios/yaml",
        .params  = {
            { "yaml_text",   TEXT | MUST,    "The scenario.", .max = YAML_MAX },
            { "project",     PROJECT | MUST, "Project that owns it." },
            { "environment", ENVIRONMENT,    "Environment whose properties count as known variables." },
            { "tags",        TEXT | MANY,    "Tags for run_by_tag, e.g. smoke." },
        },
        .result  = {
            { "id",            NUMBER,        "Id of the new scenario." },
            { "name",          TEXT,          "Its name." },
            { "projectId",     NUMBER,        "Id of its project." },
            { "project",       TEXT,          "Name of its project." },
            { "appTag",        TEXT,          "Application it tests." },
            { "credentialTag", TEXT,          "Saved login it uses." },
            { "tags",          TEXT | MANY,   "Its tags." },
            { "stepCount",     NUMBER,        "How many requests it makes." },
            { "version",       NUMBER,        "1 for a new one." },
            { "warnings",      OBJECT | MANY, "What looks odd.", .fields = finding_fields },
        },
    },
    {
        .name    = "update_api_scenario_from_yaml",
        .title   = "Replace the YAML of an API scenario",
        .about   = "Replace the YAML of an API scenario; id, project, saved login and target stay unless the YAML names "
                   "others. Read it with get_scenario_yaml first.",
        .effect  = WRITES,
        .profile = CORE,
        .run     = update_api_scenario_from_yaml,
        .params  = {
            { "scenario",         SCENARIO | MUST, "The scenario." },
            { "yaml_text",        TEXT | MUST,     "The whole new YAML.", .max = YAML_MAX },
            { "environment",      ENVIRONMENT,     "Environment whose properties count as known variables." },
            { "project",          PROJECT,         "Project of the scenario, if its name is not unique." },
            { "expected_version", NUMBER,          "Refuse if it is no longer at this version.", .min = 1 },
        },
        .result  = {
            { "id",            NUMBER,        "Id of the scenario." },
            { "name",          TEXT,          "Its name." },
            { "projectId",     NUMBER,        "Id of its project." },
            { "project",       TEXT,          "Name of its project." },
            { "appTag",        TEXT,          "Application it tests." },
            { "credentialTag", TEXT,          "Saved login it uses." },
            { "tags",          TEXT | MANY,   "Its tags." },
            { "stepCount",     NUMBER,        "How many requests it makes." },
            { "version",       NUMBER,        "Its new version." },
            { "warnings",      OBJECT | MANY, "What looks odd.", .fields = finding_fields },
        },
    },
    {
        .name    = "get_scenario_yaml",
        .title   = "Get the YAML of an API scenario",
        .about   = "Get the YAML of an API scenario, as it is now or in an older version. Change it and give it to "
                   "update_api_scenario_from_yaml.",
        .effect  = READS,
        .profile = STANDARD,
        .run     = get_scenario_yaml,
        .params  = {
            { "scenario", SCENARIO | MUST, "The scenario." },
            { "project",  PROJECT,         "Project of the scenario, if its name is not unique." },
            { "version",  NUMBER,          "An older version; the newest when omitted.", .min = 1 },
        },
        .result  = {
            { "id",       NUMBER, "Id of the scenario." },
            { "name",     TEXT,   "Its name." },
            { "version",  NUMBER, "Version of this YAML." },
            { "yamlText", TEXT,   "The YAML." },
        },
    },
    { 0 }
};
// clang-format on

// `project` only helps to settle the name, which is why these two are no REST lines.
static void
update_api_scenario_from_yaml(call_t *call)
{
    arena_t *arena = call_arena(call);
    const int64_t version = call_number(call, "expected_version", 0);
    json_t *body = json_object(arena);
    json_t *scenario;

    json_set_text(arena, body, "yamlText", call_text(call, "yaml_text"));
    if (call_id(call, "environment"))
        json_set_int(arena, body, "environmentId", call_id(call, "environment"));
    if (version)
        json_set_int(arena, body, "expectedVersion", version);
    if (platform_send_or_reply(call, &scenario, "PUT", body, "/api/scenarios/%" PRId64 "/yaml",
                               call_id(call, "scenario")))
        return;
    call_touched(call, "scenario", scenario);
    reply_json(call, scenario);
}

static void
get_scenario_yaml(call_t *call)
{
    arena_t *arena = call_arena(call);
    const int64_t version = call_number(call, "version", 0);
    json_t *yaml;

    char *path =
        arena_printf(arena, "/api/scenarios/%" PRId64 "/yaml", call_id(call, "scenario"));
    if (version)
        path = arena_printf(arena, "%s?version=%" PRId64, path, version);
    if (!platform_get_or_reply(call, &yaml, "%s", path))
        reply_json(call, yaml);
}
