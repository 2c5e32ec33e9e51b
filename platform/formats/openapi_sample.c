// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "formats/openapi_schema.h"

enum {
    SAMPLE_SCHEMAS_MAX = 5000,  // that are looked at for one example
    SAMPLE_DEPTH_MAX = 14,
    OPTIONAL_DEPTH_MAX = 4,  // deeper, members that nobody requires are left out
    ITEMS_MAX = 20,
};

static json_t *from_schema(openapi_t *self, const openapi_schema_t *schema,
                           const openapi_frame_t *up);

static json_t *
generate(openapi_t *self, openapi_spot_t spot, const openapi_frame_t *up)
{
    openapi_schema_t schema;

    if (up && up->depth >= SAMPLE_DEPTH_MAX)
        return NULL;
    openapi_schema_begin(&schema);
    openapi_schema_gather(self, &schema, spot, up);
    return from_schema(self, &schema, up);
}

// What the schema says in so many words: an example, a constant, a default, a choice.
static json_t *
said(openapi_t *self, const openapi_schema_t *schema)
{
    const json_t *values[] = { schema->constant, schema->example, schema->fallback };

    for (size_t i = 0; i < ROWS(values); i++)
        if (values[i] && values[i]->kind != JSON_NULL)
            return json_copy(self->arena, values[i]);
    if (!schema->choices)
        return NULL;
    for (const json_t *item = schema->choices->first; item; item = item->next)
        if (item->kind != JSON_NULL)
            return json_copy(self->arena, item);
    return NULL;
}

static const char *
last_segment(const char *reference)
{
    const char *slash = strrchr(reference, '/');

    return slash ? slash + 1 : reference;
}

// What the discriminating property says for the schema that `reference` leads to.
static const char *
discriminator_value(const openapi_schema_t *schema, const char *reference)
{
    const json_t *map = schema->discriminator_map.node;

    for (const json_t *row = map ? map->first : NULL; row; row = row->next)
        if (row->kind == JSON_STRING && reference
            && (!strcmp(row->text, reference) || !strcmp(row->text, last_segment(reference))))
            return row->key;
    return reference ? last_segment(reference) : map && map->first ? map->first->key : NULL;
}

static void
set_discriminator(openapi_t *self, const openapi_schema_t *schema, const char *reference,
                  json_t *value)
{
    const char *name = schema->discriminator;
    const json_t *present = name && value->kind == JSON_OBJECT ? json_get(value, name) : NULL;

    // One that a const or enum gave is right already.
    if (!name || value->kind != JSON_OBJECT
        || (present && (present->kind != JSON_STRING || strcmp(present->text, "text") != 0)))
        return;
    const char *text = discriminator_value(schema, reference);
    if (text)
        json_set_text(self->arena, value, name, text);
}

static bool
is_null_schema(const json_t *node)
{
    const char *type = json_get_text(node, "type");

    return type && !strcmp(type, "null");
}

static json_t *
try_alternative(openapi_t *self, const openapi_schema_t *schema, openapi_spot_t spot,
                const openapi_frame_t *up)
{
    openapi_schema_t with = *schema;

    with.alternatives = schema->alternatives->next;
    with.reference = NULL;
    openapi_schema_gather(self, &with, spot, up);
    json_t *value = from_schema(self, &with, up);
    if (value)
        set_discriminator(self, schema, json_get_text(spot.node, "$ref"), value);
    return value;
}

// The first alternative of oneOf or anyOf that has an example; null comes last.
static json_t *
choose(openapi_t *self, const openapi_schema_t *schema, const openapi_frame_t *up)
{
    openapi_spot_t list = schema->alternatives->spot;

    for (int nulls = 0; nulls < 2; nulls++) {
        for (const json_t *item = list.node->first; item; item = item->next) {
            if (is_null_schema(item) != (nulls == 1))
                continue;
            json_t *value =
                try_alternative(self, schema, (openapi_spot_t){ list.file, item }, up);
            if (value)
                return value;
        }
    }
    return NULL;
}

static bool
any_required(const openapi_schema_t *schema)
{
    for (const openapi_chain_t *link = schema->required; link; link = link->next)
        if (link->spot.node->first)
            return true;
    return false;
}

static bool
flag_of(openapi_t *self, openapi_spot_t schema, const char *name)
{
    if (json_get_bool(schema.node, name, false))
        return true;
    return json_get_text(schema.node, "$ref")
           && json_get_bool(openapi_resolve(self, schema).node, name, false);
}

