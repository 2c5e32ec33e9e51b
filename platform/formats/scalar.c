// SPDX-License-Identifier: Apache-2.0
#include "formats/scalar.h"

#include <inttypes.h>
#include <string.h>

#include "auto.h"

// clang-format off
static const struct {
    const char *text;
    json_kind_t kind;
    bool truth;
} words[] = {
    { "",     JSON_NULL, false }, { "~",     JSON_NULL, false },
    { "null", JSON_NULL, false }, { "Null",  JSON_NULL, false }, { "NULL",  JSON_NULL, false },
    { "true", JSON_BOOL, true  }, { "True",  JSON_BOOL, true  }, { "TRUE",  JSON_BOOL, true  },
    { "false", JSON_BOOL, false }, { "False", JSON_BOOL, false }, { "FALSE", JSON_BOOL, false },
};

// Text for us, but a boolean for readers of YAML 1.1.
static const char *const old_booleans[] = {
    "y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO",
    "on", "On", "ON", "off", "Off", "OFF",
};
// clang-format on

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
equals(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !memcmp(text, word, length);
}

static bool
resolve_word(const char *text, size_t length, json_t *value)
{
    for (size_t i = 0; i < ROWS(words); i++) {
        if (equals(text, length, words[i].text)) {
            value->kind = words[i].kind;
            value->truth = words[i].truth;
            return true;
        }
    }
    return false;
}

// 0x1F and 0o17. The core schema knows no sign here.
static bool
resolve_based(arena_t *arena, const char *text, size_t length, json_t *value)
{
    if (length < 3 || text[0] != '0' || (text[1] != 'x' && text[1] != 'o'))
        return false;
    uint64_t base = text[1] == 'x' ? 16 : 8;
    uint64_t sum = 0;

    for (size_t i = 2; i < length; i++) {
        char c = text[i];
        uint64_t digit = is_digit(c)              ? (uint64_t) (c - '0')
                         : (c >= 'a' && c <= 'f') ? (uint64_t) (c - 'a' + 10)
                         : (c >= 'A' && c <= 'F') ? (uint64_t) (c - 'A' + 10)
                                                  : 16;
        if (digit >= base || sum > (UINT64_MAX - digit) / base)
            return false;
        sum = sum * base + digit;
    }
    value->kind = JSON_NUMBER;
    value->text = arena_printf(arena, "%" PRIu64, sum);
    value->length = strlen(value->text);
    return true;
}

typedef struct {
    const char *at, *end;
} cursor_t;

static size_t
skip_digits(cursor_t *cursor)
{
    const char *start = cursor->at;

    while (cursor->at < cursor->end && is_digit(*cursor->at))
        cursor->at++;
    return (size_t) (cursor->at - start);
}

static bool
skip_char(cursor_t *cursor, const char *any)
{
    if (cursor->at == cursor->end || !*cursor->at || !strchr(any, *cursor->at))
        return false;
    cursor->at++;
    return true;
}

// [-+]? ( . [0-9]+ | [0-9]+ ( . [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?  in JSON's spelling.
static bool
resolve_decimal(arena_t *arena, const char *text, size_t length, json_t *value)
{
    cursor_t cursor = { text, text + length };
    bool negative = length && *text == '-';
    skip_char(&cursor, "+-");

    const char *whole = cursor.at;
    size_t whole_length = skip_digits(&cursor);
    bool has_point = skip_char(&cursor, ".");
    const char *fraction = cursor.at;
    size_t fraction_length = has_point ? skip_digits(&cursor) : 0;
    const char *exponent = cursor.at;
    if (skip_char(&cursor, "eE")) {
        skip_char(&cursor, "+-");
        if (!skip_digits(&cursor))
            return false;
    }
    if (cursor.at != cursor.end || whole_length + fraction_length == 0)
        return false;

    while (whole_length > 1 && *whole == '0') {
        whole++;
        whole_length--;
    }
    AUTO(buffer_clear) buffer_t out = { 0 };
    buffer_text(&out, negative ? "-" : "");
    buffer_add(&out, whole_length ? whole : "0", whole_length ? whole_length : 1);
    if (has_point) {
        buffer_char(&out, '.');
        buffer_add(&out, fraction_length ? fraction : "0",
                   fraction_length ? fraction_length : 1);
    }
    buffer_add(&out, exponent, (size_t) (cursor.end - exponent));
    value->kind = JSON_NUMBER;
    value->length = out.size;
    value->text = arena_strndup(arena, out.bytes, out.size);
    return true;
}

void
scalar_resolve(arena_t *arena, const char *text, size_t length, json_t *value)
{
    if (resolve_word(text, length, value) || resolve_based(arena, text, length, value)
        || resolve_decimal(arena, text, length, value))
        return;
    value->kind = JSON_STRING;
    value->text = arena_strndup(arena, text, length);
    value->length = length;
}

// A word that some reader takes for something else than text.
static bool
is_loaded(const char *text, size_t length)
{
    json_t ignored = { 0 };

    if (!length || resolve_word(text, length, &ignored))
        return true;
    for (size_t i = 0; i < ROWS(old_booleans); i++)
        if (equals(text, length, old_booleans[i]))
            return true;
    // Numbers, dates, times, versions and .inf all begin like this.
    return is_digit(*text)
           || (length > 1 && strchr("+-.", *text) && (is_digit(text[1]) || text[1] == '.'))
           || *text == '.';
}

bool
scalar_is_plain_text(const char *text, size_t length, bool in_flow)
{
    if (is_loaded(text, length) || strchr("-?:,[]{}#&*!|>'\"%@`=<~ ", *text)
        || text[length - 1] == ' ' || text[length - 1] == ':')
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char) text[i];
        if (c < 0x20 || c >= 0x7f)
            return false;
        if (in_flow && strchr(",[]{}", c))
            return false;
        if (c == ':' && (in_flow || text[i + 1] == ' '))
            return false;
        if (c == '#' && text[i - 1] == ' ')
            return false;
    }
    return true;
}
