// SPDX-License-Identifier: Apache-2.0
// A server of every manner of answering, and clients that play scripts against it, for
// test_httpd*.c.

#ifndef TEST_HTTPD_PLAY_H
#define TEST_HTTPD_PLAY_H

#include <arpa/inet.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "auto.h"
#include "buffer.h"
#include "httpd.h"

#include <cmocka.h>  // last: it defines fail()

enum { FLOOD_BLOCK = 64 * 1024, FLOOD_BLOCKS = 128 };  // more than the sockets hold
enum { BODY_MAX = 1000, KEPT_MAX = 512 };

// An application of every manner of answering, by path, and what it was told.
typedef struct {
    zloop_t *loop;
    httpd_t *server;
    zmq_pollitem_t done;  // readable when the client has ended
    bool client_is_done;
    unsigned connections_max;  // 0: plenty
    unsigned idle_s;           // 0: enough
    const char *tls_cert;
    const char *tls_key;
    int wait_ended;     // requests that must be over before the loop may stop
    int wait_requests;  // and that must have come
    httpd_request_t *kept[KEPT_MAX];
    int requests;
    int left;
    int ended;
    size_t pending_most;
    buffer_t seen;  // what the last request was, as text
} app_t;

static inline void
describe(app_t *self, httpd_request_t *request)
{
    const char *name = httpd_argument(request, "name");
    const char *odd = httpd_header(request, "x-odd");

    buffer_clear(&self->seen);
    buffer_printf(&self->seen, "%s|%s|%s|%s|%s|%s|%s", httpd_method(request),
                  httpd_path(request), httpd_query(request), name ? name : "-", odd ? odd : "-",
                  httpd_body(request), httpd_peer(request));
}

static inline void
on_headers(httpd_request_t *request, void *arg)
{
    if (strcmp(httpd_path(request), "/forbidden") == 0)
        httpd_answer(request, 403, "text/plain", "no", 2);
}

static inline void
keep(app_t *self, httpd_request_t *request)
{
    size_t slot = 0;

    while (self->kept[slot])
        slot++;
    assert_true(slot < KEPT_MAX);
    self->kept[slot] = request;
}

static inline void
on_request(httpd_request_t *request, void *arg)
{
    app_t *self = arg;
    const char *path = httpd_path(request);

    self->requests++;
    httpd_set_data(request, self);
    if (strcmp(path, "/later") == 0 || strcmp(path, "/never") == 0) {
        keep(self, request);
    } else if (strcmp(path, "/stream") == 0) {
        httpd_stream(request, 200, "text/event-stream");
        httpd_stream_write(request, "first,", 6);
        keep(self, request);
    } else if (strcmp(path, "/flood") == 0) {
        char block[FLOOD_BLOCK];
        memset(block, 'f', sizeof block);
        httpd_stream(request, 200, "text/plain");
        for (int i = 0; i < FLOOD_BLOCKS; i++)
            httpd_stream_write(request, block, sizeof block);
        self->pending_most = httpd_pending(request);
        keep(self, request);
    } else if (strcmp(path, "/big") == 0) {
        buffer_t big = { 0 };
        for (int i = 0; i < 100000; i++)
            buffer_text(&big, "0123456789");
        httpd_answer(request, 200, "text/plain", big.bytes, big.size);
        buffer_clear(&big);
    } else if (strcmp(path, "/quiesce") == 0) {
        httpd_quiesce(self->server);
        httpd_answer(request, 200, NULL, "", 0);
    } else {
        describe(self, request);
        httpd_add_header(request, "X-Answer", "yes");
        buffer_t body = { 0 }, late = { 0 };
        buffer_add(&body, self->seen.bytes, self->seen.size);
        buffer_text(&late, "late");
        httpd_answer_taking(request, 200, "text/plain", &body);
        httpd_answer_taking(request, 500, "text/plain", &late);  // only the first one counts
        httpd_answer(request, 500, "text/plain", "late", 4);
        assert_true(!body.bytes && !late.bytes);
    }
}

static inline void
on_leave(httpd_request_t *request, void *arg)
{
    app_t *self = arg;

    self->left++;
    if (strcmp(httpd_path(request), "/stream") == 0)
        httpd_stream_end(request);
    else
        httpd_answer(request, 499, NULL, "", 0);
}

static inline void
on_end(httpd_request_t *request, void *arg)
{
    app_t *self = arg;

    self->ended++;
    for (size_t i = 0; i < KEPT_MAX; i++)
        if (self->kept[i] == request)
            self->kept[i] = NULL;
    httpd_answer(request, 200, NULL, "", 0);  // too late, and harmless
}

static const httpd_ops_t ops = { on_headers, on_request, on_leave, on_end };

