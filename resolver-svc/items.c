// SPDX-License-Identifier: Apache-2.0
#include "items.h"

#include <string.h>

static void
skip_space(items_t *self)
{
    while (self->at < self->end
           && (*self->at == ' ' || *self->at == '\t' || *self->at == '\n' || *self->at == '\r'))
        self->at++;
}

// Takes `c`, and the white space around it, if it comes next.
static bool
take(items_t *self, char c)
{
    skip_space(self);
    if (self->at == self->end || *self->at != c)
        return false;
    self->at++;
    skip_space(self);
    return true;
}

static bool
skip_string(items_t *self)
{
    if (self->at == self->end || *self->at != '"')
        return false;
    for (self->at++; self->at < self->end; self->at++) {
        if (*self->at == '"') {
            self->at++;
            return true;
        }
        if (*self->at == '\\')
            self->at++;
    }
    self->at = self->end;
    return false;
}

// One value: up to the bracket that closes it, or the end of a string, number or word.
static bool
skip_value(items_t *self)
{
    const char *begin = self->at;
    size_t depth = 0;

    while (self->at < self->end) {
        char c = *self->at;
        if (c == '"') {
            if (!skip_string(self))
                return false;
            if (!depth)
                return true;
            continue;
        }
        if ((c == ']' || c == '}' || c == ',') && !depth)
            return self->at > begin;
        self->at++;
        if (c == '[' || c == '{')
            depth++;
        else if ((c == ']' || c == '}') && --depth == 0)
            return true;
    }
    return false;
}

// Moves to the array: past the opening brace and the members that stand before it.
static bool
find_array(items_t *self)
{
    if (!take(self, '{'))
        return false;
    do {
        const char *key = self->at;
        if (!skip_string(self))
            return false;
        bool is_items = self->at - key == 7 && !memcmp(key, "\"items\"", 7);
        if (!take(self, ':'))
            return false;
        if (is_items)
            return take(self, '[');
        if (!skip_value(self))
            return false;
    } while (take(self, ','));
    return false;
}

// The members behind the array, the closing brace, and then nothing.
static bool
is_complete(items_t *self)
{
    while (take(self, ','))
        if (!skip_string(self) || !take(self, ':') || !skip_value(self))
            return false;
    return take(self, '}') && self->at == self->end;
}

void
items_begin(items_t *self, const char *bytes, size_t size)
{
    *self = (items_t){ .at = bytes, .end = bytes + size };
    self->is_broken = !find_array(self);
}

items_step_t
items_next(items_t *self, const char **item_p, size_t *size_p)
{
    bool is_first = !self->is_begun;

    self->is_begun = true;
    if (self->is_broken)
        return ITEMS_BROKEN;
    if (take(self, ']'))
        return is_complete(self) ? ITEMS_END : ITEMS_BROKEN;
    if (!is_first && !take(self, ','))
        return ITEMS_BROKEN;
    *item_p = self->at;
    if (!skip_value(self))
        return ITEMS_BROKEN;
    *size_p = (size_t) (self->at - *item_p);
    return ITEMS_NEXT;
}
