// SPDX-License-Identifier: Apache-2.0
// A client over HTTP, with sockets of its own. Included once by each test program that needs it.

#ifndef PROOFARC_TEST_VISITOR_H
#define PROOFARC_TEST_VISITOR_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <jwt.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "bench.h"
#include "http/server.h"
#include "json.h"
#include "log.h"

#include <cmocka.h>

typedef struct {
    bench_t bench;
    server_t *server;
    unsigned char key[KEY_SIZE];
    char key_file[96];
    char *ann, *bob;  // tokens
    arena_t *arena;
    bool is_over;
} site_t;

// One connection.
typedef struct {
    int fd;
    buffer_t in;
    bool is_closed;
} visitor_t;

static void
site_on_over(void *arg)
{
    site_t *self = arg;

    self->is_over = true;
}

BENCH_UNUSED static char *
site_token(const unsigned char *key, jwt_alg_t algorithm, const char *user, const char *role,
           long expires_in_s)
{
    jwt_t *jwt;

    jwt_new(&jwt);
    jwt_set_alg(jwt, algorithm, algorithm == JWT_ALG_NONE ? NULL : key,
                algorithm == JWT_ALG_NONE ? 0 : KEY_SIZE);
    jwt_add_grant(jwt, "iss", "proofarc");
    if (user)
        jwt_add_grant(jwt, "sub", user);
    if (role)
        jwt_add_grant(jwt, "role", role);
    if (expires_in_s)
        jwt_add_grant_int(jwt, "exp", (long) (clock_wall_ms() / 1000) + expires_in_s);
    char *text = jwt_encode_str(jwt);
    jwt_free(jwt);
    return text;
}

BENCH_UNUSED static void
open_site_with(site_t *self, service_options_t options, const server_options_t *server)
{
    failure_t why = { 0 };

    *self = (site_t){ .arena = arena_new() };
    snprintf(self->key_file, sizeof self->key_file, "/tmp/proofarc-test-%d.key", getpid());
    unlink(self->key_file);
    assert_int_equal(keyfile_load(self->key_file, true, self->key, &why), EXIT_DONE);
    if (!options.access.platform && !options.logs_in)
        options.access.token_key = self->key_file;
    bench_open(&self->bench, &options);
    exit_code_t code = server_new(self->bench.loop, self->bench.service, server, site_on_over,
                                  self, &self->server, &why);
    assert_int_equal(code, EXIT_DONE);
    self->ann = site_token(self->key, JWT_ALG_HS256, "ann", "analyst", 3600);
    self->bob = site_token(self->key, JWT_ALG_HS256, "bob", "analyst", 3600);
}

BENCH_UNUSED static void
open_site(site_t *self)
{
    const server_options_t server = { .listen = "127.0.0.1:0" };

    open_site_with(self, (service_options_t){ .profile = "full" }, &server);
    assert_true(bench_wait_up(&self->bench));
}

BENCH_UNUSED static void
close_site(site_t *self)
{
    server_destroy(&self->server);
    bench_close(&self->bench);
    unlink(self->key_file);
    free(self->ann);
    free(self->bob);
    arena_destroy(&self->arena);
}

BENCH_UNUSED static void
connect_to(site_t *site, visitor_t *self)
{
    const char *port = strrchr(server_address(site->server), ':') + 1;
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                   .sin_port = htons((uint16_t) strtoul(port, NULL, 10)) };

    *self = (visitor_t){ .fd = socket(AF_INET, SOCK_STREAM, 0) };
    assert_int_equal(connect(self->fd, (struct sockaddr *) &address, sizeof address), 0);
    fcntl(self->fd, F_SETFL, O_NONBLOCK);
}

BENCH_UNUSED static void
disconnect(visitor_t *self)
{
    if (self->fd > 0)
        close(self->fd);
    self->fd = 0;
    buffer_clear(&self->in);
}

// Sends a request: "POST /mcp", further header lines, body.
BENCH_UNUSED static void
send_request(visitor_t *self, const char *what, const char *token, const char *headers,
             const char *body)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    buffer_printf(&out, "%s HTTP/1.1\r\nHost: 127.0.0.1\r\n", what);
    if (token)
        buffer_printf(&out, "Authorization: Bearer %s\r\n", token);
    if (body)
        buffer_printf(&out, "Content-Length: %zu\r\n", strlen(body));
    if (body && !strstr(headers, "Content-Type"))
        buffer_text(&out, "Content-Type: application/json\r\n");
    buffer_printf(&out, "%s\r\n%s", headers, body ? body : "");
    for (size_t sent = 0; sent < out.size;) {
        ssize_t size = send(self->fd, out.bytes + sent, out.size - sent, MSG_NOSIGNAL);
        if (size < 0 && errno != EAGAIN)
            break;
        sent += size > 0 ? (size_t) size : 0;
    }
}

BENCH_UNUSED static bool
has_answer(void *arg)
{
    visitor_t *self = arg;
    char chunk[65536];
    ssize_t size;

    while ((size = recv(self->fd, chunk, sizeof chunk, 0)) > 0)
        buffer_add(&self->in, chunk, (size_t) size);
    self->is_closed = size == 0;
    char *body = self->in.size ? strstr(self->in.bytes, "\r\n\r\n") : NULL;
    if (!body)
        return self->is_closed;
    const char *length = strcasestr(self->in.bytes, "\r\nContent-Length: ");
    size_t wanted = length && length < body ? strtoull(length + 18, NULL, 10) : 0;
    return self->in.size - (size_t) (body + 4 - self->in.bytes) >= wanted;
}

