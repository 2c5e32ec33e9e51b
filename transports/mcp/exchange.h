// SPDX-License-Identifier: Apache-2.0
// One line of stdio or one body of HTTP, from its bytes to its answer. It holds the requests that
// stand in it, and is over when each of them is.

#ifndef PROOFARC_MCP_EXCHANGE_H
#define PROOFARC_MCP_EXCHANGE_H

#include "mcp/calls.h"
#include "mcp/jsonrpc.h"
#include "mcp/protocol.h"
#include "mcp/session.h"
#include "mcp/view.h"

typedef struct service service_t;
typedef struct exchange exchange_t;
typedef struct request request_t;
typedef struct method method_t;
typedef struct listener listener_t;
typedef struct inquiry inquiry_t;
typedef struct follow follow_t;

// Whom we talk to. Over stdio one for the life of the process, over HTTP one for each request.
// It and its texts outlive the exchange.
typedef struct {
    protocol_t protocol;
    bool is_negotiated;        // by `initialize` or by the client's header, not assumed
    bool is_lasting;           // one connection for all requests
    bool is_stateless;         // a request on it was of 2026-07-28
    bool takes_events;         // notifications can be sent to it before an answer
    bool has_session;          // it came with a session id
    const char *session;       // key of the session, "" for none
    const char *principal;     // NULL: the process's own user
    const char *token;         // NULL: the process's own
    const char *capabilities;  // what it declared in `initialize`, as JSON; NULL: nothing
    const char *log_level;     // least level of logs it wants; NULL: it has not said
    const view_t *view;        // what it sees of the tools; NULL: what the process shows
    // A header of the HTTP request; NULL over stdio.
    const char *(*header)(const char *name, void *arg);
    void *arg;
} peer_t;

// True if an error that belongs to no request has no id for this peer, as 2025-11-25 and newer want
// it; the older versions have to see the id null.
bool peer_wants_no_null(const peer_t *peer);

typedef struct {
    // The exchange is over: its answer is in exchange_answer(). Called exactly once, possibly
    // before exchange_start() returns; the exchange is gone after it.
    void (*done)(exchange_t *exchange, void *arg);
    // A message that belongs to a request and comes before its answer, ready to send.
    void (*notify)(const char *bytes, size_t size, void *arg);
    // True if the answer has begun, so that its HTTP code is out. NULL: there is none.
    bool (*has_begun)(void *arg);
} exchange_ops_t;

struct request {
    exchange_t *exchange;
    const rpc_message_t *message;
    const method_t *method;
    protocol_t protocol;       // in force for this request alone
    const char *capabilities;  // of the client, JSON
    const char *log_level;     // least level of logs wanted, "" for none
    const char *result_type;   // without `initialize`; NULL: complete
    const char *result_meta;   // members of its `_meta`, or NULL
    const json_t *arguments;   // of a tool or prompt; NULL: none
    json_t *chosen;            // by the person, when the tool left questions
    bool is_plain;             // the person does not want to be asked
    int64_t started_ms;
    bool is_parked;       // it waits for the stack, the catalogue or a log-in
    bool has_waited;      // for as long as anything may
    bool has_asked_anew;  // our own token was refused once already
    open_call_t call;
    const char *progress_token;  // raw, or NULL
    size_t progress_token_size;
    int64_t progress_done, progress_ms;  // of the last one that was passed on
    unsigned progress_credit;            // that may go out at once
    listener_t *listener;                // while it listens to changes
    follow_t *follow;                    // tasks that it is told of as well
    inquiry_t *inquiry;                  // while the client is asked something
    request_t *next, *previous;          // all that are open
};

// Starts what stands in `bytes`, which live until it is over. NULL if it is over already.
exchange_t *exchange_start(service_t *service, peer_t *peer, const char *bytes, size_t size,
                           const exchange_ops_t *ops, void *arg);

// The client has gone without taking the answer. The work goes on; an equal write that comes
// soon is taken for the same one.
void exchange_abandon(exchange_t *exchange);
bool request_is_abandoned(const request_t *request);

// The client has gone, and that means that it wants no answer: without `initialize`. `done` is
// called. False, and nothing happens, for the versions where it means nothing.
bool exchange_withdraw(exchange_t *exchange);

// The connection is gone: all requests are withdrawn, and `done` is called.
void exchange_drop(exchange_t *exchange);

// For `done`: the answer, empty when there is none, whose bytes may be taken over; the HTTP code that goes with it (200, 202 for
// no answer, 400 for what is no request, 401, 404); the id of a session that was begun, or "".
buffer_t *exchange_answer(exchange_t *exchange);
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
void request_refuse(request_t *request, int code, const char *text, const char *data);
void request_drop(request_t *request);  // cancelled: no answer

// What the client is told in HTTP of an error is told in its code, too: request_refuse() is 400,
// request_error() what the version has for the code.

// The platform does not take the caller's token: over HTTP the whole answer is 401.
void request_unauthorized(request_t *request, const char *text);

// True if the client has been told already that it is heard: no HTTP code but 200 is left.
bool request_has_begun(const request_t *request);

// Names the session that `initialize` has begun.
char *request_new_session(request_t *request);  // SESSION_ID_SIZE bytes to write it to

// Sends a notification on the request's way back, if there is one.
bool request_can_notify(const request_t *request);
void request_notify(const request_t *request, const buffer_t *notification);

// A header of its HTTP request, or NULL.
const char *request_header(const request_t *request, const char *name);

#endif
