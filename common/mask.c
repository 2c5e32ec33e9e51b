// SPDX-License-Identifier: Apache-2.0
#include "mask.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "auto.h"
#include "limits.h"

enum {
    LONG_SECRET = 8 * KIB,  // longer ones are masked as they are and in JSON alone
    PIECE = 256,            // what is longer is looked for in pieces: a walk stays short
    BASE64_LEFT_OUT = 4,
    FIRST_NODES = 1024,
};

// All spellings as a tree of their bytes: one walk from a place in a text tells which of them
// begin there. 0 is no node.
typedef struct {
    uint32_t child;    // first of those for the byte behind
    uint32_t sibling;  // another byte at the same place
    unsigned char byte;
    bool is_end;  // of a spelling
} node_t;

struct mask {
    arena_t *arena;
    uint32_t first[256];  // nodes of the first bytes
    node_t *nodes;
    uint32_t count, room;
    bool is_full;
};

mask_t *
mask_new(arena_t *arena)
{
    mask_t *self = arena_alloc(arena, sizeof *self);

    self->arena = arena;
    self->count = 1;
    return self;
}

static uint32_t
new_node(mask_t *self, unsigned char byte)
{
    if (self->count >= self->room) {
        uint32_t room = self->room ? self->room * 2 : FIRST_NODES;
        node_t *nodes = arena_alloc(self->arena, room * sizeof *nodes);
        if (self->nodes)
            memcpy(nodes, self->nodes, self->count * sizeof *nodes);
        self->nodes = nodes;
        self->room = room;
    }
    self->nodes[self->count].byte = byte;
    return self->count++;
}

// The node for `byte` behind `parent` (0: at the beginning), or 0.
static uint32_t
find_node(const mask_t *self, uint32_t parent, unsigned char byte)
{
    if (!parent)
        return self->first[byte];
    uint32_t node = self->nodes[parent].child;
    while (node && self->nodes[node].byte != byte)
        node = self->nodes[node].sibling;
    return node;
}

static uint32_t
add_node(mask_t *self, uint32_t parent, unsigned char byte)
{
    uint32_t node = new_node(self, byte);

    if (!parent) {
        self->first[byte] = node;
    } else {
        self->nodes[node].sibling = self->nodes[parent].child;
        self->nodes[parent].child = node;
    }
    return node;
}

static void
add_piece(mask_t *self, const char *text, size_t size)
{
    uint32_t at = 0;

    self->is_full = self->is_full || self->count + size > MASK_BYTES_MAX;
    for (size_t i = 0; i < size && !self->is_full; i++) {
        uint32_t node = find_node(self, at, (unsigned char) text[i]);
        at = node ? node : add_node(self, at, (unsigned char) text[i]);
    }
    if (!self->is_full)
        self->nodes[at].is_end = true;
}

// The last piece is as long as the others: it overlaps the one before.
static void
add_spelling(mask_t *self, const char *text, size_t size)
{
    if (size < MASK_SECRET_MIN)
        return;
    for (size_t at = 0; at + PIECE < size; at += PIECE)
        add_piece(self, text + at, PIECE);
    size_t last = size < PIECE ? size : PIECE;
    add_piece(self, text + size - last, last);
}

static void
add_json(mask_t *self, const char *secret)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    json_write_string(&out, secret, strlen(secret));
    add_spelling(self, out.bytes + 1, out.size - 2);
}

// Code point at *text_p of valid UTF-8, which moves behind it.
static unsigned
next_point(const unsigned char **text_p)
{
    const unsigned char *c = *text_p;
    unsigned more = *c >= 0xf0 ? 3 : *c >= 0xe0 ? 2 : *c >= 0xc0 ? 1 : 0;
    unsigned point = more ? *c & (0x3f >> more) : *c;

    for (c++; more && (*c & 0xc0) == 0x80; more--, c++)
        point = point << 6 | (*c & 0x3f);
    *text_p = c;
    return point;
}

