// SPDX-License-Identifier: Apache-2.0
// API scenarios and their versions.

#ifndef PROOFARC_STORE_SCENARIOS_H
#define PROOFARC_STORE_SCENARIOS_H

#include "store/listing.h"

typedef struct {
    int64_t project, environment;  // environment 0: none
    const char *name, *description;
    const char *app_tag, *credential_tag;  // or NULL
    const char *auth_type;                 // NONE or CREDENTIAL
    const json_t *tags;                    // or NULL
    int64_t step_count;
    const char *yaml;
    const json_t *definition;  // normalised
    bool is_imported;          // from an API document, not from a person
} scenario_t;

// Filters of both: ?1 a project, ?2 part of the name, ?3 an auth type. The tagged one also ?4
// tags (a JSON list, any of them), and says match_source for each.
extern const listing_t scenarios_listing, scenarios_tagged_listing;

json_t *scenarios_get(store_t *store, arena_t *arena, int64_t id);
int64_t scenarios_named(store_t *store, int64_t project, const char *name);

int64_t scenarios_add(store_t *store, arena_t *arena, const scenario_t *scenario,
                      int64_t wall_ms);

// Replaces what is there by the next version; project and id stay.
void scenarios_change(store_t *store, arena_t *arena, int64_t id, const scenario_t *scenario,
                      int64_t wall_ms);

// {version, yamlText, definition, isImported} of a version, 0 for the newest; NULL if there is none.
json_t *scenarios_version(store_t *store, arena_t *arena, int64_t id, int64_t version);

// Scenarios of a project that one of the tags selects, in id order: {id, name}.
json_t *scenarios_tagged(store_t *store, arena_t *arena, int64_t project, const json_t *tags);

#endif
