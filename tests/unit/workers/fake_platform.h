// SPDX-License-Identifier: Apache-2.0
// A platform that answers from a table, writes down what it was asked, and holds requests back
// at a gate until the test opens it. One request at a time, one per connection.

#ifndef PROOFARC_FAKE_PLATFORM_H
#define PROOFARC_FAKE_PLATFORM_H

#include <arpa/inet.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "buffer.h"

// Of equal lines the n-th answers the n-th time, the last one from then on.
typedef struct {
    const char *line;  // "GET /api/things", without the query
    int code;          // 0: reads the request and hangs up
    const char *body;
    bool at_gate;
    const char *retry_after;  // NULL: no such header
} route_t;

enum { ROUTES_MAX = 64, REQUEST_MAX = 64 * 1024 };

typedef struct {
    const route_t *routes;  // ended by a row without a line
    int listener;
    char url[64];
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_open;
    int at_gate;
    bool was_used[ROUTES_MAX];
    buffer_t seen;  // "POST /path?query key=K auth=A {body}\n" of each request
} fake_platform_t;

// The whole request: head, and as much body as it announces.
static size_t
read_request(int fd, char request[REQUEST_MAX])
{
    size_t size = 0;
    size_t wanted = REQUEST_MAX - 1;

    while (size < wanted) {
        ssize_t got = read(fd, request + size, wanted - size);
        if (got <= 0)
            break;
        size += (size_t) got;
        request[size] = 0;
        char *end = strstr(request, "\r\n\r\n");
        if (!end)
            continue;
        char *length = strcasestr(request, "\r\nContent-Length:");
        wanted = (size_t) (end + 4 - request)
                 + (length && length < end ? strtoul(length + 17, NULL, 10) : 0);
    }
    request[size] = 0;
    return size;
}

static void
copy_header(const char *request, const char *name, char *value, size_t size)
{
    const char *found = strcasestr(request, name);

    *value = 0;
    if (!found)
        return;
    found += strlen(name);
    size_t length = strcspn(found, "\r\n");
    snprintf(value, size, "%.*s", (int) length, found);
}

static const route_t *
find_route(fake_platform_t *self, const char *line)
{
    const route_t *last = NULL;

    for (size_t i = 0; self->routes[i].line; i++) {
        if (strcmp(self->routes[i].line, line))
            continue;
        last = &self->routes[i];
        if (!self->was_used[i]) {
            self->was_used[i] = true;
            break;
        }
    }
    return last;
}

static const route_t *
note_request(fake_platform_t *self, char *request)
{
    char line[512], key[256], token[256];
    const char *body = strstr(request, "\r\n\r\n");

    copy_header(request, "\r\nIdempotency-Key: ", key, sizeof key);
    copy_header(request, "\r\nAuthorization: ", token, sizeof token);
    snprintf(line, sizeof line, "%.*s", (int) strcspn(request, "\r\n"), request);
    *strrchr(line, ' ') = 0;  // the protocol
    buffer_printf(&self->seen, "%s key=%s auth=%s %s\n", line, key, token,
                  body ? body + 4 : "");
    line[strcspn(line, "?")] = 0;
    const route_t *route = find_route(self, line);
    if (route && route->at_gate) {
        self->at_gate++;
        pthread_cond_broadcast(&self->changed);
        while (!self->is_open)
            pthread_cond_wait(&self->changed, &self->lock);
    }
    return route;
}

static void
serve(fake_platform_t *self, int fd)
{
    static char request[REQUEST_MAX];
    static const route_t none = { "", 404,
                                  "{\"error\":{\"code\":\"NOT_FOUND\","
                                  "\"message\":\"no such route\"}}" };
    static char head[256];

    if (!read_request(fd, request))
        return;
    pthread_mutex_lock(&self->lock);
    const route_t *route = note_request(self, request);
    pthread_mutex_unlock(&self->lock);
    if (!route)
        route = &none;
    if (!route->code)
        return;
    snprintf(head, sizeof head,
             "HTTP/1.1 %d Fine\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
             "%s%s%sConnection: close\r\n\r\n",
             route->code, strlen(route->body), route->retry_after ? "Retry-After: " : "",
             route->retry_after ? route->retry_after : "", route->retry_after ? "\r\n" : "");
    ssize_t sent = send(fd, head, strlen(head), MSG_NOSIGNAL);
    for (size_t at = 0; sent > 0 && at < strlen(route->body); at += (size_t) sent)
        sent = send(fd, route->body + at, strlen(route->body) - at, MSG_NOSIGNAL);
}

static void *
run_platform(void *arg)
{
    fake_platform_t *self = arg;
    int fd;

    while ((fd = accept(self->listener, NULL, NULL)) >= 0) {
        serve(self, fd);
        close(fd);
    }
    return NULL;
}

static void
fake_platform_start(fake_platform_t *self, const route_t *routes)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t size = sizeof address;

    *self = (fake_platform_t){ .routes = routes };
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    self->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(self->listener, (struct sockaddr *) &address, size) || listen(self->listener, 64)
        || getsockname(self->listener, (struct sockaddr *) &address, &size))
        abort();
    snprintf(self->url, sizeof self->url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    pthread_create(&self->thread, NULL, run_platform, self);
}

static void
fake_platform_stop(fake_platform_t *self)
{
    shutdown(self->listener, SHUT_RDWR);
    pthread_join(self->thread, NULL);
    close(self->listener);
    buffer_clear(&self->seen);
}

// Forgets what was asked, closes the gate.
static void
fake_platform_reset(fake_platform_t *self)
{
    pthread_mutex_lock(&self->lock);
    buffer_clear(&self->seen);
    memset(self->was_used, 0, sizeof self->was_used);
    self->is_open = false;
    self->at_gate = 0;
    pthread_mutex_unlock(&self->lock);
}

// How often `text` stands in what was asked.
static inline int
fake_platform_count(fake_platform_t *self, const char *text)
{
    int count = 0;

    pthread_mutex_lock(&self->lock);
    for (const char *at = self->seen.bytes; at && (at = strstr(at, text)); at++)
        count++;
    pthread_mutex_unlock(&self->lock);
    return count;
}

static inline void
fake_platform_wait_at_gate(fake_platform_t *self)
{
    pthread_mutex_lock(&self->lock);
    while (!self->at_gate)
        pthread_cond_wait(&self->changed, &self->lock);
    pthread_mutex_unlock(&self->lock);
}

static inline void
fake_platform_open_gate(fake_platform_t *self)
{
    pthread_mutex_lock(&self->lock);
    self->is_open = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

#endif
