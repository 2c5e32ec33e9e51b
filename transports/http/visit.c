// SPDX-License-Identifier: Apache-2.0
#include "http/visit.h"

#include <stdlib.h>

#include "auto.h"
#include "clock.h"
#include "http/reply.h"
#include "http/stream.h"
#include "http/visit_state.h"
#include "limits.h"
#include "mcp/hello.h"
#include "mcp/stateless.h"
#include "mcp/token.h"

enum {
    SHORT_BODY_MAX = 64 * KIB,
    END_MS = 1000,  // how long the end of a session waits for the broker
};

static const char json_type[] = "application/json";

static void
refuse(visit_t *visit, int code, const char *text)
{
    reply_refuse(visit->http, &visit->door->rules, code, text);
}

// ---- the way back

static void
answer_whole(visit_t *visit, exchange_t *exchange)
{
    buffer_t *answer = exchange_answer(exchange);
    int code = exchange_http(exchange);

    reply_web_headers(visit->http, &visit->door->rules);
    httpd_add_header(visit->http, "Cache-Control", "no-store");
    if (code == 401)
        reply_challenge(visit->http, &visit->door->rules, true);
    if (*exchange_session(exchange))
        httpd_add_header(visit->http, "Mcp-Session-Id", exchange_session(exchange));
    if (!answer->size)
        httpd_answer(visit->http, code, NULL, "", 0);
    else if (visit->form == ANSWER_STREAM && code == 200)
        reply_as_event(visit->http, answer->bytes, answer->size);
    else
        httpd_answer_taking(visit->http, code, json_type, answer);
}

static void
on_exchange_done(exchange_t *exchange, void *arg)
{
    visit_t *visit = arg;
    const buffer_t *answer = exchange_answer(exchange);

    visit->exchange = NULL;
    if (!visit->is_stream) {
        answer_whole(visit, exchange);
        return;
    }
    if (answer->size)
        stream_write(visit, answer->bytes, answer->size);
    if (visit->replay)
        replay_end(visit->replay, clock_now_ms());
    visit->replay = NULL;
    stream_end(visit);
}

static bool
has_begun(void *arg)
{
    const visit_t *visit = arg;

    return visit->is_stream;
}

static const exchange_ops_t exchange_ops = { on_exchange_done, stream_send, has_begun };

static const char *
header_of(const char *name, void *arg)
{
    const visit_t *visit = arg;

    return httpd_header(visit->http, name);
}

// ---- who calls

// GRANTED, WAIT, or REFUSED and the visit is answered.
static verdict_t
judge(visit_t *visit)
{
    const char *principal = NULL;
    failure_t why;

    if (visit->is_judged || !visit->door->rules.needs_token)
        return ACCESS_GRANTED;
    visit->peer.token = token_of_header(visit->headers.authorization);
    verdict_t verdict =
        access_check(visit->door->service->access, visit->peer.token, &principal, &why);
    if (verdict == ACCESS_GRANTED) {
        visit->is_judged = true;
        visit->peer.principal = visit->principal = strdup(principal);
        return verdict;
    }
    bool may_wait = clock_now_ms() - visit->started_ms < CATALOGUE_MS;
    if (verdict == ACCESS_WAIT && may_wait)
        return verdict;
    refuse(visit, verdict == ACCESS_REFUSED ? 401 : 503, why.text);
    return ACCESS_REFUSED;
}

// ---- what is asked

bool
visit_find_session(visit_t *visit)
{
    const char *id = httpd_header(visit->http, "Mcp-Session-Id");
    const char *principal = visit->peer.principal ? visit->peer.principal : "";
    service_t *service = visit->door->service;
    peer_t *peer = &visit->peer;

    if (!id)
        return true;
    if (!sessions_check(service->sessions, id, principal, clock_wall_ms(), &visit->session))
        return false;
    peer->protocol = visit->session.protocol;
    peer->session = visit->session.key;
    peer->is_negotiated = peer->has_session = true;
    peer->capabilities = hello_capabilities(visit->session.capabilities);
    peer->log_level = service_level(service, visit->session.key);
    return true;
}

