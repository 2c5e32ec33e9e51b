// SPDX-License-Identifier: Apache-2.0
// URI templates: the first line is a template, the second a URI. What belongs to it is the template
// with something in the variable's place; and whatever is put there comes out again.

#include <assert.h>
#include <string.h>

#include "auto.h"
#include "buffer.h"
#include "http.h"
#include "target.h"
#include "uri_template.h"

// Tries every length of the variable.
static bool
could_belong(const char *template, const char *uri)
{
    const char *open = strchr(template, '{');
    const char *close = open ? strchr(open, '}') : NULL;
    const size_t before = close ? (size_t) (open - template) : 0;

    if (!close || strlen(uri) < before || memcmp(uri, template, before) != 0)
        return false;
    for (const char *end = uri + before; *end && !strchr("/?#", *end);)
        if (!strcmp(++end, close + 1))
            return true;
    return false;
}

static void
look(arena_t *arena, const char *template, const char *uri)
{
    size_t size = 0;
    const char *found = uri_template_find(template, uri, &size);
    const char *value = uri_template_value(arena, template, uri);

    assert(!found == !value);
    if (!found)
        return;
    assert(could_belong(template, uri) && uri_template_variable(arena, template));
    assert(found >= uri && size && found + size <= uri + strlen(uri));
    assert(*value && strlen(value) <= size);
    for (size_t i = 0; i < size; i++)
        assert(!strchr("/?#", found[i]));
    assert(!memchr(found, '%', size) == (strlen(value) == size));
}

static void
fill(arena_t *arena, const char *template, const char *value)
{
    AUTO(buffer_clear) buffer_t uri = { 0 };
    const char *open = strchr(template, '{');
    const char *close = open ? strchr(open, '}') : NULL;

    if (!close || !*value)
        return;
    buffer_add(&uri, template, (size_t) (open - template));
    buffer_text(&uri, http_escape(arena, value));
    buffer_text(&uri, close + 1);
    const char *again = uri_template_value(arena, template, uri.bytes);
    assert(again && !strcmp(again, value));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const char *template = arena_strndup(arena, size ? (const char *) bytes : "", size);
    char *end = strchr(template, '\n');
    const char *uri = end ? end + 1 : "";

    if (end)
        *end = 0;
    look(arena, template, uri);
    look(arena, "proofarc://execution/{execution_id}", uri);
    fill(arena, template, uri);
    return 0;
}
