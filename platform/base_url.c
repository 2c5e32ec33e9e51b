// SPDX-License-Identifier: Apache-2.0
#include "base_url.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { URL_MAX = 2000 };

bool
base_url_is_absolute(const char *text)
{
    return strncasecmp(text, "http://", 7) == 0 || strncasecmp(text, "https://", 8) == 0;
}

static const char *
refuse(failure_t *why, const char *reason)
{
    fail_coded(why, BAD_ARGS, "BAD_URL", "baseUrl %s, e.g. https://shop.example.org/api",
               reason);
    return NULL;
}

const char *
base_url_clean(arena_t *arena, const char *text, failure_t *why)
{
    if (!base_url_is_absolute(text))
        return refuse(why, "must begin with http:// or https://");
    if (strlen(text) > URL_MAX)
        return refuse(why, "is longer than 2000 bytes");
    for (const unsigned char *c = (const unsigned char *) text; *c; c++)
        if (*c <= ' ' || *c == 0x7f || *c == '\\')
            return refuse(why, "must have no blanks, backslashes or control characters");
    char *url = arena_strdup(arena, text);
    char *host = strstr(url, "://") + 3, *path = host + strcspn(host, "/?#");
    if (path == host || *host == ':')
        return refuse(why, "has no host");
    if (memchr(host, '@', (size_t) (path - host)))
        return refuse(why, "must not hold a user or password; store a credential instead");
    if (strpbrk(path, "?#"))
        return refuse(why, "must have neither query nor fragment");
    for (char *c = url; c < path; c++)
        *c = (char) tolower((unsigned char) *c);
    for (size_t size = strlen(url); size > 0 && url[size - 1] == '/'; size--)
        url[size - 1] = '\0';
    return url;
}
