// SPDX-License-Identifier: Apache-2.0
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "answer.h"
#include "auto.h"
#include "buffer.h"

enum {
    ID_FIRST = 100000000,
    ID_DIGITS = 9,
    READ_SIZE = 64 * 1024,
    EVENTS = 256,
    ANSWER_MS = 10 * 1000,  // a server that is silent for longer ends the run
    ERRORS_MAX = 1000,
};

typedef struct {
    int fd;
    char *request;
    size_t size, id_at, written;
    int64_t sent_ns;
    answer_t answer;
    buffer_t in;
} connection_t;

typedef enum { RAMP, WARM, COUNT, DONE } phase_t;

typedef struct {
    const options_t *options;
    load_result_t *result;
    connection_t *connections;
    int open;  // connections that have been answered once
    int epoll;
    unsigned id;
    phase_t phase;
    int64_t phase_ends_ns;
    int64_t last_answer_ns;
    int64_t counted_from_ns;
} load_t;

static int64_t
now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

// The whole request of a connection; only its id changes from one to the next.
static int
compose(load_t *self, int index)
{
    const options_t *options = self->options;
    connection_t *connection = &self->connections[index];
    buffer_t out = { 0 };

    buffer_printf(&out, "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n", options->path,
                  options->port);
    for (int i = 0; options->headers[i]; i++)
        buffer_printf(&out, "%s\r\n", options->headers[i]);
    if (options->session_count)
        buffer_printf(&out, "Mcp-Session-Id: %s\r\n",
                      options->sessions[index % options->session_count]);
    buffer_printf(&out, "Content-Length: %zu\r\n\r\n", strlen(options->body));
    size_t head = out.size;
    buffer_text(&out, options->body);
    connection->request = buffer_take(&out, &connection->size);
    const char *id = strstr(connection->request + head, "\"id\":100000000");
    if (!id)
        return -1;
    connection->id_at = (size_t) (id + strlen("\"id\":") - connection->request);
    return 0;
}

static int
dial(load_t *self, connection_t *connection)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t) self->options->port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = connection };
    int one = 1;

    if (connection->fd >= 0)
        close(connection->fd);
    connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->fd < 0
        || connect(connection->fd, (struct sockaddr *) &address, sizeof address) < 0)
        return -1;
    setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return epoll_ctl(self->epoll, EPOLL_CTL_ADD, connection->fd, &event);
}

// Requests are small and the server has answered the one before: a blocking write is enough.
static int
ask(load_t *self, connection_t *connection)
{
    char id[ID_DIGITS + 1];

    snprintf(id, sizeof id, "%09u", ID_FIRST + self->id++ % (9 * ID_FIRST));
    memcpy(connection->request + connection->id_at, id, ID_DIGITS);
    connection->answer = (answer_t){ 0 };
    connection->in.size = 0;
    connection->sent_ns = now_ns();
    for (size_t done = 0; done < connection->size;) {
        ssize_t size = send(connection->fd, connection->request + done, connection->size - done,
                            MSG_NOSIGNAL);
        if (size < 0 && errno != EINTR)
            return -1;
        done += size > 0 ? (size_t) size : 0;
    }
    return 0;
}

static void
note_wrong(load_t *self, const char *bytes, size_t size)
{
    self->result->errors++;
    if (!self->result->wrong[0])
        snprintf(self->result->wrong, WRONG_SIZE, "%.*s",
                 (int) (size < WRONG_SIZE ? size : WRONG_SIZE - 1), bytes);
}

static bool
is_good(const load_t *self, const connection_t *connection)
{
    const char *body = connection->in.bytes + connection->answer.head;
    size_t size = connection->in.size - connection->answer.head;

    return connection->answer.status == 200
           && memmem(body, size, self->options->expect, strlen(self->options->expect))
           && !memmem(body, size, "\"isError\":true", strlen("\"isError\":true"));
}

static int
answered(load_t *self, connection_t *connection)
{
    int64_t now = now_ns();

    self->last_answer_ns = now;
    if (!is_good(self, connection))
        note_wrong(self, connection->in.bytes, connection->in.size);
    else if (self->phase == COUNT) {
        histogram_add(&self->result->times, now - connection->sent_ns);
        self->result->bytes += connection->in.size;
    }
    if (connection->answer.closes && dial(self, connection))
        return -1;
    if (self->phase != RAMP)
        return ask(self, connection);
    if (++self->open < self->options->connections) {
        connection_t *next = &self->connections[self->open];
        return dial(self, next) || ask(self, next);
    }
    return 0;  // all wait for begin()
}

