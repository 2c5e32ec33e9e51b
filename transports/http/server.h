// SPDX-License-Identifier: Apache-2.0
// MCP over HTTP: Streamable HTTP at /mcp, the old pair /sse and /messages, and /healthz, /readyz, /metrics.

#ifndef PROOFARC_HTTP_SERVER_H
#define PROOFARC_HTTP_SERVER_H

#include "mcp/service.h"

typedef struct server server_t;

typedef struct {
    const char *listen;
    const char *tls_cert;  // or NULL
    const char *tls_key;
    const char *const *origins;  // of web pages that may call; they outlive the server
    size_t origins_count;
    const char *issuer;  // who gives tokens, as an authorization server, or NULL
} server_options_t;

// Binds and serves. `over` is called once, after server_drain(), when nothing is under way.
exit_code_t server_new(zloop_t *loop, service_t *service, const server_options_t *options,
                       void (*over)(void *arg), void *arg, server_t **self_p, failure_t *why);
void server_destroy(server_t **self_p);

// Takes no new connections; `over` follows when the last answer is out.
void server_drain(server_t *self);

// What it does every second by itself: signs of life on the streams.
void server_tick(server_t *self, int64_t now_ms);

// "127.0.0.1:8808", where it really listens.
const char *server_address(const server_t *self);

// True if what is listened at is this machine alone.
bool server_is_loopback(const char *listen);

#endif
