// SPDX-License-Identifier: Apache-2.0
#include "exchange.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "auto.h"
#include "guard.h"
#include "limits.h"
#include "settings.h"

enum { CONNECT_MS = 5000, HEADERS_MAX = 256, HEADERS_SIZE_MAX = 128 * KIB };

struct exchange {
    CURL *curl;
    bool allow_private;
    const atomic_bool *cancelled;
    char refused[INET6_ADDRSTRLEN];  // address that the guard refused, or ""
    char error[CURL_ERROR_SIZE];
};

// What arrives during one hop.
typedef struct {
    arena_t *arena;
    json_t *headers;
    size_t headers_size;
    buffer_t body;
    size_t answer_max;
    bool is_truncated;
    char version[16];
} arrival_t;

static void
arrival_clear(arrival_t *self)
{
    buffer_clear(&self->body);
}

static curl_socket_t
open_judged(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
    exchange_t *self = arg;
    const void *raw = &address->addr;
    const struct sockaddr_in *four = raw;
    const struct sockaddr_in6 *six = raw;

    if (guard_allows(&address->addr, self->allow_private))
        return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (address->family == AF_INET)
        inet_ntop(AF_INET, &four->sin_addr, self->refused, sizeof self->refused);
    else if (address->family == AF_INET6)
        inet_ntop(AF_INET6, &six->sin6_addr, self->refused, sizeof self->refused);
    return CURL_SOCKET_BAD;
}

static int
watch(void *arg, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now)
{
    const exchange_t *self = arg;

    return self->cancelled && atomic_load(self->cancelled);
}

static size_t
take_body(char *bytes, size_t one, size_t size, void *arg)
{
    arrival_t *arrival = arg;
    size_t room = arrival->answer_max - arrival->body.size;

    buffer_add(&arrival->body, bytes, size < room ? size : room);
    if (size <= room)
        return size;
    arrival->is_truncated = true;
    return 0;  // ends the transfer: nobody looks at the rest
}

static void
add_header(arrival_t *arrival, const char *line, size_t size)
{
    const char *colon = memchr(line, ':', size);

    if (!colon)
        return;
    const char *value = colon + 1;
    const char *end = line + size;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    json_t *pair = json_add(arrival->headers, json_array(arrival->arena));
    json_add(pair, json_string_sized(arrival->arena, line, (size_t) (colon - line)));
    json_add(pair, json_string_sized(arrival->arena, value, (size_t) (end - value)));
}

static size_t
take_header(char *line, size_t one, size_t size, void *arg)
{
    arrival_t *arrival = arg;
    size_t length = size;

    while (length && strchr("\r\n \t", line[length - 1]))
        length--;
    arrival->headers_size += size;
    if (arrival->headers_size > HEADERS_SIZE_MAX || arrival->headers->count > HEADERS_MAX)
        return 0;
    if (length >= 5 && !memcmp(line, "HTTP/", 5)) {  // an interim answer came before
        size_t word = strcspn(line, " \r\n");
        arrival->headers = json_array(arrival->arena);
        snprintf(arrival->version, sizeof arrival->version, "%.*s",
                 (int) (word < sizeof arrival->version ? word : sizeof arrival->version - 1),
                 line);
    } else if (length) {
        add_header(arrival, line, length);
    }
    return size;
}

exchange_t *
exchange_new(bool allow_private, const atomic_bool *cancelled)
{
    exchange_t *self = calloc(1, sizeof *self);

    if (!self)
        abort();
    *self = (exchange_t){ .curl = curl_easy_init(),
                          .allow_private = allow_private,
                          .cancelled = cancelled };
    return self;
}

void
exchange_destroy(exchange_t **self_p)
{
    if (!*self_p)
        return;
    curl_easy_cleanup((*self_p)->curl);
    free(*self_p);
    *self_p = NULL;
}

static void
set_safety(exchange_t *self)
{
    CURL *curl = self->curl;

    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_COOKIEFILE, "");  // the jar is on; nothing is read
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long) CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long) CONNECT_MS);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS,
                     1L);  // dots and slashes as the author wrote them
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_judged);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, self);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, watch);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, self);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, self->error);
}

static void
set_method(CURL *curl, const exchange_request_t *request)
{
    bool is_head = !strcmp(request->method, "HEAD");

    curl_easy_setopt(curl, CURLOPT_NOBODY, is_head ? 1L : 0L);
    if (request->body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) request->body_size);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
        // A request that leaves a reused connection dead would be sent a second time.
        curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
    } else {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, NULL);
        curl_easy_setopt(curl, CURLOPT_HTTPGET, is_head ? 0L : 1L);
        curl_easy_setopt(curl, CURLOPT_NOBODY, is_head ? 1L : 0L);
        curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, strcmp(request->method, "GET") ? 1L : 0L);
    }
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
}

static bool
has_line_break(const char *text)
{
    return strpbrk(text, "\r\n") != NULL;
}

