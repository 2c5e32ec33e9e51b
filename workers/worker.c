// SPDX-License-Identifier: Apache-2.0
#include "worker.h"

#include <assert.h>
#include <sodium.h>

#include "actor.h"
#include "auto.h"
#include "brokers.h"
#include "call_state.h"
#include "clock.h"
#include "find.h"
#include "limits.h"
#include "log.h"
#include "news.h"
#include "offer.h"
#include "strand.h"
#include "waits.h"

enum {
    HOST_SIZE = 64,         // what a broker keeps of a name
    QUEUE_LOOK_MS = 100,    // while calls wait for a strand
    INFO_MS = 5000,         // for /api/info
    INFO_AGAIN_MS = 10000,  // once it is known
    SPARE_CALLS = 64,       // over the credit: what was under way when it changed
};

// What one broker has given us.
typedef struct {
    size_t share;    // strands that it may fill
    size_t calls;    // in hand
    size_t waiting;  // of these, with the waiter
} part_t;

typedef struct {
    int64_t calls, answers, failures, refused, cancelled, garbage;
} counters_t;

struct worker {
    zloop_t *loop;
    const worker_options_t *options;
    const worker_ops_t *ops;
    void *arg;
    char host[HOST_SIZE];
    void *entries;
    brokers_ready_t ready;
    curve_t *curve;
    brokers_t *brokers;
    part_t parts[BROKERS_MAX];  // one for each broker
    news_t news;
    refs_t *refs;
    strands_t *strands;
    waiter_t *waiter;
    waits_t *waits;
    arenas_t arenas;       // of the calls
    zhashx_t *calls;       // all in hand, by id
    call_t *first, *last;  // those that wait for a strand
    int queue_timer;       // -1 while there are none
    bool keeps_keys;
    bool is_draining;
    counters_t counters;
    char counters_text[256];
};

static void
on_state(void *owner, size_t broker, beat_msg_t *beat)
{
    worker_t *self = owner;
    const part_t *part = &self->parts[broker];
    const counters_t *counters = &self->counters;
    const size_t extra = part->waiting < WAITS_MAX ? part->waiting : WAITS_MAX;
    const size_t slots = strands_count(self->strands);

    beat->credit = self->is_draining ? 0 : (int64_t) (part->share + extra);
    beat->keeps_keys = self->keeps_keys;
    beat->counters = self->counters_text;
    snprintf(self->counters_text, sizeof self->counters_text,
             "{\"slots\":%zu,\"busy\":%zu,\"waiting\":%zu,\"calls\":%lld,\"answers\":%lld,"
             "\"failures\":%lld,\"refused\":%lld,\"cancelled\":%lld,\"garbage\":%lld}",
             slots, slots - strands_idle(self->strands), waits_count(self->waits),
             (long long) counters->calls, (long long) counters->answers,
             (long long) counters->failures, (long long) counters->refused,
             (long long) counters->cancelled, (long long) counters->garbage);
}

static void
check_drained(worker_t *self)
{
    if (self->is_draining && !zhashx_size(self->calls))
        self->ops->stop(self->arg, EXIT_DONE);
}

static void
note_answer(worker_t *self, const call_t *call)
{
    const bool is_fine = call->outcome == DONE;
    char line[256];

    self->counters.answers++;
    self->counters.failures += !is_fine;
    self->counters.cancelled += call->status == CANCELLED;
    snprintf(line, sizeof line, "%s %s %s %s %lld ms", call->message.id, call->message.name,
             status_name(call->status), outcome_name(call->outcome),
             (long long) (clock_now_ms() - call->began_ms));
    if (is_fine)
        log_debug("call", "%s", line);
    else
        log_info("call", "%s", line);
}

// Takes the answered call out of our hands.
static void
send_answer(worker_t *self, call_t *call)
{
    const answer_msg_t answer = {
        .id = call->message.id,
        .status = call->status,
        .outcome = call->outcome,
        .asked = call->asked,
        .content = call->content,
        .mime = call->mime,
        .is_base64 = call->is_base64,
    };

    assert(call->is_answered);
    brokers_send(self->brokers, call->broker, &answer_wire, &answer, call->answer,
                 call->answer_size);
    note_answer(self, call);
    self->parts[call->broker].calls--;
    zhashx_delete(self->calls, call->message.id);
    call_destroy(&call);
    check_drained(self);
}

