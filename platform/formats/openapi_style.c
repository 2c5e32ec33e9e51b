// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "auto.h"
#include "formats/openapi_internal.h"

// How a list or object is written: between what, and whether each part stands alone.
typedef struct {
    const char *style;
    bool explode;
} style_t;

// clang-format off
// collectionFormat of 2.0.
static const struct {
    const char *format, *style;
    bool explode;
} collections[] = {
    { "csv",   "form",           false },
    { "ssv",   "spaceDelimited", false },
    { "tsv",   "tabDelimited",   false },
    { "pipes", "pipeDelimited",  false },
    { "multi", "form",           true  },
};
// clang-format on

static style_t
style_of(openapi_t *self, openapi_spot_t parameter, const char *usual)
{
    style_t style = { openapi_text(parameter, "style"), false };

    if (self->kind == OPENAPI_2) {
        const char *format = openapi_text(parameter, "collectionFormat");
        style.style = usual;
        for (size_t i = 0; format && !strcmp(usual, "form") && i < ROWS(collections); i++)
            if (!strcmp(collections[i].format, format))
                style = (style_t){ collections[i].style, collections[i].explode };
        return style;
    }
    if (!style.style)
        style.style = usual;
    style.explode =
        json_get_bool(parameter.node, "explode",
                      !strcmp(style.style, "form") || !strcmp(style.style, "deepObject"));
    return style;
}

const char *
openapi_scalar(arena_t *arena, const json_t *value)
{
    switch (value->kind) {
    case JSON_NULL:
        return "";
    case JSON_BOOL:
        return value->truth ? "true" : "false";
    case JSON_NUMBER:
    case JSON_STRING:
        return value->text;
    case JSON_ARRAY:
    case JSON_OBJECT:
        break;
    }
    return json_text(arena, value);
}

typedef char *encode_fn(arena_t *arena, const char *text);

static char *
percent_encode(arena_t *arena, const char *text)
{
    static const char unreserved[] =
        "-._~!$'()*@:+";  // what may stand in a segment, minus separators of styles
    AUTO(buffer_clear) buffer_t out = { 0 };

    for (const unsigned char *c = (const unsigned char *) text; *c; c++) {
        bool plain = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z')
                     || (*c >= 'A' && *c <= 'Z') || strchr(unreserved, *c);
        if (plain)
            buffer_char(&out, (char) *c);
        else
            buffer_printf(&out, "%%%02X", *c);
    }
    return arena_strndup(arena, out.bytes ? out.bytes : "", out.size);
}

static char *
encode_keeping_slashes(arena_t *arena, const char *text)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    for (;;) {
        size_t length = strcspn(text, "/");
        buffer_text(&out, percent_encode(arena, arena_strndup(arena, text, length)));
        if (!text[length])
            break;
        buffer_char(&out, '/');
        text += length + 1;
    }
    return arena_strndup(arena, out.bytes, out.size);
}

static char *
as_it_is(arena_t *arena, const char *text)
{
    return arena_strdup(arena, text);
}

// a,b,c of a list; k,v,k,v or k=v,k=v of an object; a scalar alone.
static const char *
join(openapi_t *self, const json_t *value, const char *between, const char *equals,
     encode_fn *encode)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    if (value->kind != JSON_ARRAY && value->kind != JSON_OBJECT)
        return encode(self->arena, openapi_scalar(self->arena, value));
    for (const json_t *item = value->first; item; item = item->next) {
        if (item->key)
            buffer_printf(&out, "%s%s", encode(self->arena, item->key), equals);
        buffer_text(&out, encode(self->arena, openapi_scalar(self->arena, item)));
        buffer_text(&out, item->next ? between : "");
    }
    return arena_strndup(self->arena, out.bytes ? out.bytes : "", out.size);
}

static void
set_list(openapi_t *self, json_t *query, const char *name, const json_t *array)
{
    json_t *list = json_array(self->arena);

    for (const json_t *item = array->first; item; item = item->next)
        json_add(list, json_string(self->arena, openapi_scalar(self->arena, item)));
    if (list->count)
        json_set(self->arena, query, name, list);
}

static void
set_value(openapi_t *self, json_t *query, const char *name, const json_t *value)
{
    if (value->kind == JSON_ARRAY)
        set_list(self, query, name, value);
    else
        json_set_text(self->arena, query, name, openapi_scalar(self->arena, value));
}

static void
set_members(openapi_t *self, json_t *query, const char *name, const json_t *object, bool deep)
{
    for (const json_t *member = object->first; member; member = member->next) {
        const char *key =
            deep ? arena_printf(self->arena, "%s[%s]", name, member->key) : member->key;
        set_value(self, query, key, member);
    }
}

static const char *
separator(const char *style)
{
    return !strcmp(style, "spaceDelimited")  ? " "
           : !strcmp(style, "pipeDelimited") ? "|"
           : !strcmp(style, "tabDelimited")  ? "\t"
                                             : ",";
}

void
openapi_style_query(openapi_t *self, openapi_spot_t parameter, const json_t *value,
                    json_t *query)
{
    const char *name = openapi_text(parameter, "name");
    style_t style = style_of(self, parameter, "form");
    bool collection = value->kind == JSON_ARRAY || value->kind == JSON_OBJECT;

    if (collection && !value->first)
        return;  // an empty list or object sends nothing
    if (json_get(parameter.node, "content"))
        json_set_text(self->arena, query, name,
                      value->kind == JSON_STRING ? value->text : json_text(self->arena, value));
    else if (value->kind == JSON_OBJECT
             && (style.explode || !strcmp(style.style, "deepObject")))
        set_members(self, query, name, value, !strcmp(style.style, "deepObject"));
    else if (collection && !style.explode)
        json_set_text(
            self->arena, query, name,
            join(self, value, separator(style.style), separator(style.style), as_it_is));
    else
        set_value(self, query, name, value);
}

const char *
openapi_style_path(openapi_t *self, openapi_spot_t parameter, const json_t *value)
{
    const char *name = openapi_text(parameter, "name");
    style_t style = style_of(self, parameter, "simple");
    bool slashes = json_get_bool(parameter.node, "x-multi-segment", false);
    encode_fn *encode = slashes ? encode_keeping_slashes : percent_encode;
    const char *equals = style.explode ? "=" : ",";

    if (json_get(parameter.node, "content"))
        return percent_encode(self->arena, json_text(self->arena, value));
    if (!strcmp(style.style, "label"))
        return arena_printf(self->arena, ".%s",
                            join(self, value, style.explode ? "." : ",", equals, encode));
    if (strcmp(style.style, "matrix") != 0)
        return join(self, value, ",", equals, encode);
    if (value->kind == JSON_OBJECT && style.explode)
        return arena_printf(self->arena, ";%s", join(self, value, ";", "=", encode));
    if (value->kind == JSON_ARRAY && style.explode)
        return arena_printf(
            self->arena, ";%s=%s", name,
            join(self, value, arena_printf(self->arena, ";%s=", name), "", encode));
    return arena_printf(self->arena, ";%s=%s", name, join(self, value, ",", ",", encode));
}

const char *
openapi_style_header(openapi_t *self, openapi_spot_t parameter, const json_t *value)
{
    bool explode = json_get_bool(parameter.node, "explode", false);

    if (json_get(parameter.node, "content"))
        return json_text(self->arena, value);
    return join(self, value, ",", explode ? "=" : ",", as_it_is);
}