static int
on_readable(load_t *self, connection_t *connection)
{
    char bytes[READ_SIZE];
    ssize_t size = recv(connection->fd, bytes, sizeof bytes, MSG_DONTWAIT);

    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (size <= 0) {
        note_wrong(self, "(the connection was closed)", 27);
        return dial(self, connection) || ask(self, connection);
    }
    buffer_add(&connection->in, bytes, (size_t) size);
    switch (answer_read(&connection->answer, connection->in.bytes, connection->in.size)) {
    case ANSWER_PARTIAL:
        return 0;
    case ANSWER_WHOLE:
        return answered(self, connection);
    case ANSWER_BROKEN:
        note_wrong(self, connection->in.bytes, connection->in.size);
    }
    return -1;
}

// Processor time since the counting began is the difference of two readings: call it with -1
// at the beginning and 1 at the end.
static void
read_clocks(load_t *self, int sign)
{
    load_result_t *result = self->result;
    machine_t machine = machine_now();

    for (int i = 0; self->options->pids[i]; i++)
        result->pid_us[i] += sign * machine_process_us(self->options->pids[i]);
    result->own_us += sign * machine_process_us(getpid());
    result->machine.busy_us += sign * machine.busy_us;
    result->machine.stolen_us += sign * machine.stolen_us;
}

static int
begin(load_t *self)
{
    self->phase = WARM;
    self->phase_ends_ns = now_ns() + self->options->warm_ms * 1000000;
    for (int i = 0; i < self->options->connections; i++)
        if (ask(self, &self->connections[i]))
            return -1;
    return 0;
}

static int
advance(load_t *self)
{
    int64_t now = now_ns();

    if (self->phase == RAMP && self->open == self->options->connections)
        return begin(self);
    if (self->phase == WARM && now >= self->phase_ends_ns) {
        read_clocks(self, -1);
        self->phase = COUNT;
        self->counted_from_ns = now_ns();
        self->phase_ends_ns = self->counted_from_ns + self->options->time_ms * 1000000;
    } else if (self->phase == COUNT && now >= self->phase_ends_ns) {
        self->result->seconds = (double) (now - self->counted_from_ns) / 1e9;
        read_clocks(self, 1);
        self->phase = DONE;
    }
    bool is_silent = now - self->last_answer_ns > (int64_t) ANSWER_MS * 1000000;
    if (is_silent)
        note_wrong(self, "(no answer in time)", 19);
    return is_silent || self->result->errors > ERRORS_MAX ? -1 : 0;
}

static int
run(load_t *self)
{
    struct epoll_event events[EVENTS];

    self->last_answer_ns = now_ns();
    if (dial(self, &self->connections[0]) || ask(self, &self->connections[0]))
        return -1;
    while (self->phase != DONE) {
        int count = epoll_wait(self->epoll, events, EVENTS, 50);
        for (int i = 0; i < count; i++)
            if (on_readable(self, events[i].data.ptr))
                return -1;
        if (advance(self))
            return -1;
    }
    return 0;
}

static void
clear(load_t *self)
{
    for (int i = 0; i < self->options->connections; i++) {
        connection_t *connection = &self->connections[i];
        if (connection->fd >= 0)
            close(connection->fd);
        free(connection->request);
        buffer_clear(&connection->in);
    }
    free(self->connections);
    close(self->epoll);
}

int
load_play(const options_t *options, load_result_t *result)
{
    AUTO(clear)
    load_t self = { .options = options,
                    .result = result,
                    .epoll = epoll_create1(EPOLL_CLOEXEC) };

    self.connections = calloc((size_t) options->connections, sizeof *self.connections);
    for (int i = 0; i < options->connections; i++)
        self.connections[i].fd = -1;
    for (int i = 0; i < options->connections; i++)
        if (compose(&self, i)) {
            note_wrong(&self, "(the body has no id)", 20);
            return -1;
        }
    return run(&self);
}