static void
refuse(worker_t *self, call_t *call, status_t status, outcome_t outcome, const char *text)
{
    failure_t why;

    fail(&why, status, "%s", text);
    why.outcome = outcome;
    self->counters.refused += status == BUSY;
    reply_failure(call, &why);
    send_answer(self, call);
}

// True if the call is over because nobody waits for it any more.
static bool
refuse_if_late(worker_t *self, call_t *call)
{
    const outcome_t outcome = call->writes ? UNKNOWN_OUTCOME : NOT_SENT;

    if (call->is_cancelled)
        refuse(self, call, CANCELLED, CANCELLED_OUTCOME, "the call was withdrawn");
    else if (!call_left(call))
        refuse(self, call, TIMEOUT, outcome, "the time was up before it could begin");
    else
        return false;
    return true;
}

static call_t *
take_first(worker_t *self)
{
    call_t *call = self->first;

    self->first = call->next;
    if (!self->first)
        self->last = NULL;
    call->next = NULL;
    return call;
}

// Gives waiting calls to idle strands, in the order in which they came.
static void
fill_strands(worker_t *self)
{
    while (self->first && strands_idle(self->strands)) {
        call_t *call = take_first(self);
        if (!refuse_if_late(self, call))
            strands_give(self->strands, call);
    }
}

static int
on_queue_look(zloop_t *loop, int timer, void *arg)
{
    worker_t *self = arg;
    call_t *queue = self->first;

    self->first = self->last = NULL;
    for (call_t *call = queue; call; call = queue) {
        queue = call->next;
        call->next = NULL;
        if (refuse_if_late(self, call))
            continue;
        if (self->last)
            self->last->next = call;
        else
            self->first = call;
        self->last = call;
    }
    if (!self->first) {
        zloop_timer_end(loop, timer);
        self->queue_timer = -1;
    }
    return 0;
}

static void
want_strand(worker_t *self, call_t *call)
{
    call->next = NULL;
    if (self->last)
        self->last->next = call;
    else
        self->first = call;
    self->last = call;
    fill_strands(self);
    if (self->first && self->queue_timer == -1)
        self->queue_timer = zloop_timer(self->loop, QUEUE_LOOK_MS, 0, on_queue_look, self);
}

static void
start_call(worker_t *self, call_t *call)
{
    const size_t most = self->options->slots + WAITS_MAX + SPARE_CALLS;
    failure_t why;

    if (find_row(call, self->options->categories, &why)) {
        reply_failure(call, &why);
        send_answer(self, call);
    } else if (self->is_draining) {
        refuse(self, call, BUSY, NOT_SENT, "the worker is about to end; try again");
    } else if (zhashx_size(self->calls) > most) {
        refuse(self, call, BUSY, NOT_SENT, "too many calls are under way; try again");
    } else if (refuse_if_late(self, call)) {
        return;
    } else if (call->tool && call->tool->quick && !call->is_of_task) {
        call_work(call, NULL);
        send_answer(self, call);
    } else {
        want_strand(self, call);
    }
}

static void
take_call(worker_t *self, size_t broker, const parcel_t *parcel)
{
    AUTO(call_msg_clear) call_msg_t message = { 0 };
    failure_t why;

    if (wire_read(&call_wire, parcel, WIRE_FRAMES, &message, &why) || !*message.id) {
        self->counters.garbage++;
        return;
    }
    size_t size;
    const char *body = wire_body(parcel, &size);
    call_t *call = call_new(&self->arenas, &message, body, size);
    if (zhashx_insert(self->calls, call->message.id, call)) {
        self->counters.garbage++;  // we have one of this id
        call_destroy(&call);
        return;
    }
    call->broker = broker;
    self->parts[broker].calls++;
    self->counters.calls++;
    start_call(self, call);
}

