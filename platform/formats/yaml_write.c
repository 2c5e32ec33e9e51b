// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "formats/scalar.h"
#include "formats/yaml.h"

enum {
    INDENT = 2,
    FLOW_ITEMS_MAX = 12,  // a list of short scalars stands on one line
    FLOW_TEXT_MAX = 60,
};

static void write_value(buffer_t *out, const json_t *value, size_t depth);

static void
indent(buffer_t *out, size_t depth)
{
    for (size_t i = 0; i < depth * INDENT; i++)
        buffer_char(out, ' ');
}

// Double-quoted: JSON's escapes are YAML's, and what YAML counts as a line end is escaped too.
static void
write_quoted(buffer_t *out, const char *text, size_t length)
{
    static const char *const breaks[] = { "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9",
                                          "\xef\xbb\xbf" };
    static const char *const escapes[] = { "\\u0085", "\\u2028", "\\u2029", "\\ufeff" };
    buffer_t quoted = { 0 };

    json_write_string(&quoted, text, length);
    for (size_t i = 0; i < quoted.size;) {
        size_t hit = 0;
        while (hit < 4 && strncmp(quoted.bytes + i, breaks[hit], strlen(breaks[hit])) != 0)
            hit++;
        if (hit < 4) {
            buffer_text(out, escapes[hit]);
            i += strlen(breaks[hit]);
        } else {
            if (quoted.bytes[i] == 0x7f)
                buffer_text(out, "\\u007f");
            else
                buffer_char(out, quoted.bytes[i]);
            i++;
        }
    }
    buffer_clear(&quoted);
}

static void
write_text(buffer_t *out, const char *text, size_t length, bool in_flow)
{
    if (scalar_is_plain_text(text, length, in_flow))
        buffer_add(out, text, length);
    else
        write_quoted(out, text, length);
}

// Several printable lines, none of which begins or ends so that a block would change it.
static bool
fits_block(const char *text, size_t length)
{
    if (!memchr(text, '\n', length) || strchr(" \n\t", *text))
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char) text[i];
        bool ends_line = i + 1 == length || text[i + 1] == '\n';
        if ((c < 0x20 && c != '\n') || c >= 0x7f || (ends_line && c == ' '))
            return false;
    }
    return length < 2 || text[length - 1] != '\n' || text[length - 2] != '\n';
}

static void
write_block(buffer_t *out, const char *text, size_t length, size_t depth)
{
    const char *end = text + length;

    buffer_text(out, end[-1] == '\n' ? "|" : "|-");
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t) (end - text));
        size_t line = (size_t) ((stop ? stop : end) - text);
        buffer_char(out, '\n');
        if (line)
            indent(out, depth);
        buffer_add(out, text, line);
        text += line + 1;
    }
}

static void
write_scalar(buffer_t *out, const json_t *value, bool in_flow)
{
    switch (value->kind) {
    case JSON_NULL:
        buffer_text(out, "null");
        break;
    case JSON_BOOL:
        buffer_text(out, value->truth ? "true" : "false");
        break;
    case JSON_NUMBER:
        buffer_add(out, value->text, value->length);
        break;
    case JSON_STRING:
        write_text(out, value->text, value->length, in_flow);
        break;
    case JSON_ARRAY:
        buffer_text(out, "[]");
        break;
    case JSON_OBJECT:
        buffer_text(out, "{}");
        break;
    }
}

static bool
fits_flow(const json_t *array)
{
    size_t length = 0;

    if (array->count > FLOW_ITEMS_MAX)
        return false;
    for (const json_t *item = array->first; item; item = item->next) {
        if (item->count
            || (item->kind == JSON_STRING && memchr(item->text, '\n', item->length)))
            return false;
        length += item->length + 2;
    }
    return length <= FLOW_TEXT_MAX;
}

static void
write_flow(buffer_t *out, const json_t *array)
{
    buffer_char(out, '[');
    for (const json_t *item = array->first; item; item = item->next) {
        write_scalar(out, item, true);
        buffer_text(out, item->next ? ", " : "]");
    }
}

// The members of an object; the first one stands where the writer is.
static void
write_members(buffer_t *out, const json_t *object, size_t depth)
{
    for (const json_t *member = object->first; member; member = member->next) {
        write_text(out, member->key, member->key_length, false);
        buffer_char(out, ':');
        bool breaks = member->count && !(member->kind == JSON_ARRAY && fits_flow(member));
        if (breaks) {
            buffer_char(out, '\n');
            indent(out, depth + 1);
        } else {
            buffer_char(out, ' ');
        }
        write_value(out, member, depth + 1);
        if (member->next) {
            buffer_char(out, '\n');
            indent(out, depth);
        }
    }
}

static void
write_items(buffer_t *out, const json_t *array, size_t depth)
{
    for (const json_t *item = array->first; item; item = item->next) {
        buffer_text(out, "- ");
        write_value(out, item, depth + 1);
        if (item->next) {
            buffer_char(out, '\n');
            indent(out, depth);
        }
    }
}

// `depth` is the indentation of what follows on further lines.
static void
write_value(buffer_t *out, const json_t *value, size_t depth)
{
    if (depth && value->kind == JSON_STRING && fits_block(value->text, value->length))
        write_block(out, value->text, value->length, depth);
    else if (!value->count)
        write_scalar(out, value, false);
    else if (value->kind == JSON_OBJECT)
        write_members(out, value, depth);
    else if (fits_flow(value))
        write_flow(out, value);
    else
        write_items(out, value, depth);
}

void
yaml_write(buffer_t *out, const json_t *value)
{
    write_value(out, value, 0);
    buffer_char(out, '\n');
}
