// SPDX-License-Identifier: Apache-2.0
#include "formats/openapi_schema.h"

#include <string.h>

#include "auto.h"

void
openapi_schema_begin(openapi_schema_t *schema)
{
    *schema = (openapi_schema_t){ .max_length = -1, .max_items = -1 };
}

static openapi_chain_t *
chain(openapi_t *self, openapi_spot_t spot, openapi_chain_t *next)
{
    openapi_chain_t *link = arena_alloc(self->arena, sizeof *link);

    *link = (openapi_chain_t){ spot, next };
    return link;
}

bool
openapi_schema_requires(const openapi_schema_t *schema, const char *name)
{
    for (const openapi_chain_t *link = schema->required; link; link = link->next)
        for (const json_t *item = link->spot.node->first; item; item = item->next)
            if (item->kind == JSON_STRING && !strcmp(item->text, name))
                return true;
    return false;
}

static bool
is_gathered(const openapi_schema_t *schema, const json_t *node)
{
    for (const openapi_chain_t *link = schema->gathered; link; link = link->next)
        if (link->spot.node == node)
            return true;
    return false;
}

static bool
is_open(const openapi_frame_t *frame, const json_t *node)
{
    for (; frame; frame = frame->up)
        if (is_gathered(frame->schema, node))
            return true;
    return false;
}

// "string", or the first of a list that is not null.
static void
gather_type(openapi_schema_t *schema, openapi_spot_t spot)
{
    const json_t *type = json_get(spot.node, "type");
    const char *found = NULL;
    bool has_null = false;

    if (type && type->kind == JSON_STRING)
        found = type->text;
    for (const json_t *item = type ? type->first : NULL; item; item = item->next) {
        if (item->kind != JSON_STRING)
            continue;
        if (!strcmp(item->text, "null"))
            has_null = true;
        else if (!found)
            found = item->text;
    }
    if (!found && has_null)
        found = "null";
    schema->nullable =
        schema->nullable || has_null || json_get_bool(spot.node, "nullable", false);
    if (!schema->type
        || (found && !strcmp(schema->type, "number") && !strcmp(found, "integer")))
        schema->type = found ? found : schema->type;
}

static void
take(const json_t **into, openapi_spot_t spot, const char *name)
{
    const json_t *value = json_get(spot.node, name);

    if (!*into && value)
        *into = value;
}

static void
take_text(const char **into, openapi_spot_t spot, const char *name)
{
    if (!*into)
        *into = openapi_text(spot, name);
}

// The narrower one of two bounds wins. exclusiveMinimum is a number in 3.1, a flag before.
static void
take_bound(const json_t **into, bool *exclusive, openapi_spot_t spot, const char *name,
           const char *exclusive_name, int narrower)
{
    const json_t *bound = json_get(spot.node, name);
    const json_t *strict = json_get(spot.node, exclusive_name);
    bool is_strict = strict && strict->kind == JSON_BOOL && strict->truth;

    if (bound && bound->kind == JSON_NUMBER
        && (!*into || json_number_compare(bound->text, (*into)->text) == narrower)) {
        *into = bound;
        *exclusive = is_strict;
    }
    if (strict && strict->kind == JSON_NUMBER
        && (!*into || json_number_compare(strict->text, (*into)->text) != -narrower)) {
        *into = strict;
        *exclusive = true;
    }
}

static void
take_least(int64_t *into, openapi_spot_t spot, const char *name)
{
    int64_t value = json_get_int(spot.node, name, 0);

    if (value > *into)
        *into = value;
}

static void
take_most(int64_t *into, openapi_spot_t spot, const char *name)
{
    int64_t value = json_get_int(spot.node, name, -1);

    if (value >= 0 && (*into < 0 || value < *into))
        *into = value;
}

static void
gather_bounds(openapi_schema_t *schema, openapi_spot_t spot)
{
    take_bound(&schema->minimum, &schema->above_minimum, spot, "minimum", "exclusiveMinimum",
               1);
    take_bound(&schema->maximum, &schema->below_maximum, spot, "maximum", "exclusiveMaximum",
               -1);
    take(&schema->multiple_of, spot, "multipleOf");
    take_least(&schema->min_length, spot, "minLength");
    take_most(&schema->max_length, spot, "maxLength");
    take_least(&schema->min_items, spot, "minItems");
    take_most(&schema->max_items, spot, "maxItems");
    take_least(&schema->min_properties, spot, "minProperties");
    schema->unique_items =
        schema->unique_items || json_get_bool(spot.node, "uniqueItems", false);
}

// `whole`: an example of this part is one of the schema as a whole.
static void
gather_values(openapi_schema_t *schema, openapi_spot_t spot, bool whole)
{
    const json_t *examples = json_get(spot.node, "examples");

    take(&schema->constant, spot, "const");
    take(&schema->choices, spot, "enum");
    if (!whole)
        return;
    take(&schema->example, spot, "example");
    if (!schema->example && examples && examples->kind == JSON_ARRAY)
        schema->example = examples->first;
    take(&schema->fallback, spot, "default");
}

