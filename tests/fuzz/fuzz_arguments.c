// SPDX-License-Identifier: Apache-2.0
// Arguments of a tool: behind the first line they stand as JSON, the line says of which row. Empty:
// one with parameters of every kind; # and a byte: one of the product's; else three bytes describe
// each parameter. What is taken is what the row's schema says, and is taken again, and stays.

#include <assert.h>
#include <string.h>

#include "arguments.h"
#include "auto.h"
#include "category.h"
#include "schema.h"
#include "target.h"

enum { ITEMS_MAX = 1000, TEXT_MAX = 4096, MADE_MAX = 12 };

static const field_t members[] = { { "user", TEXT | MUST, "Name." },
                                   { "age", NUMBER, "Age.", .min = 1, .max = 150 },
                                   { "kind", TEXT, "One.", .one_of = "api|ui" },
                                   { "tags", TEXT | MANY, "Texts." },
                                   { 0 } };

// clang-format off
static const tool_t of_every_kind = {
    .name = "try_all", .about = "Everything.", .effect = READS, .profile = CORE,
    .params = {
        { "text",    TEXT | MUST,   "Text." },
        { "short",   TEXT,          "Short.", .max = 5 },
        { "choice",  TEXT,          "One.", .one_of = "quick|phased|custom" },
        { "number",  NUMBER,        "Number.", .min = -10, .max = 500 },
        { "decimal", DECIMAL,       "Decimal." },
        { "flag",    FLAG,          "Flag." },
        { "object",  OBJECT,        "Object.", .fields = members },
        { "any",     ANY,           "Any." },
        { "tags",    TEXT | MANY,   "Texts." },
        { "numbers", NUMBER | MANY, "Numbers." },
        { "objects", OBJECT | MANY, "Objects." },
        { "project", PROJECT | MUST, "Where." },
    },
};
// clang-format on

static const category_t *const categories[] = {
    &explore_category,       &act_category,   &report_category,
    &api_authoring_category, &setup_category, &environments_category,
};

// ---- the row

static const tool_t *
nth_of_product(unsigned wanted)
{
    unsigned index = 0;

    for (size_t i = 0; i < ROWS(categories); i++)
        for (const tool_t *const *table = categories[i]->tables; *table; table++)
            for (const tool_t *tool = *table; tool->name; tool++)
                if (index++ == wanted)
                    return tool;
    return wanted < index ? NULL : nth_of_product(wanted % index);
}

static void
make_field(field_t *field, const unsigned char bytes[3])
{
    const int kind = TEXT + bytes[0] % TARGET;
    const bool is_text = kind == TEXT;

    field->kind = kind | (bytes[1] & 1 ? MUST : 0) | (bytes[1] & 4 ? SECRET : 0);
    field->about = "Made.";
    if (bytes[1] & 2 && !KIND_IS_REFERENCE(kind))
        field->kind |= MANY;
    if (is_text && bytes[1] & 8)
        field->one_of = "quick|Phased|a b";
    if (kind == OBJECT && bytes[1] & 8)
        field->fields = members;
    field->min = is_text ? 0 : (signed char) bytes[2];
    field->max = is_text ? bytes[2] & 31 : field->min + (bytes[1] >> 5) * 10 - 10;
}

static const tool_t *
make_tool(arena_t *arena, const unsigned char *bytes, size_t size)
{
    static const char names[] = "a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l";
    tool_t *tool = arena_alloc(arena, sizeof *tool);

    tool->name = tool->title = "made";
    tool->about = "Made.";
    tool->effect = size % 2 ? READS : WRITES;
    tool->profile = CORE;
    for (size_t i = 0; i < MADE_MAX && 3 * i + 3 <= size; i++) {
        tool->params[i].name = names + 2 * i;
        make_field(&tool->params[i], bytes + 3 * i);
    }
    return tool;
}

static const tool_t *
choose(arena_t *arena, const unsigned char *line, size_t size)
{
    if (!size)
        return &of_every_kind;
    return *line == '#' ? nth_of_product(size > 1 ? line[1] : 0) : make_tool(arena, line, size);
}