// What a strand works on ends by itself: it looks before each request, and a write that is on the
// wire is finished.
static void
cancel_call(worker_t *self, const parcel_t *parcel)
{
    AUTO(cancel_msg_clear) cancel_msg_t cancel = { 0 };
    failure_t why;

    if (wire_read(&cancel_wire, parcel, WIRE_FRAMES, &cancel, &why)) {
        self->counters.garbage++;
        return;
    }
    call_t *call = zhashx_lookup(self->calls, cancel.id);
    if (!call)
        return;
    call->is_cancelled = true;
    if (call->is_waiting)
        waits_cancel(self->waits, call);
}

static void
on_message(void *owner, size_t broker, const parcel_t *parcel)
{
    worker_t *self = owner;

    switch (wire_kind(parcel)) {
    case MSG_call:
        take_call(self, broker, parcel);
        break;
    case MSG_cancel:
        cancel_call(self, parcel);
        break;
    default:
        self->counters.garbage++;
        log_debug("garbage", "a message of no known kind from broker %zu", broker);
    }
}

static void
on_heard(void *owner, const char *endpoint)
{
    worker_t *self = owner;

    self->ops->ready(self->arg, endpoint);
}

static int
perform(void *arg, void *easy)
{
    const desk_t *desk = arg;

    return waiter_perform(desk->waiter, desk->strand, easy);
}

static void *
open_desk(void *shared, strand_t *strand)
{
    worker_t *self = shared;
    desk_t *desk = calloc(1, sizeof *desk);

    assert(desk);
    *desk = (desk_t){
        .platform = self->options->platform,
        .http = http_new(),
        .refs = self->refs,
        .news = &self->news,
        .waiter = self->waiter,
        .strand = strand,
    };
    http_perform_by(desk->http, perform, desk);
    return desk;
}

static void
close_desk(void *state)
{
    desk_t *desk = state;

    http_destroy(&desk->http);
    free(desk);
}

static void
work(void *state, void *job)
{
    call_work(job, state);
}

static void
on_worked(void *owner, void *job)
{
    worker_t *self = owner;
    call_t *call = job;

    if (call->is_answered) {
        send_answer(self, call);
    } else if (!call->is_cancelled) {
        call->is_waiting = true;
        self->parts[call->broker].waiting++;
        waits_add(self->waits, call);
        if (self->is_draining)
            waits_hurry(self->waits);
        brokers_beat(self->brokers, call->broker);
    } else {
        refuse(self, call, CANCELLED, CANCELLED_OUTCOME, "the call was withdrawn");
    }
    fill_strands(self);
}

static void
on_waited(void *owner, call_t *call)
{
    worker_t *self = owner;

    call->is_waiting = false;
    self->parts[call->broker].waiting--;
    brokers_beat(self->brokers, call->broker);
    want_strand(self, call);
}

static void
on_progress(void *owner, call_t *call, int64_t done, int64_t total, const char *text)
{
    worker_t *self = owner;
    const progress_msg_t progress = {
        .id = call->message.id,
        .done = done,
        .total = total,
        .text = text,
    };

    brokers_send(self->brokers, call->broker, &progress_wire, &progress, NULL, 0);
}

static void
on_news(void *owner, size_t broker, const wire_table_t *table, const void *message)
{
    worker_t *self = owner;

    brokers_send(self->brokers, broker, table, message, NULL, 0);
}

static const strand_ops_t strand_ops = { open_desk, work, close_desk, on_worked };
static const waits_ops_t waits_ops = { on_waited, on_progress };
static const brokers_ops_t brokers_ops = { on_heard, on_message, on_state };

static int on_info_due(zloop_t *loop, int timer, void *arg);

// Whether the platform remembers keys decides if a broker may repeat a write.
static void
on_info(void *arg, long code, const char *body, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    worker_t *self = arg;
    const bool is_known = code == 200;
    const bool keeps_keys = json_get_bool(json_parse_text(arena, body), "remembersKeys", false);

    if (is_known && keeps_keys != self->keeps_keys) {
        self->keeps_keys = keeps_keys;
        brokers_beat_all(self->brokers);
    }
    zloop_timer(self->loop, is_known ? INFO_AGAIN_MS : BEAT_MS, 1, on_info_due, self);
}

