// SPDX-License-Identifier: Apache-2.0
// The functions of RFC 9535, for jsonpath*.c alone, and the evaluation they are called in.

#ifndef PROOFARC_JSONPATH_FUNCTION_H
#define PROOFARC_JSONPATH_FUNCTION_H

#include "jsonpath_tree.h"

// One run of a query over a document.
typedef struct {
    const json_t *root;
    size_t visited;
    status_t status;  // not OK: give up
    failure_t *why;
} path_run_t;

typedef struct {
    const json_t **items;
    size_t count;
    size_t capacity;
} path_nodes_t;

// A value, or nothing (`node` NULL). Numbers that functions make live in it.
typedef struct {
    const json_t *node;
    json_t made;
    char digits[24];
} path_value_t;

// Counts `cost` nodes as visited; false when these are too many.
bool path_charge(path_run_t *self, size_t cost);
bool path_give_up(path_run_t *self, const char *reason);

void path_nodes_clear(path_nodes_t *self);
void path_nodes_add(path_nodes_t *self, const json_t *node);

// All nodes of a query; `current` is what @ stands for.
void path_select_all(path_run_t *self, const path_query_t *query, const json_t *current,
                     path_nodes_t *nodes);

// The node of a singular query, or NULL.
const json_t *path_select_one(path_run_t *self, const path_query_t *query,
                              const json_t *current);

void path_evaluate(path_run_t *self, const path_expr_t *expr, const json_t *current,
                   path_value_t *value);
bool path_is_true(path_run_t *self, const path_expr_t *expr, const json_t *current);

struct path_function {
    const char *name;
    path_type_t result;
    size_t count;  // of parameters
    path_type_t parameters[2];
    bool takes_pattern;
    bool is_whole;  // the pattern must match all of the text
    void (*value)(path_run_t *self, const path_expr_t *call, const json_t *current,
                  path_value_t *value);
    bool (*logical)(path_run_t *self, const path_expr_t *call, const json_t *current);
};

// NULL if there is none of that name.
const path_function_t *path_function_find(const char *name, size_t length);

#endif
