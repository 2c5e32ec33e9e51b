// SPDX-License-Identifier: Apache-2.0
#include "http/visit.h"

#include "auto.h"
#include "clock.h"
#include "limits.h"
#include "mcp/token.h"

enum { SHORT_BODY_MAX = 64 * KIB };

struct visit {
    const door_t *door;
    httpd_request_t *http;
    guard_headers_t headers;
    peer_t peer;
    session_t session;
    char *principal;
    exchange_t *exchange;  // while it runs
    answer_form_t form;
    int64_t started_ms;
    bool is_judged;  // the token is good
};

static const char json_type[] = "application/json";
static const char stream_type[] = "text/event-stream";

// ---- answers

static void
add_web_headers(httpd_request_t *http, const guard_headers_t *headers,
                const guard_rules_t *rules)
{
    httpd_add_header(http, "Vary", "Origin");
    if (!guard_is_web(headers, rules))
        return;
    httpd_add_header(http, "Access-Control-Allow-Origin", headers->origin);
    httpd_add_header(http, "Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate");
}

// The code of a refusal in its JSON-RPC body.
static int
rpc_code(int http)
{
    return http == 404 ? RPC_SESSION : RPC_REFUSED;
}

static void
refuse(httpd_request_t *http, const guard_headers_t *headers, const guard_rules_t *rules,
       int code, const char *text)
{
    AUTO(buffer_clear) buffer_t body = { 0 };

    if (code == 401)
        httpd_add_header(http, "WWW-Authenticate",
                         headers->authorization
                             ? "Bearer realm=\"proofarc\", error=\"invalid_token\""
                             : "Bearer realm=\"proofarc\"");
    if (code == 405)
        httpd_add_header(http, "Allow", "POST, DELETE, OPTIONS");
    add_web_headers(http, headers, rules);
    jsonrpc_write_error(&body, "null", 4, rpc_code(code), text, NULL);
    httpd_answer(http, code, json_type, body.bytes, body.size);
}

static void
refuse_visit(visit_t *visit, int code, const char *text)
{
    refuse(visit->http, &visit->headers, &visit->door->rules, code, text);
}

static void
answer_preflight(visit_t *visit)
{
    httpd_request_t *http = visit->http;

    add_web_headers(http, &visit->headers, &visit->door->rules);
    httpd_add_header(http, "Allow", "POST, DELETE, OPTIONS");
    httpd_add_header(http, "Access-Control-Allow-Methods", "POST, DELETE, OPTIONS");
    httpd_add_header(http, "Access-Control-Allow-Headers",
                     "Authorization, Content-Type, Accept, Mcp-Session-Id, "
                     "MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID");
    httpd_add_header(http, "Access-Control-Max-Age", "600");
    httpd_answer(http, 204, NULL, "", 0);
}

static void
answer_as_stream(visit_t *visit, int code, const buffer_t *answer)
{
    AUTO(buffer_clear) buffer_t event = { 0 };

    buffer_text(&event, "event: message\ndata: ");
    buffer_add(&event, answer->bytes, answer->size);
    buffer_text(&event, "\n\n");
    httpd_answer(visit->http, code, stream_type, event.bytes, event.size);
}

static void
on_exchange_done(exchange_t *exchange, void *arg)
{
    visit_t *visit = arg;
    const buffer_t *answer = exchange_answer(exchange);
    int code = exchange_http(exchange);

    visit->exchange = NULL;
    add_web_headers(visit->http, &visit->headers, &visit->door->rules);
    httpd_add_header(visit->http, "Cache-Control", "no-store");
    if (code == 401)
        httpd_add_header(visit->http, "WWW-Authenticate",
                         "Bearer realm=\"proofarc\", error=\"invalid_token\"");
    if (*exchange_session(exchange))
        httpd_add_header(visit->http, "Mcp-Session-Id", exchange_session(exchange));
    if (!answer->size)
        httpd_answer(visit->http, code, NULL, "", 0);
    else if (visit->form == ANSWER_STREAM && code == 200)
        answer_as_stream(visit, code, answer);
    else
        httpd_answer(visit->http, code, json_type, answer->bytes, answer->size);
}

static const exchange_ops_t exchange_ops = { on_exchange_done, NULL };

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
    refuse_visit(visit, verdict == ACCESS_REFUSED ? 401 : 503, why.text);
    return ACCESS_REFUSED;
}