// As JSON writers do that escape more than they must: "\/", and everything beyond ASCII.
static void
add_escaped(mask_t *self, const char *secret, bool escapes_slash, bool escapes_unicode)
{
    AUTO(buffer_clear) buffer_t json = { 0 };
    AUTO(buffer_clear) buffer_t out = { 0 };

    json_write_string(&json, secret, strlen(secret));
    const unsigned char *c = (const unsigned char *) json.bytes + 1;
    while (c + 1 < (const unsigned char *) json.bytes + json.size) {
        const unsigned char *from = c;
        unsigned point = next_point(&c);
        if (point == '/' && escapes_slash)
            buffer_text(&out, "\\/");
        else if (point < 0x80 || !escapes_unicode)
            buffer_add(&out, from, (size_t) (c - from));
        else if (point < 0x10000)
            buffer_printf(&out, "\\u%04x", point);
        else
            buffer_printf(&out, "\\u%04x\\u%04x", 0xd800 + ((point - 0x10000) >> 10),
                          0xdc00 + (point & 0x3ff));
    }
    add_spelling(self, out.bytes ? out.bytes : "", out.size);
}

// As encodeURIComponent writes it, with upper and lower case hex, and as a form does (+ for a
// space).
static void
add_percent(mask_t *self, const char *secret, const char *hex, const char *space)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    for (const unsigned char *c = (const unsigned char *) secret; *c; c++) {
        bool is_plain = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z')
                        || (*c >= 'a' && *c <= 'z') || strchr("-._~", *c);
        if (is_plain)
            buffer_char(&out, (char) *c);
        else if (*c == ' ')
            buffer_text(&out, space);
        else
            buffer_printf(&out, "%%%c%c", hex[*c >> 4], hex[*c & 15]);
    }
    add_spelling(self, out.bytes, out.size);
}

// Base64 of a longer text that holds the secret at any offset: encoded at the three alignments,
// less the characters at both ends that depend on the neighbours.
static void
add_base64(mask_t *self, const char *secret, int variant)
{
    size_t size = strlen(secret);
    size_t room = sodium_base64_ENCODED_LEN(size + 2, sodium_base64_VARIANT_ORIGINAL);
    char *padded = arena_alloc(self->arena, size + 3);
    char *out = arena_alloc(self->arena, room);

    for (size_t shift = 0; shift < 3; shift++) {
        memcpy(padded + shift, secret, size);
        sodium_bin2base64(out, room, (unsigned char *) padded, size + shift, variant);
        size_t skip = shift ? shift + 1 : 0;
        size_t cut = (size + shift) % 3 ? 1 : 0;
        size_t length = strcspn(out, "=");
        if (length > skip + cut + BASE64_LEFT_OUT)
            add_spelling(self, out + skip, length - skip - cut);
    }
}

static void
add_hex(mask_t *self, const char *secret)
{
    size_t size = strlen(secret);
    char *out = arena_alloc(self->arena, size * 2 + 1);

    sodium_bin2hex(out, size * 2 + 1, (const unsigned char *) secret, size);
    add_spelling(self, out, size * 2);
    for (char *c = out; *c; c++)
        if (*c >= 'a')
            *c = (char) (*c - 'a' + 'A');
    add_spelling(self, out, size * 2);
}

static void
add_html(mask_t *self, const char *secret)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    for (const char *c = secret; *c; c++) {
        const char *entity = *c == '&'    ? "&amp;"
                             : *c == '<'  ? "&lt;"
                             : *c == '>'  ? "&gt;"
                             : *c == '"'  ? "&quot;"
                             : *c == '\'' ? "&#39;"
                                          : NULL;
        if (entity)
            buffer_text(&out, entity);
        else
            buffer_char(&out, *c);
    }
    add_spelling(self, out.bytes, out.size);
}

