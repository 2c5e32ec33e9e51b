// SPDX-License-Identifier: Apache-2.0
// The inside of json.h, for json*.c alone: nodes and the order of members.

#ifndef PROOFARC_JSON_TREE_H
#define PROOFARC_JSON_TREE_H

#include "json.h"

json_t *json_tree_node(arena_t *arena, json_kind_t kind);

// Appends `child`, which stands nowhere yet, to an array or object.
void json_tree_append(json_t *parent, json_t *child);

// True if both members have the same name.
bool json_tree_same_key(const json_t *a, const json_t *b);

// The members of an object in the order of their names (by bytes), members of equal name in the
// order they stand in. The caller frees the list, which has object->count entries.
const json_t **json_tree_sorted(const json_t *object);

#endif
