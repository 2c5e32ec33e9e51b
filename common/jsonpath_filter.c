// SPDX-License-Identifier: Apache-2.0
// The grammar of filters, and the types of RFC 9535, 2.4.3.
#include <string.h>

#include "auto.h"
#include "jsonpath_function.h"

static path_expr_t *parse_or(path_parser_t *self);

static path_expr_t *
new_expr(path_parser_t *self, path_expr_kind_t kind)
{
    path_expr_t *expr = arena_alloc(self->arena, sizeof *expr);

    expr->kind = kind;
    return expr;
}

static path_expr_t *
refuse(path_parser_t *self, size_t at, const char *expected)
{
    path_refuse(self, at, expected);
    return NULL;
}

static bool
is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

// Length of the function name or keyword that comes next.
static size_t
word_length(const path_parser_t *self)
{
    size_t length = 0;

    while (self->at + length < self->size) {
        char c = self->text[self->at + length];
        if (!is_lower(c) && (length == 0 || (c != '_' && (c < '0' || c > '9'))))
            break;
        length++;
    }
    return length;
}

static path_expr_t *
parse_literal_string(path_parser_t *self)
{
    path_expr_t *expr = new_expr(self, EXPR_LITERAL);
    const char *text;
    size_t length;

    if (!path_parse_string(self, &text, &length))
        return NULL;
    expr->literal = json_string_sized(self->arena, text, length);
    return expr;
}

static path_expr_t *
parse_literal_number(path_parser_t *self)
{
    path_expr_t *expr = new_expr(self, EXPR_LITERAL);

    expr->literal = path_parse_number(self);
    return expr->literal ? expr : NULL;
}

static path_expr_t *
parse_query_operand(path_parser_t *self)
{
    path_expr_t *expr = new_expr(self, EXPR_QUERY);

    expr->query = path_parse_query(self);
    return expr->query ? expr : NULL;
}

static path_expr_t *
parse_keyword(path_parser_t *self, size_t length)
{
    const char *word = self->text + self->at;
    path_expr_t *expr = new_expr(self, EXPR_LITERAL);

    if (length == 4 && memcmp(word, "true", 4) == 0)
        expr->literal = json_bool(self->arena, true);
    else if (length == 5 && memcmp(word, "false", 5) == 0)
        expr->literal = json_bool(self->arena, false);
    else if (length == 4 && memcmp(word, "null", 4) == 0)
        expr->literal = json_null(self->arena);
    else
        return refuse(self, self->at, "a query (@ or $), a literal or a function is expected");
    self->at += length;
    return expr;
}

static path_expr_t *parse_call(path_parser_t *self, size_t name_length);

// A query, a literal or a function call.
static path_expr_t *
parse_operand(path_parser_t *self)
{
    char c = path_peek(self);
    size_t length = word_length(self);

    if (c == '@' || c == '$')
        return parse_query_operand(self);
    if (c == '\'' || c == '"')
        return parse_literal_string(self);
    if (c == '-' || (c >= '0' && c <= '9'))
        return parse_literal_number(self);
    if (length > 0 && self->at + length < self->size && self->text[self->at + length] == '(')
        return parse_call(self, length);
    return parse_keyword(self, length);
}

static bool
check_argument(path_parser_t *self, size_t at, const path_expr_t *argument, path_type_t type)
{
    bool is_query = argument->kind == EXPR_QUERY;
    bool is_call = argument->kind == EXPR_CALL;

    if (type == TYPE_NODES && !is_query)
        return path_refuse(self, at, "this argument must be a query");
    if (type == TYPE_VALUE && is_query && !argument->query->is_singular)
        return path_refuse(self, at, "this argument may select several nodes; use value()");
    if (type == TYPE_VALUE && is_call && argument->function->result != TYPE_VALUE)
        return path_refuse(self, at, "this argument must be a value, not true or false");
    return true;
}

static bool
parse_arguments(path_parser_t *self, path_expr_t *call)
{
    path_expr_t **end_p = &call->first;

    for (size_t i = 0; i < call->function->count; i++) {
        path_skip_blanks(self);
        if (i > 0 && !path_take(self, ","))
            return path_refuse(self, self->at, "a comma and one more argument are expected");
        path_skip_blanks(self);
        size_t at = self->at;
        *end_p = parse_operand(self);
        if (!*end_p || !check_argument(self, at, *end_p, call->function->parameters[i]))
            return false;
        end_p = &(*end_p)->next;
    }
    path_skip_blanks(self);
    return path_take(self, ")") || path_refuse(self, self->at, ") is expected");
}