void
mask_add(mask_t *self, const char *secret)
{
    static const char upper[] = "0123456789ABCDEF", lower[] = "0123456789abcdef";

    if (!secret || strlen(secret) < MASK_SECRET_MIN)
        return;
    add_spelling(self, secret, strlen(secret));
    add_json(self, secret);
    if (strlen(secret) > LONG_SECRET)
        return;
    add_escaped(self, secret, true, false);
    add_escaped(self, secret, false, true);
    add_escaped(self, secret, true, true);
    add_percent(self, secret, upper, "%20");
    add_percent(self, secret, lower, "%20");
    add_percent(self, secret, upper, "+");
    add_percent(self, secret, lower, "+");
    add_base64(self, secret, sodium_base64_VARIANT_ORIGINAL);
    add_base64(self, secret, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    add_hex(self, secret);
    add_html(self, secret);
}

void
mask_add_pair(mask_t *self, const char *username, const char *password)
{
    if (!username || !password)
        return;
    const char *pair = arena_printf(self->arena, "%s:%s", username, password);
    add_base64(self, pair, sodium_base64_VARIANT_ORIGINAL);
    add_spelling(self, pair, strlen(pair));
}

// Length of the longest spelling that begins here, 0 for none.
static size_t
match_at(const mask_t *self, const char *text, size_t left)
{
    size_t longest = 0;
    uint32_t node = 0;

    for (size_t i = 0; i < left; i++) {
        node = find_node(self, node, (unsigned char) text[i]);
        if (!node)
            break;
        if (self->nodes[node].is_end)
            longest = i + 1;
    }
    return longest;
}

// Secrets that overlap or touch are masked as one.
static void
copy_masked(const mask_t *self, const char *text, size_t size, buffer_t *out)
{
    size_t kept = 0, until = 0;  // everything before is in `out`; masked up to here

    for (size_t at = 0; at < size; at++) {
        size_t length = match_at(self, text + at, size - at);
        if (!length)
            continue;
        if (at > until || !until) {
            buffer_add(out, text + kept, at - kept);
            buffer_text(out, MASK_TEXT);
        }
        if (at + length > until)
            until = kept = at + length;
    }
    if (until)
        buffer_add(out, text + kept, size - kept);
}

const char *
mask_text(const mask_t *self, arena_t *arena, const char *text, size_t size, size_t *size_p)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    *size_p = size;
    if (!size || (self->count == 1 && !self->is_full))
        return text;
    if (self->is_full)
        buffer_text(&out, MASK_TEXT);
    else
        copy_masked(self, text, size, &out);
    if (!out.size)
        return text;
    *size_p = out.size;
    return arena_strndup(arena, out.bytes, out.size);
}

static void
mask_name(const mask_t *self, arena_t *arena, json_t *value)
{
    if (value->key)
        value->key = mask_text(self, arena, value->key, value->key_length, &value->key_length);
}

void
mask_json(const mask_t *self, arena_t *arena, json_t *value)
{
    if (value->kind == JSON_STRING || value->kind == JSON_NUMBER) {
        const char *text = mask_text(self, arena, value->text, value->length, &value->length);
        if (text != value->text)
            value->kind = JSON_STRING;
        value->text = text;
    }
    for (json_t *child = value->first; child; child = child->next) {
        mask_name(self, arena, child);
        mask_json(self, arena, child);
    }
}

// Members of a run's result that the agent makes of its own: they are no text of anybody's, and
// a password such as "status" must not take them away.
static bool
is_own(const char *name)
{
    static const char *const names[] = { "status",  "outcome",    "startedAt",    "endedAt",
                                         "index",   "durationMs", "timings",      "passed",
                                         "version", "sizeBytes",  "bodyTruncated" };

    for (size_t i = 0; i < ROWS(names); i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

// The members of `object`, but not their names.
static void
mask_members(const mask_t *self, arena_t *arena, json_t *object)
{
    for (json_t *member = object->first; member; member = member->next)
        if (!member->key || !is_own(member->key))
            mask_json(self, arena, member);
}

static void
mask_step(const mask_t *self, arena_t *arena, json_t *step)
{
    for (json_t *member = step->first; member; member = member->next) {
        const char *name = member->key ? member->key : "";
        if (!strcmp(name, "request") || !strcmp(name, "response"))
            mask_members(self, arena, member);
        else if (!strcmp(name, "extracted"))
            for (json_t *value = member->first; value; value = value->next)
                mask_json(self, arena, value);
        else if (!strcmp(name, "checks"))
            for (json_t *check = member->first; check; check = check->next)
                mask_members(self, arena, check);
        else if (!is_own(name))
            mask_json(self, arena, member);
    }
}

void
mask_run(const mask_t *self, arena_t *arena, json_t *result)
{
    for (json_t *member = result->first; member; member = member->next) {
        const char *name = member->key ? member->key : "";
        if (!strcmp(name, "steps"))
            for (json_t *step = member->first; step; step = step->next)
                mask_step(self, arena, step);
        else if (!is_own(name))
            mask_json(self, arena, member);
    }
}