static bool
is_wanted(openapi_t *self, const openapi_schema_t *schema, const openapi_property_t *property,
          bool some_required, size_t depth)
{
    if (openapi_schema_requires(schema, property->name))
        return true;
    if (flag_of(self, property->schema, "deprecated"))
        return false;
    if (json_get(property->schema.node, "example"))
        return true;
    return !some_required && depth < OPTIONAL_DEPTH_MAX;
}

// Required names that no property describes.
static void
add_undescribed(openapi_t *self, const openapi_schema_t *schema, json_t *object)
{
    for (const openapi_chain_t *link = schema->required; link; link = link->next) {
        for (const json_t *name = link->spot.node->first; name; name = name->next) {
            bool described = name->kind != JSON_STRING;
            for (const openapi_property_t *one = schema->properties; one && !described;
                 one = one->next)
                described = !strcmp(one->name, name->text);
            if (!described)
                json_set_text(self->arena, object, name->text, "text");
        }
    }
}

static void
add_more(openapi_t *self, const openapi_schema_t *schema, const openapi_frame_t *frame,
         json_t *object)
{
    bool described = schema->additional.node && schema->additional.node->kind == JSON_OBJECT;

    for (int i = 1; (int64_t) object->count < schema->min_properties && i <= ITEMS_MAX; i++) {
        json_t *value = described ? generate(self, schema->additional, frame)
                                  : json_string(self->arena, "text");
        if (value)
            json_set(self->arena, object, arena_printf(self->arena, "key%d", i), value);
    }
}

// Properties in the order of the document: they were gathered in reverse.
static const openapi_property_t **
in_order(openapi_t *self, const openapi_schema_t *schema, size_t *count_p)
{
    size_t count = 0;

    for (const openapi_property_t *one = schema->properties; one; one = one->next)
        count++;
    const openapi_property_t **list = arena_alloc(self->arena, (count + 1) * sizeof *list);
    *count_p = count;
    for (const openapi_property_t *one = schema->properties; one; one = one->next)
        list[--count] = one;
    return list;
}

static json_t *
make_object(openapi_t *self, const openapi_schema_t *schema, const openapi_frame_t *frame)
{
    json_t *object = json_object(self->arena);
    bool some_required = any_required(schema);
    size_t count;
    const openapi_property_t **properties = in_order(self, schema, &count);

    for (size_t i = 0; i < count; i++) {
        const openapi_property_t *property = properties[i];
        if (!is_wanted(self, schema, property, some_required, frame->depth)
            || flag_of(self, property->schema, "readOnly"))
            continue;
        json_t *value = generate(self, property->schema, frame);
        if (value)
            json_set(self->arena, object, property->name, value);
        else if (openapi_schema_requires(schema, property->name) && !self->sample_gaps)
            return NULL;
    }
    add_undescribed(self, schema, object);
    add_more(self, schema, frame, object);
    set_discriminator(self, schema, schema->reference, object);
    return object;
}

// The i-th of several values that must differ.
static json_t *
vary(openapi_t *self, openapi_spot_t items, const json_t *value, size_t i)
{
    const json_t *choices = json_get(openapi_resolve(self, items).node, "enum");
    const json_t *choice = choices ? choices->first : NULL;
    int64_t number;

    for (size_t n = i; choice && n > 0; n--)
        choice = choice->next;
    if (i == 0 || choices)
        return json_copy(self->arena, choice ? choice : value);
    if (value->kind == JSON_STRING)
        return json_string(self->arena, arena_printf(self->arena, "%s%zu", value->text, i));
    if (json_int(value, &number) && number < INT32_MAX)
        return json_number(self->arena, number + (int64_t) i);
    return json_copy(self->arena, value);
}

static json_t *
make_tuple(openapi_t *self, const openapi_schema_t *schema, const openapi_frame_t *frame)
{
    json_t *array = json_array(self->arena);

    for (const json_t *item = schema->prefix.node->first; item; item = item->next) {
        json_t *value = generate(self, (openapi_spot_t){ schema->prefix.file, item }, frame);
        if (!value)
            return schema->min_items ? NULL : array;
        json_add(array, value);
    }
    return array;
}

static json_t *
make_array(openapi_t *self, const openapi_schema_t *schema, const openapi_frame_t *frame)
{
    json_t *array = json_array(self->arena);
    int64_t count = schema->min_items > 1 ? schema->min_items : schema->max_items == 0 ? 0 : 1;

    if (schema->prefix.node && schema->prefix.node->first)
        return make_tuple(self, schema, frame);
    if (!schema->items.node && !schema->min_items)
        return array;
    count = count > ITEMS_MAX ? ITEMS_MAX : count;
    const json_t *value = schema->items.node ? generate(self, schema->items, frame)
                                             : json_string(self->arena, "text");
    if (!value)
        return schema->min_items ? NULL : array;
    for (int64_t i = 0; i < count; i++)
        json_add(array, schema->unique_items ? vary(self, schema->items, value, (size_t) i)
                                             : json_copy(self->arena, value));
    return array;
}

