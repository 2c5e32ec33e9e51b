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
        .about   = "Check a draft scenario, saving nothing; errors name line, key and what is allowed. Then "
                   "create_scenario_from_yaml.",
        .effect  = READS,
        .profile = CORE,
        .rest    = "POST /api/scenarios/validate",
        .params  = {
            { "yaml_text",   TEXT | MUST, "E.g. {name: Ping, steps: [{method: GET, path: /ping}]}.", .max = YAML_MAX },
            { "environment", ENVIRONMENT, "For its {{properties}}." },
            { "project",     PROJECT },
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
        .title   = "Create scenario from YAML",
        .about   = "Store an API scenario; validate_scenario_yaml checks it first. Then execute_scenario.",
        .effect  = WRITES,
        .profile = CORE,
        .touches = "scenario",
        .rest    = "POST /api/scenarios/yaml",
        .params  = {
            { "yaml_text",   TEXT | MUST,    "Its name has to be new.", .max = YAML_MAX },
            { "project",     PROJECT | MUST },
            { "environment", ENVIRONMENT,    "For its {{properties}}." },
            { "tags",        TEXT | MANY,    "For run_by_tag." },
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
        .title   = "Replace scenario YAML",
        .about   = "Replace the YAML of an API scenario; id, saved login and target stay.",
        .effect  = WRITES,
        .profile = CORE,
        .run     = update_api_scenario_from_yaml,
        .params  = {
            { "scenario",         SCENARIO | MUST },
            { "yaml_text",        TEXT | MUST,     "All of it; see get_scenario_yaml.", .max = YAML_MAX },
            { "environment",      ENVIRONMENT,     "For its {{properties}}." },
            { "project",          PROJECT },
            { "expected_version", NUMBER,          "Refuse if it has changed since.", .min = 1 },
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
        .title   = "Get scenario YAML",
        .about   = "Get the YAML of an API scenario, to change it with update_api_scenario_from_yaml.",
        .effect  = READS,
        .profile = STANDARD,
        .run     = get_scenario_yaml,
        .params  = {
            { "scenario", SCENARIO | MUST },
            { "project",  PROJECT },
            { "version",  NUMBER,          "Default newest.", .min = 1 },
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
