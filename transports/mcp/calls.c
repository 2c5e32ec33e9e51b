// SPDX-License-Identifier: Apache-2.0
#include "mcp/calls.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOT_BITS = 16, FIRST_SLOTS = 64 };

// A serial is the number of its slot below and a count that only grows above.
struct calls {
    uint64_t epoch;
    uint64_t issued;
    open_call_t **slots;
    size_t capacity;
    size_t count;
    size_t hint;  // where to look for a free slot
};

static_assert(CALLS_MAX == 1 << SLOT_BITS, "a slot's number has to fit below the count");

calls_t *
calls_new(uint64_t epoch)
{
    calls_t *self = calloc(1, sizeof *self);

    assert(self);
    self->epoch = epoch;
    self->capacity = FIRST_SLOTS;
    self->slots = calloc(self->capacity, sizeof(open_call_t *));
    assert(self->slots);
    return self;
}

void
calls_destroy(calls_t **self_p)
{
    if (!*self_p)
        return;
    free((*self_p)->slots);
    free(*self_p);
    *self_p = NULL;
}

static void
grow(calls_t *self)
{
    size_t wider = 2 * self->capacity;

    self->slots = realloc(self->slots, wider * sizeof(open_call_t *));
    assert(self->slots);
    memset(self->slots + self->capacity, 0, self->capacity * sizeof(open_call_t *));
    self->hint = self->capacity;
    self->capacity = wider;
}

// Half of the slots are free at least, so that the search is short.
static size_t
free_slot(calls_t *self)
{
    if (2 * self->count >= self->capacity && self->capacity < CALLS_MAX)
        grow(self);
    while (self->slots[self->hint])
        self->hint = (self->hint + 1) % self->capacity;
    return self->hint;
}

bool
calls_add(calls_t *self, open_call_t *call)
{
    if (self->count == CALLS_MAX)
        return false;
    size_t slot = free_slot(self);
    call->serial = ++self->issued << SLOT_BITS | slot;
    snprintf(call->id, sizeof call->id, "%016" PRIx64 "%016" PRIx64, self->epoch, call->serial);
    self->slots[slot] = call;
    self->count++;
    return true;
}

static bool
read_hex(const char *text, uint64_t *number_p)
{
    uint64_t number = 0;

    for (int i = 0; i < 16; i++) {
        const char *digits = "0123456789abcdef";
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit)
            return false;
        number = number << 4 | (uint64_t) (digit - digits);
    }
    *number_p = number;
    return true;
}

open_call_t *
calls_find(const calls_t *self, const char *id)
{
    uint64_t epoch, serial;

    if (strlen(id) != CALL_ID_SIZE - 1 || !read_hex(id, &epoch) || !read_hex(id + 16, &serial))
        return NULL;
    size_t slot = serial & (CALLS_MAX - 1);
    if (epoch != self->epoch || slot >= self->capacity)
        return NULL;
    open_call_t *call = self->slots[slot];
    return call && call->serial == serial ? call : NULL;
}

void
calls_remove(calls_t *self, open_call_t *call)
{
    if (!call->serial)
        return;
    self->slots[call->serial & (CALLS_MAX - 1)] = NULL;
    self->count--;
    call->serial = 0;
}

size_t
calls_count(const calls_t *self)
{
    return self->count;
}

uint64_t
calls_issued(const calls_t *self)
{
    return self->issued;
}

uint64_t
calls_number(const open_call_t *call)
{
    return call->serial >> SLOT_BITS;
}

call_msg_t
calls_message(const open_call_t *call, int64_t now_ms)
{
    return (call_msg_t){
        .id = call->id,
        .kind = call->kind,
        .name = call->name,
        .profile = call->profile,
        .session = call->session,
        .principal = call->principal,
        .token = call->token,
        .left_ms = call->deadline_ms - now_ms,
        .progress = call->wants_progress,
        .key = call->key ? call->key : call->id,
        .key_given = call->is_key_given,
        .log_level = call->log_level ? call->log_level : "",
        .capabilities = call->capabilities ? call->capabilities : "{}",
        .inputs = call->inputs ? call->inputs : "",
    };
}

bool
calls_is_refused_unseen(const open_call_t *call, const answer_msg_t *answer, uint64_t last,
                        int64_t now_ms)
{
    return answer->status == BUSY && answer->outcome == NOT_SENT && calls_number(call) <= last
           && !call->is_repeated && now_ms < call->deadline_ms;
}

open_call_t *
calls_next(const calls_t *self, size_t *cursor_p)
{
    while (self->count && *cursor_p < self->capacity) {
        open_call_t *call = self->slots[(*cursor_p)++];
        if (call)
            return call;
    }
    return NULL;
}

bool
calls_is_overdue(const open_call_t *call, int64_t now_ms)
{
    return now_ms >= call->deadline_ms + CALL_GRACE_MS;
}

fate_t
calls_fate(const open_call_t *call, int64_t now_ms)
{
    if (call->is_read && !call->is_repeated && now_ms < call->deadline_ms)
        return FATE_SEND_AGAIN;
    return FATE_UNKNOWN;
}
