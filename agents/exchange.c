// SPDX-License-Identifier: Apache-2.0
#include "exchange.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "address.h"
#include "arrival.h"
#include "auto.h"
#include "clock.h"
#include "guard.h"
#include "limits.h"
#include "settings.h"

enum { CONNECT_MS = 5000, URL_SHOWN_MAX = 160 };

struct exchange {
    CURL *curl;
    bool allow_private;
    const atomic_bool *cancelled;
    char refused[INET6_ADDRSTRLEN];  // address that the guard refused, or ""
    char error[CURL_ERROR_SIZE];
};

// A request on its way from one address to the next.
typedef struct {
    exchange_request_t request;
    int64_t until_ms;
    bool has_left;        // its origin: credentials stay behind
    bool is_body_gone;    // POST became GET: what described the body goes as well
    bool is_expect_gone;  // it was answered with 417
} hop_t;

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

static bool
is_cancelled(const exchange_t *self)
{
    return self->cancelled && atomic_load(self->cancelled);
}

static int
watch(void *arg, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now)
{
    return is_cancelled(arg);
}

exchange_t *
exchange_new(bool allow_private, const atomic_bool *cancelled)
{
    exchange_t *self = calloc(1, sizeof *self);

    if (self)
        self->curl = curl_easy_init();
    if (!self || !self->curl)
        abort();  // out of memory
    // A first cookie, which is gone at once, turns the jar on for good. CURLOPT_COOKIEFILE would
    // not outlive a reset.
    curl_easy_setopt(self->curl, CURLOPT_COOKIELIST, "Set-Cookie: on=1; Domain=jar.invalid");
    curl_easy_setopt(self->curl, CURLOPT_COOKIELIST, "ALL");
    self->allow_private = allow_private;
    self->cancelled = cancelled;
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
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long) CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long) CONNECT_MS);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);  // dots and slashes as they were written
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_judged);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, self);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, watch);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, self);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, self->error);
}

static bool
is_among(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(word, words[i]))
            return true;
    return false;
}

static void
set_method(CURL *curl, const exchange_request_t *request)
{
    static const char *const with_body[] = { "POST", "PUT", "PATCH" };
    static const char *const safe[] = { "GET", "HEAD", "OPTIONS", "TRACE" };

    if (request->body || is_among(request->method, with_body, ROWS(with_body))) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) request->body_size);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body ? request->body : "");
    } else if (!strcmp(request->method, "HEAD")) {
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    } else {
        curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
    }
    // On a reused connection that dies libcurl would send the request a second time.
    bool may_repeat = !request->body && is_among(request->method, safe, ROWS(safe));
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, may_repeat ? 0L : 1L);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
}

static bool
is_credential(arena_t *scratch, const mask_t *mask, const char *name, const json_t *value)
{
    static const char *const names[] = { "Authorization", "Cookie", "Proxy-Authorization",
                                         "X-Api-Key", "X-Auth-Token" };
    size_t size;

    return is_among(name, names, ROWS(names))
           || (mask
               && mask_text(mask, scratch, value->text, value->length, &size) != value->text);
}

// Whether a header still goes with the request, after the redirects it went through.
static bool
is_sent(arena_t *scratch, const hop_t *hop, const char *name, const json_t *value)
{
    if (hop->has_left && is_credential(scratch, hop->request.mask, name, value))
        return false;
    if (hop->is_expect_gone && !strcasecmp(name, "Expect"))
        return false;
    return !hop->is_body_gone || strncasecmp(name, "Content-", 8) != 0;
}

static void
append(struct curl_slist **list_p, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list_p, line);

    if (!longer)
        abort();  // out of memory
    *list_p = longer;
}

// What libcurl would add by itself stays out: with an empty Expect in front it sends the body at
// once even if the step has one. Cookies of the step go into one line with those of the jar.
static status_t
make_headers(exchange_t *self, const hop_t *hop, struct curl_slist **list_p, failure_t *why)
{
    AUTO(arena_destroy) arena_t *scratch = arena_new();
    const json_t *headers = hop->request.headers;

    append(list_p, "Expect:");
    if (!exchange_header(headers, "Content-Type") || hop->is_body_gone)
        append(list_p, "Content-Type:");
    for (const json_t *pair = headers ? headers->first : NULL; pair; pair = pair->next) {
        const char *name = pair->first->text, *value = pair->last->text;
        if (!*name || strpbrk(name, "\r\n:") || strpbrk(value, "\r\n"))
            return fail(why, BAD_ARGS,
                        "the header \"%.*s\" has a line break in it or a colon in its name",
                        (int) strcspn(name, "\r\n"), name);
        if (!is_sent(scratch, hop, name, pair->last))
            continue;
        if (!strcasecmp(name, "Cookie"))
            curl_easy_setopt(self->curl, CURLOPT_COOKIE, value);
        else
            append(list_p, arena_printf(scratch, *value ? "%s: %s" : "%s;", name, value));
    }
    return OK;
}

