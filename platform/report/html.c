// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include <string.h>

#include "auto.h"
#include "json_utf8.h"

static uint32_t
decode(const unsigned char *bytes, size_t length)
{
    switch (length) {
    case 1:
        return bytes[0];
    case 2:
        return (uint32_t) (bytes[0] & 0x1f) << 6 | (bytes[1] & 0x3f);
    case 3:
        return (uint32_t) (bytes[0] & 0x0f) << 12 | (uint32_t) (bytes[1] & 0x3f) << 6
               | (bytes[2] & 0x3f);
    default:
        return (uint32_t) (bytes[0] & 0x07) << 18 | (uint32_t) (bytes[1] & 0x3f) << 12
               | (uint32_t) (bytes[2] & 0x3f) << 6 | (bytes[3] & 0x3f);
    }
}

static bool
is_hidden(uint32_t code)
{
    return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0)
           || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e)
           || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff || (code & 0xfffe) == 0xfffe;
}

static void
add_character(buffer_t *out, const char *bytes, size_t length)
{
    uint32_t code = decode((const unsigned char *) bytes, length);

    switch (code) {
    case '&':
        buffer_text(out, "&amp;");
        break;
    case '<':
        buffer_text(out, "&lt;");
        break;
    case '>':
        buffer_text(out, "&gt;");
        break;
    case '"':
        buffer_text(out, "&quot;");
        break;
    case '\'':
        buffer_text(out, "&#39;");
        break;
    default:
        if (is_hidden(code))
            buffer_printf(out, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
        else
            buffer_add(out, bytes, length);
    }
}

void
html_text(buffer_t *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t size = json_utf8_length(text + i, length - i);
        if (!size) {
            buffer_text(out, "\xef\xbf\xbd");
            i++;
            continue;
        }
        bool ends_line = text[i] == '\r' && i + 1 < length && text[i + 1] == '\n';
        if (!ends_line)  // CR LF is a line end like any other
            add_character(out, text + i, size);
        i += size;
    }
}

void
html_string(buffer_t *out, const char *text)
{
    if (text)
        html_text(out, text, strlen(text));
}

static void
add_span(buffer_t *out, char class, const char *text, size_t length)
{
    buffer_printf(out, "<span class=\"%c\">", class);
    html_text(out, text, length);
    buffer_text(out, "</span>");
}

static void
add_quoted(buffer_t *out, char class, const char *text, size_t length)
{
    AUTO(buffer_clear) buffer_t quoted = { 0 };

    json_write_string(&quoted, text, length);
    add_span(out, class, quoted.bytes, quoted.size);
}

static void
new_line(buffer_t *out, size_t depth)
{
    buffer_char(out, '\n');
    for (size_t i = 0; i < depth; i++)
        buffer_text(out, "  ");
}

static void
write_value(buffer_t *out, const json_t *value, size_t depth)
{
    const char *literal = value->kind == JSON_NULL ? "null" : value->truth ? "true" : "false";

    switch (value->kind) {
    case JSON_NULL:
    case JSON_BOOL:
        add_span(out, 'l', literal, strlen(literal));
        return;
    case JSON_NUMBER:
        add_span(out, 'n', value->text, value->length);
        return;
    case JSON_STRING:
        add_quoted(out, 's', value->text, value->length);
        return;
    case JSON_ARRAY:
    case JSON_OBJECT:
        break;
    }
    bool is_object = value->kind == JSON_OBJECT;
    buffer_char(out, is_object ? '{' : '[');
    for (const json_t *child = value->first; child; child = child->next) {
        new_line(out, depth + 1);
        if (is_object) {
            add_quoted(out, 'k', child->key, child->key_length);
            buffer_text(out, ": ");
        }
        write_value(out, child, depth + 1);
        buffer_text(out, child->next ? "," : "");
    }
    if (value->first)
        new_line(out, depth);
    buffer_char(out, is_object ? '}' : ']');
}

void
html_json(buffer_t *out, const json_t *value)
{
    write_value(out, value, 0);
}
