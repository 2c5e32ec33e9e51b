// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <strings.h>

#include "auto.h"
#include "formats/openapi_internal.h"

// scheme:, //authority, /path of a URL; missing parts are empty, query and fragment are cut.
typedef struct {
    const char *scheme, *authority, *path;
} parts_t;

static size_t
scheme_length(const char *url)
{
    size_t length =
        strspn(url, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");

    return length && url[length] == ':' && !(*url >= '0' && *url <= '9') ? length + 1 : 0;
}

static parts_t
split(arena_t *arena, const char *url)
{
    parts_t parts = { "", "", "" };
    size_t scheme = scheme_length(url);

    parts.scheme = arena_strndup(arena, url, scheme);
    url += scheme;
    if (!strncmp(url, "//", 2)) {
        size_t length = 2 + strcspn(url + 2, "/?#");
        parts.authority = arena_strndup(arena, url, length);
        url += length;
    }
    parts.path = arena_strndup(arena, url, strcspn(url, "?#"));
    return parts;
}

// Takes . and .. out of a path that begins with / or not.
static const char *
remove_dots(arena_t *arena, const char *path)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    const char *segment = path;

    for (;;) {
        size_t length = strcspn(segment, "/");
        bool last = !segment[length];
        bool is_up = length == 2 && !strncmp(segment, "..", 2);
        if (is_up) {
            while (out.size && out.bytes[out.size - 1] != '/')
                out.size--;
            if (out.size > 1)
                out.size--;
            while (out.size && out.bytes[out.size - 1] != '/')
                out.size--;
        } else if (!(length == 1 && *segment == '.')) {
            buffer_add(&out, segment, length);
            if (!last)
                buffer_char(&out, '/');
        }
        if (last)
            break;
        segment += length + 1;
    }
    return arena_strndup(arena, out.bytes ? out.bytes : "", out.size);
}

static const char *
encode(arena_t *arena, const char *url)
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

static const char *
merge(arena_t *arena, const parts_t *base, const char *path)
{
    const char *slash = strrchr(base->path, '/');

    if (*path == '/')
        return path;
    if (!slash)
        return arena_printf(arena, "%s%s", *base->authority ? "/" : "", path);
    return arena_printf(arena, "%.*s%s", (int) (slash - base->path + 1), base->path, path);
}

const char *
openapi_url_resolve(arena_t *arena, const char *base, const char *reference)
{
    parts_t from = split(arena, base);
    parts_t to = split(arena, reference);
    const char *query = strchr(reference, '?');
    size_t query_length = query ? strcspn(query, "#") : 0;

    if (!*to.scheme) {
        to.scheme = from.scheme;
        if (!*to.authority) {
            to.authority = from.authority;
            to.path = *to.path ? merge(arena, &from, to.path) : from.path;
        }
    }
    return encode(arena, arena_printf(arena, "%s%s%s%.*s", to.scheme, to.authority,
                                      remove_dots(arena, to.path), (int) query_length,
                                      query ? query : ""));
}

const char *
openapi_url_origin(arena_t *arena, const char *url)
{
    parts_t parts = split(arena, url);

    return *parts.authority ? arena_printf(arena, "%s%s", parts.scheme, parts.authority) : "";
}

bool
openapi_url_is_below(arena_t *arena, const char *root, const char *url)
{
    parts_t from = split(arena, root), to = split(arena, url);
    const char *slash = strrchr(from.path, '/');
    size_t folder = slash ? (size_t) (slash - from.path) + 1 : 0;

    // What a server might decode to a way out of the folder.
    if (strcasestr(to.path, "%2e") || strcasestr(to.path, "%2f") || strcasestr(to.path, "%5c"))
        return false;
    return !strcasecmp(from.scheme, to.scheme) && !strcasecmp(from.authority, to.authority)
           && !strncmp(from.path, to.path, folder);
}
