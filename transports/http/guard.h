// SPDX-License-Identifier: Apache-2.0
// What has to be right about an HTTP request before its body is looked at, in a fixed order:
// size, method, host and origin, token, kind of body and answer, protocol version. (The session
// follows, then the body.) Pure.

#ifndef PROOFARC_HTTP_GUARD_H
#define PROOFARC_HTTP_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "mcp/protocol.h"

// The headers that are looked at; NULL for those that are not there.
typedef struct {
    const char *method;
    const char *query;  // behind '?', "" for none
    const char *host;
    const char *origin;
    const char *authorization;
    const char *content_length;
    const char *transfer_encoding;
    const char *content_type;
    const char *content_encoding;
    const char *accept;
    const char *version;  // MCP-Protocol-Version
    const char *served;   // the methods of this path, separated by blanks
} guard_headers_t;

typedef struct {
    bool is_loopback;  // where we listen: only names of this machine are served
    bool needs_token;
    const char *const *origins;  // that may call besides loopback ones
    size_t origins_count;
    bool is_tls;
    const char
        *issuer;  // who gives tokens, for those who have none; NULL: nothing is said of it
} guard_rules_t;

typedef struct {
    int http;  // 0: nothing is wrong
    const char *text;
} refusal_t;

// Size, method, host, origin and the form of the token: all that needs nobody to be asked.
refusal_t guard_door(const guard_headers_t *headers, const guard_rules_t *rules);

// Host and origin alone, for pages beside /mcp.
refusal_t guard_origin(const guard_headers_t *headers, const guard_rules_t *rules);

// What comes once it is known who calls.
refusal_t guard_form(const guard_headers_t *headers);

// True if a web page may read the answer (its origin is let in).
bool guard_is_web(const guard_headers_t *headers, const guard_rules_t *rules);

typedef enum { ANSWER_JSON, ANSWER_STREAM, ANSWER_NONE } answer_form_t;

// The form of an answer that an Accept header (NULL: anything) lets pass; JSON if it can be.
answer_form_t guard_answer_form(const char *accept);

// True if it names streams itself, so that a stream can be what it gets.
bool guard_takes_events(const char *accept);

// True if HOST or HOST:PORT is a name of this machine alone.
bool guard_is_loopback(const char *host);

#endif
