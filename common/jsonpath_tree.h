// SPDX-License-Identifier: Apache-2.0
// The inside of jsonpath.h, for jsonpath*.c alone: a query as a tree, and how it is read.

#ifndef PROOFARC_JSONPATH_TREE_H
#define PROOFARC_JSONPATH_TREE_H

#include "jsonpath.h"
#include "jsonpath_regex.h"

typedef struct path_expr path_expr_t;
typedef struct path_selector path_selector_t;
typedef struct path_segment path_segment_t;
typedef struct path_query path_query_t;
typedef struct path_function path_function_t;

typedef enum {
    SELECT_NAME,
    SELECT_ALL,
    SELECT_INDEX,
    SELECT_SLICE,
    SELECT_FILTER,
} path_select_t;

struct path_selector {
    path_select_t kind;
    const char *name;
    size_t name_length;
    int64_t start;  // SELECT_INDEX: the index
    int64_t end;
    int64_t step;
    bool has_start;
    bool has_end;
    const path_expr_t *filter;
    path_selector_t *next;
};

struct path_segment {
    bool is_descendant;
    path_selector_t *first;
    path_segment_t *next;
};

struct path_query {
    bool is_relative;  // begins with @
    bool is_singular;  // one node at most, whatever the document
    path_segment_t *first;
};

// The types of RFC 9535, 2.4.1.
typedef enum { TYPE_VALUE, TYPE_LOGICAL, TYPE_NODES } path_type_t;

typedef enum {
    EXPR_OR,
    EXPR_AND,
    EXPR_NOT,
    EXPR_COMPARE,
    EXPR_QUERY,
    EXPR_LITERAL,
    EXPR_CALL,
} path_expr_kind_t;

typedef enum {
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_LT,
    COMPARE_LE,
    COMPARE_GT,
    COMPARE_GE,
} path_compare_t;

struct path_expr {
    path_expr_kind_t kind;
    path_expr_t *first;  // operands or arguments, then by `next`
    path_expr_t *next;
    path_compare_t compare;
    const json_t *literal;
    const path_query_t *query;
    const path_function_t *function;
    path_regex_t *regex;  // of a pattern that is a literal; NULL: none, or it is no pattern
};

struct jsonpath {
    const path_query_t *query;
};

// A query that is being read.
typedef struct {
    arena_t *arena;
    const char *text;
    size_t size;
    size_t at;
    size_t depth;
    failure_t *why;
} path_parser_t;

// All return false or NULL after they have recorded the failure, with its column.
bool path_refuse(path_parser_t *self, size_t at, const char *expected);
const path_query_t *path_parse_query(path_parser_t *self);
path_expr_t *path_parse_filter(path_parser_t *self);
bool path_parse_string(path_parser_t *self, const char **text_p, size_t *length_p);
bool path_parse_integer(path_parser_t *self, int64_t *value_p);
json_t *path_parse_number(path_parser_t *self);

// The next byte, 0 at the end.
char path_peek(const path_parser_t *self);
bool path_take(path_parser_t *self, const char *token);
void path_skip_blanks(path_parser_t *self);

// Every level of nesting goes through these; false when it is too deep.
bool path_enter(path_parser_t *self);
void path_leave(path_parser_t *self);

#endif
