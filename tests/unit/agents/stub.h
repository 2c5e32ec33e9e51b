// SPDX-License-Identifier: Apache-2.0
// A system under test that plays raw answers from a table, byte for byte, and writes down what
// it was asked. A connection has a thread of its own and takes one request after the other.

#ifndef PROOFARC_STUB_H
#define PROOFARC_STUB_H

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "auto.h"
#include "buffer.h"

enum { STUB_ROWS_MAX = 64, STUB_CONNECTIONS_MAX = 512, STUB_REQUEST_MAX = 256 * 1024 };

// clang-format off
typedef enum {
    STUB_KEEP  = 0,  // the connection stays open
    STUB_CLOSE = 1,  // it is closed behind the answer
    STUB_SLOW  = 2,  // sent in pieces of one byte
    STUB_HANG  = 4,  // nothing more is sent until the client leaves
} stub_manner_t;
// clang-format on

// Of rows with the same line the n-th answers the n-th time, the last one from then on.
typedef struct {
    const char *line;    // "GET /things", without the query
    const char *answer;  // status line and all; {PORT} and {OTHER} are filled in
    size_t size;         // 0: answer is text
    stub_manner_t manner;
} stub_row_t;

typedef struct stub stub_t;
struct stub {
    const stub_row_t *rows;  // ended by a row without a line
    int other_port;          // of another stub, for {OTHER}
    int listener;
    int port;
    char url[64];
    pthread_t thread;
    pthread_mutex_t lock;
    bool was_used[STUB_ROWS_MAX];
    pthread_t threads[STUB_CONNECTIONS_MAX];
    int fds[STUB_CONNECTIONS_MAX];
    int connections;
    atomic_int requests;
    buffer_t
        seen;  // every request as it came, "=== N ===" (number of the connection) before it
};

typedef struct {
    stub_t *stub;
    int number;
} stub_connection_t;

// The row that answers; used up if there is another one behind it.
static inline const stub_row_t *
stub_find(stub_t *self, const char *request)
{
    size_t method = strcspn(request, " ");
    size_t length = method + 1 + strcspn(request + method + 1, " ?");
    const stub_row_t *found = NULL;

    for (int i = 0; self->rows[i].line; i++) {
        if (strlen(self->rows[i].line) != length || memcmp(self->rows[i].line, request, length))
            continue;
        found = &self->rows[i];
        if (!self->was_used[i])
            break;
    }
    if (found)
        self->was_used[found - self->rows] = true;
    return found;
}

static inline bool
stub_read_head(int fd, buffer_t *request)
{
    char byte[1];

    for (;;) {
        if (request->size >= STUB_REQUEST_MAX || read(fd, byte, 1) != 1)
            return false;
        buffer_add(request, byte, 1);
        if (request->size >= 4 && !memcmp(request->bytes + request->size - 4, "\r\n\r\n", 4))
            return true;
    }
}

// As far as the head announces it.
static inline void
stub_read_body(int fd, buffer_t *request)
{
    const char *length = strcasestr(request->bytes, "\r\nContent-Length:");
    size_t left = length ? strtoul(length + 17, NULL, 10) : 0;
    char byte[1];

    for (; left && read(fd, byte, 1) == 1; left--)
        buffer_add(request, byte, 1);
}

