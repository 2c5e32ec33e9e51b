// SPDX-License-Identifier: Apache-2.0
// The methods of MCP: one table, one function each.

#ifndef PROOFARC_MCP_METHODS_H
#define PROOFARC_MCP_METHODS_H

#include "mcp/exchange.h"

// What has to be there before a method runs.
enum {
    NEEDS_LIST = 1,  // the catalogue is complete
    NEEDS_TOOL = 2,  // or the tool that is called is known already
    NEEDS_CALL = 4,  // a broker, the platform, and a token
};

struct method {
    const char *name;
    unsigned eras;         // in which it is served
    const char *named_by;  // the parameter that says what it is about, or NULL
    int64_t ttl_ms;        // how long its result may be kept; -1: nothing is said of that
    unsigned needs;
    bool (*check)(request_t *request);  // of the parameters, before any wait; NULL for none
    void (*run)(request_t *request);
};

// Begins a request: it is answered now, sent on, or parked until what its method needs is there.
void methods_start(request_t *request);

// True for a method that only requests without `initialize` have.
bool methods_is_stateless_only(const char *name);

// Tries a parked request again.
void methods_retry(request_t *request);

// Ends a parked request: nobody waits any more.
void methods_give_up(request_t *request);

// The client wants no answer any more.
void methods_withdraw(request_t *request);

// A notification of the client. Never answered, whatever it is. False: it is about a request that
// is not here.
bool methods_notice(service_t *service, const peer_t *peer, const rpc_message_t *message);

#endif
