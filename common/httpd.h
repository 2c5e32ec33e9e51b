// SPDX-License-Identifier: Apache-2.0
// HTTP server in a zloop (libmicrohttpd on external epoll): no thread, no lock. A request is
// answered at once or kept and answered later, whole or as a stream.

#ifndef PROOFARC_HTTPD_H
#define PROOFARC_HTTPD_H

#include <czmq.h>
#include <stdbool.h>
#include <stddef.h>

#include "buffer.h"
#include "exits.h"
#include "status.h"

typedef struct httpd httpd_t;
typedef struct httpd_request httpd_request_t;

typedef struct {
    const char *listen;  // "127.0.0.1:8808", "[::1]:0"; port 0 takes a free one
    size_t body_max;     // bytes; over it 413 before the body is read
    unsigned idle_s;     // seconds without traffic until a connection is closed
    unsigned connections_max;
    const char *tls_cert;  // PEM files, or NULL
    const char *tls_key;
} httpd_options_t;

typedef struct {
    // All headers are here, the body is not. May answer (refuse) already. May be NULL.
    void (*on_headers)(httpd_request_t *request, void *arg);
    // The whole request is here. Answers now, or later: the request stays valid until on_end.
    void (*on_request)(httpd_request_t *request, void *arg);
    // The client closed its side while the answer is pending or streaming. The request is
    // still to be answered or ended. May be NULL.
    void (*on_leave)(httpd_request_t *request, void *arg);
    // The request is over, in whatever way; last call for it, exactly one. May be NULL.
    void (*on_end)(httpd_request_t *request, void *arg);
} httpd_ops_t;

// Binds and serves from `loop`. EXIT_DONE and *self_p, or the exit code and `why`.
exit_code_t httpd_new(zloop_t *loop, const httpd_options_t *options, const httpd_ops_t *ops,
                      void *arg, httpd_t **self_p, failure_t *why);

// Stops accepting; what is under way goes on. Then httpd_destroy() ends the rest.
void httpd_quiesce(httpd_t *self);
void httpd_destroy(httpd_t **self_p);

// "127.0.0.1:41234": where it really listens.
const char *httpd_address(const httpd_t *self);
size_t httpd_open_requests(const httpd_t *self);

// What was asked. All live until on_end; header names are looked up without case.
const char *httpd_method(const httpd_request_t *request);
const char *httpd_path(const httpd_request_t *request);   // as sent, without query, not decoded
const char *httpd_query(const httpd_request_t *request);  // behind '?', not decoded, or ""
const char *httpd_argument(const httpd_request_t *request,
                           const char *name);                                // decoded, or NULL
const char *httpd_header(const httpd_request_t *request, const char *name);  // or NULL
const char *httpd_peer(const httpd_request_t *request);  // address of the client
const char *httpd_body(const httpd_request_t *request);  // ends with NUL, never NULL
size_t httpd_body_size(const httpd_request_t *request);

// A pointer of the caller's.
void httpd_set_data(httpd_request_t *request, void *data);
void *httpd_data(const httpd_request_t *request);

// Adds a header to the answer; before httpd_answer() or httpd_stream().
void httpd_add_header(httpd_request_t *request, const char *name, const char *value);

// Answers as a whole; copies `bytes`. Only the first answer of a request counts.
void httpd_answer(httpd_request_t *request, int code, const char *content_type,
                  const void *bytes, size_t size);

// The same without a copy: takes the bytes over and leaves an empty buffer.
void httpd_answer_taking(httpd_request_t *request, int code, const char *content_type,
                         buffer_t *body);

// Starts a stream with this code. Then any number of writes, then the end. httpd_pending()
// says how many bytes the client has not taken yet.
void httpd_stream(httpd_request_t *request, int code, const char *content_type);
void httpd_stream_write(httpd_request_t *request, const void *bytes, size_t size);
void httpd_stream_end(httpd_request_t *request);
size_t httpd_pending(const httpd_request_t *request);

#endif
