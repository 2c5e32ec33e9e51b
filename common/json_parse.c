// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "auto.h"
#include "json_tree.h"
#include "json_utf8.h"
#include "limits.h"

// Objects up to this size are searched for duplicate names pair by pair, larger ones sorted.
enum { PAIRWISE_MAX = 12 };

typedef struct {
    arena_t *arena;
    const char *bytes;
    size_t size;
    yajl_handle yajl;
    bool at_end;      // yajl was told that no more bytes come
    size_t cursor;    // behind the last token
    char *text;       // where the next decoded text goes
    const char *key;  // of the member whose value comes next
    size_t key_length;
    bool key_has_nul;
    json_t *open[JSON_DEPTH_MAX];
    size_t depth;
    size_t values, values_max;
    json_document_t *document;
    failure_t *why;
    bool is_refused;  // by us, with the reason in `why`
} parser_t;

// Returns 0, so that a callback can refuse in one line.
static int
refuse(parser_t *self, size_t offset, const char *reason)
{
    fail(self->why, BAD_ARGS, "not JSON at byte %zu: %s", offset, reason);
    self->is_refused = true;
    return 0;
}

static bool
is_between(char c)
{
    return c == ' ' || c == ',' || c == ':' || c == '\n' || c == '\r' || c == '\t';
}

// yajl has checked the syntax: between two tokens stand white space and at most one comma or
// colon, which are no events.
static size_t
next_token(const parser_t *self)
{
    size_t at = self->cursor;

    while (at < self->size && is_between(self->bytes[at]))
        at++;
    return at;
}

// Only a number needs the end of the input to end, and then it ends there.
static size_t
token_end(const parser_t *self)
{
    return self->at_end ? self->size : yajl_get_bytes_consumed(self->yajl);
}

// Decoded text is never longer than its source, and what separates it from the next one leaves
// room for the NUL: all texts fit into one block of the size of the source and one byte.
static const char *
keep_text(parser_t *self, const void *text, size_t length)
{
    char *kept = self->text;

    if (length > 0)
        memcpy(kept, text, length);
    kept[length] = '\0';
    self->text += length + 1;
    return kept;
}

static json_t *
add(parser_t *self, json_kind_t kind)
{
    json_t *node = json_tree_node(self->arena, kind);

    self->values++;
    node->begin = next_token(self);
    node->end = self->cursor = token_end(self);
    node->key = self->key;
    node->key_length = self->key_length;
    if (self->key_has_nul && !self->document->nul)
        self->document->nul = node;
    self->key = NULL;
    self->key_length = 0;
    self->key_has_nul = false;
    if (self->depth > 0)
        json_tree_append(self->open[self->depth - 1], node);
    else
        self->document->root = node;
    return node;
}

// What a callback returns that has added a value.
static int
is_within(parser_t *self)
{
    if (self->values <= self->values_max)
        return 1;
    fail(self->why, BAD_ARGS,
         "JSON with more than %zu values; send it in parts, or as one text", self->values_max);
    self->is_refused = true;
    return 0;
}

static unsigned
hex4(const char *digits)
{
    unsigned value = 0;

    for (int i = 0; i < 4; i++) {
        int c = digits[i];
        int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        value = value * 16 + (unsigned) digit;
    }
    return value;
}

// Offset of a surrogate escape without its other half, `end` if there is none. yajl has checked
// the digits, but takes a lone surrogate for a question mark.
static size_t
lone_surrogate(const char *bytes, size_t begin, size_t end)
{
    for (size_t at = begin; at + 1 < end; at++) {
        if (bytes[at] != '\\')
            continue;
        if (bytes[++at] != 'u')
            continue;
        unsigned unit = hex4(bytes + at + 1);
        size_t next = at + 5;
        if ((unit & 0xf800) == 0xd800) {
            if ((unit & 0x0400) || next + 6 > end || bytes[next] != '\\'
                || bytes[next + 1] != 'u' || (hex4(bytes + next + 2) & 0xfc00) != 0xdc00)
                return at - 1;
            next += 6;
        }
        at = next - 1;
    }
    return end;
}

// True if the string or name that has just been read is shorter than its source, as every
// escape makes it. Most are not and need no further look.
static bool
is_escaped(const parser_t *self, size_t length)
{
    return token_end(self) - next_token(self) != length + 2;
}

// Checks what yajl does not check in the escapes of the string or name that has just been read.
static bool
escapes_are_good(parser_t *self)
{
    size_t end = token_end(self) - 1;
    size_t bad = lone_surrogate(self->bytes, next_token(self) + 1, end);

    if (bad < end)
        refuse(self, bad, "half of a surrogate pair, which is no character");
    return bad == end;
}

