// SPDX-License-Identifier: Apache-2.0
// Everything a process has once, whatever the transport: the brokers, the lists, who may call,
// the sessions, and all requests that are open.

#ifndef PROOFARC_MCP_SERVICE_H
#define PROOFARC_MCP_SERVICE_H

#include "mcp/access.h"
#include "mcp/exchange.h"
#include "mcp/link.h"
#include "mcp/listeners.h"
#include "mcp/listing.h"
#include "mcp/repeats.h"
#include "mcp/sealed.h"

typedef struct {
    const char *profile;  // goes before the one of `bound`
    view_t bound;         // which tools may be seen and called at most
    size_t page_max;      // entries of one page of a list; 0: the usual number
    bool elicits;         // a narrowing is asked as a form where the client can show one
    bool logs_in;         // calls go out with our own token
    bool is_local;  // a stack of this machine, which comes back by itself: calls wait for it
    access_options_t access;
    unsigned char session_key[KEY_SIZE];
} service_options_t;

// What the holder of streams has to know of other transports.
typedef struct {
    void (*ended)(void *arg, const char *session);
    void (*seek)(void *arg, const seek_msg_t *seek);
    void (*piece)(void *arg, const piece_msg_t *piece);
} stream_ops_t;

struct service {
    zloop_t *loop;
    const char *profile;
    bool logs_in;
    bool is_local;
    char trouble[512];  // why the local stack cannot start, "" while it can
    bool elicits;
    bool is_ending;  // no client is asked anything more
    char instance[ENDPOINT_NAME_SIZE];
    uint64_t questions;  // that were put to clients
    zhashx_t *levels;    // session → least level of logs it wants
    sealer_t *sealer;
    listeners_t *listeners;
    link_t *link;
    listing_t *listing;
    access_t *access;
    sessions_t *sessions;
    repeats_t *repeats;
    arenas_t arenas;      // of exchanges
    request_t *requests;  // all that are open, the oldest first
    request_t *last;
    size_t open;
    size_t parked;
    uint64_t ended[STATUS_COUNT];  // calls, by how they ended
    uint64_t cancelled;
    bool list_was_read;  // a client holds a list of tools that may become old
    void (*on_access)(void *arg);
    void *access_arg;
    const stream_ops_t *streams;  // NULL: no client can come back
    void *streams_arg;
};

service_t *service_new(zloop_t *loop, curve_t *curve, const service_options_t *options);
void service_destroy(service_t **self_p);

// Open requests register themselves.
void service_add(service_t *self, request_t *request);
void service_remove(service_t *self, request_t *request);

// The request waits until something changes.
void service_park(service_t *self, request_t *request);

// Tries all parked requests again: something has changed.
void service_retry(service_t *self);

// Why there is nothing to wait for (the local stack cannot start, no broker answers), NULL when there
// is: whoever would wait is told.
void service_set_trouble(service_t *self, const char *reason);

// Answers everything that is open: this process is about to end.
void service_give_up(service_t *self);

// Ends everything that is open without an answer: nobody is there to read one.
void service_drop_all(service_t *self);

// Called when the verdict on a token may be there, and ten times a second. NULL ends that.
void service_on_access(service_t *self, void (*changed)(void *arg), void *arg);

// Called when all transports hear that a session is over, when a client reads at another one, or when
// what it seeks here comes from one. NULL ends that.
void service_on_streams(service_t *self, const stream_ops_t *ops, void *arg);

// A session wants logs of this level (of static life) and above.
void service_set_level(service_t *self, const char *session, const char *level);
const char *service_level(const service_t *self, const char *session);  // NULL: it has not said

// A session is over, here or at another transport.
void service_end_session(service_t *self, const char *session);

// Ends all subscriptions, and the calls that wait for an answer of the client: this process is about
// to end, or the client says nothing more.
void service_end_listening(service_t *self);

// True if the request came from this client.
bool request_is_of(const request_t *request, const peer_t *peer);

#endif
