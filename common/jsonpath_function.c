// SPDX-License-Identifier: Apache-2.0
#include "jsonpath_function.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "auto.h"
#include "json_utf8.h"

static void
make_number(path_value_t *value, size_t number)
{
    int length = snprintf(value->digits, sizeof value->digits, "%zu", number);

    value->made =
        (json_t){ .kind = JSON_NUMBER, .text = value->digits, .length = (size_t) length };
    value->node = &value->made;
}

static void
length_of(path_run_t *self, const path_expr_t *call, const json_t *current, path_value_t *value)
{
    path_value_t of;

    path_evaluate(self, call->first, current, &of);
    value->node = NULL;
    if (!of.node)
        return;
    if (of.node->kind == JSON_STRING)
        make_number(value, json_utf8_count(of.node->text, of.node->length));
    else if (of.node->kind == JSON_ARRAY || of.node->kind == JSON_OBJECT)
        make_number(value, of.node->count);
}

static void
count_of(path_run_t *self, const path_expr_t *call, const json_t *current, path_value_t *value)
{
    AUTO(path_nodes_clear) path_nodes_t nodes = { 0 };

    path_select_all(self, call->first->query, current, &nodes);
    make_number(value, nodes.count);
}

static void
value_of(path_run_t *self, const path_expr_t *call, const json_t *current, path_value_t *value)
{
    AUTO(path_nodes_clear) path_nodes_t nodes = { 0 };

    path_select_all(self, call->first->query, current, &nodes);
    value->node = nodes.count == 1 ? nodes.items[0] : NULL;
}

static bool
matches(path_run_t *self, const path_regex_t *regex, const json_t *text)
{
    switch (path_regex_match(regex, text)) {
    case REGEX_YES:
        return true;
    case REGEX_NO:
        return false;
    case REGEX_TOO_COSTLY:
        break;
    }
    return path_give_up(self, "a regular expression of the JSONPath takes too many steps; "
                              "nest fewer repetitions");
}

static bool
match_of(path_run_t *self, const path_expr_t *call, const json_t *current)
{
    path_value_t text, pattern;

    path_evaluate(self, call->first, current, &text);
    path_evaluate(self, call->first->next, current, &pattern);
    if (!text.node || text.node->kind != JSON_STRING || !pattern.node
        || pattern.node->kind != JSON_STRING)
        return false;
    if (!path_charge(self, text.node->length / 64))
        return false;
    if (pattern.node == call->first->next->literal)
        return call->regex && matches(self, call->regex, text.node);

    AUTO(arena_destroy) arena_t *arena = arena_new();  // a pattern out of the document
    path_regex_t *regex = path_regex_new(arena, pattern.node, call->function->is_whole);
    return regex && matches(self, regex, text.node);
}

// clang-format off
static const path_function_t functions[] = {
    { "length", TYPE_VALUE,   1, { TYPE_VALUE },             .value = length_of },
    { "count",  TYPE_VALUE,   1, { TYPE_NODES },             .value = count_of },
    { "value",  TYPE_VALUE,   1, { TYPE_NODES },             .value = value_of },
    { "match",  TYPE_LOGICAL, 2, { TYPE_VALUE, TYPE_VALUE }, .takes_pattern = true, .is_whole = true, .logical = match_of },
    { "search", TYPE_LOGICAL, 2, { TYPE_VALUE, TYPE_VALUE }, .takes_pattern = true, .logical = match_of },
};
// clang-format on

const path_function_t *
path_function_find(const char *name, size_t length)
{
    for (size_t i = 0; i < ROWS(functions); i++)
        if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0)
            return &functions[i];
    return NULL;
}
