// SPDX-License-Identifier: Apache-2.0
#include "uri_template.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static int
hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, tolower((unsigned char) c)) : NULL;

    return found ? (int) (found - digits) : -1;
}

// The byte that an escape stands for; -1 for a malformed one and for NUL.
static int
escaped(const char *escape, const char *end)
{
    if (end - escape < 3)
        return -1;
    int high = hex_digit(escape[1]), low = hex_digit(escape[2]);
    return high < 0 || low < 0 || high + low == 0 ? -1 : high * 16 + low;
}

static bool
is_value(const char *begin, size_t size)
{
    const char *end = begin + size;

    for (const char *c = begin; c < end; c++)
        if (strchr("/?#", *c) || (*c == '%' && escaped(c, end) < 0))
            return false;
    return size > 0;
}

const char *
uri_template_find(const char *template, const char *uri, size_t *size_p)
{
    const size_t before = strcspn(template, "{");
    const char *close = strchr(template + before, '}');
    const size_t length = strlen(uri);

    if (!close)
        return NULL;
    const size_t after = strlen(close + 1);
    if (length <= before + after || strncmp(uri, template, before) != 0
        || strcmp(uri + length - after, close + 1) != 0)
        return NULL;
    if (!is_value(uri + before, length - before - after))
        return NULL;
    *size_p = length - before - after;
    return uri + before;
}

const char *
uri_template_value(arena_t *arena, const char *template, const char *uri)
{
    size_t size;
    const char *found = uri_template_find(template, uri, &size);

    if (!found)
        return NULL;
    char *value = arena_strndup(arena, found, size);
    char *end = value;
    for (const char *c = found; c < found + size; c++) {
        *end++ = *c == '%' ? (char) escaped(c, found + size) : *c;
        c += *c == '%' ? 2 : 0;
    }
    *end = 0;
    return value;
}

const char *
uri_template_variable(arena_t *arena, const char *template)
{
    const char *open = strchr(template, '{');
    const char *close = open ? strchr(open, '}') : NULL;

    return close ? arena_strndup(arena, open + 1, (size_t) (close - open) - 1) : NULL;
}
