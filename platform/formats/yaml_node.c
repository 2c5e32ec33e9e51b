// SPDX-License-Identifier: Apache-2.0
#include "formats/yaml_node.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"

typedef struct {
    yaml_node_t **nodes;  // NULL: they are only counted
    size_t count;
} members_t;

static void
members_clear(members_t *self)
{
    free(self->nodes);
}

void
yaml_node_append(yaml_node_t *parent, yaml_node_t *child)
{
    if (parent->json.last)
        parent->json.last->next = &child->json;
    else
        parent->json.first = &child->json;
    parent->json.last = &child->json;
    parent->json.count++;
}

static void
members_add(members_t *self, yaml_node_t *node)
{
    if (self->nodes)
        self->nodes[self->count] = node;
    self->count++;
}

// False if << has another value than a mapping or a list of mappings.
static bool
add_merged(members_t *self, const yaml_node_t *merge)
{
    bool many = merge->json.kind == JSON_ARRAY;
    const json_t *source = many ? merge->json.first : &merge->json;

    for (; source; source = many ? source->next : NULL) {
        if (source->kind != JSON_OBJECT)
            return false;
        for (json_t *child = source->first; child; child = child->next) {
            yaml_node_t *node = (yaml_node_t *) child;
            node->merged = true;
            members_add(self, node);
        }
    }
    return true;
}

// All members, own and merged, as they stand. Returns the << that is wrong, or NULL.
static const yaml_node_t *
add_all(members_t *self, const yaml_node_t *mapping)
{
    self->count = 0;
    for (json_t *child = mapping->json.first; child; child = child->next) {
        yaml_node_t *node = (yaml_node_t *) child;
        if (!node->is_merge)
            members_add(self, node);
        else if (!add_merged(self, node))
            return node;
    }
    return NULL;
}

// Lists the members in an array of their own.
static members_t
list_members(const yaml_node_t *mapping, size_t count)
{
    members_t list = { calloc(count, sizeof(yaml_node_t *)), 0 };

    assert(list.nodes);
    add_all(&list, mapping);
    for (size_t i = 0; i < list.count; i++)
        list.nodes[i]->rank = i;
    return list;
}

static bool
same_key(const yaml_node_t *a, const yaml_node_t *b)
{
    return a->json.key_length == b->json.key_length
           && !memcmp(a->json.key, b->json.key, a->json.key_length);
}

// By key; of one key, own members before merged ones, then as they stand.
static int
compare_members(const void *a, const void *b)
{
    const yaml_node_t *x = *(yaml_node_t *const *) a, *y = *(yaml_node_t *const *) b;
    size_t shorter =
        x->json.key_length < y->json.key_length ? x->json.key_length : y->json.key_length;
    int difference = memcmp(x->json.key, y->json.key, shorter);

    if (difference)
        return difference;
    if (x->json.key_length != y->json.key_length)
        return x->json.key_length < y->json.key_length ? -1 : 1;
    if (x->merged != y->merged)
        return x->merged ? 1 : -1;
    return x->rank < y->rank ? -1 : 1;
}

static void
drop_repeated(members_t *sorted, yaml_node_duplicate_fn *on_duplicate, void *arg)
{
    for (size_t i = 0; i + 1 < sorted->count; i++) {
        yaml_node_t *one = sorted->nodes[i], *other = sorted->nodes[i + 1];
        if (!same_key(one, other))
            continue;
        if (other->merged) {
            other->dropped = true;
            sorted->nodes[i + 1] = one;  // a third one is compared with the one that stays
        } else {
            one->dropped = true;
            on_duplicate(arg, one, other);
        }
    }
}

const yaml_node_t *
yaml_node_settle(yaml_node_t *mapping, yaml_node_duplicate_fn *on_duplicate, void *arg)
{
    members_t counted = { 0 };
    const yaml_node_t *wrong = add_all(&counted, mapping);

    if (wrong || mapping->json.count == 0)
        return wrong;
    AUTO(members_clear) members_t members = list_members(mapping, counted.count + 1);
    AUTO(members_clear) members_t sorted = list_members(mapping, counted.count + 1);
    qsort(sorted.nodes, sorted.count, sizeof *sorted.nodes, compare_members);
    drop_repeated(&sorted, on_duplicate, arg);

    mapping->json.first = mapping->json.last = NULL;
    mapping->json.count = 0;
    for (size_t i = 0; i < members.count; i++) {
        members.nodes[i]->json.next = NULL;
        if (!members.nodes[i]->dropped)
            yaml_node_append(mapping, members.nodes[i]);
    }
    return NULL;
}
