// SPDX-License-Identifier: Apache-2.0
#include "api/url.h"

#include <string.h>

#include "address.h"
#include "auto.h"

// Blanks, control characters and bytes beyond ASCII are no part of a URL (RFC 3986): encoded.
// Everything else stays as the author wrote it.
static const char *
encode_rest(arena_t *arena, const char *url)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    for (const unsigned char *c = (const unsigned char *) url; *c; c++) {
        if (*c <= 0x20 || *c >= 0x7f || strchr("\"<>\\^`{|}", *c))
            buffer_printf(&out, "%%%02X", *c);
        else
            buffer_char(&out, (char) *c);
    }
    return arena_strndup(arena, out.bytes ? out.bytes : "", out.size);
}

// Filled in first and encoded as a whole then: a value cannot add arguments of its own.
static status_t
add_query_item(arena_t *arena, const variables_t *variables, const char *name,
               const json_t *item, buffer_t *url, failure_t *why)
{
    const char *text = item->kind == JSON_STRING ? item->text : json_text(arena, item);
    const char *filled;

    if (variables_fill(variables, arena, text, FILL_PLAIN, &filled, why))
        return why->status;
    buffer_char(url, strchr(url->bytes, '?') ? '&' : '?');
    variables_encode(url, name);
    buffer_char(url, '=');
    variables_encode(url, filled);
    return OK;
}

static status_t
add_query(arena_t *arena, const variables_t *variables, const json_t *query, buffer_t *url,
          failure_t *why)
{
    for (const json_t *one = query ? query->first : NULL; one; one = one->next) {
        const json_t *item = one->kind == JSON_ARRAY ? one->first : one;
        for (; item; item = one->kind == JSON_ARRAY ? item->next : NULL)
            if (add_query_item(arena, variables, one->key, item, url, why))
                return why->status;
    }
    return OK;
}

status_t
url_of_step(arena_t *arena, const variables_t *variables, const char *base, const char *path,
            const json_t *query, const char **url_p, failure_t *why)
{
    AUTO(buffer_clear) buffer_t url = { 0 };

    if (variables_fill(variables, arena, base ? base : "", FILL_PLAIN, &base, why)
        || variables_fill(variables, arena, path ? path : "/", FILL_PATH, &path, why))
        return why->status;
    if (!address_is_absolute(path)) {
        size_t length = strlen(base);
        if (length && base[length - 1] == '/')
            length--;
        buffer_add(&url, base, length);
        if (*path != '/')
            buffer_char(&url, '/');
    }
    buffer_text(&url, path);
    if (add_query(arena, variables, query, &url, why))
        return why->status;
    if (!address_is_absolute(url.bytes))
        return fail(why, BAD_ARGS, "%.200s is no http address: the target has no base URL",
                    url.bytes);
    *url_p = encode_rest(arena, url.bytes);
    return OK;
}
