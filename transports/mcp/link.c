// SPDX-License-Identifier: Apache-2.0
#include "mcp/link.h"

#include <errno.h>
#include <sodium.h>

#include "actor.h"
#include "auto.h"
#include "buffer.h"
#include "clock.h"
#include "limits.h"
#include "log.h"
#include "settings.h"

enum {
    TICK_MS = 100,
    GREET_MS = 3,      // between two tries to say HELLO on a new connection,
    GREETS_MAX = 500,  // so many times; then with each beat
    COUNTERS_MAX = 4 * KIB,
};

typedef struct {
    link_t *link;
    zsock_t *dealer;
    char *endpoint;
    char instance[ENDPOINT_NAME_SIZE];
    char *counters;
    int64_t heard_ms;
    bool is_greeted;  // HELLO went out
    bool is_up;
    bool is_draining;    // takes nothing new
    uint64_t forgotten;  // calls up to this number are lost once it says who it is
} broker_t;

struct link {
    zloop_t *loop;
    curve_t *curve;
    const link_ops_t *ops;
    void *owner;
    char instance[ENDPOINT_NAME_SIZE];
    broker_t brokers[BROKERS_MAX];
    size_t count;
    size_t turn;  // where the next call goes
    bool was_up;
    int greets_left;  // of the timer that says HELLO; 0 while it does not run
    int64_t beaten_ms, ticked_ms;
    calls_t *calls;
};

static int on_tick(zloop_t *loop, int timer, void *arg);

link_t *
link_new(zloop_t *loop, curve_t *curve, const link_ops_t *ops, void *owner)
{
    link_t *self = calloc(1, sizeof *self);
    uint64_t epoch;

    assert(self);
    *self = (link_t){ .loop = loop, .curve = curve, .ops = ops, .owner = owner };
    endpoint_random_name(self->instance);
    randombytes_buf(&epoch, sizeof epoch);
    self->calls = calls_new(epoch);
    zloop_timer(loop, TICK_MS, 0, on_tick, self);
    return self;
}

static int
send_to(broker_t *broker, const wire_table_t *table, const void *message, const void *body,
        size_t size)
{
    parcel_t parcel = { .count = 0 };

    wire_fill(&parcel, table, message, body, size);
    return actor_post(&parcel, broker->dealer);
}

void
link_destroy(link_t **self_p)
{
    link_t *self = *self_p;

    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++) {
        broker_t *broker = &self->brokers[i];
        const bye_msg_t bye = { .instance = self->instance };
        if (broker->is_up)
            send_to(broker, &bye_wire, &bye, NULL, 0);
        zloop_reader_end(self->loop, broker->dealer);
        zsock_destroy(&broker->dealer);
        free(broker->endpoint);
        free(broker->counters);
    }
    calls_destroy(&self->calls);
    free(self);
    *self_p = NULL;
}

// False while the connection does not stand.
static bool
greet(broker_t *broker)
{
    const hello_msg_t hello = {
        .protocol = WIRE_PROTOCOL,
        .instance = broker->link->instance,
        .version = proofarc_version(),
    };

    broker->is_greeted = send_to(broker, &hello_wire, &hello, NULL, 0) == 0;
    return broker->is_greeted;
}

// A socket does not tell when its connection stands: the first HELLO is tried until it goes.
static int
on_greet(zloop_t *loop, int timer, void *arg)
{
    link_t *self = arg;
    bool is_done = true;

    if (!self->greets_left)
        return 0;  // a late loop fires a timer again before it takes an ended one away
    for (size_t i = 0; i < self->count; i++)
        if (!self->brokers[i].is_greeted && !greet(&self->brokers[i]))
            is_done = false;
    if (is_done)
        self->greets_left = 0;
    else
        self->greets_left--;
    if (!self->greets_left)
        zloop_timer_end(loop, timer);
    return 0;
}

bool
link_is_up(const link_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->brokers[i].is_up && !self->brokers[i].is_draining)
            return true;
    return false;
}

bool
link_was_up(const link_t *self)
{
    return self->was_up;
}

// The next broker, in turn, that takes the message. Its index, or BROKERS_MAX.
static size_t
send_somewhere(link_t *self, const open_call_t *call, const call_msg_t *message)
{
    for (size_t i = 0; i < self->count; i++) {
        size_t index = self->turn++ % self->count;
        broker_t *broker = &self->brokers[index];
        if (broker->is_up && !broker->is_draining
            && send_to(broker, &call_wire, message, call->body, call->body_size) == 0)
            return index;
    }
    return BROKERS_MAX;
}

