// SPDX-License-Identifier: Apache-2.0
// Queries, segments and selectors.
#include <string.h>

#include "json_utf8.h"
#include "jsonpath_tree.h"

enum { NESTING_MAX = 32 };

bool
path_enter(path_parser_t *self)
{
    if (self->depth == NESTING_MAX)
        return path_refuse(self, self->at, "filters nest deeper than 32 levels");
    self->depth++;
    return true;
}

void
path_leave(path_parser_t *self)
{
    self->depth--;
}

static bool
is_name_first(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static bool
is_name_char(char c)
{
    return is_name_first(c) || (c >= '0' && c <= '9');
}

static path_selector_t *
new_selector(path_parser_t *self, path_select_t kind)
{
    path_selector_t *selector = arena_alloc(self->arena, sizeof *selector);

    selector->kind = kind;
    return selector;
}

// The name or * behind a dot.
static path_selector_t *
parse_shorthand(path_parser_t *self)
{
    size_t begin = self->at;

    if (path_take(self, "*"))
        return new_selector(self, SELECT_ALL);
    if (!is_name_first(path_peek(self))) {
        path_refuse(self, self->at, "a member name or * is expected");
        return NULL;
    }
    while (is_name_char(path_peek(self)))
        self->at++;
    path_selector_t *selector = new_selector(self, SELECT_NAME);
    selector->name_length = self->at - begin;
    selector->name = arena_strndup(self->arena, self->text + begin, selector->name_length);
    return selector;
}

static bool
begins_integer(const path_parser_t *self)
{
    char c = path_peek(self);

    return c == '-' || (c >= '0' && c <= '9');
}

// What follows the first colon of a slice.
static bool
parse_slice_rest(path_parser_t *self, path_selector_t *selector)
{
    selector->kind = SELECT_SLICE;
    selector->step = 1;
    path_skip_blanks(self);
    if (begins_integer(self)) {
        if (!path_parse_integer(self, &selector->end))
            return false;
        selector->has_end = true;
    }
    size_t behind = self->at;
    path_skip_blanks(self);
    if (!path_take(self, ":")) {
        self->at = behind;
        return true;
    }
    behind = self->at;
    path_skip_blanks(self);
    if (begins_integer(self))
        return path_parse_integer(self, &selector->step);
    self->at = behind;
    return true;
}

static path_selector_t *
parse_index_or_slice(path_parser_t *self)
{
    path_selector_t *selector = new_selector(self, SELECT_INDEX);

    if (begins_integer(self)) {
        if (!path_parse_integer(self, &selector->start))
            return NULL;
        selector->has_start = true;
    }
    size_t behind = self->at;
    path_skip_blanks(self);
    if (path_take(self, ":"))
        return parse_slice_rest(self, selector) ? selector : NULL;
    self->at = behind;
    return selector;
}

static path_selector_t *
parse_filter_selector(path_parser_t *self)
{
    path_selector_t *selector = new_selector(self, SELECT_FILTER);

    path_skip_blanks(self);
    if (!path_enter(self))
        return NULL;
    selector->filter = path_parse_filter(self);
    path_leave(self);
    return selector->filter ? selector : NULL;
}

static path_selector_t *
parse_selector(path_parser_t *self)
{
    char c = path_peek(self);

    if (c == '\'' || c == '"') {
        path_selector_t *selector = new_selector(self, SELECT_NAME);
        return path_parse_string(self, &selector->name, &selector->name_length) ? selector
                                                                                : NULL;
    }
    if (path_take(self, "*"))
        return new_selector(self, SELECT_ALL);
    if (path_take(self, "?"))
        return parse_filter_selector(self);
    if (c == ':' || begins_integer(self))
        return parse_index_or_slice(self);
    path_refuse(self, self->at,
                "a name in quotes, an index, a slice, * or ?filter is expected");
    return NULL;
}

// The selectors between brackets, of which the first is taken.
static path_selector_t *
parse_brackets(path_parser_t *self)
{
    path_selector_t *first = NULL;
    path_selector_t **end_p = &first;

    do {
        path_skip_blanks(self);
        *end_p = parse_selector(self);
        if (!*end_p)
            return NULL;
        end_p = &(*end_p)->next;
        path_skip_blanks(self);
    } while (path_take(self, ","));
    if (path_take(self, "]"))
        return first;
    path_refuse(self, self->at, "a comma or ] is expected");
    return NULL;
}

// The next segment; NULL with an untouched `self` if there is none, or on failure.
static path_segment_t *
parse_segment(path_parser_t *self, bool *is_failed_p)
{
    size_t begin = self->at;
    path_segment_t *segment = arena_alloc(self->arena, sizeof *segment);

    path_skip_blanks(self);
    if (path_take(self, "[")) {
        segment->first = parse_brackets(self);
    } else if (path_take(self, "..")) {
        segment->is_descendant = true;
        segment->first = path_take(self, "[") ? parse_brackets(self) : parse_shorthand(self);
    } else if (path_take(self, ".")) {
        segment->first = parse_shorthand(self);
    } else {
        self->at = begin;
        return NULL;
    }
    *is_failed_p = !segment->first;
    return segment->first ? segment : NULL;
}

static bool
is_single(const path_segment_t *segment)
{
    const path_selector_t *only = segment->first;

    return !segment->is_descendant && !only->next
           && (only->kind == SELECT_NAME || only->kind == SELECT_INDEX);
}

const path_query_t *
path_parse_query(path_parser_t *self)
{
    path_query_t *query = arena_alloc(self->arena, sizeof *query);
    path_segment_t **end_p = &query->first;
    bool is_failed = false;

    query->is_relative = path_peek(self) == '@';
    query->is_singular = true;
    self->at++;
    while ((*end_p = parse_segment(self, &is_failed))) {
        query->is_singular = query->is_singular && is_single(*end_p);
        end_p = &(*end_p)->next;
    }
    return is_failed ? NULL : query;
}

status_t
jsonpath_compile(arena_t *arena, const char *query, jsonpath_t **path_p, failure_t *why)
{
    path_parser_t self = { .arena = arena, .text = query, .size = strlen(query), .why = why };
    size_t valid = json_utf8_valid(query, self.size);

    if (valid < self.size) {
        self.size = valid;
        path_refuse(&self, valid, "the query is not UTF-8");
        return why->status;
    }
    if (path_peek(&self) != '$') {
        path_refuse(&self, 0, "a query begins with $");
        return why->status;
    }
    const path_query_t *parsed = path_parse_query(&self);
    if (parsed && self.at < self.size) {
        path_refuse(&self, self.at, "a dot, [ or the end is expected");
        parsed = NULL;
    }
    if (!parsed)
        return why->status;
    jsonpath_t *path = arena_alloc(arena, sizeof *path);
    path->query = parsed;
    *path_p = path;
    return OK;
}
