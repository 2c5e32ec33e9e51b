// SPDX-License-Identifier: Apache-2.0
// Filters: comparisons and logic.
#include <string.h>

#include "auto.h"
#include "jsonpath_function.h"

void
path_evaluate(path_run_t *self, const path_expr_t *expr, const json_t *current,
              path_value_t *value)
{
    value->node = NULL;
    if (expr->kind == EXPR_LITERAL)
        value->node = expr->literal;
    else if (expr->kind == EXPR_QUERY)
        value->node = path_select_one(self, expr->query, current);
    else
        expr->function->value(self, expr, current, value);
}

// Comparing goes no further than the smaller of the two.
static size_t
cost_of(const json_t *a, const json_t *b)
{
    size_t a_size = a->end - a->begin;
    size_t b_size = b->end - b->begin;

    return (a_size < b_size ? a_size : b_size) / 32;
}

static bool
is_equal(path_run_t *self, const json_t *a, const json_t *b)
{
    if (!a || !b)
        return a == b;  // nothing equals nothing
    return a->kind == b->kind && path_charge(self, cost_of(a, b)) && json_equal(a, b);
}

// By code points, which is the order of the bytes.
static bool
text_is_less(const json_t *a, const json_t *b)
{
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);

    return order != 0 ? order < 0 : a->length < b->length;
}

static bool
is_less(const json_t *a, const json_t *b)
{
    if (!a || !b || a->kind != b->kind)
        return false;
    if (a->kind == JSON_NUMBER)
        return json_number_compare(a->text, b->text) < 0;
    return a->kind == JSON_STRING && text_is_less(a, b);
}

static bool
compare(path_run_t *self, const path_expr_t *expr, const json_t *current)
{
    path_value_t left, right;

    path_evaluate(self, expr->first, current, &left);
    path_evaluate(self, expr->first->next, current, &right);
    switch (expr->compare) {
    case COMPARE_EQ:
        return is_equal(self, left.node, right.node);
    case COMPARE_NE:
        return !is_equal(self, left.node, right.node);
    case COMPARE_LT:
        return is_less(left.node, right.node);
    case COMPARE_LE:
        return is_less(left.node, right.node) || is_equal(self, left.node, right.node);
    case COMPARE_GT:
        return is_less(right.node, left.node);
    case COMPARE_GE:
        return is_less(right.node, left.node) || is_equal(self, left.node, right.node);
    }
    return false;
}

static bool
exists(path_run_t *self, const path_query_t *query, const json_t *current)
{
    AUTO(path_nodes_clear) path_nodes_t nodes = { 0 };

    if (query->is_singular)
        return path_select_one(self, query, current) != NULL;
    path_select_all(self, query, current, &nodes);
    return nodes.count > 0;
}

bool
path_is_true(path_run_t *self, const path_expr_t *expr, const json_t *current)
{
    switch (expr->kind) {
    case EXPR_OR:
        for (const path_expr_t *part = expr->first; part; part = part->next)
            if (path_is_true(self, part, current))
                return true;
        return false;
    case EXPR_AND:
        for (const path_expr_t *part = expr->first; part; part = part->next)
            if (!path_is_true(self, part, current))
                return false;
        return true;
    case EXPR_NOT:
        return !path_is_true(self, expr->first, current);
    case EXPR_COMPARE:
        return compare(self, expr, current);
    case EXPR_QUERY:
        return exists(self, expr->query, current);
    case EXPR_CALL:
        return expr->function->logical(self, expr, current);
    case EXPR_LITERAL:
        break;  // the grammar has none here
    }
    return false;
}