// Answers what was kept for later.
static inline int
on_timer(zloop_t *loop, int timer, void *arg)
{
    app_t *self = arg;

    for (size_t i = 0; i < KEPT_MAX; i++) {
        httpd_request_t *request = self->kept[i];
        if (!request)
            continue;
        assert_ptr_equal(httpd_data(request), self);
        if (strcmp(httpd_path(request), "/flood") == 0
            && httpd_pending(request) < self->pending_most) {
            httpd_stream_write(request, "end", 3);  // while much of it still waits
            httpd_stream_end(request);
            self->kept[i] = NULL;
        } else if (strcmp(httpd_path(request), "/later") == 0) {
            httpd_answer(request, 200, "text/plain", "later", 5);
            self->kept[i] = NULL;
        } else if (strcmp(httpd_path(request), "/stream") == 0 && httpd_pending(request) == 0) {
            httpd_stream_write(request, "second,", 7);
            httpd_stream_write(request, "third", 5);
            if (strcmp(httpd_query(request), "endless") != 0) {
                httpd_stream_end(request);
                self->kept[i] = NULL;
            }
        }
    }
    bool is_over = self->client_is_done && self->ended >= self->wait_ended
                   && self->requests >= self->wait_requests;
    return is_over ? -1 : 0;
}

static inline int
on_done(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    app_t *self = arg;
    uint64_t count;

    (void) !read(item->fd, &count, sizeof count);
    self->client_is_done = true;
    return 0;
}

static inline exit_code_t
app_try_start(app_t *self, failure_t *why)
{
    const httpd_options_t options = {
        .listen = "127.0.0.1:0",
        .body_max = BODY_MAX,
        .idle_s = self->idle_s ? self->idle_s : 10,
        .connections_max = self->connections_max ? self->connections_max : 1000,
        .tls_cert = self->tls_cert,
        .tls_key = self->tls_key,
    };

    self->loop = zloop_new();
    zloop_set_nonstop(self->loop, true);
    self->done = (zmq_pollitem_t){ .fd = eventfd(0, 0), .events = ZMQ_POLLIN };
    zloop_poller(self->loop, &self->done, on_done, self);
    zloop_timer(self->loop, 5, 0, on_timer, self);
    return httpd_new(self->loop, &options, &ops, self, &self->server, why);
}

static inline void
app_start(app_t *self)
{
    failure_t why;

    assert_int_equal(app_try_start(self, &why), EXIT_DONE);
}

// What a client does, in its own thread; it leaves what it heard in `heard`.
typedef struct script script_t;
struct script {
    int port;
    int done_fd;
    buffer_t heard;
    const char *say;
    size_t size;  // of a body or header
    int fds[3];   // left open
    void (*act)(script_t *self);
};

static inline int
dial(const script_t *self)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(self->port) };
    struct timeval guard = { .tv_sec = 10 };
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &guard, sizeof guard);
    if (connect(fd, (struct sockaddr *) &address, sizeof address) != 0)
        buffer_text(&((script_t *) self)->heard, "REFUSED");
    return fd;
}

static inline void
say(int fd, const char *text)
{
    (void) !send(fd, text, strlen(text), MSG_NOSIGNAL);
}

// Listens until `until` was heard behind what was heard before, or the server has closed.
static inline void
hear(script_t *self, int fd, const char *until)
{
    size_t from = self->heard.size;
    char bytes[4096];
    ssize_t size;

    while (!until || !self->heard.bytes || !strstr(self->heard.bytes + from, until)) {
        size = recv(fd, bytes, sizeof bytes, 0);
        if (size <= 0)
            break;
        buffer_add(&self->heard, bytes, (size_t) size);
    }
}

static inline void
say_and_hear(script_t *self)
{
    int fd = dial(self);

    say(fd, self->say);
    hear(self, fd, NULL);
    close(fd);
}

static inline void *
script_thread(void *arg)
{
    script_t *self = arg;
    uint64_t one = 1;

    self->act(self);
    (void) !write(self->done_fd, &one, sizeof one);
    return NULL;
}

// Plays the script against a server that runs until the script has ended.
static inline void
play(app_t *app, script_t *script)
{
    pthread_t thread;

    app->client_is_done = false;
    script->port = (int) strtol(strrchr(httpd_address(app->server), ':') + 1, NULL, 10);
    script->done_fd = app->done.fd;
    if (!script->act)
        script->act = say_and_hear;
    pthread_create(&thread, NULL, script_thread, script);
    zloop_start(app->loop);
    pthread_join(thread, NULL);
}

static inline void
app_stop(app_t *self)
{
    if (!self->loop)
        return;
    httpd_destroy(&self->server);
    zloop_destroy(&self->loop);
    close(self->done.fd);
    buffer_clear(&self->seen);
    self->loop = NULL;
}

#define HOST  "Host: x\r\n"
#define CLOSE "Connection: close\r\n"

#endif