static openapi_property_t *
find_property(const openapi_schema_t *schema, const char *name)
{
    for (openapi_property_t *property = schema->properties; property; property = property->next)
        if (!strcmp(property->name, name))
            return property;
    return NULL;
}

static void
gather_properties(openapi_t *self, openapi_schema_t *schema, openapi_spot_t spot)
{
    openapi_spot_t properties = openapi_get(spot, "properties");
    openapi_spot_t required = openapi_get(spot, "required");

    if (properties.node && properties.node->kind == JSON_OBJECT) {
        for (const json_t *member = properties.node->first; member; member = member->next) {
            if (find_property(schema, member->key))
                continue;
            openapi_property_t *property = arena_alloc(self->arena, sizeof *property);
            *property =
                (openapi_property_t){ member->key, { spot.file, member }, schema->properties };
            schema->properties = property;
        }
    }
    if (required.node && required.node->kind == JSON_ARRAY)
        schema->required = chain(self, required, schema->required);
}

static void
gather_children(openapi_schema_t *schema, openapi_spot_t spot)
{
    openapi_spot_t items = openapi_get(spot, "items");
    openapi_spot_t prefix = openapi_get(spot, "prefixItems");

    if (items.node && items.node->kind == JSON_ARRAY)
        prefix = items;  // the older way to write a tuple
    else if (items.node && !schema->items.node)
        schema->items = items;
    if (prefix.node && !schema->prefix.node)
        schema->prefix = prefix;
    if (!schema->additional.node)
        schema->additional = openapi_get(spot, "additionalProperties");
    openapi_spot_t discriminator = openapi_get(spot, "discriminator");
    if (!schema->discriminator && discriminator.node) {
        schema->discriminator = openapi_text(discriminator, "propertyName");
        schema->discriminator_map = openapi_get(discriminator, "mapping");
    }
}

static void gather(openapi_t *self, openapi_schema_t *schema, openapi_spot_t spot,
                   const openapi_frame_t *frame, bool whole);

static void
gather_parts(openapi_t *self, openapi_schema_t *schema, openapi_spot_t spot,
             const openapi_frame_t *frame, bool whole)
{
    static const char *const choices[] = { "anyOf", "oneOf" };
    openapi_spot_t parts = openapi_get(spot, "allOf");
    bool alone = parts.node && parts.node->count == 1 && !schema->properties;

    for (const json_t *part = parts.node ? parts.node->first : NULL; part; part = part->next)
        gather(self, schema, (openapi_spot_t){ parts.file, part }, frame, whole && alone);
    for (size_t i = 0; i < ROWS(choices); i++) {
        openapi_spot_t list = openapi_get(spot, choices[i]);
        if (list.node && list.node->kind == JSON_ARRAY && list.node->first)
            schema->alternatives = chain(self, list, schema->alternatives);
    }
}

static void
gather_keywords(openapi_t *self, openapi_schema_t *schema, openapi_spot_t spot,
                const openapi_frame_t *frame, bool whole)
{
    gather_type(schema, spot);
    gather_values(schema, spot, whole);
    gather_bounds(schema, spot);
    take_text(&schema->format, spot, "format");
    take_text(&schema->pattern, spot, "pattern");
    take_text(&schema->media, spot, "contentMediaType");
    gather_properties(self, schema, spot);
    gather_children(schema, spot);
    gather_parts(self, schema, spot, frame, whole);
}

static void
gather(openapi_t *self, openapi_schema_t *schema, openapi_spot_t spot,
       const openapi_frame_t *frame, bool whole)
{
    const char *reference = json_get_text(spot.node, "$ref");

    if (!spot.node || !self->sample_left || is_open(frame, spot.node)) {
        schema->impossible = true;
        return;
    }
    if (is_gathered(schema, spot.node))
        return;  // a part of itself says nothing new
    self->sample_left--;
    schema->gathered = chain(self, spot, schema->gathered);
    if (spot.node->kind == JSON_BOOL)
        schema->impossible = schema->impossible || !spot.node->truth;
    if (spot.node->kind != JSON_OBJECT)
        return;
    // What stands beside a reference counts since 3.1.
    if (!reference || self->kind == OPENAPI_31)
        gather_keywords(self, schema, spot, frame, whole);
    if (reference) {
        schema->reference = schema->reference ? schema->reference : reference;
        openapi_spot_t target = openapi_resolve(self, spot);
        gather(self, schema, target, frame, whole);
    }
}

void
openapi_schema_gather(openapi_t *self, openapi_schema_t *schema, openapi_spot_t spot,
                      const openapi_frame_t *frame)
{
    gather(self, schema, spot, frame, true);
}
