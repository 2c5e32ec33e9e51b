// SPDX-License-Identifier: Apache-2.0
// API scenarios: found, written, checked.

#include <inttypes.h>
#include <string.h>

#include "authoring.h"
#include "limits.h"
#include "routes/find.h"
#include "routes/list.h"
#include "store/projects.h"
#include "store/scenarios.h"

static route_fn list_scenarios, get_scenario, get_yaml, validate;
static route_fn read_json, read_yaml, create_scenario, change_scenario;

static const member_t auth_config[] = {
    { "authType", M_TEXT, .about = "Kept for other clients; the environment decides." },
    { "credentialTag", M_NAME, .about = "Log-in of the environment to use." },
    { 0 }
};

#define YAML_EXAMPLE                                                                           \
    "\"name: Health\\nsteps:\\n- {name: health, method: GET, path: /api/health, expect: "      \
    "[200]}\""

const route_t scenario_routes[] = {
    {
        .method = "GET",
        .path = "/api/scenarios",
        .least = VIEWER,
        .id = "listScenarios",
        .summary = "List API scenarios.",
        .answer = "scenarios, total, returned; with tags each says match_source.",
        .run = list_scenarios,
        .is_list = true,
        .is_quick = true,
        .query = {
            { "projectId", M_ID, .about = "Only those of this project." },
            { "name", M_TEXT, .about = "Part of the name." },
            { "tags", M_TEXTS, .about = "Any of these tags, separated by commas." },
            { "authType", M_TEXT, .about = "Whether they use a log-in.",
              .one_of = "NONE|CREDENTIAL" },
            VIEW_ARGUMENT,
            PAGE_ARGUMENTS,
        },
    },
    {
        .method = "POST",
        .path = "/api/scenarios",
        .least = ANALYST,
        .id = "createScenario",
        .summary = "Make a scenario of JSON with the keys of the YAML.",
        .answer = "The scenario.",
        .code = 201,
        .run = create_scenario,
        .prepare = read_json,
        // clang-format off
        .body = {
            { "name", M_NAME, true, "Name, unique in the project.", "\"Health\"" },
            { "projectId", M_ID, true, "Its project.", "1" },
            { "environmentId", M_ID, .about = "Environment whose properties it uses." },
            { "steps", M_OBJECTS, true, "Its steps.", "[{\"name\": \"health\", "
              "\"method\": \"GET\", \"path\": \"/api/health\", \"expect\": [200]}]",
              .min = 1, .max = STEPS_MAX },
            { "appTag", M_NAME, .about = "Tag of the application it tests." },
            { "tags", M_TEXTS, .about = "Its tags.", .example = "[\"smoke\"]", .max = 50 },
            { "credentialTag", M_NAME, .about = "Log-in of the environment to use." },
            { "authConfig", M_OBJECT, .about = "Better left out: name a credentialTag.",
              .members = auth_config },
            { "description", M_TEXT, .about = "For people." },
            { "baseUrl", M_TEXT, .about = "{{baseUrl}} of the target when absent." },
            { "hooks", M_OBJECT, .about = "Values made anew for each run." },
        },
        // clang-format on
    },
    {
        .method = "POST",
        .path = "/api/scenarios/yaml",
        .least = ANALYST,
        .id = "createScenarioFromYaml",
        .summary = "Make a scenario of YAML.",
        .answer = "The scenario, with warnings.",
        .code = 201,
        .run = create_scenario,
        .prepare = read_yaml,
        // clang-format off
        .body = {
            { "yamlText", M_TEXT, true, "The scenario.", YAML_EXAMPLE, .max = YAML_MAX },
            { "projectId", M_ID, true, "Its project.", "1" },
            { "environmentId", M_ID, .about = "Environment whose properties it uses." },
            { "tags", M_TEXTS, .about = "Tags beside its own.", .example = "[\"smoke\"]",
              .max = 50 },
        },
        // clang-format on
    },
    {
        .method = "PUT",
        .path = "/api/scenarios/{scenarioId}/yaml",
        .least = ANALYST,
        .id = "changeScenarioYaml",
        .summary = "Replace a scenario's YAML.",
        .answer = "The scenario, with warnings.",
        .run = change_scenario,
        .prepare = read_yaml,
        .body = {
            { "yamlText", M_TEXT, true, "The scenario.", YAML_EXAMPLE, .max = YAML_MAX },
            { "environmentId", M_ID, .about = "Environment whose properties it uses." },
            { "expectedVersion", M_INT, .about = "Refuse when the scenario is at another one.",
              .min = 1 },
        },
    },
    {
        .method = "GET",
        .path = "/api/scenarios/{scenarioId}",
        .least = VIEWER,
        .id = "getScenario",
        .summary = "Get a scenario.",
        .answer = "The scenario.",
        .run = get_scenario,
    },
    {
        .method = "GET",
        .path = "/api/scenarios/{scenarioId}/yaml",
        .least = VIEWER,
        .id = "getScenarioYaml",
        .summary = "Get a scenario's YAML.",
        .answer = "{id, name, version, yamlText}.",
        .run = get_yaml,
        .query = { { "version", M_INT, .about = "The newest when absent.", .min = 1 } },
    },
    {
        .method = "POST",
        .path = "/api/scenarios/validate",
        .least = VIEWER,
        .id = "validateScenario",
        .summary = "Check YAML without keeping it.",
        .answer = "{valid, name, stepCount, errors, warnings}.",
        .run = validate,
        .is_loose = true,
        .body = {
            { "yamlText", M_TEXT, true, "The scenario.", YAML_EXAMPLE, .max = YAML_MAX },
            { "environmentId", M_ID, .about = "Environment whose properties it uses." },
            { "projectId", M_ID, .about = "Project it is for." },
        },
    },
    { 0 }
};