static int
on_info_due(zloop_t *loop, int timer, void *arg)
{
    worker_t *self = arg;

    waiter_get(self->waiter, "/api/info", NULL, INFO_MS, on_info, self);
    return 0;
}

static int
on_no_broker(zloop_t *loop, int timer, void *arg)
{
    worker_t *self = arg;

    if (brokers_are_heard(self->brokers))
        return 0;
    log_error("no-broker", "no broker answers at %s", self->options->brokers[0]);
    self->ops->stop(self->arg, EXIT_NO_BROKER);
    return 0;
}

// Brokers keep names of a limited length: a longer one is stood for by its hash.
static void
set_host(worker_t *self)
{
    unsigned char hash[16];
    const char *name = self->options->name;

    if (strlen(name) < HOST_SIZE) {
        snprintf(self->host, sizeof self->host, "%s", name);
        return;
    }
    crypto_generichash(hash, sizeof hash, (const unsigned char *) name, strlen(name), NULL, 0);
    sodium_bin2hex(self->host, sizeof self->host, hash, sizeof hash);
}

static void
start(worker_t *self)
{
    self->waiter = waiter_new(self->loop, self->options->platform);
    self->waits = waits_new(self->loop, self->waiter, &waits_ops, self);
    self->news = (news_t){ on_news, self };
    self->strands = strands_new(self->loop, self->options->slots, &strand_ops, self, self);
    brokers_begin(self->brokers);
    on_info_due(self->loop, 0, self);
    zloop_timer(self->loop, NO_BROKER_MS, 1, on_no_broker, self);
}

// The credits of all brokers add up to the slots; each gets one at least.
static void
share_slots(worker_t *self)
{
    const size_t slots = self->options->slots;
    const size_t count = self->options->broker_count;

    for (size_t i = 0; i < count; i++) {
        size_t share = slots / count + (i < slots % count);
        self->parts[i].share = share ? share : 1;
    }
}

exit_code_t
worker_new(zloop_t *loop, const worker_options_t *options, const worker_ops_t *ops, void *arg,
           worker_t **self_p, failure_t *why)
{
    AUTO(worker_destroy) worker_t *self = calloc(1, sizeof *self);
    exit_code_t code;

    assert(self && options->broker_count >= 1);
    *self = (worker_t){ .loop = loop, .options = options, .ops = ops, .arg = arg };
    self->queue_timer = -1;
    self->calls = zhashx_new();
    set_host(self);
    share_slots(self);
    offer_pack(options->categories, &self->entries, &self->ready.entries_size);
    self->ready.entries = self->entries;
    self->ready.host = self->host;
    self->curve = curve_new(options->curve_dir, false, why);
    if (!self->curve)
        return EXIT_KEY;
    code = refs_new(loop, options->resolvers, options->resolver_count, self->curve, &self->refs,
                    why);
    if (code)
        return code;
    code = brokers_new(loop, options->brokers, options->broker_count, self->curve, &self->ready,
                       &brokers_ops, self, &self->brokers, why);
    if (code)
        return code;
    start(self);
    *self_p = self;
    self = NULL;
    return EXIT_DONE;
}

void
worker_destroy(worker_t **self_p)
{
    worker_t *self = *self_p;

    if (!self)
        return;
    strands_destroy(&self->strands);
    refs_destroy(&self->refs);
    waits_destroy(&self->waits);
    waiter_destroy(&self->waiter);
    for (call_t *call; (call = zhashx_first(self->calls));) {
        zhashx_delete(self->calls, call->message.id);
        call_destroy(&call);
    }
    arenas_clear(&self->arenas);
    brokers_destroy(&self->brokers);
    zhashx_destroy(&self->calls);
    curve_destroy(&self->curve);
    free(self->entries);
    free(self);
    *self_p = NULL;
}

void
worker_drain(worker_t *self)
{
    self->is_draining = true;
    brokers_bye(self->brokers);
    waits_hurry(self->waits);
    check_drained(self);
}
