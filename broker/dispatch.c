// SPDX-License-Identifier: Apache-2.0
#include "dispatch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lane.h"
#include "limits.h"
#include "verdict.h"

struct dispatch {
    dispatch_limits_t limits;
    const registry_t *registry;
    counters_t *counters;
    calls_t calls;
    lane_t *lanes[CATEGORIES_MAX][2];  // by category, quick ones behind; made when first needed
    lane_t *parked;                    // calls whose tool nobody has offered yet
    size_t turn;                       // category that is served first in the next step
    int64_t parking_ends_ms;
    int64_t now_ms;
    outbox_t *out;
};

dispatch_t *
dispatch_new(const dispatch_limits_t *limits, const registry_t *registry, counters_t *counters,
             uint64_t seed, int64_t now_ms)
{
    dispatch_t *self = calloc(1, sizeof *self);

    assert(self);
    *self = (dispatch_t){
        .limits = *limits,
        .registry = registry,
        .counters = counters,
        .parked = lane_new(0),
        .parking_ends_ms = now_ms + limits->catalogue_ms,
    };
    calls_init(&self->calls, counters, seed);
    return self;
}

void
dispatch_destroy(dispatch_t **self_p)
{
    dispatch_t *self = *self_p;

    if (!self)
        return;
    calls_clear(&self->calls);
    for (size_t i = 0; i < CATEGORIES_MAX; i++) {
        lane_destroy(&self->lanes[i][false]);
        lane_destroy(&self->lanes[i][true]);
    }
    lane_destroy(&self->parked);
    free(self);
    *self_p = NULL;
}

void
dispatch_begin(dispatch_t *self, int64_t now_ms, outbox_t *out)
{
    self->now_ms = now_ms;
    self->out = out;
}

static char *
copy_of(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    assert(copy);
    return memcpy(copy, text, size);
}

static void
answer(dispatch_t *self, uint64_t route, const char *id, verdict_t verdict)
{
    const verdict_row_t *row = &verdicts[verdict];
    letter_t *letter = outbox_letter(self->out, TRANSPORTS, route, MSG_answer);

    letter->message.answer = (answer_msg_t){ .status = row->status, .outcome = row->outcome };
    letter->message.answer.id = letter->message.memory = copy_of(id);
    letter->sentence = row->sentence;
    self->counters->busy += row->status == BUSY;
    self->counters->no_tool += row->status == NO_TOOL;
    self->counters->timeouts += row->status == TIMEOUT;
    self->counters->unknown += row->status == UNKNOWN;
    self->counters->failed += row->status == BACKEND;
}

// Nobody waits for it, but its worker is still busy with it and holds its credit: it stays
// until the worker answers, or should have answered long ago.
static void
orphan(dispatch_t *self, call_t *call)
{
    int64_t last_ms = call->end_ms > self->now_ms ? call->end_ms : self->now_ms;

    if (call->transport)
        calls_let_go(&self->calls, call);
    calls_remind(&self->calls, call, last_ms + SILENT_MS);
}

// What is said of a call whose worker is lost for good.
static verdict_t
loss_of(const call_t *call)
{
    return call->reads ? LOST_READ : LOST_WRITE;
}

static void
settle(dispatch_t *self, call_t *call, verdict_t verdict)
{
    answer(self, call->transport->route, call->message.call.id, verdict);
    if (call->worker)
        orphan(self, call);
    else
        calls_end(&self->calls, call);
}

// A call whose tool is not known waits for it no longer than the catalogue may take.
static void
wait_in(dispatch_t *self, call_t *call, lane_t *lane)
{
    bool is_parked = lane == self->parked && call->end_ms > self->parking_ends_ms;

    calls_wait(&self->calls, call, lane);
    calls_remind(&self->calls, call, is_parked ? self->parking_ends_ms : call->end_ms);
}

static lane_t *
lane_of(dispatch_t *self, size_t category, bool quick)
{
    lane_t **lane_p = &self->lanes[category][quick];

    if (!*lane_p)
        *lane_p = lane_new(quick ? self->limits.quick_per_worker : 0);
    return *lane_p;
}

// The lane for what is called; NULL if there is no such thing and none will turn up.
static lane_t *
find_lane(dispatch_t *self, const call_msg_t *call, offer_t *offer)
{
    *offer = (offer_t){ 0 };
    if (registry_find(self->registry, call->kind, call->name, offer))
        return lane_of(self, offer->category, offer->quick);
    if (registry_is_complete(self->registry) || self->now_ms >= self->parking_ends_ms)
        return NULL;
    return self->parked;
}

static verdict_t
nothing_of(const call_msg_t *call)
{
    return strcmp(call->kind, "tool") ? NO_SUCH_THING : NO_SUCH_TOOL;
}

// Why the call cannot be taken; VERDICT_COUNT if it can.
static verdict_t
refusal_of(const dispatch_t *self, const message_t *message, const lane_t *lane)
{
    size_t waiting = calls_waiting_of(&self->calls, message->call.principal);

    if (message->call.left_ms <= 0)
        return TOO_LATE_UNSENT;
    if (!lane)
        return nothing_of(&message->call);
    if (waiting >= self->limits.waiting_per_principal)
        return TOO_MANY_OF_PRINCIPAL;
    if (lane_waiting(lane) >= self->limits.waiting_per_lane)
        return TOO_MANY_OF_LANE;
    if ((size_t) self->counters->bytes + message->bytes > self->limits.bytes_max)
        return TOO_MANY_BYTES;
    return VERDICT_COUNT;
}

