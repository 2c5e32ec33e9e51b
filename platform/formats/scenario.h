// SPDX-License-Identifier: Apache-2.0
// API scenarios: their YAML (docs/scenario-yaml.md), the same as JSON, the normalised form that
// is stored, and the job an agent gets. Pure: no store, no clock.
//
// The normalised form is an object with name and steps, and only what was said of description,
// baseUrl, appTag, credentialTag, tags, hooks {before: [{name, generator, arguments}]},
// dataColumns. A step has name, method, path and what was said of headers, query {name: text
// or [text]}, body {kind, json | text, contentType}, expect, asserts, extract, always,
// timeoutMs, followRedirects, retry, charset, in the shapes of the api_scenario payload.

#ifndef PROOFARC_PLATFORM_SCENARIO_H
#define PROOFARC_PLATFORM_SCENARIO_H

#include <stdint.h>

#include "json.h"

enum {
    SCENARIO_PROBLEMS_MAX = 50,  // errors that are collected, and warnings
    SCENARIO_NAME_MAX = 200,     // code points of the name of a scenario or step
    SCENARIO_TAGS_MAX = 50,
    SCENARIO_TAG_MAX = 100,  // code points
    SCENARIO_STEP_MS_MAX = 300 * 1000,
    SCENARIO_RETRIES_MAX = 10,
};

typedef struct {
    json_t *scenario;  // normalised; NULL when there are errors
    json_t *errors;    // arrays of {line, column, key, message, allowed: [text]}; line and
    json_t *warnings;  // column are left out when there was no YAML
    const char *name;  // as far as it is known, or NULL
    int64_t step_count;
} scenario_result_t;

// Checks and normalises a YAML text. `known` is an object whose member names are variables that
// the run will have (properties of the environment), or NULL when that is not known: then an
// unknown {{variable}} is no warning.
void scenario_parse(arena_t *arena, const char *yaml, size_t size, const json_t *known,
                    scenario_result_t *result);

// The same for a scenario that came as JSON with the keys of the YAML.
void scenario_from_json(arena_t *arena, const json_t *given, const json_t *known,
                        scenario_result_t *result);

// One sentence about the first error, for an error answer: "line 7, steps[0].path: must …".
const char *scenario_first_error(arena_t *arena, const scenario_result_t *result);

// YAML of a normalised scenario; scenario_parse() of it gives an equal scenario.
char *scenario_to_yaml(arena_t *arena, const json_t *scenario);

// Generators that a hook may name, e.g. {"generator": "uuid", "arguments": []}, for docs.
json_t *scenario_generators(arena_t *arena);

// What a run adds to its scenario. Texts may be NULL where nothing is known.
typedef struct {
    int64_t execution_id;
    const json_t *scenario;  // normalised
    const char *base_url;    // of the target
    bool allow_private;      // of the environment
    bool stop_on_failure;
    const json_t *properties;     // of the environment: {name: value}
    const json_t *variables;      // of the run; they win over the properties
    bool authenticated;           // false: nobody logs in, the secrets still fill variables
    const char *auth_type;        // of the target's authConfig: UI_LOGIN, BEARER, … or NULL
    const json_t *auth_endpoint;  // of the environment, or NULL
    const char *username;         // the credential that was chosen
    const char *password;
    const char *token;
    const char *api_key;
    const json_t *secret_refs;  // {password: "env:NAME"}, or NULL
} scenario_run_t;

// The payload of an api_scenario job (docs/rest.md), every member filled. It holds secrets:
// make it when the job is claimed, never store or log it.
json_t *scenario_job(arena_t *arena, const scenario_run_t *run);

#endif
