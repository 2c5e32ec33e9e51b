// SPDX-License-Identifier: Apache-2.0
#include "mcp/exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "mcp/follow.h"
#include "mcp/inquiry.h"
#include "mcp/invoke.h"
#include "mcp/methods.h"
#include "mcp/service.h"
#include "mcp/shared.h"
#include "mcp/stateless.h"

enum { HTTP_OK = 200, HTTP_ACCEPTED = 202, HTTP_BAD_REQUEST = 400, HTTP_UNAUTHORIZED = 401 };

enum { PROGRESS_BURST = 5 };  // notifications of a request that may go out at once

struct exchange {
    service_t *service;
    peer_t *peer;
    arena_t *arena;
    const char *bytes;
    const exchange_ops_t *ops;
    void *arg;
    rpc_packet_t packet;
    request_t *requests;  // one for each message; unused ones stay empty
    size_t open;          // requests that are not over, and 1 while it starts
    size_t answered;
    buffer_t answer;
    size_t result_begin;  // in the answer, of the one that is being written
    int http;             // 0: it follows from the answer
    bool is_abandoned;
    char session[SESSION_ID_SIZE];
};

// True if that was the last one: the exchange is gone.
static bool
close_one(exchange_t *self)
{
    if (--self->open)
        return false;
    if (self->packet.is_batch && self->answered)
        buffer_char(&self->answer, ']');
    self->ops->done(self, self->arg);
    buffer_clear(&self->answer);
    arenas_give(&self->service->arenas, &self->arena);
    free(self);
    return true;
}

// Before each answer of the exchange.
static buffer_t *
separate(exchange_t *self)
{
    if (self->packet.is_batch)
        buffer_char(&self->answer, self->answered ? ',' : '[');
    self->answered++;
    return &self->answer;
}

// Every message of an array has an outcome of its own.
static void
mark_http(exchange_t *self, int code)
{
    if (!self->packet.is_batch)
        self->http = code;
}

bool
peer_wants_no_null(const peer_t *peer)
{
    if (peer->is_negotiated)
        return protocol_has_icons(peer->protocol);
    return peer->is_stateless
           || (peer->header
               && protocol_is_newer(peer->header("MCP-Protocol-Version", peer->arg)));
}

static void
answer_broken(exchange_t *self, const rpc_message_t *message)
{
    bool is_nameless = !message->id && peer_wants_no_null(self->peer);

    jsonrpc_write_error(separate(self), message->id_text, is_nameless ? 0 : message->id_size,
                        message->code, message->text, NULL);
    if (message->code == RPC_PARSE || message->code == RPC_INVALID)
        mark_http(self, HTTP_BAD_REQUEST);
}

static void
start_request(exchange_t *self, const rpc_message_t *message, request_t *request)
{
    self->open++;
    *request = (request_t){
        .exchange = self,
        .message = message,
        .protocol = self->peer->protocol,
        .capabilities = self->peer->capabilities ? self->peer->capabilities : "{}",
        .log_level = self->peer->log_level ? self->peer->log_level : "info",
        .started_ms = clock_now_ms(),
        .progress_done = -1,
        .progress_credit = PROGRESS_BURST,
    };
    service_add(self->service, request);
    methods_start(request);
}

static void
start_message(exchange_t *self, size_t index)
{
    const rpc_message_t *message = &self->packet.messages[index];

    switch (message->kind) {
    case RPC_REQUEST:
        start_request(self, message, &self->requests[index]);
        break;
    case RPC_NOTIFICATION:
        if (!methods_notice(self->service, self->peer, message))
            shared_tell(self->service, self->peer, message);
        break;
    case RPC_RESPONSE:
        if (!inquiry_take(self->service, self->peer, message))
            shared_tell(self->service, self->peer, message);
        break;
    case RPC_BROKEN:
        answer_broken(self, message);
        break;
    }
}

exchange_t *
exchange_start(service_t *service, peer_t *peer, const char *bytes, size_t size,
               const exchange_ops_t *ops, void *arg)
{
    exchange_t *self = calloc(1, sizeof *self);
    bool with_batches = peer->is_negotiated && protocol_has_batches(peer->protocol);

    assert(self);
    *self = (exchange_t){
        .service = service,
        .peer = peer,
        .arena = arenas_take(&service->arenas),
        .bytes = bytes,
        .ops = ops,
        .arg = arg,
        .open = 1,
    };
    jsonrpc_read(self->arena, bytes, size, with_batches, &self->packet);
    self->requests = arena_alloc(self->arena, self->packet.count * sizeof *self->requests);
    for (size_t i = 0; i < self->packet.count; i++)
        start_message(self, i);
    return close_one(self) ? NULL : self;
}