// ---- what is asked

// An id that is not ours, has ended, or belongs to somebody else is one that there is not.
static bool
find_session(visit_t *visit)
{
    const char *id = httpd_header(visit->http, "Mcp-Session-Id");
    const char *principal = visit->peer.principal ? visit->peer.principal : "";
    peer_t *peer = &visit->peer;

    if (!id)
        return true;
    if (!sessions_check(visit->door->service->sessions, id, principal, clock_wall_ms(),
                        &visit->session)) {
        refuse_visit(visit, 404, "There is no such session; begin with initialize.");
        return false;
    }
    peer->protocol = visit->session.protocol;
    peer->session = visit->session.key;
    peer->is_negotiated = peer->has_session = true;
    return true;
}

static void
end_session(visit_t *visit)
{
    service_t *service = visit->door->service;

    if (!visit->peer.has_session) {
        refuse_visit(visit, 400, "Name the session to end in Mcp-Session-Id.");
        return;
    }
    sessions_end(service->sessions, visit->session.key, clock_wall_ms());
    link_end_session(service->link, visit->session.key);
    add_web_headers(visit->http, &visit->headers, &visit->door->rules);
    httpd_answer(visit->http, 204, NULL, "", 0);
}

// True if body, answer and session can be what they say. Otherwise the visit is refused.
static bool
check_form(visit_t *visit)
{
    refusal_t refusal = guard_form(&visit->headers);

    if (refusal.http) {
        refuse_visit(visit, refusal.http, refusal.text);
        return false;
    }
    if (protocol_find(visit->headers.version, &visit->peer.protocol))
        visit->peer.is_negotiated = true;
    return find_session(visit);
}

// Everything but the body. GRANTED, WAIT for the verdict on the token, or REFUSED when the visit is
// answered.
static verdict_t
look(visit_t *visit)
{
    refusal_t refusal = guard_door(&visit->headers, &visit->door->rules);

    if (refusal.http) {
        refuse_visit(visit, refusal.http, refusal.text);
        return ACCESS_REFUSED;
    }
    if (!strcmp(visit->headers.method, "OPTIONS")) {
        answer_preflight(visit);
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
serve(visit_t *visit)
{
    if (!strcmp(visit->headers.method, "DELETE")) {
        end_session(visit);
        return;
    }
    visit->form = guard_answer_form(visit->headers.accept);
    visit->exchange =
        exchange_start(visit->door->service, &visit->peer, httpd_body(visit->http),
                       httpd_body_size(visit->http), &exchange_ops, visit);
}

guard_headers_t
visit_headers(const httpd_request_t *http)
{
    return (guard_headers_t){
        .method = httpd_method(http),
        .query = httpd_query(http),
        .host = httpd_header(http, "Host"),
        .origin = httpd_header(http, "Origin"),
        .authorization = httpd_header(http, "Authorization"),
        .content_length = httpd_header(http, "Content-Length"),
        .transfer_encoding = httpd_header(http, "Transfer-Encoding"),
        .content_type = httpd_header(http, "Content-Type"),
        .content_encoding = httpd_header(http, "Content-Encoding"),
        .accept = httpd_header(http, "Accept"),
        .version = httpd_header(http, "MCP-Protocol-Version"),
    };
}

visit_t *
visit_new(const door_t *door, httpd_request_t *http)
{
    visit_t *visit = calloc(1, sizeof *visit);

    assert(visit);
    *visit = (visit_t){
        .door = door,
        .http = http,
        .headers = visit_headers(http),
        .peer = { .protocol = (protocol_t) PROTOCOL_ASSUMED, .session = "" },
        .started_ms = clock_now_ms(),
    };
    if (has_long_body(&visit->headers))
        look(visit);
    return visit;
}

bool
visit_serve(visit_t *self)
{
    verdict_t verdict = look(self);

    if (verdict == ACCESS_GRANTED)
        serve(self);
    return verdict != ACCESS_WAIT;
}

void
visit_leave(visit_t *self)
{
    if (self->exchange)
        exchange_abandon(self->exchange);
    else
        httpd_answer(self->http, 503, NULL, "", 0);
}

void
visit_destroy(visit_t **self_p)
{
    if (!*self_p)
        return;
    assert(!(*self_p)->exchange);
    free((*self_p)->principal);
    free(*self_p);
    *self_p = NULL;
}