static status_t
dispatch(link_t *self, open_call_t *call, int64_t now_ms)
{
    if (!calls_add(self->calls, call))
        return BUSY;
    const call_msg_t message = calls_message(call, now_ms);

    call->broker = send_somewhere(self, call, &message);
    if (call->broker != BROKERS_MAX)
        return OK;
    calls_remove(self->calls, call);
    return BUSY;
}

status_t
link_call(link_t *self, open_call_t *call)
{
    int64_t now_ms = clock_now_ms();

    if (call->body_size > INPUT_MAX)
        return TOO_LARGE;
    call->deadline_ms = now_ms + call->budget_ms;
    return dispatch(self, call, now_ms);
}

// Ends a call that no tool answers any more.
static void
settle(link_t *self, open_call_t *call, status_t status, outcome_t outcome)
{
    const answer_msg_t answer = {
        .id = call->id,
        .status = status,
        .outcome = outcome,
        .asked = "",
        .content = "",
        .mime = "",
    };

    calls_remove(self->calls, call);
    self->ops->answer(self->owner, call, &answer, "", 0);
}

// Once, and under another id: what is said of the first is not said of this one.
static void
send_again(link_t *self, open_call_t *call, int64_t now_ms)
{
    calls_remove(self->calls, call);
    call->is_repeated = true;
    if (dispatch(self, call, now_ms))
        settle(self, call, BUSY, NOT_SENT);
}

static void
settle_lost(link_t *self, open_call_t *call)
{
    int64_t now_ms = clock_now_ms();

    if (calls_fate(call, now_ms) == FATE_SEND_AGAIN)
        send_again(self, call, now_ms);
    else
        settle(self, call, UNKNOWN, call->is_read ? NOT_SENT : UNKNOWN_OUTCOME);
}

// Loses what the broker was given up to the call of this number. The ids are gathered first,
// because a call that is sent again may come back to the same broker.
static void
lose_calls(link_t *self, size_t broker, uint64_t last)
{
    AUTO(buffer_clear) buffer_t lost = { 0 };
    size_t cursor = 0;

    for (open_call_t *call; (call = calls_next(self->calls, &cursor));)
        if (call->broker == broker && calls_number(call) <= last)
            buffer_add(&lost, call->id, CALL_ID_SIZE);
    if (lost.size)
        log_warning("calls-lost", "%zu calls were in the hands of %s", lost.size / CALL_ID_SIZE,
                    self->brokers[broker].endpoint);
    for (size_t i = 0; i < lost.size; i += CALL_ID_SIZE) {
        open_call_t *call = calls_find(self->calls, lost.bytes + i);
        if (call)
            settle_lost(self, call);
    }
}

static void
mark_down(link_t *self, broker_t *broker, const char *reason)
{
    if (broker->is_up)
        log_warning("broker-lost", "%s: %s", broker->endpoint, reason);
    broker->is_up = false;
    lose_calls(self, (size_t) (broker - self->brokers), calls_issued(self->calls));
    self->ops->peers_changed(self->owner);
}

static void
mark_up(link_t *self, broker_t *broker)
{
    broker->heard_ms = clock_now_ms();
    if (broker->is_up)
        return;
    log_info("broker-up", "%s", broker->endpoint);
    broker->is_up = self->was_up = true;
    broker->is_draining = false;
    self->ops->peers_changed(self->owner);
}

// Each of these reads one message and does what it says.
typedef status_t take_fn(broker_t *broker, parcel_t *parcel, failure_t *why);

static status_t
take_answer(broker_t *broker, parcel_t *parcel, failure_t *why)
{
    AUTO(answer_msg_clear) answer_msg_t answer = { 0 };
    link_t *self = broker->link;

    if (wire_read(&answer_wire, parcel, WIRE_FRAMES, &answer, why))
        return why->status;
    if (answer.status < 0 || answer.status >= STATUS_COUNT || answer.outcome < 0
        || answer.outcome >= OUTCOME_COUNT)
        return fail(why, BAD_ARGS, "an answer with a status that there is not");
    open_call_t *call = calls_find(self->calls, answer.id);
    if (!call)
        return OK;  // cancelled or overdue meanwhile
    if (broker->forgotten
        && calls_is_refused_unseen(call, &answer, broker->forgotten, clock_now_ms())) {
        send_again(self, call, clock_now_ms());
        return OK;
    }
    size_t size;
    const char *body = wire_body(parcel, &size);
    calls_remove(self->calls, call);
    self->ops->answer(self->owner, call, &answer, body, size);
    return OK;
}