static void
answer_end(visit_t *visit)
{
    visit->end_until_ms = 0;
    reply_web_headers(visit->http, &visit->door->rules);
    httpd_answer(visit->http, 204, NULL, "", 0);
}

// The answer waits until the end is on its way to all transports: the client's next message may go
// to any of them, and is to find that there is no such session.
static void
end_session(visit_t *visit)
{
    service_t *service = visit->door->service;

    if (!visit->peer.has_session) {
        refuse(visit, 400, "Name the session to end in Mcp-Session-Id.");
        return;
    }
    service_end_session(service, visit->session.key);
    link_tell(service->link, &ended_wire, &(ended_msg_t){ .session = visit->session.key });
    if (link_is_up(service->link))
        visit->end_until_ms = clock_now_ms() + END_MS;
    else
        answer_end(visit);
}

// Narrows what the caller sees, by its path and its headers. NULL, or what is wrong with them.
static const char *
read_view(visit_t *visit)
{
    view_t *view = &visit->view;
    const char *wrong = view_read(view, header_of, visit);

    if (*visit->route.profile)
        view_set_profile(view, visit->route.profile);
    if (view->profile || view->categories || view->tools || view->exclude || view->is_read_only)
        visit->peer.view = view;
    return wrong;
}

// True if body, answer, version and session can be what they say. Otherwise the visit is refused.
// A message without `initialize` says its version itself, and has no session.
static bool
check_form(visit_t *visit)
{
    guard_headers_t headers = visit->headers;
    bool is_stateless = protocol_is_newer(headers.version);

    if (visit->is_whole
        && stateless_claims(httpd_body(visit->http), httpd_body_size(visit->http))) {
        headers.version = NULL;
        is_stateless = true;
    }
    refusal_t refusal = guard_form(&headers);
    if (refusal.http) {
        refuse(visit, refusal.http, refusal.text);
        return false;
    }
    if (protocol_find(visit->headers.version, &visit->peer.protocol))
        visit->peer.is_negotiated = true;
    const char *wrong = read_view(visit);
    if (wrong) {
        refuse(visit, 400, wrong);
        return false;
    }
    visit->is_stateless = is_stateless;
    if (is_stateless || visit->route.place != AT_MCP || visit_find_session(visit))
        return true;
    refuse(visit, 404, "There is no such session; begin with initialize.");
    return false;
}

// Everything but the body. GRANTED, WAIT for the verdict on the token, or REFUSED when the visit is
// answered.
static verdict_t
look(visit_t *visit)
{
    refusal_t refusal = guard_door(&visit->headers, &visit->door->rules);

    if (refusal.http) {
        refuse(visit, refusal.http, refusal.text);
        return ACCESS_REFUSED;
    }
    if (!strcmp(visit->headers.method, "OPTIONS")) {
        reply_preflight(visit->http, &visit->door->rules);
        return ACCESS_REFUSED;
    }
    verdict_t verdict = judge(visit);
    if (verdict != ACCESS_GRANTED)
        return verdict;
    return check_form(visit) ? ACCESS_GRANTED : ACCESS_REFUSED;
}

// A short body is read before the request is refused: a connection that is closed with bytes
// unread loses the answer as well.
static bool
has_long_body(const guard_headers_t *headers)
{
    const char *length = headers->content_length;

    return length ? strtoull(length, NULL, 10) > SHORT_BODY_MAX
                  : headers->transfer_encoding != NULL;
}

static void
begin_pair(visit_t *visit)
{
    reply_web_headers(visit->http, &visit->door->rules);
    visit->pair = pairs_begin(visit->door->pairs, visit->http, visit->peer.principal,
                              visit->peer.token, visit->peer.view);
    visit->is_stream = visit->pair;
    if (!visit->pair)
        refuse(visit, 503, "Too many streams are open; end one, or try again later.");
}

