// SPDX-License-Identifier: Apache-2.0
// YAML as a JSON tree that knows where everything stood. YAML 1.2 core schema: only null, true,
// false and numbers are no text, so `no`, `on`, `09:00` and `2024-10-01` stay strings. Aliases
// and merge keys (<<) are resolved by copying, under a budget. One document, core tags alone.

#ifndef PROOFARC_PLATFORM_YAML_H
#define PROOFARC_PLATFORM_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"

typedef struct {
    size_t size_max;    // bytes
    size_t depth_max;   // nesting of mappings and sequences
    size_t nodes_max;   // values as they are written
    size_t copies_max;  // values that aliases add
    bool sloppy;        // flow collections may be indented less than their parent
} yaml_limits_t;

extern const yaml_limits_t yaml_scenario_limits;  // what people and models write
extern const yaml_limits_t yaml_openapi_limits;   // large documents made by programs

typedef struct {
    size_t line;    // from 1; 0: nowhere
    size_t column;  // from 1, in code points
} yaml_place_t;

// A key that stood before in the same mapping. The later value is the one in the tree.
typedef struct {
    const json_t *value;
    yaml_place_t first, second;
} yaml_duplicate_t;

typedef struct {
    json_t *root;      // null for an empty document
    const char *text;  // what was parsed, without a byte order mark; spans count in it
    size_t size;
    const yaml_duplicate_t *duplicates;
    size_t duplicate_count;
} yaml_document_t;

// Parses `bytes` into *document, which lives in `arena`. Otherwise *place says where, `why`
// what is wrong (without the place): BAD_ARGS, or TOO_LARGE when a limit is passed.
// Every number of the tree is a JSON number; its spelling in the source is yaml_source().
status_t yaml_parse(arena_t *arena, const char *bytes, size_t size, const yaml_limits_t *limits,
                    yaml_document_t *document, yaml_place_t *place, failure_t *why);

// Where a value of the document's tree begins, and where the key of a member does. Copies made
// with json_copy() have no place. yaml_key_place() of a value without key is that of the value.
yaml_place_t yaml_value_place(const yaml_document_t *document, const json_t *value);
yaml_place_t yaml_key_place(const yaml_document_t *document, const json_t *value);

// A scalar as text for places that want text: "0123", "1.10" and "true" as they were written,
// strings decoded, null empty. NULL for a mapping or sequence.
const char *yaml_source(arena_t *arena, const yaml_document_t *document, const json_t *value);

// Appends a mapping or sequence as block YAML that yaml_parse() reads back to an equal tree.
void yaml_write(buffer_t *out, const json_t *value);

#endif
