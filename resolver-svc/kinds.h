// SPDX-License-Identifier: Apache-2.0
// What can be named: one row per kind, with its words and where the platform lists it.

#ifndef PROOFARC_KINDS_H
#define PROOFARC_KINDS_H

#include <stddef.h>

typedef enum {
    KIND_PROJECT,
    KIND_ENVIRONMENT,
    KIND_SCENARIO,
    KIND_UI_TEST,
    KIND_SUITE,
    KIND_PIPELINE,
    KIND_APPLICATION,
    KIND_TARGET,
    KIND_COUNT
} kind_t;

typedef struct {
    const char *name;    // in messages: "ui_test"
    const char *noun;    // in questions: "UI test"
    const char *plural;  // "UI tests"
    const char *path;    // of its list, below the platform's URL
} kinds_row_t;

const kinds_row_t *kinds_row(kind_t kind);

// The kind of that name; KIND_COUNT if there is none or `name` is NULL.
kind_t kinds_find(const char *name);

// The kind of tests that a tool calls so (api_scenario, ui_test, api, ui); KIND_COUNT if none.
kind_t kinds_of_tests(const char *name);

#endif