static bool
is_call_id(const char *id)
{
    return id[0] && strlen(id) <= CALL_ID_MAX;
}

static void
admit(dispatch_t *self, message_t *message, peer_t *transport, lane_t *lane,
      const offer_t *offer)
{
    int64_t left_ms = message->call.left_ms;
    int64_t end_ms = self->now_ms + (left_ms < WAIT_CALL_MS ? left_ms : WAIT_CALL_MS);
    call_t *call = calls_admit(&self->calls, message, transport, end_ms);

    call->reads = offer->reads;
    call->quick = offer->quick;
    wait_in(self, call, lane);
}

void
dispatch_call(dispatch_t *self, message_t *message, peer_t *transport)
{
    offer_t offer;

    self->counters->calls++;
    if (!is_call_id(message->call.id)) {
        self->counters->malformed++;
        return;
    }
    if (calls_find(&self->calls, message->call.id)) {
        self->counters->duplicates++;
        return;
    }
    lane_t *lane = find_lane(self, &message->call, &offer);
    verdict_t refusal = refusal_of(self, message, lane);
    if (refusal == VERDICT_COUNT)
        admit(self, message, transport, lane, &offer);
    else
        answer(self, transport->route, message->call.id, refusal);
}

void
dispatch_refuse(dispatch_t *self, const message_t *message, uint64_t route, verdict_t why)
{
    self->counters->calls++;
    if (is_call_id(message->call.id) && !calls_find(&self->calls, message->call.id))
        answer(self, route, message->call.id, why);
}

static void
send_cancel(dispatch_t *self, const call_t *call)
{
    letter_t *letter = outbox_letter(self->out, WORKERS, call->worker->route, MSG_cancel);

    letter->message.cancel.id = letter->message.memory = copy_of(call->message.call.id);
}

// The call of that id if `transport` waits for it.
static call_t *
call_of_transport(dispatch_t *self, const char *id, const peer_t *transport)
{
    call_t *call = calls_find(&self->calls, id);

    if (call && call->transport == transport)
        return call;
    self->counters->strays++;
    return NULL;
}

static call_t *
call_of_worker(dispatch_t *self, const char *id, const peer_t *worker)
{
    call_t *call = calls_find(&self->calls, id);

    if (call && call->worker == worker)
        return call;
    self->counters->strays++;
    return NULL;
}

void
dispatch_cancel(dispatch_t *self, message_t *message, peer_t *transport)
{
    call_t *call = call_of_transport(self, message->cancel.id, transport);

    if (!call)
        return;
    self->counters->cancelled++;
    if (!call->worker) {
        calls_end(&self->calls, call);
        return;
    }
    send_cancel(self, call);
    orphan(self, call);
}

// Passes a message on as it is.
static void
pass(dispatch_t *self, message_t *message, const peer_t *peer)
{
    letter_t *letter = outbox_letter(self->out, peer->side, peer->route, message->type);

    letter->message = *message;
    *message = (message_t){ 0 };
}

void
dispatch_relay(dispatch_t *self, message_t *message, peer_t *worker)
{
    // PROGRESS and LOG begin alike: the id of the call
    call_t *call = call_of_worker(self, message->progress.id, worker);

    if (call && call->transport)
        pass(self, message, call->transport);
}

// What stands in an answer came from a socket: numbers that mean nothing are made to.
static void
mend(answer_msg_t *message, const call_t *call)
{
    if (message->status < 0 || message->status >= STATUS_COUNT)
        message->status = BACKEND;
    if (message->outcome < 0 || message->outcome >= OUTCOME_COUNT)
        message->outcome = call->reads ? FAILED : UNKNOWN_OUTCOME;
}

// A worker that was given a write after another one was lost speaks of its own try alone: that
// it could not do it does not mean that the other one has not.
static bool
says_too_little(const answer_msg_t *message, const call_t *call)
{
    return !call->reads && call->tries > 1 && message->outcome != DONE;
}

void
dispatch_answer(dispatch_t *self, message_t *message, peer_t *worker)
{
    call_t *call = call_of_worker(self, message->answer.id, worker);

    if (!call)
        return;
    if (call->transport) {
        mend(&message->answer, call);
        if (says_too_little(&message->answer, call)) {
            calls_take_back(&self->calls, call);
            settle(self, call, LOST_WRITE);
            return;
        }
        pass(self, message, call->transport);
        self->counters->answers++;
    } else {
        self->counters->unwanted++;
    }
    calls_end(&self->calls, call);
}