static void
post_to_pair(visit_t *visit)
{
    pair_t *pair = pairs_find(visit->door->pairs, httpd_argument(visit->http, "sessionId"),
                              visit->peer.principal);

    if (!pair) {
        refuse(visit, 404, "There is no such session; GET /sse begins one.");
        return;
    }
    if (!pair_post(pair, visit->peer.token, httpd_body(visit->http),
                   httpd_body_size(visit->http))) {
        refuse(visit, 503, "Too many requests of this session are open; wait for answers.");
        return;
    }
    reply_web_headers(visit->http, &visit->door->rules);
    httpd_answer(visit->http, 202, NULL, "", 0);
}

static void
serve(visit_t *visit)
{
    const char *method = visit->headers.method;

    visit->form = guard_answer_form(visit->headers.accept);
    visit->peer.takes_events = guard_takes_events(visit->headers.accept);
    visit->spoke_ms = clock_now_ms();
    if (visit->route.place == AT_SSE)
        begin_pair(visit);
    else if (visit->route.place == AT_MESSAGES)
        post_to_pair(visit);
    else if (!strcmp(method, "DELETE"))
        end_session(visit);
    else if (!strcmp(method, "GET"))
        stream_serve(visit);
    else
        visit->exchange =
            exchange_start(visit->door->service, &visit->peer, httpd_body(visit->http),
                           httpd_body_size(visit->http), &exchange_ops, visit);
}

// ---- from start to end

visit_t *
visit_new(door_t *door, httpd_request_t *http)
{
    AUTO(visit_destroy) visit_t *visit = calloc(1, sizeof *visit);

    assert(visit);
    *visit = (visit_t){
        .door = door,
        .http = http,
        .headers = reply_headers(http),
        .peer = { .protocol = (protocol_t) PROTOCOL_ASSUMED,
                  .session = "",
                  .header = header_of,
                  .arg = visit },
        .started_ms = clock_now_ms(),
    };
    visit->next = door->first;
    if (door->first)
        door->first->previous = visit;
    door->first = visit;
    if (!route_read(httpd_path(http), &visit->route))
        return NULL;
    visit->headers.served = visit->route.methods;
    if (has_long_body(&visit->headers))
        look(visit);
    visit_t *made = visit;
    visit = NULL;
    return made;
}

bool
visit_serve(visit_t *self)
{
    self->is_whole = true;
    verdict_t verdict = look(self);

    if (verdict == ACCESS_GRANTED)
        serve(self);
    return verdict != ACCESS_WAIT;
}

void
visit_leave(visit_t *self)
{
    if (self->exchange) {
        self->has_left = true;
        if (!exchange_withdraw(self->exchange))
            exchange_abandon(self->exchange);
    } else if (self->is_stream) {
        stream_end(self);
    } else {
        self->end_until_ms = 0;
        httpd_answer(self->http, 503, NULL, "", 0);
    }
}

void
visit_destroy(visit_t **self_p)
{
    visit_t *self = *self_p;

    if (!self)
        return;
    assert(!self->exchange || self->is_stream);
    if (self->exchange) {  // a write failed before the client was seen to leave
        self->has_left = self->is_over = true;
        exchange_drop(self->exchange);
    }
    pairs_end(self->door->pairs, &self->pair);
    if (self->replay)
        replay_end(self->replay, clock_now_ms());
    replays_leave(self->door->replays, self);
    listeners_remove(self->door->service->listeners, &self->listener);
    if (self->next)
        self->next->previous = self->previous;
    if (self->previous)
        self->previous->next = self->next;
    else
        self->door->first = self->next;
    free(self->principal);
    free(self);
    *self_p = NULL;
}

void
visit_session_ended(door_t *door, const char *session)
{
    for (visit_t *visit = door->first, *next; visit; visit = next) {
        next = visit->next;
        if (visit->end_until_ms && !strcmp(visit->session.key, session))
            answer_end(visit);
    }
}

void
visit_tick_all(door_t *door, int64_t now_ms)
{
    for (visit_t *visit = door->first, *next; visit; visit = next) {
        next = visit->next;
        if (visit->end_until_ms && now_ms >= visit->end_until_ms)
            answer_end(visit);
    }
}
