// SPDX-License-Identifier: Apache-2.0
// One HTTP request to /mcp, from its headers to its answer.

#ifndef PROOFARC_HTTP_VISIT_H
#define PROOFARC_HTTP_VISIT_H

#include "http/guard.h"
#include "httpd.h"
#include "mcp/service.h"

typedef struct visit visit_t;

// What all visits share.
typedef struct {
    service_t *service;
    guard_rules_t rules;
} door_t;

// A request whose headers are here. If its body is long they are looked at now, and it may be
// refused already.
visit_t *visit_new(const door_t *door, httpd_request_t *http);

// Serves the whole request. False if it has to wait for the verdict on its token: try again.
bool visit_serve(visit_t *self);

// The client has gone.
void visit_leave(visit_t *self);

// The request is over.
void visit_destroy(visit_t **self_p);

// What the guard looks at.
guard_headers_t visit_headers(const httpd_request_t *http);

#endif
