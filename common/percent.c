// SPDX-License-Identifier: Apache-2.0
#include "percent.h"

#include <string.h>

static int
hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

int
percent_byte(const char *at, const char *end)
{
    if (end - at < 3 || *at != '%')
        return -1;
    int high = hex_digit(at[1]), low = hex_digit(at[2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

char *
percent_decode(arena_t *arena, const char *text, size_t size, bool is_form)
{
    const char *end = text + size;

    for (const char *at = text; at < end; at++)
        if (!*at || (*at == '%' && percent_byte(at, end) <= 0))
            return NULL;
    return percent_decode_most(arena, text, size, is_form);
}

char *
percent_decode_most(arena_t *arena, const char *text, size_t size, bool is_form)
{
    char *decoded = arena_alloc(arena, size + 1);
    char *out = decoded;
    const char *end = text + size;

    for (const char *at = text; at < end && *at; at++) {
        int byte = percent_byte(at, end);
        if (byte > 0) {
            *out++ = (char) byte;
            at += 2;
        } else {
            *out++ = *at == '+' && is_form ? ' ' : *at;
        }
    }
    return decoded;
}
