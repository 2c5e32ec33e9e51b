// SPDX-License-Identifier: Apache-2.0
#include "jsonpath.h"

#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "jsonpath_function.h"
#include "limits.h"

bool
path_give_up(path_run_t *self, const char *reason)
{
    if (self->status == OK)
        self->status = fail(self->why, TOO_LARGE, "%s", reason);
    return false;
}

bool
path_charge(path_run_t *self, size_t cost)
{
    self->visited += cost;
    if (self->visited > JSONPATH_NODES_MAX)
        path_give_up(self, "the JSONPath visits more than a million nodes; select less");
    return self->status == OK;
}

void
path_nodes_clear(path_nodes_t *self)
{
    free(self->items);
    *self = (path_nodes_t){ 0 };
}

void
path_nodes_add(path_nodes_t *self, const json_t *node)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : 8;
        const json_t **items = realloc(self->items, self->capacity * sizeof *items);
        if (!items)
            abort();  // out of memory
        self->items = items;
    }
    self->items[self->count++] = node;
}

// Looking through members costs less than visiting them.
static bool
charge_lookup(path_run_t *self, const json_t *node)
{
    return path_charge(self, 1 + node->count / 8);
}

static const json_t *
find_member(path_run_t *self, const path_selector_t *selector, const json_t *node)
{
    const json_t *found = NULL;

    if (node->kind != JSON_OBJECT || !charge_lookup(self, node))
        return NULL;
    for (const json_t *member = node->first; member; member = member->next)
        if (member->key_length == selector->name_length
            && memcmp(member->key, selector->name, selector->name_length) == 0)
            found = member;  // of members of equal name the last one counts
    return found;
}

static const json_t *
find_element(path_run_t *self, const path_selector_t *selector, const json_t *node)
{
    int64_t index =
        selector->start < 0 ? selector->start + (int64_t) node->count : selector->start;

    if (node->kind != JSON_ARRAY || index < 0 || index >= (int64_t) node->count
        || !charge_lookup(self, node))
        return NULL;
    const json_t *element = node->first;
    while (index-- > 0)
        element = element->next;
    return element;
}

static int64_t
within(int64_t value, int64_t min, int64_t max)
{
    return value < min ? min : value > max ? max : value;
}

// The bounds of RFC 9535, 2.3.4.2.2.
static void
add_slice(path_run_t *self, const path_selector_t *selector, const json_t *node,
          path_nodes_t *nodes)
{
    AUTO(path_nodes_clear) path_nodes_t all = { 0 };
    int64_t count = (int64_t) node->count;
    int64_t step = selector->step;
    int64_t start = selector->has_start ? selector->start : step > 0 ? 0 : count - 1;
    int64_t end = selector->has_end ? selector->end : step > 0 ? count : -count - 1;

    if (node->kind != JSON_ARRAY || step == 0 || !path_charge(self, node->count))
        return;
    for (const json_t *child = node->first; child; child = child->next)
        path_nodes_add(&all, child);
    start = start < 0 ? start + count : start;
    end = end < 0 ? end + count : end;
    if (step > 0) {
        end = within(end, 0, count);
        for (int64_t i = within(start, 0, count); i < end; i += step)
            path_nodes_add(nodes, all.items[i]);
    } else {
        end = within(end, -1, count - 1);
        for (int64_t i = within(start, -1, count - 1); i > end; i += step)
            path_nodes_add(nodes, all.items[i]);
    }
}

static void
add_children(path_run_t *self, const path_selector_t *selector, const json_t *node,
             path_nodes_t *nodes)
{
    for (const json_t *child = node->first; child; child = child->next) {
        if (!path_charge(self, 1))
            return;
        if (selector->kind == SELECT_ALL || path_is_true(self, selector->filter, child))
            path_nodes_add(nodes, child);
    }
}

static void
apply_selector(path_run_t *self, const path_selector_t *selector, const json_t *node,
               path_nodes_t *nodes)
{
    const json_t *found = NULL;

    switch (selector->kind) {
    case SELECT_NAME:
        found = find_member(self, selector, node);
        break;
    case SELECT_INDEX:
        found = find_element(self, selector, node);
        break;
    case SELECT_SLICE:
        add_slice(self, selector, node, nodes);
        break;
    case SELECT_ALL:
    case SELECT_FILTER:
        add_children(self, selector, node, nodes);
        break;
    }
    if (found)
        path_nodes_add(nodes, found);
}

static void
apply_segment(path_run_t *self, const path_segment_t *segment, const json_t *node,
              path_nodes_t *nodes)
{
    if (!path_charge(self, 1))
        return;
    for (const path_selector_t *selector = segment->first; selector; selector = selector->next)
        apply_selector(self, selector, node, nodes);
    if (!segment->is_descendant)
        return;
    for (const json_t *child = node->first; child && self->status == OK; child = child->next)
        apply_segment(self, segment, child, nodes);
}

void
path_select_all(path_run_t *self, const path_query_t *query, const json_t *current,
                path_nodes_t *nodes)
{
    path_nodes_add(nodes, query->is_relative ? current : self->root);
    for (const path_segment_t *segment = query->first; segment && self->status == OK;
         segment = segment->next) {
        AUTO(path_nodes_clear) path_nodes_t from = *nodes;
        *nodes = (path_nodes_t){ 0 };
        for (size_t i = 0; i < from.count && self->status == OK; i++)
            apply_segment(self, segment, from.items[i], nodes);
    }
}

const json_t *
path_select_one(path_run_t *self, const path_query_t *query, const json_t *current)
{
    const json_t *node = query->is_relative ? current : self->root;

    for (const path_segment_t *segment = query->first; segment && node; segment = segment->next)
        node = segment->first->kind == SELECT_NAME ? find_member(self, segment->first, node)
                                                   : find_element(self, segment->first, node);
    return node;
}

status_t
jsonpath_select(arena_t *arena, const jsonpath_t *path, const json_t *root,
                jsonpath_nodes_t *nodes, failure_t *why)
{
    path_run_t self = { .root = root, .why = why };
    AUTO(path_nodes_clear) path_nodes_t found = { 0 };

    path_select_all(&self, path->query, root, &found);
    if (self.status != OK)
        return self.status;
    nodes->count = found.count;
    nodes->nodes = arena_alloc(arena, found.count * sizeof *nodes->nodes);
    if (found.count > 0)
        memcpy(nodes->nodes, found.items, found.count * sizeof *nodes->nodes);
    return OK;
}