static void
free_headers(struct curl_slist **list_p)
{
    curl_slist_free_all(*list_p);
}

// A URL for a sentence: without secrets, and not so long that it takes the rest of it away.
static const char *
shown(arena_t *arena, const hop_t *hop, const char *url)
{
    size_t size = strlen(url);

    if (hop->request.mask)
        url = mask_text(hop->request.mask, arena, url, size, &size);
    if (size <= URL_SHOWN_MAX)
        return url;
    size = URL_SHOWN_MAX;
    while (size && ((unsigned char) url[size] & 0xc0) == 0x80)
        size--;
    return arena_printf(arena, "%.*s…", (int) size, url);
}

static bool
was_sent(const exchange_t *self)
{
    curl_off_t connected_us = 0;

    curl_easy_getinfo(self->curl, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
    return connected_us > 0;
}

static status_t
explain_timeout(const exchange_t *self, const char *url, int64_t timeout_ms, failure_t *why)
{
    if (was_sent(self))
        return fail(why, TIMEOUT, "no whole answer from %s within %lld ms", url,
                    (long long) timeout_ms);
    return fail_coded(why, TIMEOUT, "UNREACHABLE", "no connection to %s within %lld ms", url,
                      (long long) (timeout_ms < CONNECT_MS ? timeout_ms : CONNECT_MS));
}

static status_t
explain_partial(const exchange_t *self, const char *url, const arrival_t *arrival,
                failure_t *why)
{
    curl_off_t announced = -1;

    curl_easy_getinfo(self->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
    if (announced < 0)
        return fail(why, BACKEND, "%s: connection closed in the middle of the answer", url);
    return fail(why, BACKEND, "%s: connection closed, %zu of %lld bytes", url,
                arrival->body.size, (long long) announced);
}

// What libcurl's code means to the author of a test.
static status_t
explain(exchange_t *self, arena_t *arena, const hop_t *hop, const arrival_t *arrival,
        CURLcode code, failure_t *why)
{
    const char *url = shown(arena, hop, hop->request.url);

    if (*self->refused)
        return fail_coded(why, DENIED, "ADDRESS_FORBIDDEN",
                          "%s leads to %s, which tests of this environment may not reach", url,
                          self->refused);
    if (arrival->is_head_over)
        return fail(why, BACKEND, "%s: the answer has more than %d headers or %d KiB of them",
                    url, ARRIVAL_HEADERS_MAX, ARRIVAL_HEAD_MAX / KIB);
    switch (code) {
    case CURLE_ABORTED_BY_CALLBACK:
        return fail(why, CANCELLED, "the run was cancelled");
    case CURLE_OPERATION_TIMEDOUT:
        return explain_timeout(self, url, hop->request.timeout_ms, why);
    case CURLE_COULDNT_RESOLVE_HOST:
        return fail_coded(why, BACKEND, "HOST_UNKNOWN", "the host of %s has no address", url);
    case CURLE_COULDNT_CONNECT:
        return fail_coded(why, BACKEND, "UNREACHABLE", "nobody listens at %s", url);
    case CURLE_PARTIAL_FILE:
        return explain_partial(self, url, arrival, why);
    case CURLE_URL_MALFORMAT:
        return fail(why, BAD_ARGS, "%s is no URL", url);
    case CURLE_LOGIN_DENIED:
        return fail(why, BAD_ARGS,
                    "the URL holds a login; put it into a credential of the environment");
    case CURLE_UNSUPPORTED_PROTOCOL:
        if (was_sent(self))
            return fail(why, BACKEND, "what %s answers is not HTTP", url);
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

static void
take_answer(exchange_t *self, arena_t *arena, const arrival_t *arrival,
            exchange_answer_t *answer)
{
    const buffer_t *body = &arrival->body;

    curl_easy_getinfo(self->curl, CURLINFO_RESPONSE_CODE, &answer->status);
    answer->headers = arrival->headers;
    answer->version = arena_strdup(arena, arrival->version);
    answer->is_truncated = arrival->is_truncated;
    answer->size = body->size;
    answer->body = arena_strndup(arena, body->size ? body->bytes : "", body->size);
}

static void
set_request(exchange_t *self, const hop_t *hop, struct curl_slist *headers, arrival_t *arrival)
{
    CURL *curl = self->curl;

    set_method(curl, &hop->request);
    curl_easy_setopt(curl, CURLOPT_URL, hop->request.url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "proofarc-agent/" PROOFARC_VERSION);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, arrival_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, arrival);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, arrival_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, arrival);
}

// One request, no redirect.
static status_t
send_hop(exchange_t *self, arena_t *arena, const hop_t *hop, exchange_answer_t *answer,
         failure_t *why)
{
    AUTO(free_headers) struct curl_slist *headers = NULL;
    AUTO(arrival_clear) arrival_t arrival = arrival_begin(arena, hop->request.answer_max);
    int64_t left_ms = hop->until_ms - clock_now_ms();

    if (is_cancelled(self))
        return fail(why, CANCELLED, "the run was cancelled");
    if (left_ms <= 0)
        return explain(self, arena, hop, &arrival, CURLE_OPERATION_TIMEDOUT, why);
    self->refused[0] = self->error[0] = '\0';
    curl_easy_reset(self->curl);  // keeps connections and cookies
    set_safety(self);
    if (make_headers(self, hop, &headers, why))
        return why->status;
    set_request(self, hop, headers, &arrival);
    curl_easy_setopt(self->curl, CURLOPT_TIMEOUT_MS, (long) left_ms);
    CURLcode code = curl_easy_perform(self->curl);
    add_times(self->curl, answer);
    take_answer(self, arena, &arrival, answer);
    if (code && !(code == CURLE_WRITE_ERROR && arrival.is_truncated))
        return explain(self, arena, hop, &arrival, code, why);
    return OK;
}

static bool
is_redirect(long status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// After 303, and after 301 and 302 of a POST, browsers go on with GET (RFC 9110, 15.4).
static void
change_method(hop_t *hop, long status)
{
    exchange_request_t *request = &hop->request;
    bool to_get =
        status == 303 || ((status == 301 || status == 302) && !strcmp(request->method, "POST"));

    if (!to_get || !strcmp(request->method, "HEAD"))
        return;
    request->method = "GET";
    request->body = NULL;
    request->body_size = 0;
    hop->is_body_gone = true;
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

// Turns the hop to where the answer leads.
static status_t
turn(arena_t *arena, hop_t *hop, const char *location, exchange_answer_t *answer,
     failure_t *why)
{
    const char *url = shown(arena, hop, hop->request.url);
    const char *next = address_resolve(arena, hop->request.url, location);

    json_add(answer->hops, json_string(arena, hop->request.url));
    if (!next)
        return fail(why, BACKEND, "%s redirects to %s, which is no URL", url,
                    shown(arena, hop, location));
    if (is_circle(answer->hops, next))
        return fail(why, BACKEND, "%s redirects in a circle: %s was visited before", url,
                    shown(arena, hop, next));
    if (answer->hops->count > REDIRECTS_MAX)
        return fail(why, BACKEND, "more than %d redirects, the last one from %s to %s",
                    REDIRECTS_MAX, url, shown(arena, hop, next));
    change_method(hop, answer->status);
    hop->has_left = hop->has_left || !address_same_origin(hop->request.url, next);
    hop->request.url = next;
    return OK;
}

status_t
exchange_send(exchange_t *self, arena_t *arena, const exchange_request_t *request,
              exchange_answer_t *answer, failure_t *why)
{
    hop_t hop = { .request = *request, .until_ms = clock_now_ms() + request->timeout_ms };

    *answer = (exchange_answer_t){ .hops = json_array(arena) };
    if (request->body && !strcmp(request->method, "HEAD"))
        return fail(why, BAD_ARGS, "a HEAD request has no body; take it out");
    for (;;) {
        answer->final_url = hop.request.url;
        if (send_hop(self, arena, &hop, answer, why))
            return why->status;
        if (answer->status == 417 && exchange_header(request->headers, "Expect")
            && !hop.is_expect_gone) {
            hop.is_expect_gone = true;
            continue;
        }
        const char *location = exchange_header(answer->headers, "Location");
        if (!request->follow_redirects || !is_redirect(answer->status) || !location)
            return OK;
        if (turn(arena, &hop, location, answer, why))
            return why->status;
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

static void
keep_cookie(arena_t *arena, json_t *values, const char *line)
{
    const char *tab = strrchr(line, '\t');  // Netscape's form: seven columns, the value is last

    if (tab)
        json_add(values, json_string(arena, tab + 1));
}

json_t *
exchange_cookies(exchange_t *self, arena_t *arena)
{
    AUTO(free_headers) struct curl_slist *list = NULL;
    json_t *values = json_array(arena);

    curl_easy_getinfo(self->curl, CURLINFO_COOKIELIST, &list);
    for (const struct curl_slist *item = list; item; item = item->next)
        keep_cookie(arena, values, item->data);
    return values;
}
