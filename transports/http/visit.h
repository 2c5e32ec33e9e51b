// SPDX-License-Identifier: Apache-2.0
// One HTTP request to /mcp, /sse or /messages, from its headers to its answer.

#ifndef PROOFARC_HTTP_VISIT_H
#define PROOFARC_HTTP_VISIT_H

#include "http/guard.h"
#include "http/pair.h"
#include "http/replay.h"
#include "http/seek.h"
#include "httpd.h"
#include "mcp/service.h"

typedef struct visit visit_t;

// What all visits share.
typedef struct {
    service_t *service;
    guard_rules_t rules;
    visit_t *first;      // of all that there are
    pairs_t *pairs;      // streams of the old transport
    replays_t *replays;  // what streams have said
    seeks_t *seeks;      // those of them that are read at another transport
} door_t;

// A request whose headers are here; NULL if its path is none of ours. If its body is long they are
// looked at now, and it may be refused already.
visit_t *visit_new(door_t *door, httpd_request_t *http);

// Serves the whole request. False if it has to wait for the verdict on its token: try again.
bool visit_serve(visit_t *self);

// The client has gone.
void visit_leave(visit_t *self);

// The request is over.
void visit_destroy(visit_t **self_p);

// All transports hear that the session is over.
void visit_session_ended(door_t *door, const char *session);

// Every second: an answer for those who wait for that in vain.
void visit_tick_all(door_t *door, int64_t now_ms);

#endif