void
dispatch_unsent(dispatch_t *self, const char *id, peer_t *worker, bool is_too_large)
{
    call_t *call = call_of_worker(self, id, worker);

    if (!call)
        return;
    calls_take_back(&self->calls, call);
    call->tries--;  // it was not one
    worker->is_full = !is_too_large;
    if (!call->transport)
        calls_end(&self->calls, call);
    else if (is_too_large)
        settle(self, call, call->tries ? loss_of(call) : TOO_LARGE_TO_PASS);
    else
        calls_wait_first(&self->calls, call, call->lane);
}

void
dispatch_serve(dispatch_t *self, peer_t *worker, size_t category)
{
    lane_add_worker(lane_of(self, category, false), worker);
    lane_add_worker(lane_of(self, category, true), worker);
}

void
dispatch_serve_none(dispatch_t *self, const peer_t *worker)
{
    for (size_t i = 0; i < CATEGORIES_MAX; i++)
        for (int quick = 0; quick < 2; quick++)
            if (self->lanes[i][quick])
                lane_remove_worker(self->lanes[i][quick], worker);
}

// The worker that had the call is lost, and nobody knows how far it came.
static void
recover(dispatch_t *self, call_t *call, bool keeps_keys)
{
    calls_take_back(&self->calls, call);
    if (!call->transport) {
        calls_end(&self->calls, call);
    } else if (call_may_be_repeated(call, keeps_keys)) {
        calls_wait_first(&self->calls, call, call->lane);
    } else {
        settle(self, call, loss_of(call));
    }
}

void
dispatch_worker_gone(dispatch_t *self, peer_t *worker)
{
    call_t *call;

    dispatch_serve_none(self, worker);
    while ((call = link_first(&worker->calls)))
        recover(self, call, worker->keeps_keys);
}

void
dispatch_transport_gone(dispatch_t *self, peer_t *transport)
{
    call_t *call;

    while ((call = link_first(&transport->calls))) {
        self->counters->dropped++;
        if (!call->worker) {
            calls_end(&self->calls, call);
            continue;
        }
        if (call->reads)
            send_cancel(self, call);
        orphan(self, call);  // a write is let finish
    }
}

// A call whose tool may be known by now goes into its lane.
static void
unpark(dispatch_t *self, call_t *call)
{
    offer_t offer;
    lane_t *lane = find_lane(self, &call->message.call, &offer);

    call->reads = offer.reads;
    call->quick = offer.quick;
    if (!lane)
        settle(self, call, nothing_of(&call->message.call));
    else if (lane_waiting(lane) >= self->limits.waiting_per_lane)
        settle(self, call, TOO_MANY_OF_LANE);
    else
        wait_in(self, call, lane);
}

void
dispatch_catalogue_changed(dispatch_t *self)
{
    for (size_t count = lane_waiting(self->parked); count > 0; count--)
        unpark(self, calls_pop(&self->calls, self->parked, SIZE_MAX));
}

static void
expire(dispatch_t *self, call_t *call)
{
    if (!call->transport) {
        self->counters->abandoned++;
        calls_end(&self->calls, call);
    } else if (self->now_ms < call->end_ms) {
        settle(self, call, nothing_of(&call->message.call));  // it was parked
    } else if (!call->tries) {
        settle(self, call, TOO_LATE_UNSENT);
    } else {
        if (call->worker && call->reads)
            send_cancel(self, call);
        settle(self, call, call->reads ? TOO_LATE_READ : TOO_LATE_WRITE);
    }
}

void
dispatch_expire(dispatch_t *self)
{
    call_t *call;

    while ((call = calls_due(&self->calls, self->now_ms)))
        expire(self, call);
}

// The envelope and the body stay with the call, which may have to be sent once more; the shell
// sends before the next step, and nothing ends calls between here and there.
static void
hand_over(dispatch_t *self, call_t *call, peer_t *worker)
{
    letter_t *letter = outbox_letter(self->out, WORKERS, worker->route, MSG_call);

    letter->message = call->message;
    letter->message.memory = NULL;
    letter->message.body.free = NULL;
    letter->message.call.left_ms = call->end_ms - self->now_ms;
    calls_give(&self->calls, call, worker);
    calls_remind(&self->calls, call, call->end_ms);
}

static void
pump_lane(dispatch_t *self, lane_t *lane)
{
    peer_t *worker;
    call_t *call;

    while (lane_waiting(lane) && (worker = lane_idlest(lane))
           && (call = calls_pop(&self->calls, lane, self->limits.under_way_per_principal))) {
        if (call->end_ms <= self->now_ms)
            expire(self, call);
        else
            hand_over(self, call, worker);
    }
}

void
dispatch_pump(dispatch_t *self)
{
    size_t count = registry_count(self->registry);

    for (size_t i = 0; i < count; i++) {
        lane_t *const *lanes = self->lanes[(self->turn + i) % count];
        for (int quick = 0; quick < 2; quick++)
            if (lanes[quick])
                pump_lane(self, lanes[quick]);
    }
    if (count)
        self->turn = (self->turn + 1) % count;
}

void
dispatch_end(dispatch_t *self)
{
    call_t *call;

    while ((call = calls_any(&self->calls))) {
        if (call->worker)
            calls_take_back(&self->calls, call);
        if (!call->transport)
            calls_end(&self->calls, call);
        else
            settle(self, call, call->tries ? loss_of(call) : STOPPING);
    }
}
