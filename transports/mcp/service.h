// SPDX-License-Identifier: Apache-2.0
// Everything a process has once, whatever the transport: the brokers, the lists, who may call,
// the sessions, and all requests that are open.

#ifndef PROOFARC_MCP_SERVICE_H
#define PROOFARC_MCP_SERVICE_H

#include "mcp/access.h"
#include "mcp/exchange.h"
#include "mcp/link.h"
#include "mcp/listing.h"
#include "mcp/repeats.h"

typedef struct {
    const char *profile;
    bool logs_in;   // calls go out with our own token
    bool is_local;  // a stack of this machine, which comes back by itself: calls wait for it
    access_options_t access;
    unsigned char session_key[KEY_SIZE];
} service_options_t;

struct service {
    zloop_t *loop;
    const char *profile;
    bool logs_in;
    bool is_local;
    link_t *link;
    listing_t *listing;
    access_t *access;
    sessions_t *sessions;
    repeats_t *repeats;
    request_t *requests;  // all that are open, the oldest first
    request_t *last;
    size_t open;
    size_t parked;
    uint64_t ended[STATUS_COUNT];  // calls, by how they ended
    uint64_t cancelled;
    bool list_was_read;                  // a client holds a list of tools that may become old
    void (*on_list_changed)(void *arg);  // NULL where nobody can be told
    void *list_arg;
    void (*on_access)(void *arg);
    void *access_arg;
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

// Answers everything that is open: this process is about to end.
void service_give_up(service_t *self);

// Ends everything that is open without an answer: nobody is there to read one.
void service_drop_all(service_t *self);

// Called when the verdict on a token may be there, and ten times a second. NULL ends that.
void service_on_access(service_t *self, void (*changed)(void *arg), void *arg);

// Called when the lists have changed after a client read them. NULL ends that.
void service_on_list_changed(service_t *self, void (*changed)(void *arg), void *arg);

#endif
