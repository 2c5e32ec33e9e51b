// SPDX-License-Identifier: Apache-2.0
#include "uri_template.h"

#include <stdbool.h>
#include <string.h>

#include "percent.h"

static bool
is_value(const char *begin, size_t size)
{
    const char *end = begin + size;

    for (const char *c = begin; c < end; c++)
        if (strchr("/?#", *c) || (*c == '%' && percent_byte(c, end) <= 0))
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

    return found ? percent_decode(arena, found, size, false) : NULL;
}

const char *
uri_template_variable(arena_t *arena, const char *template)
{
    const char *open = strchr(template, '{');
    const char *close = open ? strchr(open, '}') : NULL;

    return close ? arena_strndup(arena, open + 1, (size_t) (close - open) - 1) : NULL;
}
