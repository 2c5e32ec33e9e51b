// SPDX-License-Identifier: Apache-2.0
// Scenarios on their way into the store: checked, completed by what the request says, kept.

#ifndef PROOFARC_PLATFORM_AUTHORING_H
#define PROOFARC_PLATFORM_AUTHORING_H

#include "exchange.h"
#include "formats/scenario.h"

// A scenario that passed its check, with the text that is kept of it.
typedef struct {
    const json_t *definition;  // normalised
    const char *yaml;
    int64_t step_count;
    int64_t environment;      // or 0
    const json_t *more_tags;  // beside its own, or NULL
    const json_t *warnings;
    bool is_imported;  // from an API document: the next import may change it
} draft_t;

// Variables that runs in an environment will have: its properties, or NULL for environment 0.
// NULL and x->why when there is no such environment.
const json_t *authoring_known(exchange_t *x, int64_t environment, failure_t *why);

// Reads YAML. BAD_ARGS INVALID_SCENARIO with all errors in x->details.
status_t authoring_read(exchange_t *x, const char *yaml, int64_t environment, draft_t *draft);

// The same for JSON with the keys of the YAML.
status_t authoring_read_json(exchange_t *x, const json_t *given, int64_t environment,
                             draft_t *draft);

// Keeps a draft as a new scenario of the project: its id. 0 and CONFLICT SCENARIO_EXISTS in
// x->why.
int64_t authoring_create(exchange_t *x, int64_t project, const draft_t *draft);

// Keeps it as the next version of a scenario; what it does not name (log-in, application, tags)
// stays. CONFLICT when its new name is taken.
status_t authoring_change(exchange_t *x, const json_t *scenario, const draft_t *draft);

// True if texts of the scenario use {{username}}, {{password}}, {{token}} or {{apiKey}}.
bool authoring_uses_secrets(arena_t *arena, const json_t *definition);

#endif