static bool
is_credential(const char *name)
{
    static const char *const names[] = { "Authorization", "Cookie", "Proxy-Authorization",
                                         "X-Api-Key", "X-Auth-Token" };

    for (size_t i = 0; i < ROWS(names); i++)
        if (!strcasecmp(name, names[i]))
            return true;
    return false;
}

static status_t
make_headers(const exchange_request_t *request, bool with_credentials,
             struct curl_slist **list_p, failure_t *why)
{
    AUTO(arena_destroy) arena_t *scratch = arena_new();
    const json_t *pair = request->headers ? request->headers->first : NULL;

    // libcurl would add these by itself
    *list_p = curl_slist_append(NULL, "Expect:");
    if (!exchange_header(request->headers, "Content-Type"))
        *list_p = curl_slist_append(*list_p, "Content-Type:");
    for (; pair; pair = pair->next) {
        const char *name = pair->first->text, *value = pair->last->text;
        if (has_line_break(name) || has_line_break(value))
            return fail(why, BAD_ARGS, "the header %.60s holds a line break", name);
        if (!with_credentials && is_credential(name))
            continue;
        *list_p = curl_slist_append(
            *list_p, arena_printf(scratch, *value ? "%s: %s" : "%s;", name, value));
    }
    return OK;
}

static void
free_headers(struct curl_slist **list_p)
{
    curl_slist_free_all(*list_p);
}

// What libcurl's code means to the author of a test.
static status_t
explain(exchange_t *self, const char *url, CURLcode code, const exchange_request_t *request,
        failure_t *why)
{
    if (*self->refused)
        return fail_coded(why, DENIED, "ADDRESS_FORBIDDEN",
                          "%s leads to %s, which tests of this environment may not reach", url,
                          self->refused);
    switch (code) {
    case CURLE_ABORTED_BY_CALLBACK:
        return fail(why, CANCELLED, "the run was cancelled");
    case CURLE_OPERATION_TIMEDOUT:
        return fail(why, TIMEOUT, "no answer from %s within %lld ms", url,
                    (long long) request->timeout_ms);
    case CURLE_COULDNT_RESOLVE_HOST:
        return fail_coded(why, BACKEND, "HOST_UNKNOWN", "the host of %s has no address", url);
    case CURLE_COULDNT_CONNECT:
        return fail_coded(why, BACKEND, "UNREACHABLE", "nobody listens at %s", url);
    case CURLE_URL_MALFORMAT:
        return fail(why, BAD_ARGS, "%s is no URL", url);
    case CURLE_UNSUPPORTED_PROTOCOL:
        return fail(why, DENIED, "%s is neither http nor https", url);
    default:
        return fail(why, BACKEND, "%s: %s", url,
                    *self->error ? self->error : curl_easy_strerror(code));
    }
}

static int64_t
reading(CURL *curl, CURLINFO info)
{
    curl_off_t value = 0;

    curl_easy_getinfo(curl, info, &value);
    return value;
}

static void
add_times(CURL *curl, exchange_answer_t *answer)
{
    int64_t dns = reading(curl, CURLINFO_NAMELOOKUP_TIME_T);
    int64_t connect = reading(curl, CURLINFO_CONNECT_TIME_T);
    int64_t tls = reading(curl, CURLINFO_APPCONNECT_TIME_T);

    answer->dns_us += dns;
    answer->connect_us += connect > dns ? connect - dns : 0;
    answer->tls_us += tls > connect ? tls - connect : 0;
    answer->first_byte_us += reading(curl, CURLINFO_STARTTRANSFER_TIME_T);
    answer->total_us += reading(curl, CURLINFO_TOTAL_TIME_T);
}