static status_t
list_scenarios(exchange_t *x)
{
    const json_t *tags = json_get(x->arguments, "tags");
    const value_t filters[] = {
        value_id(exchange_asked_int(x, "projectId", 0)),
        value_text(exchange_asked(x, "name")),
        value_text(exchange_asked(x, "authType")),
        value_json(x->arena, tags),
        { VALUE_END },
    };

    return list_answer(x, tags ? &scenarios_tagged_listing : &scenarios_listing, filters);
}

static json_t *
find_scenario(exchange_t *x)
{
    return find_in_path(x, "scenarioId", "scenario", scenarios_get);
}

static status_t
get_scenario(exchange_t *x)
{
    const json_t *scenario = find_scenario(x);

    return scenario ? exchange_answer(x, 200, scenario) : x->why.status;
}

static status_t
get_yaml(exchange_t *x)
{
    const json_t *scenario = find_scenario(x);
    json_t *answer = json_object(x->arena);

    if (!scenario)
        return x->why.status;
    int64_t id = exchange_id(x, "scenarioId"), wanted = exchange_asked_int(x, "version", 0);
    const json_t *version = scenarios_version(x->store, x->arena, id, wanted);
    if (!version)
        return fail_coded(&x->why, NOT_FOUND, "NOT_FOUND",
                          "the scenario has no version %" PRId64, wanted);
    json_set_int(x->arena, answer, "id", id);
    json_set_text(x->arena, answer, "name", json_get_text(scenario, "name"));
    json_set_int(x->arena, answer, "version", json_get_int(version, "version", 0));
    json_set_text(x->arena, answer, "yamlText", json_get_text(version, "yamlText"));
    return exchange_answer(x, 200, answer);
}

// ---- written

static status_t
read_yaml(exchange_t *x)
{
    draft_t *draft = arena_alloc(x->arena, sizeof *draft);

    x->prepared = draft;
    if (authoring_read(x, exchange_text(x, "yamlText"), exchange_int(x, "environmentId", 0),
                       draft))
        return x->why.status;
    draft->more_tags = exchange_json(x, "tags");
    return OK;
}

static status_t
read_json(exchange_t *x)
{
    static const char *const keys[] = { "name",          "description", "baseUrl", "appTag",
                                        "credentialTag", "tags",        "hooks",   "steps" };
    draft_t *draft = arena_alloc(x->arena, sizeof *draft);
    json_t *scenario = json_object(x->arena);
    const char *inline_tag = json_get_text(exchange_json(x, "authConfig"), "credentialTag");

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (exchange_json(x, keys[i]))
            json_set(x->arena, scenario, keys[i],
                     json_copy(x->arena, exchange_json(x, keys[i])));
    if (inline_tag && !exchange_text(x, "credentialTag"))
        json_set_text(x->arena, scenario, "credentialTag", inline_tag);
    x->prepared = draft;
    return authoring_read_json(x, scenario, exchange_int(x, "environmentId", 0), draft);
}

static status_t
answer_written(exchange_t *x, int code, int64_t id)
{
    const draft_t *draft = x->prepared;
    json_t *scenario = scenarios_get(x->store, x->arena, id);

    if (!scenario)
        return OK;  // the store has failed, which is answered in our place
    json_set(x->arena, scenario, "warnings", json_copy(x->arena, draft->warnings));
    return exchange_answer(x, code, scenario);
}

static status_t
create_scenario(exchange_t *x)
{
    int64_t project = exchange_int(x, "projectId", 0);

    if (!find_in_body(x, "projectId", "project", projects_get))
        return x->why.status;
    int64_t id = authoring_create(x, project, x->prepared);
    return x->why.status ? x->why.status : answer_written(x, 201, id);
}

static status_t
change_scenario(exchange_t *x)
{
    const json_t *scenario = find_scenario(x);

    if (!scenario)
        return x->why.status;
    int64_t version = json_get_int(scenario, "version", 0);
    int64_t expected = exchange_int(x, "expectedVersion", version);
    if (expected != version)
        return fail_coded(&x->why, CONFLICT, "VERSION_CHANGED",
                          "the scenario is at version %" PRId64 ", not %" PRId64
                          "; read it again and change that",
                          version, expected);
    if (authoring_change(x, scenario, x->prepared))
        return x->why.status;
    return answer_written(x, 200, exchange_id(x, "scenarioId"));
}

static status_t
validate(exchange_t *x)
{
    const char *yaml = exchange_text(x, "yamlText");
    int64_t environment = exchange_int(x, "environmentId", 0);
    const json_t *known = authoring_known(x, environment, &x->why);
    scenario_result_t result = { 0 };
    json_t *answer = json_object(x->arena);

    if (environment && !known)
        return x->why.status;
    scenario_parse(x->arena, yaml, strlen(yaml), known, &result);
    json_set_bool(x->arena, answer, "valid", result.scenario != NULL);
    json_set_text(x->arena, answer, "name", result.name);
    json_set_int(x->arena, answer, "stepCount", result.step_count);
    json_set(x->arena, answer, "errors", result.errors);
    json_set(x->arena, answer, "warnings", result.warnings);
    return exchange_answer(x, 200, answer);
}
