// SPDX-License-Identifier: Apache-2.0
// What a value of a YAML tree carries beside its JSON, and what happens to the members of a
// mapping when it is complete. Only for the reader in yaml.c.

#ifndef PROOFARC_PLATFORM_YAML_NODE_H
#define PROOFARC_PLATFORM_YAML_NODE_H

#include "json.h"

typedef struct {
    json_t json;       // first, so that a json_t * of the tree leads here
    size_t key_begin;  // offset of the key in the text
    size_t rank;       // where it stands among the members
    bool is_merge;     // its key is a plain <<
    bool merged;       // it came in through <<
    bool dropped;
} yaml_node_t;

typedef void yaml_node_duplicate_fn(void *arg, const yaml_node_t *first,
                                    const yaml_node_t *second);

void yaml_node_append(yaml_node_t *parent, yaml_node_t *child);

// Puts merged members in the place of <<, and leaves one member of each key: the last own one,
// else the first that was merged in. Reports own members that are repeated. Returns the << whose
// value is neither mapping nor list of mappings, or NULL.
const yaml_node_t *yaml_node_settle(yaml_node_t *mapping, yaml_node_duplicate_fn *on_duplicate,
                                    void *arg);

#endif