// One request, no redirect.
static status_t
send_hop(exchange_t *self, arena_t *arena, const exchange_request_t *request,
         bool with_credentials, exchange_answer_t *answer, failure_t *why)
{
    AUTO(free_headers) struct curl_slist *headers = NULL;
    AUTO(arrival_clear)
    arrival_t arrival = { .arena = arena,
                          .headers = json_array(arena),
                          .answer_max = request->answer_max };

    if (make_headers(request, with_credentials, &headers, why))
        return why->status;
    self->refused[0] = self->error[0] = '\0';
    curl_easy_reset(self->curl);  // keeps connections and cookies
    set_safety(self);
    set_method(self->curl, request);
    curl_easy_setopt(self->curl, CURLOPT_URL, request->url);
    curl_easy_setopt(self->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(self->curl, CURLOPT_USERAGENT, "proofarc-agent/" PROOFARC_VERSION);
    curl_easy_setopt(self->curl, CURLOPT_TIMEOUT_MS, (long) request->timeout_ms);
    curl_easy_setopt(self->curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(self->curl, CURLOPT_HEADERDATA, &arrival);
    curl_easy_setopt(self->curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(self->curl, CURLOPT_WRITEDATA, &arrival);
    CURLcode code = curl_easy_perform(self->curl);
    add_times(self->curl, answer);
    if (code && !(code == CURLE_WRITE_ERROR && arrival.is_truncated))
        return explain(self, request->url, code, request, why);
    curl_easy_getinfo(self->curl, CURLINFO_RESPONSE_CODE, &answer->status);
    answer->headers = arrival.headers;
    answer->version = arena_strdup(arena, arrival.version);
    answer->is_truncated = arrival.is_truncated;
    answer->size = arrival.body.size;
    answer->body =
        arena_strndup(arena, arrival.body.size ? arrival.body.bytes : "", arrival.body.size);
    return OK;
}

static bool
is_redirect(long status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static char *
url_part(arena_t *arena, const char *url, CURLUPart part)
{
    CURLU *parts = curl_url();
    char *text = NULL;

    if (curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK)
        curl_url_get(parts, part, &text, CURLU_DEFAULT_PORT);
    char *copy = arena_strdup(arena, text ? text : "");
    curl_free(text);
    curl_url_cleanup(parts);
    return copy;
}

static char *
resolve(arena_t *arena, const char *base, const char *location)
{
    CURLU *parts = curl_url();
    char *text = NULL;

    if (curl_url_set(parts, CURLUPART_URL, base, 0) == CURLUE_OK
        && curl_url_set(parts, CURLUPART_URL, location, CURLU_URLENCODE) == CURLUE_OK)
        curl_url_get(parts, CURLUPART_URL, &text, 0);
    char *copy = arena_strdup(arena, text);
    curl_free(text);
    curl_url_cleanup(parts);
    return copy;
}

static bool
same_origin(arena_t *arena, const char *a, const char *b)
{
    static const CURLUPart parts[] = { CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT };

    for (size_t i = 0; i < ROWS(parts); i++)
        if (strcasecmp(url_part(arena, a, parts[i]), url_part(arena, b, parts[i])) != 0)
            return false;
    return true;
}

// After 303, and after 301 and 302 of a POST, browsers go on with GET (RFC 9110, 15.4).
static void
change_method(exchange_request_t *hop, long status)
{
    bool to_get =
        status == 303 || ((status == 301 || status == 302) && !strcmp(hop->method, "POST"));

    if (!to_get || !strcmp(hop->method, "HEAD"))
        return;
    hop->method = "GET";
    hop->body = NULL;
    hop->body_size = 0;
}

// A page that sets a cookie may lead back once; more often is a circle.
static bool
is_circle(const json_t *hops, const char *url)
{
    size_t times = 0;

    for (const json_t *hop = hops->first; hop; hop = hop->next)
        times += !strcmp(hop->text, url);
    return times > 1;
}

status_t
exchange_send(exchange_t *self, arena_t *arena, const exchange_request_t *request,
              exchange_answer_t *answer, failure_t *why)
{
    exchange_request_t hop = *request;
    bool with_credentials = true;

    *answer = (exchange_answer_t){ .hops = json_array(arena) };
    for (;;) {
        if (send_hop(self, arena, &hop, with_credentials, answer, why))
            return why->status;
        answer->final_url = hop.url;
        const char *location = exchange_header(answer->headers, "Location");
        if (!request->follow_redirects || !is_redirect(answer->status) || !location)
            return OK;
        json_add(answer->hops, json_string(arena, hop.url));
        const char *next = resolve(arena, hop.url, location);
        if (!next)
            return fail(why, BACKEND, "%s redirects to %.200s, which is no URL", hop.url,
                        location);
        change_method(&hop, answer->status);
        if (is_circle(answer->hops, next))
            return fail(why, BACKEND, "%s redirects in a circle: %.200s was visited before",
                        request->url, next);
        if (answer->hops->count >= REDIRECTS_MAX)
            return fail(why, BACKEND, "%s redirects more than %d times", request->url,
                        REDIRECTS_MAX);
        with_credentials = with_credentials && same_origin(arena, request->url, next);
        hop.url = next;
    }
}

const char *
exchange_header(const json_t *headers, const char *name)
{
    for (const json_t *pair = headers ? headers->first : NULL; pair; pair = pair->next)
        if (!strcasecmp(pair->first->text, name))
            return pair->last->text;
    return NULL;
}

// The list is in Netscape's form: seven columns, the value is the last.
json_t *
exchange_cookies(exchange_t *self, arena_t *arena)
{
    struct curl_slist *list = NULL;
    json_t *values = json_array(arena);

    curl_easy_getinfo(self->curl, CURLINFO_COOKIELIST, &list);
    for (const struct curl_slist *item = list; item; item = item->next) {
        const char *tab = strrchr(item->data, '\t');
        if (tab)
            json_add(values, json_string(arena, tab + 1));
    }
    curl_slist_free_all(list);
    return values;
}
