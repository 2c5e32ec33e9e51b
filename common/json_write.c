// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "json_number.h"
#include "json_tree.h"
#include "json_utf8.h"

enum {
    PIECE = 128,       // bytes of a text that are written in one go
    ESCAPE_MAX = 6,    // bytes that stand for one
    SEQUENCE_MAX = 4,  // of a code point
};

typedef struct {
    buffer_t *out;
    bool canonical;
    bool pretty;
    size_t depth;
} writer_t;

static void write_value(writer_t *self, const json_t *value);

// Bytes at the beginning of `text` that stand in a string as they are. Most strings are nothing
// else, and this loop is all that writing them costs.
static size_t
plain_length(const char *text, size_t length)
{
    static const bool is_plain[256] = {
        [0x20] = true, true, false, [0x23 ... 0x5b] = true, [0x5d ... 0x7f] = true,
    };
    size_t at = 0;

    while (at < length && is_plain[(unsigned char) text[at]])
        at++;
    return at;
}

// One byte that cannot stand in a string as it is, at `to`. Returns what follows it there.
static char *
write_escape(char *to, unsigned char c)
{
    static const char named[] = {
        ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
        ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
    };
    static const char digits[] = "0123456789abcdef";

    if (c >= 0x80)
        return stpcpy(to, "\xef\xbf\xbd");  // U+FFFD: the byte belongs to no code point
    *to++ = '\\';
    if (named[c]) {
        *to++ = named[c];
        return to;
    }
    to = stpcpy(to, "u00");
    *to++ = digits[c >> 4];
    *to++ = digits[c & 0xf];
    return to;
}

// As many bytes of `text` as fit into a piece, the last sequence whole. Returns their number.
static size_t
write_piece(buffer_t *out, const char *text, size_t length)
{
    size_t end = length < PIECE ? length : PIECE;
    char *to = buffer_room(out, ESCAPE_MAX * end + SEQUENCE_MAX);
    char *begin = to;
    size_t at = 0;

    while (at < end) {
        size_t size = plain_length(text + at, end - at);
        if (!size && text[at] & 0x80)
            size = json_utf8_length(text + at, length - at);
        if (size) {
            memcpy(to, text + at, size);
            to += size;
            at += size;
        } else {
            to = write_escape(to, (unsigned char) text[at++]);
        }
    }
    buffer_grew(out, (size_t) (to - begin));
    return at;
}

void
json_write_string(buffer_t *out, const char *text, size_t length)
{
    buffer_char(out, '"');
    for (size_t at = 0; at < length;)
        at += write_piece(out, text + at, length - at);
    buffer_char(out, '"');
}

static void
new_line(const writer_t *self)
{
    if (!self->pretty)
        return;
    buffer_char(self->out, '\n');
    for (size_t i = 0; i < self->depth; i++)
        buffer_text(self->out, "  ");
}

static void
write_child(writer_t *self, const json_t *child, bool is_first)
{
    if (!is_first)
        buffer_char(self->out, ',');
    new_line(self);
    if (child->key) {
        json_write_string(self->out, child->key, child->key_length);
        buffer_text(self->out, self->pretty ? ": " : ":");
    }
    write_value(self, child);
}

static void
write_sorted(writer_t *self, const json_t *object)
{
    const json_t **sorted = json_tree_sorted(object);

    for (size_t i = 0; i < object->count; i++)
        write_child(self, sorted[i], i == 0);
    free(sorted);
}

static void
write_container(writer_t *self, const json_t *value)
{
    bool is_array = value->kind == JSON_ARRAY;

    buffer_char(self->out, is_array ? '[' : '{');
    self->depth++;
    if (self->canonical && !is_array)
        write_sorted(self, value);
    else
        for (const json_t *child = value->first; child; child = child->next)
            write_child(self, child, child == value->first);
    self->depth--;
    if (value->first)
        new_line(self);
    buffer_char(self->out, is_array ? ']' : '}');
}

static void
write_value(writer_t *self, const json_t *value)
{
    switch (value->kind) {
    case JSON_NULL:
        buffer_text(self->out, "null");
        break;
    case JSON_BOOL:
        buffer_text(self->out, value->truth ? "true" : "false");
        break;
    case JSON_NUMBER:
        if (self->canonical)
            json_number_canonical(self->out, value->text);
        else
            buffer_add(self->out, value->text, value->length);
        break;
    case JSON_STRING:
        json_write_string(self->out, value->text, value->length);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        write_container(self, value);
        break;
    }
}

void
json_write(buffer_t *out, const json_t *value)
{
    write_value(&(writer_t){ .out = out }, value);
}

void
json_write_canonical(buffer_t *out, const json_t *value)
{
    write_value(&(writer_t){ .out = out, .canonical = true }, value);
}

void
json_write_pretty(buffer_t *out, const json_t *value)
{
    write_value(&(writer_t){ .out = out, .pretty = true }, value);
}

char *
json_text(arena_t *arena, const json_t *value)
{
    buffer_t out = { 0 };

    json_write(&out, value);
    char *text = arena_strndup(arena, out.bytes, out.size);
    buffer_clear(&out);
    return text;
}
