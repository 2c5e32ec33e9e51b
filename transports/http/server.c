// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include "auto.h"
#include "clock.h"
#include "http/pages.h"
#include "http/reply.h"
#include "http/stream.h"
#include "http/visit.h"
#include "limits.h"

enum {
    IDLE_S = 120,
    CONNECTIONS_MAX = 10 * 1000,
    LAST_WORD_MS = 500,  // of DRAIN_MS, to answer what has not ended
    DRAIN_EVERY_MS = 20,
    TICK_MS = 1000,
    WAITING_MAX = 4096,  // requests whose token is being judged
};

struct server {
    zloop_t *loop;
    door_t door;
    httpd_t *httpd;
    visit_t *waiting[WAITING_MAX];
    size_t waiting_count;
    int tick_timer;
    int drain_timer;  // -1: not draining
    int64_t drain_ms;
    void (*over)(void *arg);
    void *arg;
};

static const char plain_type[] = "text/plain; charset=utf-8";
static const char metrics_type[] = "text/plain; version=0.0.4; charset=utf-8";

// ---- pages beside /mcp

static void
answer_text(httpd_request_t *http, int code, const char *text)
{
    httpd_answer(http, code, plain_type, text, strlen(text));
}

static void
show_health(server_t *self, httpd_request_t *http)
{
    answer_text(http, 200, "ok\n");
}

static void
show_readiness(server_t *self, httpd_request_t *http)
{
    const char *reason;
    int code = pages_ready(self->door.service, &reason);

    if (self->drain_timer >= 0)
        answer_text(http, 503, "it is about to end\n");
    else
        answer_text(http, code, reason);
}

static void
show_metrics(server_t *self, httpd_request_t *http)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    const guard_headers_t headers = reply_headers(http);
    refusal_t refusal = guard_origin(&headers, &self->door.rules);

    if (refusal.http) {
        answer_text(http, refusal.http, refusal.text);
        return;
    }
    pages_metrics(&out, self->door.service, httpd_open_requests(self->httpd));
    httpd_answer(http, 200, metrics_type, out.bytes, out.size);
}

// Where a client without a token gets one (RFC 9728).
static void
show_metadata(server_t *self, httpd_request_t *http)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    const guard_headers_t headers = reply_headers(http);
    refusal_t refusal = guard_origin(&headers, &self->door.rules);

    if (refusal.http) {
        answer_text(http, refusal.http, refusal.text);
        return;
    }
    if (!reply_metadata(&out, http, &self->door.rules)) {
        answer_text(http, 404, "Tokens are those of the platform.\n");
        return;
    }
    reply_web_headers(http, &self->door.rules);
    httpd_answer(http, 200, "application/json", out.bytes, out.size);
}

static const struct {
    const char *path;
    void (*show)(server_t *self, httpd_request_t *http);
} pages[] = {
    { "/healthz", show_health },
    { "/readyz", show_readiness },
    { "/metrics", show_metrics },
    { "/.well-known/oauth-protected-resource", show_metadata },
    { "/.well-known/oauth-protected-resource/mcp", show_metadata },
};

static void
show_page(server_t *self, httpd_request_t *http)
{
    const char *method = httpd_method(http);

    for (size_t i = 0; i < ROWS(pages); i++) {
        if (strcmp(httpd_path(http), pages[i].path) != 0)
            continue;
        if (!strcmp(method, "GET") || !strcmp(method, "HEAD")) {
            pages[i].show(self, http);
            return;
        }
        httpd_add_header(http, "Allow", "GET, HEAD");
        answer_text(http, 405, "This page can only be read.\n");
        return;
    }
    answer_text(http, 404, "MCP is served at /mcp.\n");
}

// ---- requests

static void
on_headers(httpd_request_t *http, void *arg)
{
    server_t *self = arg;

    httpd_set_data(http, visit_new(&self->door, http));
}

static void
on_request(httpd_request_t *http, void *arg)
{
    server_t *self = arg;
    visit_t *visit = httpd_data(http);

    if (!visit)
        show_page(self, http);
    else if (self->waiting_count == WAITING_MAX)
        answer_text(http, 503, "Too many callers wait for the platform; try again soon.\n");
    else if (!visit_serve(visit))
        self->waiting[self->waiting_count++] = visit;
}

static void
stop_waiting(server_t *self, const visit_t *visit)
{
    for (size_t i = 0; i < self->waiting_count; i++)
        if (self->waiting[i] == visit)
            self->waiting[i--] = self->waiting[--self->waiting_count];
}

// The verdict on somebody's token may be there.
static void
on_access(void *arg)
{
    server_t *self = arg;

    for (size_t i = 0; i < self->waiting_count;) {
        if (visit_serve(self->waiting[i]))
            self->waiting[i] = self->waiting[--self->waiting_count];
        else
            i++;
    }
}

