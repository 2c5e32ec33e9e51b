// SPDX-License-Identifier: Apache-2.0
// The connections to the brokers: one DEALER each. Calls are spread over the brokers that live;
// what a lost one had in hand is settled. Every call that was taken is answered exactly once,
// or cancelled.

#ifndef PROOFARC_MCP_LINK_H
#define PROOFARC_MCP_LINK_H

#include "endpoint.h"
#include "mcp/calls.h"
#include "messages.h"

typedef struct link link_t;

enum { BROKERS_MAX = 16 };

// What transports are told beside answers.
typedef struct {
    char type;  // MSG_…
    union {
        void *memory;  // first member of every message
        changed_msg_t changed;
        ended_msg_t ended;
        said_msg_t said;
        seek_msg_t seek;
        piece_msg_t piece;
    };
} news_t;

typedef struct {
    // The call is over. `body` is what the answer carries (may be empty), valid during this.
    void (*answer)(void *owner, open_call_t *call, const answer_msg_t *answer, const char *body,
                   size_t size);
    void (*progress)(void *owner, open_call_t *call, const progress_msg_t *progress);
    void (*log)(void *owner, open_call_t *call, const log_msg_t *log);
    void (*catalogue)(void *owner, const catalogue_msg_t *catalogue);
    // Something that no call is about.
    void (*news)(void *owner, const news_t *news);
    // A broker has come or gone.
    void (*peers_changed)(void *owner);
} link_ops_t;

link_t *link_new(zloop_t *loop, curve_t *curve, const link_ops_t *ops, void *owner);

// Says BYE. Calls that are still open are not answered.
void link_destroy(link_t **self_p);

// Connects to one more broker; nothing happens for an endpoint that is there already.
exit_code_t link_connect(link_t *self, const char *endpoint, failure_t *why);

// True while a broker lives. One is taken for gone after SILENT_MS.
bool link_is_up(const link_t *self);

// True if any broker has ever answered.
bool link_was_up(const link_t *self);

// Sends the call, which is borrowed until it is over. OK, or BUSY or TOO_LARGE when nothing has
// left us.
status_t link_call(link_t *self, open_call_t *call);

// Tells the broker and forgets the call: it is not answered.
void link_cancel(link_t *self, open_call_t *call);

// Answers all open calls with TIMEOUT: this process is about to end.
void link_give_up(link_t *self);

// Tells all other transports: ENDED, SAID or SEEK, through every broker that lives, so that it may
// arrive several times; or PIECE, through one of them, so that the order stays.
void link_tell(link_t *self, const wire_table_t *table, const void *message);
void link_tell_once(link_t *self, const wire_table_t *table, const void *message);

size_t link_open_calls(const link_t *self);

// What the index-th broker last said of itself (a JSON object of numbers), or NULL behind the last
// one. *is_up_p: whether it lives.
const char *link_counters(const link_t *self, size_t index, bool *is_up_p);

#endif