static int
on_null(void *arg)
{
    add(arg, JSON_NULL);
    return is_within(arg);
}

static int
on_boolean(void *arg, int truth)
{
    add(arg, JSON_BOOL)->truth = truth != 0;
    return is_within(arg);
}

static int
on_number(void *arg, const char *text, size_t length)
{
    json_t *node = add(arg, JSON_NUMBER);

    node->text = keep_text(arg, text, length);
    node->length = length;
    return is_within(arg);
}

static int
on_string(void *arg, const unsigned char *text, size_t length)
{
    parser_t *self = arg;
    bool has_escapes = is_escaped(self, length);

    if (has_escapes && !escapes_are_good(self))
        return 0;
    json_t *node = add(self, JSON_STRING);
    node->text = keep_text(self, text, length);
    node->length = length;
    if (has_escapes && !self->document->nul && memchr(node->text, '\0', length))
        self->document->nul = node;
    return is_within(self);
}

static int
on_key(void *arg, const unsigned char *text, size_t length)
{
    parser_t *self = arg;
    bool has_escapes = is_escaped(self, length);

    if (has_escapes && !escapes_are_good(self))
        return 0;
    self->key = keep_text(self, text, length);
    self->key_length = length;
    self->key_has_nul = has_escapes && memchr(self->key, '\0', length);
    self->cursor = token_end(self);
    return 1;
}

static int
open_container(parser_t *self, json_kind_t kind)
{
    if (self->depth == JSON_DEPTH_MAX) {
        fail(self->why, BAD_ARGS, "JSON nests deeper than %d levels at byte %zu",
             JSON_DEPTH_MAX, next_token(self));
        self->is_refused = true;
        return 0;
    }
    json_t *node = add(self, kind);
    self->open[self->depth++] = node;
    return is_within(self);
}

static int
close_container(parser_t *self)
{
    self->open[--self->depth]->end = self->cursor = token_end(self);
    return 1;
}

static int
on_array(void *arg)
{
    return open_container(arg, JSON_ARRAY);
}

static int
on_array_end(void *arg)
{
    return close_container(arg);
}

static int
on_object(void *arg)
{
    return open_container(arg, JSON_OBJECT);
}

static const json_t *
duplicate_by_pairs(const json_t *object)
{
    for (const json_t *later = object->first; later; later = later->next)
        for (const json_t *member = object->first; member != later; member = member->next)
            if (json_tree_same_key(member, later))
                return later;
    return NULL;
}

// Sorting cannot be made slow by chosen names, as a hash could.
static const json_t *
duplicate_by_sorting(const json_t *object)
{
    const json_t **sorted = json_tree_sorted(object);
    const json_t *found = NULL;

    for (size_t i = 1; i < object->count && !found; i++)
        if (json_tree_same_key(sorted[i - 1], sorted[i]))
            found = sorted[i];
    free(sorted);
    return found;
}

static int
on_object_end(void *arg)
{
    parser_t *self = arg;
    const json_t *object = self->open[self->depth - 1];

    if (!self->document->duplicate)
        self->document->duplicate = object->count > PAIRWISE_MAX ? duplicate_by_sorting(object)
                                                                 : duplicate_by_pairs(object);
    return close_container(self);
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_object,
    .yajl_map_key = on_key,
    .yajl_end_map = on_object_end,
    .yajl_start_array = on_array,
    .yajl_end_array = on_array_end,
};

typedef enum { AT_CONSUMED, BEFORE_CONSUMED, AT_TOKEN } place_t;

// What yajl says, where the fault is from its point of view, and what we say.
// clang-format off
static const struct {
    const char *phrase;
    place_t place;
    const char *reason;
} reasons[] = {
    { "digit is required after the minus",   AT_CONSUMED,     "a digit must follow the minus sign" },
    { "digit is required after the decimal", AT_CONSUMED,     "a digit must follow the decimal point" },
    { "digit is required after the expon",   AT_CONSUMED,     "a digit must follow the exponent sign" },
    { "character which it may not",          AT_CONSUMED,     "this character cannot follow a backslash" },
    { "non-hex",                             AT_CONSUMED,     "four hexadecimal digits must follow \\u" },
    { "invalid character inside string",     AT_CONSUMED,     "a control character in a string must be escaped" },
    { "comment",                             AT_CONSUMED,     "JSON has no comments" },
    { "invalid string",                      AT_CONSUMED,     "only true, false and null stand without quotes" },
    { "invalid char",                        BEFORE_CONSUMED, "no value can begin like this" },
    { "trailing garbage",                    AT_TOKEN,        "something follows the value" },
    { "must be a string",                    AT_TOKEN,        "a member name in quotes is expected" },
    { "colon",                               AT_TOKEN,        "a colon is expected" },
    { "after key and value",                 AT_TOKEN,        "a comma or } is expected" },
    { "after array element",                 AT_TOKEN,        "a comma or ] is expected" },
    { "unallowed token",                     AT_TOKEN,        "a value is expected" },
};
// clang-format on

