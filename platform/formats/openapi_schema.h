// SPDX-License-Identifier: Apache-2.0
// What a JSON Schema asks for, gathered from the schema itself, what it refers to and the parts
// of its allOf. Only for openapi_*.c.

#ifndef PROOFARC_PLATFORM_OPENAPI_SCHEMA_H
#define PROOFARC_PLATFORM_OPENAPI_SCHEMA_H

#include "formats/openapi_internal.h"

typedef struct openapi_property openapi_property_t;
struct openapi_property {
    const char *name;
    openapi_spot_t schema;
    openapi_property_t *next;
};

typedef struct openapi_chain openapi_chain_t;
struct openapi_chain {
    openapi_spot_t spot;  // a oneOf or anyOf list, a required list, a schema that was gathered
    openapi_chain_t *next;
};

typedef struct {
    const char *type;       // NULL: not said
    const char *reference;  // the first $ref on the way, or NULL
    bool nullable;          // null is allowed as well
    bool impossible;        // nothing fits: false, or the schema contains itself
    const json_t *example, *constant, *fallback, *choices;
    const char *format, *pattern, *media;
    const json_t *minimum, *maximum, *multiple_of;
    bool above_minimum, below_maximum;  // the bounds are exclusive
    int64_t min_length, max_length, min_items, max_items, min_properties;  // max: -1 is none
    bool unique_items, has_false_items;
    openapi_property_t *properties;  // in reverse order
    openapi_spot_t items, additional, prefix;
    openapi_chain_t *required, *alternatives, *gathered;
    const char *discriminator;  // name of the property that tells alternatives apart
    openapi_spot_t discriminator_map;
} openapi_schema_t;

// The schemas that are being made an example of, innermost first: one that comes back in its own
// example must not be entered again.
typedef struct openapi_frame openapi_frame_t;
struct openapi_frame {
    const openapi_frame_t *up;
    const openapi_schema_t *schema;
    size_t depth;
};

// An empty schema, which allows everything.
void openapi_schema_begin(openapi_schema_t *schema);

// Adds what the schema at `spot` says. What was said before wins; bounds get narrower.
void openapi_schema_gather(openapi_t *self, openapi_schema_t *schema, openapi_spot_t spot,
                           const openapi_frame_t *frame);

bool openapi_schema_requires(const openapi_schema_t *schema, const char *name);

// openapi_scalars.c: an example for a schema without alternatives; NULL when none was found.
json_t *openapi_scalars_number(openapi_t *self, const openapi_schema_t *schema, bool integer);
json_t *openapi_scalars_string(openapi_t *self, const openapi_schema_t *schema);

#endif