static status_t
take_progress(broker_t *broker, parcel_t *parcel, failure_t *why)
{
    AUTO(progress_msg_clear) progress_msg_t progress = { 0 };
    link_t *self = broker->link;

    if (wire_read(&progress_wire, parcel, WIRE_FRAMES, &progress, why))
        return why->status;
    open_call_t *call = calls_find(self->calls, progress.id);
    if (call)
        self->ops->progress(self->owner, call, &progress);
    return OK;
}

static status_t
take_log(broker_t *broker, parcel_t *parcel, failure_t *why)
{
    AUTO(log_msg_clear) log_msg_t log = { 0 };
    link_t *self = broker->link;

    if (wire_read(&log_wire, parcel, WIRE_FRAMES, &log, why))
        return why->status;
    open_call_t *call = calls_find(self->calls, log.id);
    if (call)
        self->ops->log(self->owner, call, &log);
    return OK;
}

// What it was given before it forgot us, or before it was started again, is lost.
static void
meet_again(broker_t *broker, const char *instance)
{
    link_t *self = broker->link;
    bool is_another = *broker->instance && strcmp(broker->instance, instance) != 0;
    uint64_t last = broker->forgotten;

    snprintf(broker->instance, sizeof broker->instance, "%s", instance);
    broker->forgotten = 0;
    if (is_another) {
        broker->is_draining = false;
        last = last ? last : calls_issued(self->calls);
    }
    if (last)
        lose_calls(self, (size_t) (broker - self->brokers), last);
}

static status_t
take_beat(broker_t *broker, parcel_t *parcel, failure_t *why)
{
    AUTO(beat_msg_clear) beat_msg_t beat = { 0 };

    if (wire_read(&beat_wire, parcel, WIRE_FRAMES, &beat, why))
        return why->status;
    meet_again(broker, beat.instance);
    free(broker->counters);
    broker->counters = strlen(beat.counters) > COUNTERS_MAX ? NULL : strdup(beat.counters);
    return OK;
}

static status_t
take_catalogue(broker_t *broker, parcel_t *parcel, failure_t *why)
{
    AUTO(catalogue_msg_clear) catalogue_msg_t catalogue = { 0 };
    link_t *self = broker->link;

    if (wire_read(&catalogue_wire, parcel, WIRE_FRAMES, &catalogue, why))
        return why->status;
    self->ops->catalogue(self->owner, &catalogue);
    return OK;
}

// What no call is about.
static status_t
take_news(broker_t *broker, parcel_t *parcel, failure_t *why)
{
    static const wire_table_t *const tables[] = { &changed_wire, &ended_wire, &said_wire,
                                                  &seek_wire, &piece_wire };
    link_t *self = broker->link;
    news_t news = { .type = wire_kind(parcel) };
    size_t i = 0;

    while (tables[i]->type != news.type)
        i++;
    if (wire_read(tables[i], parcel, WIRE_FRAMES, &news.memory, why))
        return why->status;
    self->ops->news(self->owner, &news);
    free(news.memory);
    return OK;
}

// It does not know us: it was started again, or has given us up. It has still to answer calls
// that came before our introduction; its first beat tells that it has.
static status_t
take_hello(broker_t *broker, parcel_t *parcel, failure_t *why)
{
    if (broker->is_greeted && !broker->forgotten)
        broker->forgotten = calls_issued(broker->link->calls);
    greet(broker);
    return OK;
}

static status_t
take_bye(broker_t *broker, parcel_t *parcel, failure_t *why)
{
    link_t *self = broker->link;

    broker->is_draining = true;
    self->ops->peers_changed(self->owner);
    return OK;
}

// clang-format off
static const struct {
    char type;
    take_fn *take;
} takes[] = {
    { MSG_answer,    take_answer },
    { MSG_progress,  take_progress },
    { MSG_log,       take_log },
    { MSG_changed,   take_news },
    { MSG_beat,      take_beat },
    { MSG_catalogue, take_catalogue },
    { MSG_ended,     take_news },
    { MSG_said,      take_news },
    { MSG_seek,      take_news },
    { MSG_piece,     take_news },
    { MSG_hello,     take_hello },
    { MSG_bye,       take_bye },
};
// clang-format on

static void
take(broker_t *broker, parcel_t *parcel)
{
    char type = wire_kind(parcel);
    failure_t why = { 0 };

    for (size_t i = 0; i < ROWS(takes); i++) {
        if (takes[i].type != type)
            continue;
        if (takes[i].take(broker, parcel, &why))
            log_warning("message-malformed", "%s: %s", broker->endpoint, why.text);
        return;
    }
    log_debug("message-ignored", "%s sent what is not for a transport", broker->endpoint);
}