void
exchange_abandon(exchange_t *self)
{
    self->is_abandoned = true;
    for (size_t i = 0; i < self->packet.count; i++)
        if (self->requests[i].exchange && self->requests[i].call.serial)
            invoke_abandoned(&self->requests[i]);
}

bool
exchange_withdraw(exchange_t *self)
{
    request_t *request = self->requests;

    if (self->packet.count != 1 || !request->exchange
        || !protocol_is_stateless(request->protocol))
        return false;
    self->is_abandoned = true;
    methods_withdraw(request);
    return true;
}

void
exchange_drop(exchange_t *self)
{
    self->is_abandoned = true;
    self->open++;  // it stays until all are withdrawn
    for (size_t i = 0; i < self->packet.count; i++)
        if (self->requests[i].exchange)
            methods_withdraw(&self->requests[i]);
    close_one(self);
}

bool
request_is_abandoned(const request_t *request)
{
    return request->exchange->is_abandoned;
}

buffer_t *
exchange_answer(exchange_t *exchange)
{
    return &exchange->answer;
}

int
exchange_http(const exchange_t *exchange)
{
    if (exchange->http)
        return exchange->http;
    return exchange->answer.size ? HTTP_OK : HTTP_ACCEPTED;
}

const char *
exchange_session(const exchange_t *exchange)
{
    return exchange->session;
}

arena_t *
request_arena(const request_t *request)
{
    return request->exchange->arena;
}

service_t *
request_service(const request_t *request)
{
    return request->exchange->service;
}

peer_t *
request_peer(const request_t *request)
{
    return request->exchange->peer;
}

const char *
request_source(const request_t *request, const json_t *value, size_t *size_p)
{
    *size_p = value->end - value->begin;
    return request->exchange->bytes + value->begin;
}

static void
close_request(request_t *request)
{
    exchange_t *exchange = request->exchange;

    service_remove(exchange->service, request);
    follow_destroy(&request->follow);
    if (request->listener)
        listeners_remove(exchange->service->listeners, &request->listener);
    request->exchange = NULL;
    close_one(exchange);
}

buffer_t *
request_begin(request_t *request)
{
    const rpc_message_t *message = request->message;
    buffer_t *out = separate(request->exchange);

    buffer_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    buffer_add(out, message->id_text, message->id_size);
    buffer_text(out, ",\"result\":");
    request->exchange->result_begin = out->size;
    return out;
}

void
request_end(request_t *request)
{
    exchange_t *exchange = request->exchange;

    if (protocol_is_stateless(request->protocol))
        stateless_seal(&exchange->answer, exchange->result_begin, request);
    buffer_char(&exchange->answer, '}');
    close_request(request);
}

void
request_result(request_t *request, const char *json)
{
    buffer_text(request_begin(request), json);
    request_end(request);
}

void
request_error(request_t *request, int code, const char *text)
{
    request_error_with(request, code, text, NULL);
}

void
request_error_with(request_t *request, int code, const char *text, const char *data)
{
    const rpc_message_t *message = request->message;
    exchange_t *exchange = request->exchange;

    if (protocol_is_stateless(request->protocol))
        mark_http(exchange, stateless_http(code));
    else if (code == RPC_INVALID)
        mark_http(exchange, HTTP_BAD_REQUEST);
    jsonrpc_write_error(separate(exchange), message->id_text, message->id_size, code, text,
                        data);
    close_request(request);
}

void
request_refuse(request_t *request, int code, const char *text, const char *data)
{
    exchange_t *exchange = request->exchange;
    const rpc_message_t *message = request->message;

    mark_http(exchange, HTTP_BAD_REQUEST);
    jsonrpc_write_error(separate(exchange), message->id_text, message->id_size, code, text,
                        data);
    close_request(request);
}

void
request_drop(request_t *request)
{
    close_request(request);
}

void
request_unauthorized(request_t *request, const char *text)
{
    exchange_t *exchange = request->exchange;

    mark_http(exchange, HTTP_UNAUTHORIZED);
    jsonrpc_write_error(separate(exchange), request->message->id_text,
                        request->message->id_size, RPC_REFUSED, text, NULL);
    close_request(request);
}

bool
request_has_begun(const request_t *request)
{
    const exchange_t *exchange = request->exchange;

    return exchange->ops->has_begun && exchange->ops->has_begun(exchange->arg);
}

char *
request_new_session(request_t *request)
{
    return request->exchange->session;
}

bool
request_can_notify(const request_t *request)
{
    return request->exchange->ops->notify && request_peer(request)->takes_events;
}

void
request_notify(const request_t *request, const buffer_t *notification)
{
    request->exchange->ops->notify(notification->bytes, notification->size,
                                   request->exchange->arg);
}

const char *
request_header(const request_t *request, const char *name)
{
    const peer_t *peer = request_peer(request);

    return peer->header ? peer->header(name, peer->arg) : NULL;
}
