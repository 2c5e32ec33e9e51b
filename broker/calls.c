// SPDX-License-Identifier: Apache-2.0
#include "calls.h"

#include <assert.h>
#include <stdlib.h>

#include "lane.h"

enum { TRIES_MAX = 2 };

void
calls_init(calls_t *self, counters_t *counters, uint64_t seed)
{
    *self = (calls_t){
        .by_id = table_new(seed),
        .principals = table_new(seed),
        .counters = counters,
    };
}

void
calls_clear(calls_t *self)
{
    call_t *call;

    while ((call = calls_any(self)))
        calls_end(self, call);
    table_destroy(&self->by_id);
    table_destroy(&self->principals);
    deadlines_clear(&self->deadlines);
}

call_t *
calls_find(const calls_t *self, const char *id)
{
    return table_find(self->by_id, id);
}

call_t *
calls_due(const calls_t *self, int64_t now_ms)
{
    return deadline_due(&self->deadlines, now_ms);
}

call_t *
calls_any(const calls_t *self)
{
    return deadline_due(&self->deadlines, INT64_MAX);
}

size_t
calls_waiting_of(const calls_t *self, const char *principal)
{
    const principal_t *known = table_find(self->principals, principal);

    return known ? known->waiting : 0;
}

call_t *
calls_admit(calls_t *self, message_t *message, peer_t *transport, int64_t end_ms)
{
    call_t *call = calloc(1, sizeof *call);

    assert(call && message->type == MSG_call);
    *call = (call_t){ .message = *message, .transport = transport, .end_ms = end_ms };
    *message = (message_t){ 0 };
    call->deadline.owner = call;
    link_init(&call->in_lane, call);
    link_init(&call->of_transport, call);
    link_init(&call->of_worker, call);
    call->principal = principal_get(self->principals, call->message.call.principal);
    link_append(&transport->calls, &call->of_transport);
    table_add(self->by_id, call->message.call.id, call);
    deadline_set(&self->deadlines, &call->deadline, end_ms);
    self->counters->open++;
    self->counters->bytes += (int64_t) call->message.bytes;
    return call;
}

void
calls_remind(calls_t *self, call_t *call, int64_t due_ms)
{
    deadline_set(&self->deadlines, &call->deadline, due_ms);
}

void
calls_wait(calls_t *self, call_t *call, lane_t *lane)
{
    lane_push(lane, call);
    self->counters->waiting++;
}

void
calls_wait_first(calls_t *self, call_t *call, lane_t *lane)
{
    lane_push_front(lane, call);
    self->counters->waiting++;
}

call_t *
calls_pop(calls_t *self, lane_t *lane, size_t under_way_max)
{
    call_t *call = lane_pop(lane, under_way_max);

    if (call)
        self->counters->waiting--;
    return call;
}

// Where its worker counts it.
static size_t *
room_of(const call_t *call)
{
    return call->quick ? &call->worker->quick : &call->worker->under_way;
}

void
calls_give(calls_t *self, call_t *call, peer_t *worker)
{
    link_append(&worker->calls, &call->of_worker);
    call->worker = worker;
    call->tries++;
    *room_of(call) += 1;
    call->principal->under_way++;
    self->counters->under_way++;
    self->counters->dispatched++;
    self->counters->repeated += call->tries > 1;
}

void
calls_take_back(calls_t *self, call_t *call)
{
    link_remove(&call->of_worker);
    *room_of(call) -= 1;
    call->worker = NULL;
    call->principal->under_way--;
    self->counters->under_way--;
}

void
calls_let_go(calls_t *self, call_t *call)
{
    link_remove(&call->of_transport);
    call->transport = NULL;
    self->counters->open--;
    self->counters->bytes -= (int64_t) call->message.bytes;
    call->message.bytes = 0;
    body_clear(&call->message.body);
}

void
calls_end(calls_t *self, call_t *call)
{
    if (call->transport)
        calls_let_go(self, call);
    if (call->worker)
        calls_take_back(self, call);
    if (!link_is_alone(&call->in_lane)) {
        lane_remove(call);
        self->counters->waiting--;
    }
    deadline_remove(&self->deadlines, &call->deadline);
    table_remove(self->by_id, call->message.call.id);
    principal_release(self->principals, call->principal);
    message_clear(&call->message);
    free(call);
}

bool
call_may_be_repeated(const call_t *self, bool keeps_keys)
{
    bool is_safe = self->reads || (keeps_keys && self->message.call.key[0]);

    return is_safe && self->tries < TRIES_MAX;
}
