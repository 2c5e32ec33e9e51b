// SPDX-License-Identifier: Apache-2.0
#include "http.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "auto.h"
#include "buffer.h"
#include "limits.h"

struct http {
    CURL *curl;
    http_perform_fn *perform;
    void *arg;
    char error[CURL_ERROR_SIZE];
};

// Where the body of an answer goes.
typedef struct {
    buffer_t bytes;
    size_t max;
    bool is_over;
} sink_t;

static void
start_curl(void)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        abort();  // out of memory
}

static int
perform_here(void *arg, void *easy)
{
    return curl_easy_perform(easy);
}

http_t *
http_new(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    http_t *self = calloc(1, sizeof *self);

    pthread_once(&once, start_curl);
    if (self)
        self->curl = curl_easy_init();
    if (!self || !self->curl)
        abort();  // out of memory
    self->perform = perform_here;
    return self;
}

void
http_perform_by(http_t *self, http_perform_fn *perform, void *arg)
{
    self->perform = perform;
    self->arg = arg;
}

void
http_destroy(http_t **self_p)
{
    if (!*self_p)
        return;
    curl_easy_cleanup((*self_p)->curl);
    free(*self_p);
    *self_p = NULL;
}

static void
list_destroy(struct curl_slist **list_p)
{
    curl_slist_free_all(*list_p);
    *list_p = NULL;
}

static void
sink_clear(sink_t *self)
{
    buffer_clear(&self->bytes);
}

static size_t
on_body(char *bytes, size_t one, size_t size, void *arg)
{
    sink_t *self = arg;

    if (size > self->max - self->bytes.size) {
        self->is_over = true;
        return 0;
    }
    buffer_add(&self->bytes, bytes, size);
    return size;
}

static bool
is_read(const http_request_t *request)
{
    return strcmp(request->method, "GET") == 0;
}

bool
http_has_control(const char *text)
{
    for (; text && *text; text++)
        if ((unsigned char) *text < 0x20 || *text == 0x7f)
            return true;
    return false;
}

// libcurl sends header values as they are: a line end in one would begin another header.
static status_t
check_request(const http_request_t *request, failure_t *why)
{
    const struct {
        const char *name;
        const char *text;
    } rows[] = {
        { "URL", request->url },
        { "token", request->token },
        { "idempotency key", request->key },
        { "ETag", request->etag },
        { "content type", request->content_type },
    };

    for (size_t i = 0; i < ROWS(rows); i++)
        if (http_has_control(rows[i].text))
            return fail(why, BAD_ARGS, "the %s holds a control character; take it out",
                        rows[i].name);
    if (request->timeout_ms <= 0)
        return fail(why, BUSY, "the time was up before the request could be sent");
    return OK;
}

static void
add_header(struct curl_slist **list_p, arena_t *arena, const char *name, const char *value)
{
    if (!value)
        return;
    const size_t name_size = strlen(name), value_size = strlen(value);
    char *line = arena_alloc(arena, name_size + value_size + 1);  // printf takes thrice as long
    memcpy(line, name, name_size);
    memcpy(line + name_size, value, value_size + 1);
    struct curl_slist *longer = curl_slist_append(*list_p, line);
    if (!longer)
        abort();  // out of memory
    *list_p = longer;
}

static struct curl_slist *
make_headers(arena_t *arena, const http_request_t *request)
{
    struct curl_slist *list = NULL;
    const char *type = request->content_type ? request->content_type : "application/json";

    add_header(&list, arena, "Accept-Encoding: ", "identity");
    add_header(&list, arena, "Expect:", request->body ? "" : NULL);
    // libcurl formats each character of a header it has made itself twice.
    add_header(&list, arena, "User-Agent: ", "proofarc/" PROOFARC_VERSION);
    add_header(&list, arena, "Accept:", "");
    add_header(&list, arena, "Authorization: Bearer ", request->token);
    add_header(&list, arena, "Idempotency-Key: ", request->key);
    add_header(&list, arena, "If-None-Match: ", request->etag);
    add_header(&list, arena, "Content-Type: ", request->body ? type : NULL);
    return list;
}

void
http_set_policy(void *easy, int64_t timeout_ms)
{
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    // Who gives up does not wait for a name server: libcurl's thread asks on and ends by itself.
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long) CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long) timeout_ms);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long) timeout_ms);
}

static void
set_request(http_t *self, const http_request_t *request, struct curl_slist *headers,
            sink_t *sink)
{
    CURL *curl = self->curl;

    self->error[0] = '\0';
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, self->error);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
    curl_easy_setopt(curl, CURLOPT_URL, request->url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    if (is_read(request))
        return;
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body ? request->body : "");
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                     (curl_off_t) (request->body ? request->body_size : 0));
    // On a reused connection that dies libcurl sends the request once more, without a word.
    // With a key the platform does it only once all the same.
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, request->key ? 0L : 1L);
    curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, request->key ? 0L : 1L);
}

