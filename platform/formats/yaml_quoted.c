// SPDX-License-Identifier: Apache-2.0
#include "formats/yaml_quoted.h"

#include <stdbool.h>

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool
is_break(char c)
{
    return c == '\n' || c == '\r';
}

// Moves behind a line break, and all that is blank or empty behind it. How many breaks that were.
static size_t
skip_breaks(const char **at_p, const char *end)
{
    size_t count = 0;

    for (const char *at = *at_p; at < end && (is_break(*at) || is_blank(*at)); *at_p = at) {
        count += is_break(*at);
        at += *at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
    }
    return count;
}

// One break joins two lines with a blank; each further one stays.
static char *
fold(char *begin, char *out, size_t breaks)
{
    while (out > begin && is_blank(out[-1]))
        out--;
    if (breaks == 1)
        *out++ = ' ';
    while (--breaks > 0)
        *out++ = '\n';
    return out;
}

const char *
yaml_quoted_text(arena_t *arena, const char *source, size_t size, size_t *length_p)
{
    char *text = arena_alloc(arena, size + 1);
    char *line = text, *out = text;
    const char *end = source + size;

    for (const char *at = source; at < end;) {
        if (is_break(*at)) {
            out = line = fold(line, out, skip_breaks(&at, end));
        } else {
            *out++ = *at;
            at += *at == '\'' && at + 1 < end && at[1] == '\'' ? 2 : 1;
        }
    }
    *length_p = (size_t) (out - text);
    return text;
}
