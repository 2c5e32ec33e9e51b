// SPDX-License-Identifier: Apache-2.0
// One line of stdio or one body of HTTP, from its bytes to its answer. It holds the requests that
// stand in it, and is over when each of them is.

#ifndef PROOFARC_MCP_EXCHANGE_H
#define PROOFARC_MCP_EXCHANGE_H

#include "mcp/calls.h"
#include "mcp/jsonrpc.h"
#include "mcp/protocol.h"
#include "mcp/session.h"

typedef struct service service_t;
typedef struct exchange exchange_t;
typedef struct request request_t;
typedef struct method method_t;

// Whom we talk to. Over stdio one for the life of the process, over HTTP one for each request.
// It and its texts outlive the exchange.
typedef struct {
    protocol_t protocol;
    bool is_negotiated;     // by `initialize` or by the client's header, not assumed
    bool is_lasting;        // one connection for all requests; it takes notifications
    bool has_session;       // it came with a session id
    const char *session;    // key of the session, "" for none
    const char *principal;  // NULL: the process's own user
    const char *token;      // NULL: the process's own
} peer_t;

typedef struct {
    // The exchange is over: its answer is in exchange_answer(). Called exactly once, possibly
    // before exchange_start() returns; the exchange is gone after it.
    void (*done)(exchange_t *exchange, void *arg);
    // One notification that belongs to a request, ready to send. NULL where there is no place.
    void (*notify)(const char *bytes, size_t size, void *arg);
} exchange_ops_t;

struct request {
    exchange_t *exchange;
    const rpc_message_t *message;
    const method_t *method;
    int64_t started_ms;
    bool is_parked;       // it waits for the stack, the catalogue or a log-in
    bool has_waited;      // for as long as anything may
    bool has_asked_anew;  // our own token was refused once already
    open_call_t call;
    const char *progress_token;  // raw, or NULL
    size_t progress_token_size;
    int64_t progress_done, progress_ms;  // of the last one that was passed on
    request_t *next, *previous;          // all that are open
};

// Starts what stands in `bytes`, which live until it is over. NULL if it is over already.
exchange_t *exchange_start(service_t *service, peer_t *peer, const char *bytes, size_t size,
                           const exchange_ops_t *ops, void *arg);

// The client has gone without taking the answer. The work goes on; an equal write that comes
// soon is taken for the same one.
void exchange_abandon(exchange_t *exchange);
bool request_is_abandoned(const request_t *request);

// For `done`: the answer, empty when there is none; the HTTP code that goes with it (200, 202 for
// no answer, 400 for what is no request, 401); the id of a session that was begun, or "".
const buffer_t *exchange_answer(const exchange_t *exchange);
int exchange_http(const exchange_t *exchange);
const char *exchange_session(const exchange_t *exchange);

// For the methods. Everything of a request lives in the arena of its exchange.
arena_t *request_arena(const request_t *request);
service_t *request_service(const request_t *request);
peer_t *request_peer(const request_t *request);

// The bytes of a value of its params, as they arrived.
const char *request_source(const request_t *request, const json_t *value, size_t *size_p);

// Each of these ends the request, which is gone after it.
// Begins a result; the caller appends it and calls request_end().
buffer_t *request_begin(request_t *request);
void request_end(request_t *request);
void request_result(request_t *request, const char *json);
void request_error(request_t *request, int code, const char *text);
void request_error_with(request_t *request, int code, const char *text, const char *data);
void request_drop(request_t *request);  // cancelled: no answer

// The platform does not take the caller's token: over HTTP the whole answer is 401.
void request_unauthorized(request_t *request, const char *text);

// Names the session that `initialize` has begun.
char *request_new_session(request_t *request);  // SESSION_ID_SIZE bytes to write it to

// Sends a notification on the request's way back, if there is one.
bool request_can_notify(const request_t *request);
void request_notify(const request_t *request, const buffer_t *notification);

#endif
