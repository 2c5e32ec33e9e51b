// SPDX-License-Identifier: Apache-2.0
// A platform of one thread: it counts what it is asked, and answers what the test says, when the
// test says so. One request per connection.

#ifndef PROOFARC_TEST_FAKE_PLATFORM_H
#define PROOFARC_TEST_FAKE_PLATFORM_H

#include <arpa/inet.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kinds.h"

typedef enum {
    FAKE_LISTS,      // what is in `lists`
    FAKE_HTML,       // 200 and a page
    FAKE_TRUNCATED,  // the connection breaks in the middle
    FAKE_ERROR,      // 500
    FAKE_REFUSED,    // 401
} fake_mode_t;

typedef struct {
    int listener;
    int port;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    fake_mode_t mode;
    bool is_held;  // answers wait until it is false
    bool is_over;
    int waiting;  // requests that are held
    const char *lists[KIND_COUNT];
    int gets[KIND_COUNT];
    int strange;  // requests that were not as expected
    char token[64];
} fake_t;

static inline kind_t
fake_kind_of(const char *request, const char *token)
{
    char expected[256];

    for (kind_t kind = 0; kind < KIND_COUNT; kind++) {
        snprintf(expected, sizeof expected, "GET %s?view=names HTTP/1.1\r\n",
                 kinds_row(kind)->path);
        if (!strncmp(request, expected, strlen(expected))) {
            snprintf(expected, sizeof expected, "Authorization: Bearer %s\r\n", token);
            return strstr(request, expected) ? kind : KIND_COUNT;
        }
    }
    return KIND_COUNT;
}

static inline void
fake_send(int connection, int code, const char *type, const char *body, size_t missing)
{
    char head[256];

    snprintf(head, sizeof head,
             "HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %zu\r\nETag: \"1\"\r\n"
             "Connection: close\r\n\r\n",
             code, type, strlen(body) + missing);
    if (write(connection, head, strlen(head)) < 0 || write(connection, body, strlen(body)) < 0)
        return;  // the client has gone
}

static inline void
fake_answer(fake_t *self, int connection, kind_t kind)
{
    const char *list = kind < KIND_COUNT && self->lists[kind] ? self->lists[kind] : "{}";

    switch (self->mode) {
    case FAKE_LISTS:
        fake_send(connection, 200, "application/json", list, 0);
        break;
    case FAKE_HTML:
        fake_send(connection, 200, "text/html", "<html>Sign in</html>", 0);
        break;
    case FAKE_TRUNCATED:
        fake_send(connection, 200, "application/json", list, 10);
        break;
    case FAKE_ERROR:
        fake_send(connection, 500, "application/json", "{\"error\":{}}", 0);
        break;
    case FAKE_REFUSED:
        fake_send(connection, 401, "application/json", "{\"error\":{}}", 0);
        break;
    }
}

static inline void
fake_serve(fake_t *self, int connection)
{
    char request[16384] = "";
    size_t size = 0;

    while (size < sizeof request - 1 && !strstr(request, "\r\n\r\n")) {
        ssize_t got = read(connection, request + size, sizeof request - 1 - size);
        if (got <= 0)
            return;
        size += (size_t) got;
        request[size] = '\0';
    }
    pthread_mutex_lock(&self->lock);
    kind_t kind = fake_kind_of(request, self->token);
    if (kind < KIND_COUNT)
        self->gets[kind]++;
    else
        self->strange++;
    self->waiting++;
    pthread_cond_broadcast(&self->changed);
    while (self->is_held && !self->is_over)
        pthread_cond_wait(&self->changed, &self->lock);
    self->waiting--;
    fake_answer(self, connection, kind);
    pthread_mutex_unlock(&self->lock);
}

static inline void *
fake_run(void *arg)
{
    fake_t *self = arg;
    int connection;

    while ((connection = accept(self->listener, NULL, NULL)) >= 0) {
        fake_serve(self, connection);
        close(connection);
    }
    return NULL;
}

// Takes a port, so that it is known before the thread runs.
static inline void
fake_listen(fake_t *self)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t size = sizeof address;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    self->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(self->listener >= 0);
    assert_int_equal(bind(self->listener, (struct sockaddr *) &address, size), 0);
    assert_int_equal(listen(self->listener, 64), 0);
    assert_int_equal(getsockname(self->listener, (struct sockaddr *) &address, &size), 0);
    self->port = ntohs(address.sin_port);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
}

static inline void
fake_start(fake_t *self)
{
    assert_int_equal(pthread_create(&self->thread, NULL, fake_run, self), 0);
}

static inline void
fake_set(fake_t *self, fake_mode_t mode, bool is_held)
{
    pthread_mutex_lock(&self->lock);
    self->mode = mode;
    self->is_held = is_held;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

static inline void
fake_set_list(fake_t *self, kind_t kind, const char *list)
{
    pthread_mutex_lock(&self->lock);
    self->lists[kind] = list;
    pthread_mutex_unlock(&self->lock);
}

static inline void
fake_await_request(fake_t *self)
{
    pthread_mutex_lock(&self->lock);
    while (!self->waiting)
        pthread_cond_wait(&self->changed, &self->lock);
    pthread_mutex_unlock(&self->lock);
}

static inline int
fake_gets(fake_t *self, kind_t kind)
{
    pthread_mutex_lock(&self->lock);
    int gets = self->gets[kind];
    pthread_mutex_unlock(&self->lock);
    return gets;
}

static inline void
fake_stop(fake_t *self)
{
    pthread_mutex_lock(&self->lock);
    self->is_over = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    shutdown(self->listener, SHUT_RDWR);
    pthread_join(self->thread, NULL);
    close(self->listener);
}

#endif