static void
on_leave(httpd_request_t *http, void *arg)
{
    visit_t *visit = httpd_data(http);

    if (!visit)
        return;
    stop_waiting(arg, visit);
    visit_leave(visit);
}

static void
on_end(httpd_request_t *http, void *arg)
{
    visit_t *visit = httpd_data(http);

    stop_waiting(arg, visit);
    visit_destroy(&visit);
}

static void
on_ended(void *arg, const char *session)
{
    server_t *self = arg;

    visit_session_ended(&self->door, session);
}

static void
on_seek(void *arg, const seek_msg_t *seek)
{
    server_t *self = arg;

    stream_take_seek(&self->door, seek);
}

static void
on_piece(void *arg, const piece_msg_t *piece)
{
    server_t *self = arg;

    stream_take_piece(&self->door, piece);
}

static const stream_ops_t stream_ops = { on_ended, on_seek, on_piece };

static const httpd_ops_t httpd_ops = { on_headers, on_request, on_leave, on_end };

// ---- from start to end

bool
server_is_loopback(const char *listen)
{
    const char *port = strrchr(listen, ':');
    size_t size = port ? (size_t) (port - listen) : strlen(listen);

    if (!strncmp(listen, "127.", 4) && strspn(listen, "0123456789.") == size)
        return true;
    return size && guard_is_loopback(listen);
}

void
server_tick(server_t *self, int64_t now_ms)
{
    stream_tick_all(&self->door, now_ms);
    visit_tick_all(&self->door, now_ms);
}

static int
on_tick(zloop_t *loop, int timer, void *arg)
{
    server_tick(arg, clock_now_ms());
    return 0;
}

exit_code_t
server_new(zloop_t *loop, service_t *service, const server_options_t *options,
           void (*over)(void *arg), void *arg, server_t **self_p, failure_t *why)
{
    AUTO(server_destroy) server_t *self = calloc(1, sizeof *self);
    const httpd_options_t httpd_options = {
        .listen = options->listen,
        .body_max = INPUT_MAX,
        .idle_s = IDLE_S,
        .connections_max = CONNECTIONS_MAX,
        .tls_cert = options->tls_cert,
        .tls_key = options->tls_key,
    };

    assert(self);
    *self = (server_t){
        .loop = loop,
        .door = { .service = service,
                  .rules = { .is_loopback = server_is_loopback(options->listen),
                             .needs_token = !service->logs_in,
                             .origins = options->origins,
                             .origins_count = options->origins_count,
                             .is_tls = options->tls_cert,
                             .issuer = options->issuer } },
        .tick_timer = -1,
        .drain_timer = -1,
        .over = over,
        .arg = arg,
    };
    exit_code_t code = httpd_new(loop, &httpd_options, &httpd_ops, self, &self->httpd, why);
    if (code)
        return code;
    self->door.pairs = pairs_new(service);
    self->door.replays = replays_new(service->instance);
    self->tick_timer = zloop_timer(loop, TICK_MS, 0, on_tick, self);
    self->door.seeks = seeks_new(service, self->door.replays);
    service_on_access(service, on_access, self);
    service_on_streams(service, &stream_ops, self);
    *self_p = self;
    self = NULL;
    return EXIT_DONE;
}

void
server_destroy(server_t **self_p)
{
    server_t *self = *self_p;

    if (!self)
        return;
    service_on_access(self->door.service, NULL, NULL);
    service_on_streams(self->door.service, NULL, NULL);
    service_drop_all(self->door.service);
    if (self->drain_timer >= 0)
        zloop_timer_end(self->loop, self->drain_timer);
    if (self->tick_timer >= 0)
        zloop_timer_end(self->loop, self->tick_timer);
    httpd_destroy(&self->httpd);
    pairs_destroy(&self->door.pairs);
    seeks_destroy(&self->door.seeks);
    replays_destroy(&self->door.replays);
    free(self);
    *self_p = NULL;
}

static int
on_drain(zloop_t *loop, int timer, void *arg)
{
    server_t *self = arg;

    if (clock_now_ms() - self->drain_ms >= DRAIN_MS - LAST_WORD_MS)
        service_give_up(self->door.service);
    if (httpd_open_requests(self->httpd))
        return 0;
    zloop_timer_end(loop, timer);
    self->over(self->arg);
    return 0;
}

void
server_drain(server_t *self)
{
    httpd_quiesce(self->httpd);
    stream_end_all(&self->door);
    self->drain_ms = clock_now_ms();
    self->drain_timer = zloop_timer(self->loop, DRAIN_EVERY_MS, 0, on_drain, self);
}

const char *
server_address(const server_t *self)
{
    return httpd_address(self->httpd);
}