// The type of a schema that does not name one, by what it talks about.
static const char *
infer(const openapi_schema_t *schema)
{
    if (schema->properties || schema->required || schema->min_properties
        || (schema->additional.node && schema->additional.node->kind == JSON_OBJECT))
        return "object";
    if (schema->items.node || schema->prefix.node)
        return "array";
    if (schema->minimum || schema->maximum || schema->multiple_of)
        return "number";
    return "string";
}

static json_t *
of_type(openapi_t *self, const openapi_schema_t *schema, const openapi_frame_t *up)
{
    const char *type = schema->type ? schema->type : infer(schema);
    openapi_frame_t frame = { up, schema, up ? up->depth + 1 : 1 };

    if (!strcmp(type, "object"))
        return make_object(self, schema, &frame);
    if (!strcmp(type, "array"))
        return make_array(self, schema, &frame);
    if (!strcmp(type, "integer") || !strcmp(type, "number"))
        return openapi_scalars_number(self, schema, *type == 'i');
    if (!strcmp(type, "boolean"))
        return json_bool(self->arena, true);
    if (!strcmp(type, "null"))
        return json_null(self->arena);
    return openapi_scalars_string(self, schema);
}

static json_t *
from_schema(openapi_t *self, const openapi_schema_t *schema, const openapi_frame_t *up)
{
    json_t *value = schema->impossible ? NULL : said(self, schema);

    if (!value && schema->alternatives && !schema->impossible)
        value = choose(self, schema, up);
    else if (!value && !schema->impossible)
        value = of_type(self, schema, up);
    if (!value && schema->nullable)
        value = json_null(self->arena);
    return value;
}

json_t *
openapi_sample(openapi_t *self, openapi_spot_t schema)
{
    if (!schema.node)
        return NULL;
    self->sample_left = SAMPLE_SCHEMAS_MAX;
    json_t *value = generate(self, schema, NULL);
    if (value)
        return value;
    self->sample_left = SAMPLE_SCHEMAS_MAX;
    self->sample_gaps = true;
    value = generate(self, schema, NULL);
    self->sample_gaps = false;
    if (value)
        openapi_warn(self, schema,
                     "the schema requires what cannot be made, such as itself; the example "
                     "leaves it out");
    return value;
}

const char *
openapi_type(openapi_t *self, openapi_spot_t spot)
{
    openapi_schema_t schema;

    self->sample_left = SAMPLE_SCHEMAS_MAX;
    openapi_schema_begin(&schema);
    openapi_schema_gather(self, &schema, spot, NULL);
    while (!schema.type && schema.alternatives) {
        openapi_spot_t list = schema.alternatives->spot;
        schema.alternatives = schema.alternatives->next;
        openapi_schema_gather(self, &schema, (openapi_spot_t){ list.file, list.node->first },
                              NULL);
    }
    return schema.type ? schema.type : infer(&schema);
}

// The first of named examples that has a value.
static const json_t *
named_example(openapi_t *self, openapi_spot_t holder)
{
    openapi_spot_t examples = openapi_get(holder, "examples");

    if (!examples.node || examples.node->kind != JSON_OBJECT)
        return NULL;
    for (const json_t *item = examples.node->first; item; item = item->next) {
        openapi_spot_t example = openapi_resolve(self, (openapi_spot_t){ examples.file, item });
        const json_t *value = json_get(example.node, "value");
        if (value)
            return value;
    }
    return NULL;
}

json_t *
openapi_example(openapi_t *self, openapi_spot_t holder)
{
    static const char *const members[] = { "example", "x-example" };
    openapi_spot_t schema = openapi_get(holder, "schema");
    openapi_spot_t content = openapi_get(holder, "content");

    for (size_t i = 0; i < ROWS(members); i++) {
        const json_t *example = json_get(holder.node, members[i]);
        if (example && example->kind != JSON_NULL)
            return json_copy(self->arena, example);
    }
    const json_t *named = named_example(self, holder);
    if (named)
        return json_copy(self->arena, named);
    if (content.node && content.node->first)
        return openapi_example(self, (openapi_spot_t){ content.file, content.node->first });
    if (schema.node)
        return openapi_sample(self, schema);
    return openapi_get(holder, "type").node ? openapi_sample(self, holder) : NULL;
}
