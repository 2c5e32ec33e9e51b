// SPDX-License-Identifier: Apache-2.0
// The calls that the broker has accepted, from CALL until nobody waits for one and no worker
// has it any more. Whatever moves a call is here, so that the rings, credits and counters it
// stands in always agree.

#ifndef PROOFARC_CALLS_H
#define PROOFARC_CALLS_H

#include "counters.h"
#include "deadline.h"
#include "message.h"
#include "peers.h"
#include "principal.h"

enum { CALL_ID_MAX = 64 };

typedef struct lane lane_t;

typedef struct {
    message_t message;  // as it came, kept to be sent once more if a worker is lost
    peer_t *transport;  // who waits for the answer; NULL once it was answered or given up
    peer_t *worker;     // who has it; NULL while it waits in a lane
    lane_t *lane;       // where it waits, or waited
    principal_t *principal;
    bool reads;           // changes nothing
    bool quick;           // takes no slot
    unsigned tries;       // how often it was sent to a worker
    int64_t end_ms;       // when the caller's time is up
    deadline_t deadline;  // when the broker has to look at it again
    link_t in_lane, of_transport, of_worker;
} call_t;

typedef struct {
    table_t *by_id;
    table_t *principals;
    deadlines_t deadlines;  // every call stands in it
    counters_t *counters;
} calls_t;

void calls_init(calls_t *self, counters_t *counters, uint64_t seed);

// Ends all of them.
void calls_clear(calls_t *self);

// NULL if there is none.
call_t *calls_find(const calls_t *self, const char *id);
call_t *calls_due(const calls_t *self, int64_t now_ms);
call_t *calls_any(const calls_t *self);

// How many calls of a principal are waiting.
size_t calls_waiting_of(const calls_t *self, const char *principal);

// Takes a CALL over, whose id is new; leaves an empty message. It waits nowhere yet.
call_t *calls_admit(calls_t *self, message_t *message, peer_t *transport, int64_t end_ms);

// When it has to be looked at.
void calls_remind(calls_t *self, call_t *call, int64_t due_ms);

// It waits in a lane: behind the others of its principal, or before them.
void calls_wait(calls_t *self, call_t *call, lane_t *lane);
void calls_wait_first(calls_t *self, call_t *call, lane_t *lane);

// Takes the next call out of a lane; as lane_pop().
call_t *calls_pop(calls_t *self, lane_t *lane, size_t under_way_max);

// A worker has it, which costs it credit; or has it no more.
void calls_give(calls_t *self, call_t *call, peer_t *worker);
void calls_take_back(calls_t *self, call_t *call);

// Nobody waits for it any more; it will not be sent again, so its body goes.
void calls_let_go(calls_t *self, call_t *call);

// Forgets it, wherever it is.
void calls_end(calls_t *self, call_t *call);

// True if a lost worker does not matter: reads, and writes with a key that is remembered; once.
bool call_may_be_repeated(const call_t *self, bool keeps_keys);

#endif
