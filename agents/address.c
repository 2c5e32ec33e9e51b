// SPDX-License-Identifier: Apache-2.0
#include "address.h"

#include <curl/curl.h>
#include <strings.h>

#include "auto.h"

static void
url_destroy(CURLU **self_p)
{
    curl_url_cleanup(*self_p);
}

static void
text_destroy(char **self_p)
{
    curl_free(*self_p);
}

bool
address_is_absolute(const char *url)
{
    return !strncasecmp(url, "http://", 7) || !strncasecmp(url, "https://", 8);
}

char *
address_resolve(arena_t *arena, const char *base, const char *reference)
{
    AUTO(url_destroy) CURLU *url = curl_url();
    AUTO(text_destroy) char *text = NULL;

    if (curl_url_set(url, CURLUPART_URL, base, 0)
        || curl_url_set(url, CURLUPART_URL, reference, CURLU_URLENCODE)
        || curl_url_get(url, CURLUPART_URL, &text, 0))
        return NULL;
    return arena_strdup(arena, text);
}

static bool
same_part(CURLU *a, CURLU *b, CURLUPart part)
{
    AUTO(text_destroy) char *text_a = NULL;
    AUTO(text_destroy) char *text_b = NULL;

    return !curl_url_get(a, part, &text_a, CURLU_DEFAULT_PORT)
           && !curl_url_get(b, part, &text_b, CURLU_DEFAULT_PORT)
           && !strcasecmp(text_a, text_b);
}

bool
address_same_origin(const char *a, const char *b)
{
    AUTO(url_destroy) CURLU *url_a = curl_url();
    AUTO(url_destroy) CURLU *url_b = curl_url();

    return !curl_url_set(url_a, CURLUPART_URL, a, 0)
           && !curl_url_set(url_b, CURLUPART_URL, b, 0)
           && same_part(url_a, url_b, CURLUPART_SCHEME)
           && same_part(url_a, url_b, CURLUPART_HOST)
           && same_part(url_a, url_b, CURLUPART_PORT);
}