static path_expr_t *
parse_call(path_parser_t *self, size_t name_length)
{
    path_expr_t *call = new_expr(self, EXPR_CALL);

    call->function = path_function_find(self->text + self->at, name_length);
    if (!call->function)
        return refuse(
            self, self->at,
            "there is no such function; there are length, count, value, match, search");
    self->at += name_length + 1;
    if (!path_enter(self) || !parse_arguments(self, call))
        return NULL;
    path_leave(self);
    const path_expr_t *pattern = call->function->takes_pattern ? call->first->next : NULL;
    if (pattern && pattern->literal && pattern->literal->kind == JSON_STRING)
        call->regex = path_regex_new(self->arena, pattern->literal, call->function->is_whole);
    return call;
}

static bool
take_comparison(path_parser_t *self, path_compare_t *compare_p)
{
    static const struct {
        const char *token;
        path_compare_t compare;
    } tokens[] = {
        { "==", COMPARE_EQ }, { "!=", COMPARE_NE }, { "<=", COMPARE_LE },
        { ">=", COMPARE_GE }, { "<", COMPARE_LT },  { ">", COMPARE_GT },
    };

    for (size_t i = 0; i < ROWS(tokens); i++) {
        if (!path_take(self, tokens[i].token))
            continue;
        *compare_p = tokens[i].compare;
        return true;
    }
    return false;
}

static bool
check_comparable(path_parser_t *self, size_t at, const path_expr_t *operand)
{
    if (operand->kind == EXPR_QUERY && !operand->query->is_singular)
        return path_refuse(self, at, "what is compared must select one node; use value()");
    if (operand->kind == EXPR_CALL && operand->function->result != TYPE_VALUE)
        return path_refuse(self, at, "this function is true or false and cannot be compared");
    return true;
}

// An operand alone is a test of its own.
static path_expr_t *
check_test(path_parser_t *self, size_t at, path_expr_t *operand)
{
    if (operand->kind == EXPR_LITERAL)
        return refuse(self, self->at, "a comparison is expected behind a literal");
    if (operand->kind == EXPR_CALL && operand->function->result == TYPE_VALUE)
        return refuse(self, at, "the value of this function must be compared with something");
    return operand;
}

static path_expr_t *
parse_comparison_or_test(path_parser_t *self)
{
    size_t left_at = self->at;
    path_expr_t *left = parse_operand(self);
    size_t behind = self->at;
    path_compare_t compare;

    if (!left)
        return NULL;
    path_skip_blanks(self);
    if (!take_comparison(self, &compare)) {
        self->at = behind;
        return check_test(self, left_at, left);
    }
    path_skip_blanks(self);
    size_t right_at = self->at;
    path_expr_t *right = parse_operand(self);
    if (!right || !check_comparable(self, left_at, left)
        || !check_comparable(self, right_at, right))
        return NULL;
    path_expr_t *comparison = new_expr(self, EXPR_COMPARE);
    comparison->compare = compare;
    comparison->first = left;
    left->next = right;
    return comparison;
}

// What is in parentheses, of which the first is taken.
static path_expr_t *
parse_parentheses(path_parser_t *self)
{
    path_skip_blanks(self);
    if (!path_enter(self))
        return NULL;
    path_expr_t *inner = parse_or(self);
    if (!inner)
        return NULL;
    path_leave(self);
    path_skip_blanks(self);
    return path_take(self, ")") ? inner : refuse(self, self->at, ") is expected");
}

static path_expr_t *
parse_negated(path_parser_t *self)
{
    path_expr_t *negated = new_expr(self, EXPR_NOT);

    path_skip_blanks(self);
    size_t at = self->at;
    if (path_take(self, "(")) {
        negated->first = parse_parentheses(self);
    } else {
        path_expr_t *operand = parse_operand(self);
        negated->first = operand ? check_test(self, at, operand) : NULL;
    }
    return negated->first ? negated : NULL;
}

static path_expr_t *
parse_basic(path_parser_t *self)
{
    if (path_take(self, "!"))
        return parse_negated(self);
    if (path_take(self, "("))
        return parse_parentheses(self);
    return parse_comparison_or_test(self);
}

// One or more of what `parse` reads, with `token` between them.
static path_expr_t *
parse_chain(path_parser_t *self, path_expr_kind_t kind, const char *token,
            path_expr_t *(*parse)(path_parser_t *) )
{
    path_expr_t *chain = new_expr(self, kind);
    path_expr_t **end_p = &chain->first;

    for (;;) {
        *end_p = parse(self);
        if (!*end_p)
            return NULL;
        end_p = &(*end_p)->next;
        size_t behind = self->at;
        path_skip_blanks(self);
        if (!path_take(self, token)) {
            self->at = behind;
            break;
        }
        path_skip_blanks(self);
    }
    return chain->first->next ? chain : chain->first;
}

static path_expr_t *
parse_and(path_parser_t *self)
{
    return parse_chain(self, EXPR_AND, "&&", parse_basic);
}

static path_expr_t *
parse_or(path_parser_t *self)
{
    return parse_chain(self, EXPR_OR, "||", parse_and);
}

path_expr_t *
path_parse_filter(path_parser_t *self)
{
    return parse_or(self);
}