// A token of one byte is the one before; of others we know where they begin.
static size_t
token_offset(const parser_t *self, size_t consumed)
{
    if (consumed > self->cursor && strchr("[]{},:", self->bytes[consumed - 1]))
        return consumed - 1;
    return next_token(self);
}

static size_t
fault_offset(const parser_t *self, place_t place)
{
    size_t consumed = yajl_get_bytes_consumed(self->yajl);

    switch (place) {
    case AT_CONSUMED:
        return consumed;
    case BEFORE_CONSUMED:
        return consumed > 0 ? consumed - 1 : 0;
    case AT_TOKEN:
        break;
    }
    return token_offset(self, consumed);
}

static void
explain(parser_t *self)
{
    unsigned char *said = yajl_get_error(self->yajl, 0, NULL, 0);
    const char *phrase = said ? (const char *) said : "";

    if (self->document->root && self->depth == 0) {
        refuse(self, next_token(self), "something follows the value");
    } else if (self->at_end && next_token(self) == self->size && !self->document->root) {
        refuse(self, self->size, "there is no value");
    } else if (self->at_end) {
        refuse(self, self->size, "the text ends in the middle of a value");
    } else {
        size_t row = 0;
        while (row < ROWS(reasons) - 1 && !strstr(phrase, reasons[row].phrase))
            row++;
        refuse(self, fault_offset(self, reasons[row].place), reasons[row].reason);
    }
    if (said)
        yajl_free_error(self->yajl, said);
}

// yajl uses what it is given without a look at it.
static void *
give(void *arg, size_t size)
{
    void *memory = malloc(size);

    if (!memory)
        abort();  // out of memory
    return memory;
}

static void *
give_more(void *arg, void *memory, size_t size)
{
    void *more = realloc(memory, size);

    if (!more)
        abort();  // out of memory
    return more;
}

static void
take_back(void *arg, void *memory)
{
    free(memory);
}

static void
run(parser_t *self)
{
    yajl_alloc_funcs memory = { give, give_more, take_back, NULL };

    self->yajl = yajl_alloc(&callbacks, &memory, self);
    yajl_config(self->yajl, yajl_dont_validate_strings, 1);  // done, and stricter
    yajl_status status =
        yajl_parse(self->yajl, (const unsigned char *) self->bytes, self->size);
    if (status == yajl_status_ok) {
        self->at_end = true;
        status = yajl_complete_parse(self->yajl);
    }
    if (status != yajl_status_ok && !self->is_refused)
        explain(self);
    yajl_free(self->yajl);
}

// yajl takes these two for white space; they stand nowhere in JSON, not in strings either.
static bool
has_false_space(parser_t *self)
{
    const char *found = memchr(self->bytes, '\v', self->size);

    if (!found)
        found = memchr(self->bytes, '\f', self->size);
    if (found)
        refuse(self, (size_t) (found - self->bytes), "a control character must be escaped");
    return found;
}

status_t
json_parse_within(arena_t *arena, const char *bytes, size_t size, size_t values_max,
                  json_document_t *document, failure_t *why)
{
    json_document_t parsed = { 0 };
    parser_t self = {
        .arena = arena,
        .bytes = bytes,
        .size = size,
        .values_max = values_max,
        .document = &parsed,
        .why = why,
    };

    if (size == 0)
        return fail(why, BAD_ARGS, "not JSON: the text is empty");
    size_t valid = json_utf8_valid(bytes, size);
    if (valid < size)
        return fail(why, BAD_ARGS, "not JSON at byte %zu: the text is not UTF-8", valid);
    if (has_false_space(&self))
        return why->status;
    self.text = arena_alloc(arena, size + 1);
    run(&self);
    if (self.is_refused)
        return why->status;
    *document = parsed;
    return OK;
}

status_t
json_parse(arena_t *arena, const char *bytes, size_t size, json_document_t *document,
           failure_t *why)
{
    return json_parse_within(arena, bytes, size, SIZE_MAX, document, why);
}

json_t *
json_parse_text(arena_t *arena, const char *text)
{
    json_document_t document;
    failure_t why;

    if (!text || json_parse(arena, text, strlen(text), &document, &why) != OK)
        return NULL;
    return document.root;
}
