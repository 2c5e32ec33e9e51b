// SPDX-License-Identifier: Apache-2.0
#include "formats/yaml_scan.h"

#include <string.h>

typedef enum { PLAIN, SINGLE, DOUBLE, COMMENT } within_t;

static bool
begins_token(const char *text, size_t at)
{
    return at == 0 || strchr(" \t\r\n[]{},:?-", text[at - 1]);
}

// What the character at `at` opens or ends, seen from `within`.
static within_t
step(const char *text, size_t at, within_t within)
{
    char c = text[at];

    switch (within) {
    case PLAIN:
        if (c == '\'' && begins_token(text, at))
            return SINGLE;
        if (c == '"' && begins_token(text, at))
            return DOUBLE;
        return c == '#' && begins_token(text, at) ? COMMENT : PLAIN;
    case SINGLE:
        return c == '\'' ? PLAIN : SINGLE;
    case DOUBLE:
        return c == '"' && text[at - 1] != '\\' ? PLAIN : DOUBLE;
    case COMMENT:
        return c == '\n' ? PLAIN : COMMENT;
    }
    return within;
}

bool
yaml_scan_nests_beyond(const char *text, size_t size, size_t most)
{
    within_t within = PLAIN;
    size_t open = 0;

    for (size_t i = 0; i < size; i++) {
        within = step(text, i, within);
        if (text[i] == '[' || text[i] == '{')
            open++;
        else if ((text[i] == ']' || text[i] == '}') && within == PLAIN && open)
            open--;
        if (open > most)
            return true;
    }
    return false;
}
