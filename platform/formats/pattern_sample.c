// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "buffer.h"
#include "formats/pattern.h"
#include "json_utf8.h"

enum {
    SAMPLE_MAX = 1000,  // bytes
    NESTING_MAX = 50,   // groups
    WORK_MAX = 20000,   // atoms that are looked at in one try
    SPREAD_MAX = 64,    // more repetitions that are tried for the length
};

// Writes a text while it reads the pattern, taking the first alternative and the fewest
// repetitions, plus `more` where a quantifier allows it.
typedef struct {
    const char *at;
    buffer_t out;
    int64_t more;
    size_t nesting, work;
    bool broken;  // syntax that is not known, or too much of it
} writer_t;

static void write_alternatives(writer_t *self);

static bool
skip(writer_t *self, const char *text)
{
    size_t length = strlen(text);

    if (strncmp(self->at, text, length) != 0)
        return false;
    self->at += length;
    return true;
}

// What an escape stands for: one character of it; 0 for a zero-width one, -1 for unknown.
static int
escape(char c)
{
    static const char zero_width[] = "bBAzZ";
    static const struct {
        char name, value;
    } classes[] = {
        { 'd', '1' },  { 'D', 'a' },  { 'w', 'a' },  { 'W', '-' },  { 's', ' ' },  { 'S', 'a' },
        { 't', '\t' }, { 'n', '\n' }, { 'r', '\r' }, { 'f', '\f' }, { 'v', '\v' },
    };

    if (strchr(zero_width, c))
        return 0;
    for (size_t i = 0; i < ROWS(classes); i++)
        if (classes[i].name == c)
            return classes[i].value;
    bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return plain ? -1 : c;
}

// Reads hexadecimal digits of \xHH or \uHHHH; -1 if they are none.
static long
read_hex(writer_t *self, size_t digits)
{
    char text[5] = { 0 };

    if (strspn(self->at, "0123456789abcdefABCDEF") < digits)
        return -1;
    memcpy(text, self->at, digits);
    self->at += digits;
    return strtol(text, NULL, 16);
}

// \p{L}: a letter stands for every property but those of numbers.
static long
read_property(writer_t *self)
{
    if (!skip(self, "{"))
        return -1;
    const char *close = strchr(self->at, '}');
    if (!close)
        return -1;
    long c = self->at[0] == 'N' ? '1' : self->at[0] == 'L' && self->at[1] == 'u' ? 'A' : 'a';
    self->at = close + 1;
    return c;
}

// The character an escape stands for, behind its backslash.
static long
read_escape(writer_t *self)
{
    char c = *self->at;

    if (!c)
        return -1;
    self->at++;
    if (c == 'x')
        return read_hex(self, 2);
    if (c == 'u')
        return read_hex(self, 4);
    if (c == 'p')
        return read_property(self);
    return escape(c);
}

static long
read_code_point(writer_t *self)
{
    size_t length = json_utf8_length(self->at, strlen(self->at));
    const unsigned char *bytes = (const unsigned char *) self->at;
    long code = length == 1   ? bytes[0]
                : length == 2 ? (bytes[0] & 0x1f) << 6 | (bytes[1] & 0x3f)
                : length == 3
                    ? (bytes[0] & 0x0f) << 12 | (bytes[1] & 0x3f) << 6 | (bytes[2] & 0x3f)
                : length == 4 ? (bytes[0] & 0x07) << 18 | (bytes[1] & 0x3f) << 12
                                    | (bytes[2] & 0x3f) << 6 | (bytes[3] & 0x3f)
                              : -1;

    self->at += length;
    return code;
}

typedef struct {
    long low, high;
} range_t;

enum { RANGES_MAX = 64 };

// The ranges of a class, behind its [ or [^.
static size_t
read_ranges(writer_t *self, range_t ranges[RANGES_MAX])
{
    size_t count = 0;

    while (*self->at && *self->at != ']' && count < RANGES_MAX) {
        bool is_class = *self->at == '\\' && self->at[1] && strchr("dwsDWS", self->at[1]);
        long low = skip(self, "\\") ? read_escape(self) : read_code_point(self);
        if (low < 0)
            break;
        ranges[count] = (range_t){ low, low };
        if (!is_class && *self->at == '-' && self->at[1] && self->at[1] != ']') {
            self->at++;
            ranges[count].high = skip(self, "\\") ? read_escape(self) : read_code_point(self);
        }
        count++;
    }
    self->broken = self->broken || !skip(self, "]");
    return count;
}

static bool
is_in(const range_t *ranges, size_t count, long c)
{
    for (size_t i = 0; i < count; i++)
        if (c >= ranges[i].low && c <= ranges[i].high)
            return true;
    return false;
}

