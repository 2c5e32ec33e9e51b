// SPDX-License-Identifier: Apache-2.0
#include "api/learn.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "auto.h"
#include "percent.h"

// Members and arguments whose values are nobody's business, in whatever message they stand.
static const char *const telling_names[] = {
    "token",         "accessToken",   "access_token", "refreshToken", "refresh_token",
    "idToken",       "id_token",      "password",     "passwd",       "secret",
    "clientSecret",  "client_secret", "apiKey",       "api_key",      "sessionToken",
    "session_token", "privateKey",    "private_key",  "jwt",          "sessionId",
};

static const char *const telling_headers[] = {
    "Authorization", "Proxy-Authorization", "X-Api-Key",       "Api-Key",
    "X-Auth-Token",  "X-Access-Token",      "X-Session-Token", "X-Csrf-Token",
};

static bool
is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(name, names[i]))
            return true;
    return false;
}

static void
learn(mask_t *mask, const char *text, size_t size)
{
    AUTO(buffer_clear) buffer_t copy = { 0 };

    if (size < LEARN_MIN)
        return;
    buffer_add(&copy, text, size);
    mask_add(mask, copy.bytes);
}

void
learn_value(mask_t *mask, const char *name, const json_t *value)
{
    bool is_text = value->kind == JSON_STRING || value->kind == JSON_NUMBER;

    if (is_text && is_among(name, telling_names, ROWS(telling_names)))
        learn(mask, value->text, value->length);
}

void
learn_body(mask_t *mask, const json_t *body)
{
    for (const json_t *child = body ? body->first : NULL; child; child = child->next) {
        if (child->key)
            learn_value(mask, child->key, child);
        learn_body(mask, child);
    }
}

// "name=value; Path=/" of Set-Cookie, "a=1; b=2" of Cookie.
static void
learn_cookies(mask_t *mask, const char *text, bool is_set)
{
    while (*text) {
        text += strspn(text, "; \t");
        size_t size = strcspn(text, ";");
        const char *value = memchr(text, '=', size);
        if (value)
            learn(mask, value + 1, size - (size_t) (value + 1 - text));
        if (is_set)
            return;  // what follows are attributes
        text += size;
    }
}

void
learn_headers(mask_t *mask, arena_t *arena, const json_t *headers)
{
    for (const json_t *pair = headers ? headers->first : NULL; pair; pair = pair->next) {
        const char *name = pair->first->text, *value = pair->last->text;
        const char *blank = strrchr(value, ' ');  // "Bearer abc"
        if (is_among(name, telling_headers, ROWS(telling_headers)))
            learn(mask, blank ? blank + 1 : value, strlen(blank ? blank + 1 : value));
        else if (!strcasecmp(name, "Set-Cookie") || !strcasecmp(name, "Cookie"))
            learn_cookies(mask, value, !strcasecmp(name, "Set-Cookie"));
        else if (!strcasecmp(name, "Location"))
            learn_url(mask, arena, value);
    }
}

static void
learn_coded(mask_t *mask, arena_t *arena, const char *text, size_t size)
{
    const char *plain = percent_decode_most(arena, text, size, true);

    learn(mask, text, size);
    learn(mask, plain, strlen(plain));
}

static void
learn_login(mask_t *mask, arena_t *arena, const char *url)
{
    const char *host = strstr(url, "://");
    size_t size = host ? strcspn(host + 3, "/?#") : 0;
    const char *at = size ? memrchr(host + 3, '@', size) : NULL;
    const char *colon = at ? memchr(host + 3, ':', (size_t) (at - host - 3)) : NULL;

    if (colon)
        learn_coded(mask, arena, colon + 1, (size_t) (at - colon - 1));
}

void
learn_url(mask_t *mask, arena_t *arena, const char *url)
{
    const char *argument = strpbrk(url, "?#");  // tokens also come behind the #

    learn_login(mask, arena, url);
    while (argument && *argument) {
        argument++;
        size_t name = strcspn(argument, "=&#"), size = strcspn(argument, "&#");
        const char *text = arena_strndup(arena, argument, name);
        if (name < size && is_among(text, telling_names, ROWS(telling_names)))
            learn_coded(mask, arena, argument + name + 1, size - name - 1);
        argument += size;
    }
}
