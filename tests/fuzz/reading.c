// SPDX-License-Identifier: Apache-2.0
#include "reading.h"

#include <assert.h>
#include <regex.h>
#include <string.h>
#include <strings.h>

#define HOST "(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]*)?"

// clang-format off
static const char *const expressions[READING_COUNT] = {
    [READING_BEARER]      = "^bearer +[a-z0-9._~+/-]+=*$",
    [READING_LOOPBACK]    = "^" HOST "$",
    [READING_ORIGIN]      = "^https?://" HOST "$",
    [READING_TOKEN_QUERY] = "(^|&)(access_)?token=",
    [READING_JSON]        = "^[ \t]*application/json[ \t]*(;.*)?$",
    [READING_VERSION]     = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    [READING_ZERO]        = "^0(\\.0*)?$",
};
// clang-format on

bool
reading_matches(reading_t what, const char *text)
{
    static regex_t compiled[READING_COUNT];
    static bool is_compiled[READING_COUNT];

    if (!is_compiled[what]) {
        int code =
            regcomp(&compiled[what], expressions[what], REG_EXTENDED | REG_ICASE | REG_NOSUB);
        assert(!code);
        is_compiled[what] = true;
    }
    return !regexec(&compiled[what], text, 0, NULL, 0);
}

// The next piece of *rest_p up to a separator, without white space around it; NULL behind the last.
static char *
next_piece(char **rest_p, char separator)
{
    const char separators[] = { separator, 0 };
    char *piece = strsep(rest_p, separators);

    if (!piece)
        return NULL;
    piece += strspn(piece, " \t");
    for (size_t size = strlen(piece); size && strchr(" \t", piece[size - 1]); size--)
        piece[size - 1] = 0;
    return piece;
}

static int
exactness(const char *range, const char *type)
{
    size_t main_size = strcspn(type, "/");

    if (!strcasecmp(range, type))
        return 3;
    if (!strncasecmp(range, type, main_size) && !strcmp(range + main_size, "/*"))
        return 2;
    return !strcmp(range, "*/*");
}

bool
reading_accepts(arena_t *arena, const char *accept, const char *type)
{
    char *rest = arena_strdup(arena, accept);
    bool is_wanted = false;
    int best = 0;

    for (char *item; (item = next_piece(&rest, ','));) {
        int exact = exactness(next_piece(&item, ';'), type);
        const char *weight = NULL;
        for (char *parameter; (parameter = next_piece(&item, ';'));)
            if (!weight && !strncasecmp(parameter, "q=", 2)) {
                parameter[strcspn(parameter, " \t")] = 0;
                weight = parameter + 2;
            }
        if (exact > best) {
            best = exact;
            is_wanted = !weight || !reading_matches(READING_ZERO, weight);
        }
    }
    return is_wanted;
}

bool
reading_holds(arena_t *arena, const char *list, const char *word)
{
    char *rest = arena_strdup(arena, list);

    for (char *item; (item = strsep(&rest, ","));) {
        item += strspn(item, " ");
        item[strcspn(item, " ")] = 0;
        if (!strcmp(item, word))
            return true;
    }
    return false;
}

static const char *
decode(arena_t *arena, const char *text, size_t size, size_t *size_p)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = arena_alloc(arena, size + 1);
    unsigned bits = 0, value = 0;
    size_t padding = 0;

    *size_p = 0;
    for (; padding < 2 && padding < size && text[size - 1 - padding] == '=';)
        padding++;
    for (size_t i = 0; i < size - padding; i++) {
        const char *found = text[i] ? strchr(alphabet, text[i]) : NULL;
        if (!found)
            return NULL;
        value = (value << 6 | (unsigned) (found - alphabet)) & 0xffff;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[(*size_p)++] = (char) (value >> bits & 0xff);
        }
    }
    bool is_whole = size % 4 == 0 && bits < 6 && !(value & ((1u << bits) - 1));
    return is_whole && bits == 2 * padding ? out : NULL;
}

const char *
reading_decoded(arena_t *arena, const char *header, size_t *size_p)
{
    static const char opening[] = "=?base64?", closing[] = "?=";
    const size_t begin = sizeof opening - 1, around = begin + sizeof closing - 1;
    char *rest = arena_strdup(arena, header);
    const char *value = next_piece(&rest, '\0');
    const size_t size = strlen(value);

    if (size >= around && !memcmp(value, opening, begin)
        && !strcmp(value + size - (sizeof closing - 1), closing))
        return decode(arena, value + begin, size - around, size_p);
    *size_p = size;
    return value;
}