// ---- what the schema says

static void check_object(const field_t *fields, const json_t *schema, const json_t *object);

static void
check_text(const field_t *field, const json_t *schema, const json_t *value)
{
    const json_t *choices = json_get(schema, "enum");
    const size_t most = field->max ? (size_t) field->max : TEXT_MAX;
    size_t characters = 0;

    assert(value->kind == JSON_STRING && strlen(value->text) == value->length);
    for (const char *c = value->text; *c; c++)
        characters += (*c & 0xc0) != 0x80;
    assert(choices || characters <= most);
    for (const json_t *choice = choices ? choices->first : NULL; choices;
         choice = choice->next) {
        assert(choice);
        if (!strcmp(choice->text, value->text))
            break;
    }
}

static void
check_number(const json_t *schema, const json_t *value)
{
    int64_t number;

    bool is_integer = value->kind == JSON_NUMBER && json_int(value, &number);
    assert(is_integer && number >= json_get_int(schema, "minimum", INT64_MIN)
           && number <= json_get_int(schema, "maximum", INT64_MAX));
}

static void
check_one(const field_t *field, const json_t *schema, const json_t *value)
{
    switch (field->kind & KIND_MASK) {
    case TEXT:
        check_text(field, schema, value);
        break;
    case NUMBER:
        check_number(schema, value);
        break;
    case DECIMAL:
        assert(value->kind == JSON_NUMBER);
        break;
    case FLAG:
        assert(value->kind == JSON_BOOL);
        break;
    case OBJECT:
        assert(value->kind == JSON_OBJECT);
        if (field->fields)
            check_object(field->fields, schema, value);
        break;
    case ANY:
        break;
    default:
        assert(value->kind == JSON_STRING || value->kind == JSON_NUMBER);
    }
}

static void
check_value(const field_t *field, const json_t *schema, const json_t *value)
{
    const json_t *items = json_get(schema, "items");

    assert(schema && !items == !(field->kind & MANY));
    if (!items) {
        check_one(field, schema, value);
        return;
    }
    assert(value->kind == JSON_ARRAY && value->count <= ITEMS_MAX);
    for (const json_t *item = value->first; item; item = item->next)
        check_one(field, items, item);
}

static void
check_object(const field_t *fields, const json_t *schema, const json_t *object)
{
    const json_t *required = json_get(schema, "required");
    const json_t *properties = json_get(schema, "properties");

    for (const json_t *name = required ? required->first : NULL; name; name = name->next)
        assert(json_get(object, name->text));
    for (const field_t *field = fields; field->name; field++) {
        const json_t *value = json_get(object, field->name);
        if (value)
            check_value(field, json_get(properties, field->name), value);
    }
}

// Nothing may be there that the row does not know.
static void
check_names(const tool_t *tool, const json_t *checked)
{
    for (const json_t *member = checked->first; member; member = member->next) {
        const field_t *field = tool->params;
        while (field->name && strcmp(field->name, member->key))
            field++;
        assert(field->name);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const uint8_t *end = size ? memchr(bytes, '\n', size) : NULL;
    const size_t line_size = end ? (size_t) (end - bytes) : size;
    json_document_t document;
    json_t *checked, *again;
    failure_t why;

    if (!end
        || json_parse(arena, (const char *) end + 1, size - line_size - 1, &document, &why))
        return 0;
    const tool_t *tool = choose(arena, bytes, line_size);
    if (arguments_check(arena, tool, document.root, &checked, &why)) {
        assert(why.status == BAD_ARGS && *why.text);
        return 0;
    }
    check_names(tool, checked);
    check_object(tool->params, json_get(schema_of_tool(arena, tool), "inputSchema"), checked);
    status_t status = arguments_check(arena, tool, checked, &again, &why);
    assert(!status);
    assert(!strcmp(json_text(arena, checked), json_text(arena, again)));
    return 0;
}
