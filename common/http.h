// SPDX-License-Identifier: Apache-2.0
// HTTP client towards our platform (libcurl). One handle per slot or call, reused; no proxy, no
// redirects, http and https only, TLS 1.2 at least. Never follows what a document says:
// traffic to systems under test is the agents' own.

#ifndef PROOFARC_HTTP_H
#define PROOFARC_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "status.h"

typedef struct http http_t;

http_t *http_new(void);
void http_destroy(http_t **self_p);

// What holds for every request to a platform, for a CURL handle that somebody else performs.
void http_set_policy(void *easy, int64_t timeout_ms);

// True for a text (NULL: none) that must not stand in a header: a line end would begin another one.
bool http_has_control(const char *text);

// Has requests performed by `perform` instead of curl_easy_perform(), which blocks: `easy` is a
// CURL handle that is ready to go, and the result its CURLcode.
typedef int http_perform_fn(void *arg, void *easy);
void http_perform_by(http_t *self, http_perform_fn *perform, void *arg);

typedef struct {
    const char *method;  // GET, POST, PUT, PATCH or DELETE
    const char *url;
    const char *token;         // bearer, or NULL
    const char *key;           // Idempotency-Key, or NULL
    const char *etag;          // If-None-Match, or NULL
    const char *content_type;  // of the body; NULL: application/json
    const void *body;          // NULL for none
    size_t body_size;
    int64_t timeout_ms;  // for all of it
    size_t answer_max;   // bytes of the answer's body; 0: REST_BODY_MAX
} http_request_t;

typedef struct {
    long code;         // HTTP status
    const char *body;  // in the arena, ends with NUL, never NULL
    size_t size;
    const char *etag;          // or NULL
    const char *location;      // or NULL
    const char *content_type;  // or NULL
    const char *retry_after;   // of a 429 or 503, as it was sent; or NULL
} http_response_t;

// Sends and waits. OK means an HTTP answer of any code is in *response. Otherwise:
// BUSY (outcome not_sent): no connection was made, repeating is safe;
// UNKNOWN: a request that is no GET left us and its answer is lost;
// BACKEND or TIMEOUT (outcome failed): a GET went wrong;
// TOO_LARGE: the answer is over answer_max; BAD_ARGS: the request cannot be sent as it is
// (control characters in the URL, token or key).
// A write without a key uses a fresh connection, because libcurl would silently repeat it when
// a reused one dies.
status_t http_send(http_t *self, arena_t *arena, const http_request_t *request,
                   http_response_t *response, failure_t *why);

// Appends `text` percent-encoded (all but RFC 3986 unreserved).
char *http_escape(arena_t *arena, const char *text);

#endif