static int
on_readable(zloop_t *loop, zsock_t *dealer, void *arg)
{
    broker_t *broker = arg;

    for (;;) {
        AUTO(parcel_clear) parcel_t parcel = { .count = 0 };
        if (!actor_take(&parcel, dealer))
            return 0;
        mark_up(broker->link, broker);
        take(broker, &parcel);
    }
}

static void
beat(link_t *self, int64_t now_ms)
{
    const beat_msg_t message = { .instance = self->instance };

    self->beaten_ms = now_ms;
    for (size_t i = 0; i < self->count; i++) {
        broker_t *broker = &self->brokers[i];
        if (broker->is_greeted || greet(broker))
            send_to(broker, &beat_wire, &message, NULL, 0);
    }
}

static void
end_silent(link_t *self, int64_t now_ms)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->brokers[i].is_up && now_ms - self->brokers[i].heard_ms > SILENT_MS)
            mark_down(self, &self->brokers[i], "it is silent");
}

static void
end_overdue(link_t *self, int64_t now_ms)
{
    size_t cursor = 0;

    for (open_call_t *call; (call = calls_next(self->calls, &cursor));) {
        if (!calls_is_overdue(call, now_ms))
            continue;
        const cancel_msg_t cancel = { .id = call->id };
        send_to(&self->brokers[call->broker], &cancel_wire, &cancel, NULL, 0);
        settle(self, call, TIMEOUT, call->is_read ? FAILED : UNKNOWN_OUTCOME);
    }
}

// Who has slept himself has heard nobody: what they said meanwhile is still to be read.
static void
forgive_silence(link_t *self, int64_t now_ms)
{
    if (now_ms - self->ticked_ms > BEAT_MS)
        for (size_t i = 0; i < self->count; i++)
            self->brokers[i].heard_ms = now_ms;
    self->ticked_ms = now_ms;
}

static int
on_tick(zloop_t *loop, int timer, void *arg)
{
    link_t *self = arg;
    int64_t now_ms = clock_now_ms();

    forgive_silence(self, now_ms);
    if (now_ms - self->beaten_ms >= BEAT_MS)
        beat(self, now_ms);
    end_silent(self, now_ms);
    end_overdue(self, now_ms);
    return 0;
}

exit_code_t
link_connect(link_t *self, const char *endpoint, failure_t *why)
{
    for (size_t i = 0; i < self->count; i++)
        if (!strcmp(self->brokers[i].endpoint, endpoint))
            return EXIT_DONE;
    if (self->count == BROKERS_MAX) {
        fail(why, TOO_LARGE, "more than %d brokers are given", BROKERS_MAX);
        return EXIT_USAGE;
    }
    AUTO(zsock_destroy) zsock_t *dealer = zsock_new(ZMQ_DEALER);
    endpoint_prepare(dealer);
    exit_code_t code = endpoint_connect(dealer, endpoint, self->curve, why);
    if (code)
        return code;

    broker_t *broker = &self->brokers[self->count++];
    *broker = (broker_t){ .link = self, .dealer = dealer, .endpoint = strdup(endpoint) };
    dealer = NULL;
    zloop_reader(self->loop, broker->dealer, on_readable, broker);
    if (!self->greets_left)
        zloop_timer(self->loop, GREET_MS, 0, on_greet, self);
    self->greets_left = GREETS_MAX;
    return EXIT_DONE;
}

void
link_cancel(link_t *self, open_call_t *call)
{
    const cancel_msg_t cancel = { .id = call->id };

    if (!call->serial)
        return;
    send_to(&self->brokers[call->broker], &cancel_wire, &cancel, NULL, 0);
    calls_remove(self->calls, call);
}

void
link_give_up(link_t *self)
{
    size_t cursor = 0;

    for (open_call_t *call; (call = calls_next(self->calls, &cursor));)
        settle(self, call, TIMEOUT, call->is_read ? FAILED : UNKNOWN_OUTCOME);
}

void
link_tell(link_t *self, const wire_table_t *table, const void *message)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->brokers[i].is_up)
            send_to(&self->brokers[i], table, message, NULL, 0);
}

void
link_tell_once(link_t *self, const wire_table_t *table, const void *message)
{
    size_t i = 0;

    while (i < self->count && !self->brokers[i].is_up)
        i++;
    if (i < self->count)
        send_to(&self->brokers[i], table, message, NULL, 0);
}

size_t
link_open_calls(const link_t *self)
{
    return calls_count(self->calls);
}

const char *
link_counters(const link_t *self, size_t index, bool *is_up_p)
{
    if (index >= self->count)
        return NULL;
    *is_up_p = self->brokers[index].is_up;
    return self->brokers[index].counters ? self->brokers[index].counters : "{}";
}