BENCH_UNUSED static int
code_of(const visitor_t *self)
{
    return self->in.size > 12 ? (int) strtol(self->in.bytes + 9, NULL, 10) : 0;
}

BENCH_UNUSED static const char *
body_of(const visitor_t *self)
{
    return strstr(self->in.bytes, "\r\n\r\n") + 4;
}

// The value of a header of the answer, or NULL.
BENCH_UNUSED static const char *
header_of(site_t *site, const visitor_t *self, const char *name)
{
    char line[64];

    snprintf(line, sizeof line, "\r\n%s: ", name);
    const char *at = strcasestr(self->in.bytes, line);
    if (!at || at > strstr(self->in.bytes, "\r\n\r\n"))
        return NULL;
    at += strlen(line);
    return arena_strndup(site->arena, at, strcspn(at, "\r"));
}

// Sends and waits for the answer, on a connection of its own that the caller ends.
BENCH_UNUSED static int
visit(site_t *site, visitor_t *self, const char *what, const char *token, const char *headers,
      const char *body)
{
    connect_to(site, self);
    send_request(self, what, token, headers, body);
    assert_true(bench_run(&site->bench, has_answer, self));
    return code_of(self);
}

// Sends more than a socket holds: the server has to read meanwhile.
BENCH_UNUSED static void
send_while_served(site_t *site, visitor_t *self, const char *token, const char *body)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    buffer_printf(&out,
                  "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n"
                  "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                  token, strlen(body));
    buffer_text(&out, body);
    for (size_t sent = 0; sent < out.size && !has_answer(self);) {
        ssize_t size = send(self->fd, out.bytes + sent, out.size - sent, MSG_NOSIGNAL);
        sent += size > 0 ? (size_t) size : 0;
        zloop_timer(site->bench.loop, 1, 1, bench_on_late, &site->bench);
        zloop_start(site->bench.loop);
    }
}

// The code alone.
BENCH_UNUSED static int
code_for(site_t *site, const char *what, const char *token, const char *headers,
         const char *body)
{
    AUTO(disconnect) visitor_t visitor;

    return visit(site, &visitor, what, token, headers, body);
}

BENCH_UNUSED static const char hello[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}";
BENCH_UNUSED static const char accepts[] = "Accept: text/event-stream\r\n";

// A session that begins with this message: its line of headers.
BENCH_UNUSED static const char *
begin_session_with(site_t *site, const char *token, const char *initialize)
{
    AUTO(disconnect) visitor_t visitor;

    assert_int_equal(visit(site, &visitor, "POST /mcp", token, "", initialize), 200);
    return arena_printf(site->arena, "Mcp-Session-Id: %s\r\n",
                        header_of(site, &visitor, "Mcp-Session-Id"));
}

BENCH_UNUSED static const char *
begin_session(site_t *site, const char *token)
{
    return begin_session_with(site, token, hello);
}

// What is waited for on a connection.
typedef struct {
    visitor_t *visitor;
    const char *text;
} expected_t;

BENCH_UNUSED static bool
has_text(void *arg)
{
    expected_t *self = arg;

    has_answer(self->visitor);
    return self->visitor->in.size && strstr(self->visitor->in.bytes, self->text);
}

BENCH_UNUSED static void
await_text(site_t *site, visitor_t *visitor, const char *text)
{
    expected_t expected = { visitor, text };

    assert_true(bench_run(&site->bench, has_text, &expected));
}

BENCH_UNUSED static void
listen_on(site_t *site, visitor_t *visitor, const char *session)
{
    const char *headers = arena_printf(site->arena, "%s%s", session, accepts);

    connect_to(site, visitor);
    send_request(visitor, "GET /mcp", site->ann, headers, NULL);
    await_text(site, visitor, ":\n\n");
    assert_string_equal(header_of(site, visitor, "Content-Type"), "text/event-stream");
}

BENCH_UNUSED static const char call_with_progress[] =
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/"
    "call\",\"params\":{\"name\":\"list_things\","
    "\"_meta\":{\"progressToken\":\"p\"}}}";

BENCH_UNUSED static bool
has_call_of_site(void *arg)
{
    const site_t *site = arg;

    return site->bench.count > 0;
}

// Begins a call that has shown progress once, and leaves. The id of the last event.
BENCH_UNUSED static const char *
begin_call_and_leave(site_t *site, const char *session)
{
    visitor_t stream;

    site->bench.holds = true;
    connect_to(site, &stream);
    send_request(&stream, "POST /mcp", site->ann,
                 arena_printf(site->arena, "%s%s", session, accepts), call_with_progress);
    assert_true(bench_run(&site->bench, has_call_of_site, site));
    const progress_msg_t progress = { .id = site->bench.calls[0].id, .done = 1, .text = "" };
    bench_send(&site->bench, &progress_wire, &progress, NULL);
    await_text(site, &stream, "\"progress\":1");
    await_text(site, &stream, "\n\n");
    assert_non_null(strstr(stream.in.bytes, "retry: 1000\ndata: \n\n"));
    const char *id = strstr(strstr(stream.in.bytes, "event: message"), "id: ") + 4;
    id = arena_strndup(site->arena, id, strcspn(id, "\n"));
    disconnect(&stream);
    return id;
}

BENCH_UNUSED static void
site_set_up(void)
{
    zsys_init();
    zsys_handler_set(NULL);
    signal(SIGPIPE, SIG_IGN);
    log_setup("test", LEVEL_ERROR, false);
}

#endif
