// SPDX-License-Identifier: Apache-2.0
// One HTTP request to a system under test and its answer, through the guard: redirects are
// followed by us, each hop is judged anew, credentials do not cross to another origin. Cookies
// live as long as the exchange object (RFC 6265, by libcurl).

#ifndef PROOFARC_EXCHANGE_H
#define PROOFARC_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "json.h"
#include "mask.h"

typedef struct exchange exchange_t;

// `cancelled` is watched while a request is under way; may be NULL.
exchange_t *exchange_new(bool allow_private, const atomic_bool *cancelled);
void exchange_destroy(exchange_t **self_p);

typedef struct {
    const char *method;
    const char *url;
    const json_t *headers;  // array of [name, value], or NULL
    const char *body;       // NULL: none
    size_t body_size;
    int64_t timeout_ms;     // for all of it, redirects included; more than 0
    bool follow_redirects;  // up to REDIRECTS_MAX
    size_t answer_max;      // bytes of the body that are kept
    const mask_t *mask;     // headers that hold a secret of it are credentials; or NULL
} exchange_request_t;

typedef struct {
    long status;          // 0: nothing came
    const char *version;  // "HTTP/1.1"
    json_t *headers;      // array of [name, value] as they came, of the last hop
    const char *body;     // ends with NUL, never NULL once there is a status
    size_t size;
    bool is_truncated;  // there was more than answer_max
    const char *final_url;
    json_t *hops;  // array of URLs that were redirected from
    int64_t dns_us, connect_us, tls_us, first_byte_us, total_us;
} exchange_answer_t;

// OK: an HTTP answer of any status is in *answer. Otherwise `why` says what happened: DENIED
// (the guard, a forbidden scheme), TIMEOUT, BACKEND (no connection, broken answer, redirect
// loop), CANCELLED, BAD_ARGS (a header with a line break, a malformed URL); what came of the
// answer until then is in *answer, whose status is 0 if nothing did.
status_t exchange_send(exchange_t *self, arena_t *arena, const exchange_request_t *request,
                       exchange_answer_t *answer, failure_t *why);

// First value of a header, without regard to case; NULL if there is none.
const char *exchange_header(const json_t *headers, const char *name);

// Values of all cookies it holds, as an array of strings: they are secrets of the run.
json_t *exchange_cookies(exchange_t *self, arena_t *arena);

#endif
