// SPDX-License-Identifier: Apache-2.0
// A client over stdio, at the other end of two pipes. Included once by each test program that
// needs it, in front of cmocka.h but for its asserts.

#ifndef PROOFARC_TEST_CLIENT_H
#define PROOFARC_TEST_CLIENT_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"
#include "json.h"
#include "log.h"
#include "stdio/lines.h"

#include <cmocka.h>

typedef struct {
    bench_t bench;
    lines_t *lines;
    int to, from;           // our ends
    int in, out;            // those of the server
    buffer_t read;          // what it wrote
    size_t count, counted;  // line ends in the first bytes of it
    bool is_over;
    bool is_paused;  // we do not read
    size_t wanted;   // lines
    arena_t *arena;
} client_t;

BENCH_UNUSED static void
on_over(void *arg)
{
    client_t *self = arg;

    self->is_over = true;
}

BENCH_UNUSED static void
take_output(client_t *self)
{
    char chunk[65536];
    ssize_t size;

    while (!self->is_paused && self->from >= 0
           && (size = read(self->from, chunk, sizeof chunk)) > 0)
        buffer_add(&self->read, chunk, (size_t) size);
}

BENCH_UNUSED static size_t
lines_read(client_t *self)
{
    for (; self->counted < self->read.size; self->counted++)
        self->count += self->read.bytes[self->counted] == '\n';
    return self->count;
}

BENCH_UNUSED static bool
has_lines(void *arg)
{
    client_t *self = arg;

    take_output(self);
    return lines_read(self) >= self->wanted;
}

BENCH_UNUSED static bool
is_over(void *arg)
{
    client_t *self = arg;

    take_output(self);
    return self->is_over;
}

BENCH_UNUSED static void
open_client(client_t *self, const service_options_t *options)
{
    int request[2], answer[2];

    *self = (client_t){ .arena = arena_new() };
    bench_open(&self->bench, options);
    assert_int_equal(pipe(request), 0);
    assert_int_equal(pipe(answer), 0);
    self->in = request[0];
    self->to = request[1];
    self->from = answer[0];
    self->out = answer[1];
    fcntl(self->from, F_SETFL, O_NONBLOCK);
    self->lines =
        lines_new(self->bench.loop, self->bench.service, self->in, self->out, on_over, self);
}

BENCH_UNUSED static void
close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

BENCH_UNUSED static void
close_client(client_t *self)
{
    lines_destroy(&self->lines);
    bench_close(&self->bench);
    close_fd(&self->to);
    close_fd(&self->from);
    close_fd(&self->in);
    close_fd(&self->out);
    buffer_clear(&self->read);
    arena_destroy(&self->arena);
}

BENCH_UNUSED static void
say(client_t *self, const char *text)
{
    for (size_t size = strlen(text); size;) {
        ssize_t written = write(self->to, text, size);
        assert_true(written > 0);
        text += written;
        size -= (size_t) written;
    }
}

// The n-th line that was read, as JSON.
BENCH_UNUSED static const json_t *
line(client_t *self, size_t n)
{
    const char *begin = self->read.bytes;

    for (size_t i = 0; i < n; i++)
        begin = strchr(begin, '\n') + 1;
    const char *end = strchr(begin, '\n');
    const json_t *json =
        json_parse_text(self->arena, arena_strndup(self->arena, begin, (size_t) (end - begin)));
    assert_non_null(json);
    return json;
}

BENCH_UNUSED static void
forget_lines(client_t *self)
{
    buffer_clear(&self->read);
    self->count = self->counted = 0;
}

BENCH_UNUSED static void
await_lines(client_t *self, size_t count)
{
    self->wanted = count;
    assert_true(bench_run(&self->bench, has_lines, self));
}

// Sends one line and waits for one line.
BENCH_UNUSED static const json_t *
ask(client_t *self, const char *text)
{
    forget_lines(self);
    say(self, text);
    say(self, "\n");
    await_lines(self, 1);
    return line(self, 0);
}

BENCH_UNUSED static const json_t *
get(const json_t *json, const char *path)
{
    char part[64];

    for (; json && *path; path += strcspn(path, "."), path += *path == '.') {
        snprintf(part, sizeof part, "%.*s", (int) strcspn(path, "."), path);
        json = json->kind == JSON_ARRAY ? json->first : json_get(json, part);
    }
    return json;
}

BENCH_UNUSED static void
initialize(client_t *self, const char *version)
{
    char *text =
        zsys_sprintf("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                     "\"protocolVersion\":\"%s\"}}",
                     version);

    assert_non_null(get(ask(self, text), "result"));
    freen(text);
}

// Requests of 2026-07-28, each with what it says of itself.
#define META(more)                                                                             \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}}" more "}"
#define REQUEST(method, params)                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"" method "\",\"params\":{" params "}}"

static const char read_call[] =
    REQUEST("tools/call", "\"name\":\"list_things\",\"arguments\":{\"a\":1}," META(""));
static const char write_call[] =
    REQUEST("tools/call", "\"name\":\"make_thing\",\"arguments\":{\"a\":1}," META(""));

static const char call_read[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
    "\"params\":{\"name\":\"list_things\",\"arguments\":{\"a\": 1}}}";
static const char call_write[] =
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\","
    "\"params\":{\"name\":\"make_thing\",\"arguments\":{\"a\":1}}}";

BENCH_UNUSED static bool
has_call(void *arg)
{
    client_t *self = arg;

    take_output(self);
    return self->bench.count >= self->wanted;
}

BENCH_UNUSED static void
await_calls(client_t *self, size_t count)
{
    self->wanted = count;
    assert_true(bench_run(&self->bench, has_call, self));
}

static void
client_set_up(void)
{
    zsys_init();
    zsys_handler_set(NULL);
    signal(SIGPIPE, SIG_IGN);
    log_setup("test", LEVEL_ERROR, false);
}

#endif
