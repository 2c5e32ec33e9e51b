// SPDX-License-Identifier: Apache-2.0
#include "authoring.h"

#include <inttypes.h>
#include <string.h>

#include "store/environments.h"
#include "store/scenarios.h"

const json_t *
authoring_known(exchange_t *x, int64_t environment, failure_t *why)
{
    const json_t *found =
        environment ? environments_get(x->store, x->arena, environment) : NULL;

    if (environment && !found)
        fail_coded(why, NOT_FOUND, "NOT_FOUND", "there is no environment with the id %" PRId64,
                   environment);
    return json_get(found, "properties");
}

static status_t
refuse(exchange_t *x, const scenario_result_t *result)
{
    json_t *details = json_object(x->arena);

    json_set(x->arena, details, "errors", result->errors);
    json_set(x->arena, details, "warnings", result->warnings);
    x->details = details;
    return fail_coded(&x->why, BAD_ARGS, "INVALID_SCENARIO", "%s",
                      scenario_first_error(x->arena, result));
}

static void
fill(draft_t *draft, const scenario_result_t *result, const char *yaml, int64_t environment)
{
    *draft = (draft_t){
        .definition = result->scenario,
        .yaml = yaml,
        .step_count = result->step_count,
        .environment = environment,
        .warnings = result->warnings,
    };
}

status_t
authoring_read(exchange_t *x, const char *yaml, int64_t environment, draft_t *draft)
{
    const json_t *known = authoring_known(x, environment, &x->why);
    scenario_result_t result = { 0 };

    if (environment && !known)
        return x->why.status;
    scenario_parse(x->arena, yaml, strlen(yaml), known, &result);
    if (!result.scenario)
        return refuse(x, &result);
    fill(draft, &result, yaml, environment);
    return OK;
}

status_t
authoring_read_json(exchange_t *x, const json_t *given, int64_t environment, draft_t *draft)
{
    const json_t *known = authoring_known(x, environment, &x->why);
    scenario_result_t result = { 0 };

    if (environment && !known)
        return x->why.status;
    scenario_from_json(x->arena, given, known, &result);
    if (!result.scenario)
        return refuse(x, &result);
    fill(draft, &result, scenario_to_yaml(x->arena, result.scenario), environment);
    return OK;
}

// ---- secrets

static bool
is_secret(const char *name, size_t size)
{
    static const char *const secret[] = { "username", "password", "token", "apiKey" };

    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++)
        if (strlen(secret[i]) == size && memcmp(name, secret[i], size) == 0)
            return true;
    return false;
}

bool
authoring_uses_secrets(arena_t *arena, const json_t *definition)
{
    const char *text = json_text(arena, definition);

    for (text = strstr(text, "{{"); text; text = strstr(text, "{{")) {
        text += 2;
        text += strspn(text, " ");
        if (is_secret(text, strcspn(text, " }")))
            return true;
    }
    return false;
}

// ---- keeping

// Tags of the scenario and of the request, each once.
static json_t *
union_of(arena_t *arena, const json_t *own, const json_t *more)
{
    json_t *tags = json_array(arena);
    const json_t *const lists[] = { own, more };

    for (size_t i = 0; i < 2; i++)
        for (const json_t *tag = lists[i] ? lists[i]->first : NULL; tag; tag = tag->next) {
            bool is_there = false;
            for (const json_t *old = tags->first; old; old = old->next)
                is_there |= strcmp(old->text, tag->text) == 0;
            if (!is_there)
                json_add(tags, json_string(arena, tag->text));
        }
    return tags;
}

// The row of a draft; what it does not say comes from `old` (NULL for a new scenario).
static scenario_t
row_of(exchange_t *x, const draft_t *draft, const json_t *old)
{
    const json_t *definition = draft->definition;
    const char *app_tag = json_get_text(definition, "appTag");
    const char *credential_tag = json_get_text(definition, "credentialTag");
    const json_t *tags = json_get(definition, "tags");

    if (!app_tag)
        app_tag = json_get_text(old, "appTag");
    if (!credential_tag)
        credential_tag = json_get_text(old, "credentialTag");
    if (!tags)
        tags = json_get(old, "tags");
    bool has_login = credential_tag || authoring_uses_secrets(x->arena, definition);
    return (scenario_t){
        .environment = draft->environment,
        .name = json_get_text(definition, "name"),
        .description = json_get_text(definition, "description"),
        .app_tag = app_tag,
        .credential_tag = credential_tag,
        .auth_type = has_login ? "CREDENTIAL" : "NONE",
        .tags = union_of(x->arena, tags, draft->more_tags),
        .step_count = draft->step_count,
        .yaml = draft->yaml,
        .definition = definition,
        .is_imported = draft->is_imported,
    };
}

static status_t
refuse_name(exchange_t *x, const char *name, int64_t old)
{
    return fail_coded(&x->why, CONFLICT, "SCENARIO_EXISTS",
                      "the project has a scenario called \"%.120s\" already (id %" PRId64
                      "); change that one or choose another name",
                      name, old);
}

int64_t
authoring_create(exchange_t *x, int64_t project, const draft_t *draft)
{
    scenario_t scenario = row_of(x, draft, NULL);
    int64_t old = scenarios_named(x->store, project, scenario.name);

    if (old)
        return refuse_name(x, scenario.name, old), 0;
    scenario.project = project;
    return scenarios_add(x->store, x->arena, &scenario, x->wall_ms);
}

status_t
authoring_change(exchange_t *x, const json_t *scenario, const draft_t *draft)
{
    scenario_t row = row_of(x, draft, scenario);
    int64_t id = json_get_int(scenario, "id", 0);
    int64_t taken = scenarios_named(x->store, json_get_int(scenario, "projectId", 0), row.name);

    if (taken && taken != id)
        return refuse_name(x, row.name, taken);
    scenarios_change(x->store, x->arena, id, &row, x->wall_ms);
    return OK;
}
