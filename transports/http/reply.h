// SPDX-License-Identifier: Apache-2.0
// How HTTP requests are answered: refusals, preflights, headers for web pages, streams of events.

#ifndef PROOFARC_HTTP_REPLY_H
#define PROOFARC_HTTP_REPLY_H

#include "buffer.h"
#include "http/guard.h"
#include "httpd.h"

enum {
    KEEP_ALIVE_MS = 15 * 1000,     // between two signs of life on a stream
    UNREAD_MAX = 4 * 1024 * 1024,  // bytes that a client may leave on its stream
};

// Lets the page read the answer if its origin is let in.
void reply_web_headers(httpd_request_t *http, const guard_rules_t *rules);

// Answers with a JSON-RPC error that has no id.
void reply_refuse(httpd_request_t *http, const guard_rules_t *rules, int code,
                  const char *text);

// The challenge of a 401.
void reply_challenge(httpd_request_t *http, const guard_rules_t *rules, bool was_wrong);

// Appends what a client has to know to get a token. False: there is nothing to know.
bool reply_metadata(buffer_t *out, const httpd_request_t *http, const guard_rules_t *rules);

void reply_preflight(httpd_request_t *http, const guard_rules_t *rules);

// Begins a stream of events.
void reply_stream(httpd_request_t *http);

// One message as an event of it; `id` NULL for none. False: the client does not read, and the
// message is lost.
bool reply_event(httpd_request_t *http, const char *id, const char *bytes, size_t size);

// An event that says nothing but an id, and after how long to come back.
void reply_priming(httpd_request_t *http, const char *id);

// The event that says where to post.
void reply_endpoint(httpd_request_t *http, const char *path);

// Answers with one event alone.
void reply_as_event(httpd_request_t *http, const char *bytes, size_t size);

// A sign of life that no client looks at.
void reply_comment(httpd_request_t *http);

// What the guard looks at.
guard_headers_t reply_headers(const httpd_request_t *http);

#endif
