// SPDX-License-Identifier: Apache-2.0
// The words of a query: strings, numbers, blanks, single tokens.
#include <string.h>

#include "json_utf8.h"
#include "jsonpath_tree.h"

// Largest integer that every JSON implementation can hold.
static const int64_t exact_max = INT64_C(9007199254740991);

bool
path_refuse(path_parser_t *self, size_t at, const char *expected)
{
    fail(self->why, BAD_ARGS, "JSONPath, column %zu: %s",
         json_utf8_count(self->text, at < self->size ? at : self->size) + 1, expected);
    return false;
}

char
path_peek(const path_parser_t *self)
{
    return self->at < self->size ? self->text[self->at] : '\0';
}

bool
path_take(path_parser_t *self, const char *token)
{
    size_t length = strlen(token);

    if (self->size - self->at < length || memcmp(self->text + self->at, token, length) != 0)
        return false;
    self->at += length;
    return true;
}

void
path_skip_blanks(path_parser_t *self)
{
    while (self->at < self->size && memchr(" \t\n\r", self->text[self->at], 4))
        self->at++;
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int
hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The unit of "\uXXXX", whose digits begin at `at`; -1 if they are none.
static int
unicode_unit(const path_parser_t *self, size_t at)
{
    int unit = 0;

    for (size_t i = 0; i < 4; i++) {
        int digit = at + i < self->size ? hex_value(self->text[at + i]) : -1;
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

// Reads "\uXXXX" or a surrogate pair of them; `self->at` is behind the first 'u'.
static bool
unicode_escape(path_parser_t *self, char **out_p)
{
    int unit = unicode_unit(self, self->at);
    uint32_t code = (uint32_t) unit;

    if (unit < 0)
        return path_refuse(self, self->at, "four hexadecimal digits must follow \\u");
    self->at += 4;
    if ((code & 0xf800) == 0xd800) {
        size_t low_at = self->at + 2;
        bool is_pair = !(code & 0x400) && path_take(self, "\\u");
        int low = is_pair ? unicode_unit(self, low_at) : -1;
        if (low < 0 || (low & 0xfc00) != 0xdc00)
            return path_refuse(self, low_at - 8, "half of a surrogate pair is no character");
        self->at += 4;
        code = 0x10000 + ((code & 0x3ff) << 10) + ((uint32_t) low & 0x3ff);
    }
    *out_p += json_utf8_encode(code, *out_p);
    return true;
}

// Reads what follows a backslash.
static bool
escape(path_parser_t *self, char quote, char **out_p)
{
    static const char names[] = "bfnrt/\\";
    static const char meanings[] = "\b\f\n\r\t/\\";
    char c = path_peek(self);
    const char *found = c ? strchr(names, c) : NULL;

    self->at++;
    if (c == 'u')
        return unicode_escape(self, out_p);
    if (!found && c != quote)
        return path_refuse(self, self->at - 1, "this character cannot follow a backslash");
    *(*out_p)++ = found ? meanings[found - names] : quote;
    return true;
}

// Offset of the quote that ends the string whose content begins at `at`, or the end of the
// query.
static size_t
string_end(const path_parser_t *self, char quote, size_t at)
{
    while (at < self->size && self->text[at] != quote)
        at += self->text[at] == '\\' ? 2 : 1;
    return at < self->size ? at : self->size;
}

bool
path_parse_string(path_parser_t *self, const char **text_p, size_t *length_p)
{
    size_t begin = self->at;
    char quote = self->text[self->at++];
    size_t end = string_end(self, quote, self->at);
    char *text = arena_alloc(self->arena, end - begin);  // never longer than its source
    char *out = text;

    if (end == self->size)
        return path_refuse(self, begin, "this string has no end");
    while (self->at < end) {
        char c = self->text[self->at++];
        if ((unsigned char) c < 0x20)
            return path_refuse(self, self->at - 1,
                               "a control character in a string must be escaped");
        if (c != '\\')
            *out++ = c;
        else if (!escape(self, quote, &out))
            return false;
    }
    self->at++;
    *text_p = text;
    *length_p = (size_t) (out - text);
    return true;
}

static size_t
digits_at(const path_parser_t *self, size_t at)
{
    size_t from = at;

    while (at < self->size && is_digit(self->text[at]))
        at++;
    return at - from;
}

bool
path_parse_integer(path_parser_t *self, int64_t *value_p)
{
    size_t begin = self->at;
    bool is_negative = path_take(self, "-");
    size_t digits = digits_at(self, self->at);
    int64_t value = 0;

    if (digits == 0)
        return path_refuse(self, self->at, "a digit is expected");
    if (path_peek(self) == '0' && (digits > 1 || is_negative))
        return path_refuse(self, begin, "an integer begins with no 0 and is never -0");
    if (digits > 16)
        return path_refuse(self, begin, "this integer is beyond 9007199254740991");
    for (size_t i = 0; i < digits; i++)
        value = value * 10 + (self->text[self->at++] - '0');
    if (value > exact_max)
        return path_refuse(self, begin, "this integer is beyond 9007199254740991");
    *value_p = is_negative ? -value : value;
    return true;
}

json_t *
path_parse_number(path_parser_t *self)
{
    size_t begin = self->at;
    path_take(self, "-");
    size_t whole = digits_at(self, self->at);
    bool is_good = whole > 0 && (whole == 1 || path_peek(self) != '0');

    self->at += whole;
    if (is_good && path_take(self, ".")) {
        size_t fraction = digits_at(self, self->at);
        is_good = fraction > 0;
        self->at += fraction;
    }
    if (is_good && (path_take(self, "e") || path_take(self, "E"))) {
        if (!path_take(self, "-"))
            path_take(self, "+");
        size_t exponent = digits_at(self, self->at);
        is_good = exponent > 0;
        self->at += exponent;
    }
    if (!is_good) {
        path_refuse(self, begin, "this is no number");
        return NULL;
    }
    return json_number_text(self->arena,
                            arena_strndup(self->arena, self->text + begin, self->at - begin));
}
