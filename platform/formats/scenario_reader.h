// SPDX-License-Identifier: Apache-2.0
// What the parts of the scenario reader share: a value with its dotted path, problems with
// their places, and the dispatch of members by table. Only for scenario*.c.

#ifndef PROOFARC_PLATFORM_SCENARIO_READER_H
#define PROOFARC_PLATFORM_SCENARIO_READER_H

#include "formats/yaml.h"

typedef struct {
    arena_t *arena;
    const yaml_document_t *document;  // NULL: the scenario came as JSON
    const json_t *known;              // variables the environment has, or NULL
    json_t *defined;                  // variables that hooks, columns and earlier steps set
    json_t *errors, *warnings;
} scenario_reader_t;

typedef struct {
    const json_t *value;
    const char *path;  // "steps[0].expect"
} scenario_spot_t;

// Reads one member into `out`, the normalised form of what it stands in.
typedef void scenario_field_fn(scenario_reader_t *self, scenario_spot_t spot, json_t *out);

typedef struct {
    const char *name;
    scenario_field_fn *read;
} scenario_field_t;

// What people write for something that has another name here.
typedef struct {
    const char *wrong;
    const char *hint;
} scenario_hint_t;

typedef struct {
    const scenario_field_t *fields;
    size_t count;
    const scenario_hint_t *hints;
    size_t hint_count;
} scenario_table_t;

scenario_spot_t scenario_reader_member(scenario_reader_t *self, scenario_spot_t parent,
                                       const json_t *member);
scenario_spot_t scenario_reader_item(scenario_reader_t *self, scenario_spot_t parent,
                                     const json_t *item, size_t index);

// Notes an error at the value. `allowed` is a list that ends with NULL, or NULL.
void scenario_reader_error(scenario_reader_t *self, scenario_spot_t spot,
                           const char *const *allowed, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// The same at the key of the value.
void scenario_reader_key_error(scenario_reader_t *self, scenario_spot_t spot,
                               const char *const *allowed, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void scenario_reader_warn(scenario_reader_t *self, scenario_spot_t spot, const char *format,
                          ...) __attribute__((format(printf, 3, 4)));

// Calls the reader of each member that is not null, in the order of the table; unknown members
// are errors. False if the value is no mapping.
bool scenario_reader_members(scenario_reader_t *self, scenario_spot_t spot,
                             const scenario_table_t *table, json_t *out);

// A scalar as text, with the spelling it had. NULL and an error for a mapping, list or null, or
// when it has more than `max` code points. `line`: control characters are refused.
const char *scenario_reader_text(scenario_reader_t *self, scenario_spot_t spot, size_t max,
                                 bool line);

// One text or a list of them, as a fresh array of text. NULL and an error for anything else.
json_t *scenario_reader_texts(scenario_reader_t *self, scenario_spot_t spot, size_t max);

// True or false; `fallback` and an error for anything else.
bool scenario_reader_flag(scenario_reader_t *self, scenario_spot_t spot, bool fallback);

// Milliseconds: 1500, 10_000, "500ms", "10s", "2m". -1 and an error if it is none or not within
// min to max.
int64_t scenario_reader_ms(scenario_reader_t *self, scenario_spot_t spot, int64_t min,
                           int64_t max);

// An integer within min to max; -1 and an error for anything else.
int64_t scenario_reader_number(scenario_reader_t *self, scenario_spot_t spot, int64_t min,
                               int64_t max);

// scenario_step.c: reads one step; NULL when it is no mapping.
json_t *scenario_step_read(scenario_reader_t *self, scenario_spot_t spot, size_t index);

// scenario_assert.c: reads the list of checks.
void scenario_assert_read(scenario_reader_t *self, scenario_spot_t spot, json_t *out);

// scenario_hooks.c: reads hooks {before: [{script}]}.
void scenario_hooks_read(scenario_reader_t *self, scenario_spot_t spot, json_t *out);

// scenario_variables.c: looks at every {{name}} in the value, keys of mappings included.
void scenario_variables_check(scenario_reader_t *self, scenario_spot_t spot);

// True if `name` can be a variable: a letter or _, then letters, digits, _, - and dots.
bool scenario_variables_is_name(const char *name);

// Names a variable from here on; an error if the name cannot be one.
void scenario_variables_define(scenario_reader_t *self, scenario_spot_t spot, const char *name);

#endif
