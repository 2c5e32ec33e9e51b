// SPDX-License-Identifier: Apache-2.0
// Tags of tests: static ones, and those that past runs carried.

#ifndef PROOFARC_STORE_TAGS_H
#define PROOFARC_STORE_TAGS_H

#include "store/sqlite.h"

// Replaces the static tags of a test ("api_scenario" or "ui_test").
void tags_set(store_t *store, const char *kind, int64_t test, const json_t *tags);

// Adds tags that a run of the scenario carried; its history_tags column follows.
void tags_add_past(store_t *store, int64_t scenario, const json_t *tags);

// [{name, count, apiScenarios, uiTests}] in order of name: static tags, and past ones of
// scenarios that have no static ones. `project` 0 and `kind` NULL: all.
json_t *tags_all(store_t *store, arena_t *arena, int64_t project, const char *kind);

#endif