static inline void
stub_send(int fd, const char *bytes, size_t size, size_t piece)
{
    while (size) {
        ssize_t sent = send(fd, bytes, size < piece ? size : piece, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        bytes += sent;
        size -= (size_t) sent;
    }
}

static inline void
stub_fill(const stub_t *self, const stub_row_t *row, buffer_t *out)
{
    size_t size = row->size ? row->size : strlen(row->answer);

    for (size_t i = 0; i < size; i++) {
        const char *rest = row->answer + i;
        if (!row->size && !strncmp(rest, "{PORT}", 6)) {
            buffer_printf(out, "%d", self->port);
            i += 5;
        } else if (!row->size && !strncmp(rest, "{OTHER}", 7)) {
            buffer_printf(out, "%d", self->other_port);
            i += 6;
        } else {
            buffer_char(out, *rest);
        }
    }
}

static inline void
stub_hang(int fd)
{
    struct pollfd item = { .fd = fd, .events = POLLRDHUP };

    poll(&item, 1, 30 * 1000);
}

// Writes the request down and says how it is answered.
static inline const stub_row_t *
stub_take(stub_t *self, const buffer_t *request, int number, buffer_t *answer)
{
    static const stub_row_t missing = { "",
                                        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
                                        0, STUB_KEEP };

    pthread_mutex_lock(&self->lock);
    const stub_row_t *row = stub_find(self, request->bytes);
    if (!row)
        row = &missing;
    stub_fill(self, row, answer);
    buffer_printf(&self->seen, "=== %d ===\n%s\n", number, request->bytes);
    pthread_mutex_unlock(&self->lock);
    return row;
}

// Answers one request. False when the connection is over.
static inline bool
stub_serve(stub_t *self, int fd, int number)
{
    AUTO(buffer_clear) buffer_t request = { 0 };
    AUTO(buffer_clear) buffer_t answer = { 0 };

    if (!stub_read_head(fd, &request))
        return false;
    stub_read_body(fd, &request);
    const stub_row_t *row = stub_take(self, &request, number, &answer);
    atomic_fetch_add(&self->requests, 1);
    stub_send(fd, answer.bytes ? answer.bytes : "", answer.size,
              row->manner & STUB_SLOW ? 1 : answer.size);
    if (row->manner & STUB_HANG)
        stub_hang(fd);
    return !(row->manner & (STUB_CLOSE | STUB_HANG))
           && !(answer.bytes && strstr(answer.bytes, "\r\nConnection: close\r\n"));
}

static inline void *
stub_connection(void *arg)
{
    stub_connection_t *connection = arg;
    stub_t *self = connection->stub;
    int number = connection->number, fd = self->fds[number];

    free(connection);
    while (stub_serve(self, fd, number))
        ;
    shutdown(fd, SHUT_RDWR);
    return NULL;
}

static inline void *
stub_accept(void *arg)
{
    stub_t *self = arg;

    for (;;) {
        int fd = accept(self->listener, NULL, NULL);
        if (fd < 0)
            return NULL;
        if (self->connections == STUB_CONNECTIONS_MAX)
            abort();
        stub_connection_t *connection = malloc(sizeof *connection);
        if (!connection)
            abort();
        *connection = (stub_connection_t){ self, self->connections };
        self->fds[self->connections] = fd;
        if (pthread_create(&self->threads[self->connections], NULL, stub_connection,
                           connection))
            abort();
        self->connections++;
    }
}

// Listens on a free port of 127.0.0.1, or of ::1.
static inline void
stub_start_at(stub_t *self, const stub_row_t *rows, bool is_six)
{
    struct sockaddr_in six_less = { .sin_family = AF_INET,
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    struct sockaddr *address = is_six ? (void *) &six : (void *) &six_less;
    socklen_t size = is_six ? sizeof six : sizeof six_less;

    *self = (stub_t){ .rows = rows };
    pthread_mutex_init(&self->lock, NULL);
    self->listener = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(self->listener, address, size) || listen(self->listener, 64)
        || getsockname(self->listener, address, &size))
        abort();
    self->port = ntohs(is_six ? six.sin6_port : six_less.sin_port);
    snprintf(self->url, sizeof self->url, "http://%s:%d", is_six ? "[::1]" : "127.0.0.1",
             self->port);
    if (pthread_create(&self->thread, NULL, stub_accept, self))
        abort();
}

static inline void
stub_start(stub_t *self, const stub_row_t *rows)
{
    stub_start_at(self, rows, false);
}

static inline void
stub_stop(stub_t *self)
{
    shutdown(self->listener, SHUT_RDWR);
    pthread_join(self->thread, NULL);
    close(self->listener);
    for (int i = 0; i < self->connections; i++) {
        shutdown(self->fds[i], SHUT_RDWR);
        pthread_join(self->threads[i], NULL);
        close(self->fds[i]);
    }
    buffer_clear(&self->seen);
    pthread_mutex_destroy(&self->lock);
}

// What was asked so far; only while nobody asks.
static inline const char *
stub_seen(const stub_t *self)
{
    return self->seen.bytes ? self->seen.bytes : "";
}

// How often `text` stands in what was asked.
static inline size_t
stub_count(stub_t *self, const char *text)
{
    size_t count = 0;

    pthread_mutex_lock(&self->lock);
    for (const char *at = strstr(stub_seen(self), text); at; at = strstr(at + 1, text))
        count++;
    pthread_mutex_unlock(&self->lock);
    return count;
}

// Waits until `text` was asked `count` times; false when it takes too long.
static inline bool
stub_wait(stub_t *self, const char *text, size_t count)
{
    enum { SLICE_MS = 5, GUARD_MS = 20 * 1000 };

    for (int waited_ms = 0; waited_ms < GUARD_MS; waited_ms += SLICE_MS) {
        if (stub_count(self, text) >= count)
            return true;
        poll(NULL, 0, SLICE_MS);
    }
    return false;
}

#endif
