// SPDX-License-Identifier: Apache-2.0
#include "json_tree.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_number.h"

json_t *
json_tree_node(arena_t *arena, json_kind_t kind)
{
    json_t *node = arena_alloc(arena, sizeof *node);

    node->kind = kind;
    return node;
}

void
json_tree_append(json_t *parent, json_t *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

bool
json_tree_same_key(const json_t *a, const json_t *b)
{
    return a->key_length == b->key_length && memcmp(a->key, b->key, a->key_length) == 0;
}

typedef struct {
    const json_t *member;
    size_t place;
} ranked_t;

static int
by_key(const void *left, const void *right)
{
    const ranked_t *a = left;
    const ranked_t *b = right;
    size_t a_length = a->member->key_length;
    size_t b_length = b->member->key_length;
    int order =
        memcmp(a->member->key, b->member->key, a_length < b_length ? a_length : b_length);

    if (order == 0 && a_length != b_length)
        order = a_length < b_length ? -1 : 1;
    if (order == 0)
        order = a->place < b->place ? -1 : 1;
    return order;
}

static void *
list_of(size_t count, size_t size)
{
    void *list = calloc(count ? count : 1, size);

    if (!list) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return list;
}

const json_t **
json_tree_sorted(const json_t *object)
{
    ranked_t *ranked = list_of(object->count, sizeof *ranked);
    const json_t **sorted = list_of(object->count, sizeof *sorted);
    size_t count = 0;

    for (const json_t *member = object->first; member; member = member->next, count++)
        ranked[count] = (ranked_t){ member, count };
    assert(count == object->count);
    qsort(ranked, count, sizeof *ranked, by_key);
    for (size_t i = 0; i < count; i++)
        sorted[i] = ranked[i].member;
    free(ranked);
    return sorted;
}

json_t *
json_null(arena_t *arena)
{
    return json_tree_node(arena, JSON_NULL);
}

json_t *
json_bool(arena_t *arena, bool truth)
{
    json_t *node = json_tree_node(arena, JSON_BOOL);

    node->truth = truth;
    return node;
}

static json_t *
with_text(arena_t *arena, json_kind_t kind, const char *text, size_t length)
{
    json_t *node = json_tree_node(arena, kind);

    node->text = arena_strndup(arena, text, length);
    node->length = length;
    return node;
}

json_t *
json_number(arena_t *arena, int64_t value)
{
    char text[24];
    char *at = text + sizeof text;
    uint64_t left = value < 0 ? 0 - (uint64_t) value : (uint64_t) value;

    do
        *--at = (char) ('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--at = '-';
    return with_text(arena, JSON_NUMBER, at, (size_t) (text + sizeof text - at));
}

json_t *
json_number_text(arena_t *arena, const char *text)
{
    assert(json_number_is(text));
    return with_text(arena, JSON_NUMBER, text, strlen(text));
}

json_t *
json_string(arena_t *arena, const char *text)
{
    return text ? with_text(arena, JSON_STRING, text, strlen(text)) : json_null(arena);
}

json_t *
json_string_sized(arena_t *arena, const char *text, size_t length)
{
    return with_text(arena, JSON_STRING, text ? text : "", text ? length : 0);
}

json_t *
json_array(arena_t *arena)
{
    return json_tree_node(arena, JSON_ARRAY);
}

json_t *
json_object(arena_t *arena)
{
    return json_tree_node(arena, JSON_OBJECT);
}

json_t *
json_copy(arena_t *arena, const json_t *value)
{
    json_t *copy = json_tree_node(arena, value->kind);

    copy->truth = value->truth;
    copy->text = arena_strndup(arena, value->text, value->length);
    copy->length = value->length;
    for (const json_t *child = value->first; child; child = child->next) {
        json_t *twin = json_copy(arena, child);
        twin->key = arena_strndup(arena, child->key, child->key_length);
        twin->key_length = child->key_length;
        json_tree_append(copy, twin);
    }
    return copy;
}

json_t *
json_add(json_t *array, json_t *value)
{
    assert(array->kind == JSON_ARRAY && value && !value->next);
    json_tree_append(array, value);
    return value;
}

// The last member of that name and the one before it in the list.
static json_t *
find_with_previous(json_t *object, const char *key, json_t **previous_p)
{
    size_t length = strlen(key);
    json_t *found = NULL;

    *previous_p = NULL;
    for (json_t *member = object->first, *before = NULL; member;
         before = member, member = member->next) {
        if (member->key_length != length || memcmp(member->key, key, length) != 0)
            continue;
        found = member;
        *previous_p = before;
    }
    return found;
}

// `value` takes the place of `old`, which stands behind `previous`.
static void
replace(json_t *object, json_t *previous, const json_t *old, json_t *value)
{
    value->next = old->next;
    if (previous)
        previous->next = value;
    else
        object->first = value;
    if (object->last == old)
        object->last = value;
}

json_t *
json_set(arena_t *arena, json_t *object, const char *key, json_t *value)
{
    json_t *previous;

    assert(object->kind == JSON_OBJECT && value && !value->next);
    json_t *old = find_with_previous(object, key, &previous);
    if (old == value)
        return value;
    value->key_length = strlen(key);
    value->key = arena_strndup(arena, key, value->key_length);
    if (old)
        replace(object, previous, old, value);
    else
        json_tree_append(object, value);
    return value;
}

json_t *
json_set_text(arena_t *arena, json_t *object, const char *key, const char *text)
{
    return json_set(arena, object, key, json_string(arena, text));
}

json_t *
json_set_int(arena_t *arena, json_t *object, const char *key, int64_t value)
{
    return json_set(arena, object, key, json_number(arena, value));
}

json_t *
json_set_bool(arena_t *arena, json_t *object, const char *key, bool truth)
{
    return json_set(arena, object, key, json_bool(arena, truth));
}

bool
json_remove(json_t *object, const char *key)
{
    json_t *previous;
    bool found = false;

    for (json_t *old; (old = find_with_previous(object, key, &previous)); found = true) {
        if (previous)
            previous->next = old->next;
        else
            object->first = old->next;
        if (object->last == old)
            object->last = previous;
        object->count--;
        old->next = NULL;
        old->key = NULL;
        old->key_length = 0;
    }
    return found;
}
