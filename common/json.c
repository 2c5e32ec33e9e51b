// SPDX-License-Identifier: Apache-2.0
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "json_tree.h"

json_t *
json_get(const json_t *object, const char *key)
{
    json_t *found = NULL;

    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    size_t length = strlen(key);
    for (json_t *member = object->first; member; member = member->next)
        if (member->key_length == length && memcmp(member->key, key, length) == 0)
            found = member;
    return found;
}

const char *
json_get_text(const json_t *object, const char *key)
{
    const json_t *value = json_get(object, key);

    if (!value || value->kind != JSON_STRING || strlen(value->text) != value->length)
        return NULL;
    return value->text;
}

int64_t
json_get_int(const json_t *object, const char *key, int64_t fallback)
{
    int64_t value;

    return json_int(json_get(object, key), &value) ? value : fallback;
}

bool
json_get_bool(const json_t *object, const char *key, bool fallback)
{
    const json_t *value = json_get(object, key);

    return value && value->kind == JSON_BOOL ? value->truth : fallback;
}

static bool
arrays_equal(const json_t *a, const json_t *b)
{
    const json_t *left = a->first;
    const json_t *right = b->first;

    while (left && right && json_equal(left, right)) {
        left = left->next;
        right = right->next;
    }
    return !left && !right;
}

static bool
objects_equal(const json_t *a, const json_t *b)
{
    const json_t **left = json_tree_sorted(a);
    const json_t **right = json_tree_sorted(b);
    size_t same = 0;

    while (same < a->count && json_tree_same_key(left[same], right[same])
           && json_equal(left[same], right[same]))
        same++;
    free(left);
    free(right);
    return same == a->count;
}

bool
json_equal(const json_t *a, const json_t *b)
{
    if (a->kind != b->kind || a->count != b->count)
        return false;
    switch (a->kind) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return a->truth == b->truth;
    case JSON_NUMBER:
        return json_number_compare(a->text, b->text) == 0;
    case JSON_STRING:
        return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
    case JSON_ARRAY:
        return arrays_equal(a, b);
    case JSON_OBJECT:
        return objects_equal(a, b);
    }
    return false;
}
