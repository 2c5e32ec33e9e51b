// SPDX-License-Identifier: Apache-2.0
#include "mask.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "auto.h"
#include "limits.h"

// A spelling is found by its first bytes, so that one look at a text does for all of them.
enum {
    HEADS = 4096,           // a power of two
    LONG_SECRET = 8 * KIB,  // longer ones are masked as they are and in JSON alone
    BASE64_LEFT_OUT = 4,
};

typedef struct spelling spelling_t;
struct spelling {
    const char *text;
    size_t size;
    spelling_t *next;  // of the same head, longest first
};

struct mask {
    arena_t *arena;
    spelling_t *heads[HEADS];
    size_t count;
    bool is_full;
};

mask_t *
mask_new(arena_t *arena)
{
    mask_t *self = arena_alloc(arena, sizeof *self);

    self->arena = arena;
    return self;
}

// The first MASK_SECRET_MIN bytes, mixed.
static size_t
head_of(const char *text)
{
    const unsigned char *c = (const unsigned char *) text;
    uint32_t bytes = (uint32_t) c[0] << 16 | (uint32_t) c[1] << 8 | c[2];

    return (bytes * 2654435761U) >> 20;
}

static void
add_spelling(mask_t *self, const char *text, size_t size)
{
    if (size < MASK_SECRET_MIN || self->is_full)
        return;
    spelling_t **at = &self->heads[head_of(text)];
    for (; *at && (*at)->size >= size; at = &(*at)->next)
        if ((*at)->size == size && !memcmp((*at)->text, text, size))
            return;
    if (self->count == MASK_SPELLINGS_MAX) {
        self->is_full = true;
        return;
    }
    spelling_t *spelling = arena_alloc(self->arena, sizeof *spelling);
    *spelling = (spelling_t){ arena_strndup(self->arena, text, size), size, *at };
    *at = spelling;
    self->count++;
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
    if (left < MASK_SECRET_MIN)
        return 0;
    const spelling_t *one = self->heads[head_of(text)];
    for (; one; one = one->next)
        if (one->size <= left && !memcmp(one->text, text, one->size))
            return one->size;
    return 0;
}

// Secrets that overlap are masked as one.
static void
copy_masked(const mask_t *self, const char *text, size_t size, buffer_t *out)
{
    size_t kept = 0, until = 0;  // everything before is in `out`; masked up to here

    for (size_t at = 0; at < size; at++) {
        size_t length = match_at(self, text + at, size - at);
        if (!length)
            continue;
        if (at >= until) {
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
    if (!size || (!self->count && !self->is_full))
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
