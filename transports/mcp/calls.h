// SPDX-License-Identifier: Apache-2.0
// The calls under way between this transport and the brokers: which id is whose, where it went,
// how long it may take, and what becomes of it when its broker is lost. Pure: no socket, no
// clock.

#ifndef PROOFARC_MCP_CALLS_H
#define PROOFARC_MCP_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "messages.h"

enum { CALL_ID_SIZE = 33, CALLS_MAX = 1 << 16, CALL_GRACE_MS = 500 };

typedef struct {
    // Filled by the owner. Everything pointed to lives until the call is over.
    const char *kind;  // tool, resource, prompt, complete or task
    const char *name;
    const char *session;
    const char *principal;
    const char *token;
    const char *profile;
    const char *capabilities;  // of the client, JSON
    const char *log_level;     // least level of logs wanted, "" for none
    const char *inputs;        // what the client has answered; NULL: nothing was asked
    const char *key;           // idempotency key; NULL: the call's id
    bool is_key_given;
    bool wants_progress;
    bool is_read;
    bool is_routed;    // by way of another tool
    const char *body;  // arguments, as they arrived
    size_t body_size;
    int64_t budget_ms;

    // Kept by the table and the link.
    uint64_t serial;  // 0 while it is not in the table
    size_t broker;
    int64_t deadline_ms;  // when the caller's time is up
    bool is_repeated;
    char id[CALL_ID_SIZE];
} open_call_t;

typedef struct calls calls_t;

// `epoch` is random: ids of two processes never meet.
calls_t *calls_new(uint64_t epoch);
void calls_destroy(calls_t **self_p);

// Gives the call an id and keeps it (borrowed). False when CALLS_MAX are open.
bool calls_add(calls_t *self, open_call_t *call);

// The open call of that id, or NULL: over, of another process, or no id at all.
open_call_t *calls_find(const calls_t *self, const char *id);

// Takes it out; its id is never given again.
void calls_remove(calls_t *self, open_call_t *call);

size_t calls_count(const calls_t *self);

// How many were ever added; a call's own number is the count right after it was.
uint64_t calls_issued(const calls_t *self);
uint64_t calls_number(const open_call_t *call);

// The CALL of it, which borrows from it.
call_msg_t calls_message(const open_call_t *call, int64_t now_ms);

// True for the answer of a broker that had not met us when it got the call (one that was started
// again, or had given us up; `last` is the newest call of which that may be said): nothing of it
// has happened, and it may go out once more.
bool calls_is_refused_unseen(const open_call_t *call, const answer_msg_t *answer, uint64_t last,
                             int64_t now_ms);

// Walks through all: start with *cursor_p 0, ends with NULL. Calls may be removed meanwhile.
open_call_t *calls_next(const calls_t *self, size_t *cursor_p);

// True if nobody between us and the tool has answered in time.
bool calls_is_overdue(const open_call_t *call, int64_t now_ms);

// What becomes of a call that was in the hands of a broker that is gone.
typedef enum {
    FATE_SEND_AGAIN,  // a read, once, while its time lasts
    FATE_UNKNOWN,     // it may have happened
} fate_t;
fate_t calls_fate(const open_call_t *call, int64_t now_ms);

#endif
