// SPDX-License-Identifier: Apache-2.0
#include "spec_import.h"

#include <inttypes.h>
#include <string.h>

#include "authoring.h"
#include "store/credentials.h"
#include "store/scenarios.h"
#include "store/targets.h"

// True if the log-in that the scenarios will use holds an API key.
static bool
has_api_key(exchange_t *x, const json_t *options)
{
    const char *tag = json_get_text(options, "credentialTag");
    int64_t environment = json_get_int(options, "environmentId", 0);
    const json_t *credential =
        tag ? credentials_get(x->store, x->arena, environment, tag) : NULL;
    const json_t *kinds = json_get(credential, "kinds");

    for (const json_t *kind = kinds ? kinds->first : NULL; kind; kind = kind->next)
        if (strcmp(kind->text, "apiKey") == 0)
            return true;
    return false;
}

// Address of the target that the scenarios will run against, or NULL.
static const char *
target_url(exchange_t *x, const json_t *options)
{
    const json_t *targets =
        targets_for(x->store, x->arena, json_get_int(options, "environmentId", 0),
                    json_get_text(options, "appTag"));

    return targets->first ? json_get_text(targets->first, "baseUrl") : NULL;
}

json_t *
spec_import_generate(exchange_t *x, openapi_t *spec, const json_t *options)
{
    const openapi_options_t wanted = {
        .globs = json_get(options, "pathGlobs"),
        .app_tag = json_get_text(options, "appTag"),
        .credential_tag = json_get_text(options, "credentialTag"),
        .tags = json_get(options, "tags"),
        .api_key = has_api_key(x, options),
        .target_url = target_url(x, options),
    };

    return openapi_scenarios(spec, &wanted);
}

typedef struct {
    exchange_t *x;
    bool is_dry;
    int64_t project, environment;
    json_t *created, *updated, *unchanged, *kept, *warnings;
} import_t;

static void
note(import_t *import, json_t *list, int64_t id, const char *name)
{
    arena_t *arena = import->x->arena;
    json_t *entry = json_object(arena);

    json_set(arena, entry, "id", id ? json_number(arena, id) : json_null(arena));
    json_set_text(arena, entry, "name", name);
    json_add(list, entry);
}

static void
warn(import_t *import, const char *key)
{
    arena_t *arena = import->x->arena;
    json_t *warning = json_object(arena);

    json_set_text(arena, warning, "pointer", "");
    json_set_text(arena, warning, "message",
                  arena_printf(arena, "%s: %s", key, import->x->why.text));
    json_add(import->warnings, warning);
    import->x->why = (failure_t){ 0 };
}

static const json_t *
scenario_named(const import_t *import, const char *name)
{
    exchange_t *x = import->x;
    int64_t id = scenarios_named(x->store, import->project, name);

    return id ? scenarios_get(x->store, x->arena, id) : NULL;
}

// The name of the scenario. Two APIs of one project may offer the same operation: where another
// application has the name, ours goes in front.
static const char *
name_of(const import_t *import, const json_t *entry)
{
    const char *name = json_get_text(entry, "name");
    const char *theirs = json_get_text(scenario_named(import, name), "appTag");
    const char *ours = json_get_text(json_get(entry, "scenario"), "appTag");

    return theirs && ours && strcmp(theirs, ours) != 0 ? json_get_text(entry, "otherName")
                                                       : name;
}

static draft_t
draft_of(const import_t *import, const json_t *entry, const char *name)
{
    arena_t *arena = import->x->arena;
    const json_t *definition = json_get(entry, "scenario");
    const json_t *steps = json_get(definition, "steps");
    const char *yaml = json_get_text(entry, "yamlText");

    if (strcmp(name, json_get_text(entry, "name")) != 0) {
        json_t *renamed = json_copy(arena, definition);
        json_set_text(arena, renamed, "name", name);
        definition = renamed;
        yaml = scenario_to_yaml(arena, renamed);
    }
    return (draft_t){
        .definition = definition,
        .yaml = yaml,
        .step_count = steps ? (int64_t) steps->count : 0,
        .environment = import->environment,
        .is_imported = true,
    };
}

static void
keep_old(import_t *import, const json_t *old, const char *name, const draft_t *draft)
{
    exchange_t *x = import->x;
    int64_t id = json_get_int(old, "id", 0);
    const json_t *version = scenarios_version(x->store, x->arena, id, 0);

    if (strcmp(json_get_text(old, "name"), name) != 0) {
        fail(&x->why, CONFLICT,
             "the project has \"%.200s\", which differs in case alone; write a scenario of "
             "another name for this one",
             json_get_text(old, "name"));
        warn(import, name);
        return;
    }
    if (json_equal(json_get(version, "definition"), draft->definition)) {
        note(import, import->unchanged, id, name);
        return;
    }
    if (!json_get_int(version, "isImported", 0)) {
        note(import, import->kept, id, name);
        return;
    }
    if (!import->is_dry && authoring_change(x, old, draft))
        warn(import, name);
    else
        note(import, import->updated, id, name);
}

static void
keep(import_t *import, const json_t *entry)
{
    exchange_t *x = import->x;
    const char *name = name_of(import, entry);
    draft_t draft = draft_of(import, entry, name);
    const json_t *old = scenario_named(import, name);

    if (old) {
        keep_old(import, old, name, &draft);
        return;
    }
    int64_t id = import->is_dry ? 0 : authoring_create(x, import->project, &draft);
    if (x->why.status)
        warn(import, name);
    else
        note(import, import->created, id, name);
}

json_t *
spec_import_keep(exchange_t *x, const json_t *options, const json_t *scenarios,
                 const json_t *warnings)
{
    import_t import = {
        .x = x,
        .is_dry = json_get_bool(options, "dryRun", false),
        .project = json_get_int(options, "projectId", 0),
        .environment = json_get_int(options, "environmentId", 0),
        .created = json_array(x->arena),
        .updated = json_array(x->arena),
        .unchanged = json_array(x->arena),
        .kept = json_array(x->arena),
        .warnings = json_copy(x->arena, warnings),
    };
    json_t *result = json_object(x->arena);

    for (const json_t *entry = scenarios->first; entry; entry = entry->next)
        keep(&import, entry);
    json_set_bool(x->arena, result, "dryRun", import.is_dry);
    json_set(x->arena, result, "created", import.created);
    json_set(x->arena, result, "updated", import.updated);
    json_set(x->arena, result, "unchanged", import.unchanged);
    json_set(x->arena, result, "kept", import.kept);
    json_set_int(x->arena, result, "total", (int64_t) scenarios->count);
    json_set(x->arena, result, "warnings", import.warnings);
    return result;
}