// A request that was about to be sent counts as sent.
static bool
was_sent(http_t *self)
{
    curl_off_t before_transfer_us = 0;
    long request_size = 0;

    curl_easy_getinfo(self->curl, CURLINFO_PRETRANSFER_TIME_T, &before_transfer_us);
    curl_easy_getinfo(self->curl, CURLINFO_REQUEST_SIZE, &request_size);
    return before_transfer_us > 0 || request_size > 0;
}

// The write has left us: whatever went wrong then, it may have happened.
static status_t
fail_sent(const http_request_t *request, status_t status, const char *what, failure_t *why)
{
    if (!is_read(request))
        return fail(why, UNKNOWN, "the %s was sent, but %s; it may have happened",
                    request->method, what);
    fail(why, status, "%s", what);
    why->outcome = FAILED;
    return status;
}

static status_t
explain(http_t *self, CURLcode code, const http_request_t *request, const sink_t *sink,
        failure_t *why)
{
    const char *said = self->error[0] ? self->error : curl_easy_strerror(code);
    char what[CURL_ERROR_SIZE + 64];

    if (sink->is_over) {
        fail(why, TOO_LARGE, "the platform's answer is larger than %zu bytes", sink->max);
        why->outcome = is_read(request) ? FAILED : UNKNOWN_OUTCOME;
        return why->status;
    }
    if (!was_sent(self)) {
        if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL
            || code == CURLE_LOGIN_DENIED)
            return fail(why, BAD_ARGS, "the platform's address cannot be used: %s", said);
        return fail(why, BUSY, "the platform cannot be reached, nothing was sent: %s", said);
    }
    if (code == CURLE_OPERATION_TIMEDOUT)
        return fail_sent(request, TIMEOUT, "the platform did not answer in time", why);
    snprintf(what, sizeof what, "the platform's answer was lost: %s", said);
    return fail_sent(request, BACKEND, what, why);
}

static const char *
header(http_t *self, arena_t *arena, const char *name)
{
    struct curl_header *found;

    if (curl_easy_header(self->curl, name, 0, CURLH_HEADER, -1, &found) != CURLHE_OK)
        return NULL;
    return arena_strdup(arena, found->value);
}

static void
fill_response(http_t *self, arena_t *arena, const sink_t *sink, http_response_t *response)
{
    *response = (http_response_t){ .size = sink->bytes.size };
    response->body =
        arena_strndup(arena, sink->bytes.bytes ? sink->bytes.bytes : "", sink->bytes.size);
    response->etag = header(self, arena, "ETag");
    response->location = header(self, arena, "Location");
    response->content_type = header(self, arena, "Content-Type");
    curl_easy_getinfo(self->curl, CURLINFO_RESPONSE_CODE, &response->code);
    if (response->code == 429 || response->code == 503)
        response->retry_after = header(self, arena, "Retry-After");
}

status_t
http_send(http_t *self, arena_t *arena, const http_request_t *request,
          http_response_t *response, failure_t *why)
{
    AUTO(list_destroy) struct curl_slist *headers = NULL;
    AUTO(sink_clear)
    sink_t sink = { .max = request->answer_max ? request->answer_max : REST_BODY_MAX };

    if (check_request(request, why) != OK)
        return why->status;
    headers = make_headers(arena, request);
    // Nothing of one request is left for the next but its connection.
    curl_easy_reset(self->curl);
    http_set_policy(self->curl, request->timeout_ms);
    set_request(self, request, headers, &sink);
    CURLcode code = (CURLcode) self->perform(self->arg, self->curl);
    if (code != CURLE_OK)
        return explain(self, code, request, &sink, why);

    const char *encoding = header(self, arena, "Content-Encoding");
    if (encoding && strcasecmp(encoding, "identity") != 0)
        return fail_sent(request, BACKEND, "the platform's answer came compressed, unasked",
                         why);
    fill_response(self, arena, &sink, response);
    return OK;
}

char *
http_escape(arena_t *arena, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    char *escaped = arena_alloc(arena, strlen(text) * 3 + 1);
    char *out = escaped;

    for (; *text; text++) {
        unsigned char c = (unsigned char) *text;
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || strchr("-._~", c)) {
            *out++ = (char) c;
            continue;
        }
        *out++ = '%';
        *out++ = digits[c >> 4];
        *out++ = digits[c & 15];
    }
    *out = '\0';
    return escaped;
}
