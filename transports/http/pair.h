// SPDX-License-Identifier: Apache-2.0
// The transport of protocol 2024-11-05: a stream at /sse that says where to post, and posts at
// /messages that are answered on the stream. A session of it lives in this process, as long as its
// stream.

#ifndef PROOFARC_HTTP_PAIR_H
#define PROOFARC_HTTP_PAIR_H

#include "httpd.h"
#include "mcp/service.h"

typedef struct pairs pairs_t;
typedef struct pair pair_t;

enum { PAIRS_MAX = 8 * 1024, PAIR_OPEN_MAX = 256 };

pairs_t *pairs_new(service_t *service);

// All streams are gone by now.
void pairs_destroy(pairs_t **self_p);

// Begins a stream for this caller (all copied; NULL: the process's own user). NULL: there are
// PAIRS_MAX.
pair_t *pairs_begin(pairs_t *self, httpd_request_t *http, const char *principal,
                    const char *token, const view_t *view);

// The stream is over: what was asked and is not answered goes on without it.
void pairs_end(pairs_t *self, pair_t **pair_p);

// The pair of that id, if it is this principal's; else NULL.
pair_t *pairs_find(const pairs_t *self, const char *id, const char *principal);

// Serves what was posted. False: too much is open.
bool pair_post(pair_t *self, const char *token, const char *bytes, size_t size);

#endif