// A member of the class: a letter or digit if there is one.
static long
read_class(writer_t *self)
{
    static const char liked[] = "a1A0bBxz-_. @/:+";
    range_t ranges[RANGES_MAX];
    bool negated = skip(self, "^");
    size_t count = read_ranges(self, ranges);

    for (const char *c = liked; *c; c++)
        if (is_in(ranges, count, *c) != negated)
            return *c;
    for (long c = 0x21; negated && c < 0x3000; c++)
        if (!is_in(ranges, count, c))
            return c;
    return count ? ranges[0].low : -1;
}

static void
put(writer_t *self, long code)
{
    char bytes[4];

    if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        self->broken = true;
    } else if (code) {
        buffer_add(&self->out, bytes, json_utf8_encode((uint32_t) code, bytes));
        self->broken = self->broken || self->out.size > SAMPLE_MAX;
    }
}

static void
write_group(writer_t *self)
{
    if (skip(self, "?")) {
        bool plain = skip(self, ":");
        bool named = !plain && *self->at == '<' && self->at[1] != '=' && self->at[1] != '!';
        const char *close = named ? strchr(self->at, '>') : NULL;
        if (close)
            self->at = close + 1;
        else if (!plain)
            self->broken = true;  // look-around
    }
    if (++self->nesting > NESTING_MAX)
        self->broken = true;
    write_alternatives(self);
    self->nesting--;
    self->broken = self->broken || !skip(self, ")");
}

static void
write_atom(writer_t *self)
{
    if (++self->work > WORK_MAX)
        self->broken = true;
    if (self->broken)
        return;
    if (skip(self, "("))
        write_group(self);
    else if (skip(self, "["))
        put(self, read_class(self));
    else if (skip(self, "\\"))
        put(self, read_escape(self));
    else if (skip(self, "."))
        put(self, 'a');
    else if (!skip(self, "^") && !skip(self, "$"))
        put(self, read_code_point(self));
}

// {2}, {2,}, {2,5}; false if it is none, and then { is a character.
static bool
read_braces(writer_t *self, int64_t *low, int64_t *high)
{
    char *end;
    const char *at = self->at + 1;

    if (*at < '0' || *at > '9')
        return false;
    *low = strtoll(at, &end, 10);
    *high = *low;
    if (*end == ',') {
        at = end + 1;
        *high = *at == '}' ? INT32_MAX : strtoll(at, &end, 10);
        end = *at == '}' ? (char *) at : end;
    }
    if (*end != '}')
        return false;
    self->at = end + 1;
    return true;
}

static void
read_quantifier(writer_t *self, int64_t *low, int64_t *high)
{
    *low = *high = 1;
    if (skip(self, "*"))
        *low = 0, *high = INT32_MAX;
    else if (skip(self, "+"))
        *high = INT32_MAX;
    else if (skip(self, "?"))
        *low = 0;
    else if (*self->at != '{' || !read_braces(self, low, high))
        return;
    if (!skip(self, "?"))
        skip(self, "+");
}

// An atom as often as its quantifier asks for.
static void
write_piece(writer_t *self)
{
    size_t before = self->out.size;
    const char *begin = self->at;
    int64_t low, high;

    write_atom(self);
    read_quantifier(self, &low, &high);
    const char *behind = self->at;
    int64_t times = low + self->more < high ? low + self->more : high;
    if (times == 0 && !self->broken) {
        self->out.size = before;
        if (self->out.bytes)
            self->out.bytes[before] = '\0';
    }
    for (int64_t i = 1; i < times && !self->broken; i++) {
        self->at = begin;
        write_atom(self);
    }
    self->at = behind;
}

static bool
ends_alternative(const writer_t *self)
{
    return !*self->at || *self->at == '|' || (*self->at == ')' && self->nesting);
}

static void
write_alternatives(writer_t *self)
{
    while (!ends_alternative(self) && !self->broken)
        write_piece(self);
    size_t written = self->out.size;
    while (*self->at == '|' && !self->broken) {  // read over the others
        self->at++;
        while (!ends_alternative(self) && !self->broken)
            write_piece(self);
        self->out.size = written;
        if (self->out.bytes)
            self->out.bytes[written] = '\0';
    }
}

static void
writer_clear(writer_t *self)
{
    buffer_clear(&self->out);
}

const char *
pattern_sample(arena_t *arena, const char *pattern, int64_t min, int64_t max)
{
    for (int64_t more = 0; more <= SPREAD_MAX; more = more ? more * 2 : 1) {
        AUTO(writer_clear) writer_t writer = { .at = pattern, .more = more };
        write_alternatives(&writer);
        if (writer.broken || *writer.at)
            return NULL;
        const char *text = writer.out.bytes ? writer.out.bytes : "";
        int64_t count = (int64_t) json_utf8_count(text, writer.out.size);
        if (max >= 0 && count > max)
            return NULL;
        if (count >= min)
            return pattern_matches(pattern, text) ? arena_strdup(arena, text) : NULL;
    }
    return NULL;
}
