// SPDX-License-Identifier: Apache-2.0
// The inside of httpd.h, for httpd*.c alone: a server, its connections and their requests.

#ifndef PROOFARC_HTTPD_INSIDE_H
#define PROOFARC_HTTPD_INSIDE_H

#include <microhttpd.h>

#include "arena.h"
#include "buffer.h"
#include "httpd.h"
#include "httpd_address.h"

// What is known of a connection beyond what libmicrohttpd knows.
typedef struct httpd_link httpd_link_t;
struct httpd_link {
    int fd;
    bool is_watched;  // the server is told when the client closes its side
    bool has_left;
    unsigned nudges;           // that are left for it
    httpd_link_t *next_left;   // among those that have left and are still nudged
    httpd_request_t *request;  // the one under way, or NULL
};

typedef struct httpd_header httpd_header_t;
struct httpd_header {
    const char *name;
    const char *value;
    httpd_header_t *next;
};

struct httpd {
    zloop_t *loop;  // NULL while the server ends
    struct MHD_Daemon *daemon;
    int daemon_fd;   // epoll of libmicrohttpd
    int leaving_fd;  // our own: tells which of the suspended clients have left
    int tick;        // timer
    int soon;        // timer for a next turn at once, or -1
    bool is_due;     // something was resumed since libmicrohttpd ran last
    char address[HTTPD_ADDRESS_SIZE];
    char *tls_cert;  // libmicrohttpd reads them from here
    char *tls_key;
    size_t body_max;
    unsigned connections_max;
    unsigned connections;
    const httpd_ops_t *ops;
    void *arg;
    bool is_quiesced;
    bool some_have_left;  // and are to be told about after libmicrohttpd has run
    size_t open;
    arenas_t arenas;         // of requests
    httpd_request_t *first;  // of all requests
    httpd_link_t *left;      // clients that have left a moment ago
};

struct httpd_request {
    httpd_t *server;
    struct MHD_Connection *connection;
    httpd_link_t *link;
    httpd_request_t *previous, *next;
    arena_t *arena;  // made when something is kept in it
    void *data;
    const char *method;

    bool is_begun;  // the headers were shown
    bool is_whole;  // so was the body
    bool is_too_large;
    bool is_suspended;
    bool is_told_left;
    bool is_over;
    buffer_t body;

    httpd_header_t *headers;  // of the answer, last one first
    struct MHD_Response *response;
    int code;
    bool is_stream;
    bool is_ended;  // the stream
    buffer_t out;   // of the stream
    size_t taken;   // bytes of it that libmicrohttpd has taken

    const char *query;
    char path[];  // the whole target as sent, cut at '?'
};

// Lets libmicrohttpd run in the next turn of the loop.
void httpd_run_soon(httpd_t *self);

// Makes the request whose target is `uri`.
httpd_request_t *httpd_request_new(httpd_t *server, struct MHD_Connection *connection,
                                   httpd_link_t *link, const char *uri);
void httpd_request_free(httpd_request_t *self);

// Answers with {"error": {"code", "message"}}.
void httpd_request_refuse(httpd_request_t *self, int code, const char *name,
                          const char *message);

// Stops serving the connection until the answer, or more of it, is there.
void httpd_request_suspend(httpd_request_t *self);
void httpd_request_resume(httpd_request_t *self);

// Has the caller's on_leave called, once, if the client has left a request that waits.
void httpd_request_tell_left(httpd_request_t *self);

#endif
