// SPDX-License-Identifier: Apache-2.0
#include "broker.h"

#include <errno.h>
#include <sodium.h>

#include "auto.h"
#include "clock.h"
#include "frames.h"
#include "gate.h"
#include "limits.h"
#include "metrics.h"

enum {
    TICK_MS = 100,
    BATCH_MAX = 256,         // messages of one socket before the others have their turn
    LAST_WORD_MS = 500,      // kept of DRAIN_MS to answer what has not ended
    MALFORMED_EVERY = 1000,  // of so many malformed messages one is logged
};

// Events that sending gave rise to, and that the core has not seen yet.
typedef struct {
    event_t *events;
    size_t count, capacity, taken;
} backlog_t;

struct broker {
    actor_t *actor;
    curve_t *curve;
    zsock_t *sockets[2];  // by side
    gate_t *gates[2];     // of them
    core_t *core;
    outbox_t out;
    backlog_t unsent;       // calls that did not leave
    backlog_t lost;         // peers that are gone; looked at when `unsent` is empty
    buffer_t metrics;       // what the beats of this tick carry
    int64_t drain_ends_ms;  // 0: not draining
};

static void
backlog_add(backlog_t *self, const event_t *event)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? 2 * self->capacity : 16;
        self->events = realloc(self->events, self->capacity * sizeof *self->events);
        assert(self->events);
    }
    self->events[self->count++] = *event;
}

static bool
backlog_take(backlog_t *self, event_t *event)
{
    if (self->taken == self->count) {
        self->taken = self->count = 0;
        return false;
    }
    *event = self->events[self->taken++];
    return true;
}

// A letter did not leave. A CALL waits again; a peer that is gone is lost, and so is a transport
// whose pipe is full: it does not read, and the others shall not wait for it.
static void
on_unsent(broker_t *self, const letter_t *letter, int error)
{
    event_t event = { .side = letter->side, .route = letter->route };

    if (letter->message.type == MSG_call) {
        event.kind = error == EMSGSIZE ? EVENT_TOO_LARGE : EVENT_UNSENT;
        snprintf(event.id, sizeof event.id, "%s", letter->message.call.id);
        backlog_add(&self->unsent, &event);
    } else {
        core_counters(self->core)->unsent++;
    }
    if (error == EHOSTUNREACH || (error == EAGAIN && letter->side == TRANSPORTS)) {
        event.kind = EVENT_LOST;
        backlog_add(&self->lost, &event);
    }
}

// Written once for all beats of a tick.
static const char *
metrics(broker_t *self)
{
    if (!self->metrics.size)
        metrics_write(&self->metrics, self->core);
    return self->metrics.bytes;
}

static void
send_letter(broker_t *self, letter_t *letter)
{
    if (letter->message.type == MSG_beat && letter->side == TRANSPORTS)
        letter->message.beat.counters = metrics(self);
    AUTO(parcel_clear) parcel_t parcel = { .count = 0 };
    letter_pack(letter, &parcel);
    int error = actor_post(&parcel, self->sockets[letter->side]);
    if (error)
        on_unsent(self, letter, error);
}

static void
write_note(const note_t *note)
{
    static void (*const write[])(const char *event, const char *format, ...) = {
        [LEVEL_ERROR] = log_error,
        [LEVEL_WARNING] = log_warning,
        [LEVEL_INFO] = log_info,
        [LEVEL_DEBUG] = log_debug,
    };

    write[note->level](note->event, "%s: %s", note->about, note->text);
}

static void
send_all(broker_t *self)
{
    for (size_t i = 0; i < self->out.count; i++)
        send_letter(self, &self->out.letters[i]);
    for (size_t i = 0; i < self->out.notes_count; i++)
        write_note(&self->out.notes[i]);
    outbox_empty(&self->out);
}

// One step of the core, and then those that the sending of its letters leads to.
static void
step(broker_t *self, event_t *event)
{
    event_t next;

    core_step(self->core, event, clock_now_ms(), &self->out);
    send_all(self);
    while (backlog_take(&self->unsent, &next) || backlog_take(&self->lost, &next)) {
        core_step(self->core, &next, clock_now_ms(), &self->out);
        send_all(self);
    }
}

// A bad peer costs one message, never the broker.
static void
drop(broker_t *self, const failure_t *why)
{
    counters_t *counters = core_counters(self->core);

    if (counters->malformed++ % MALFORMED_EVERY == 0)
        log_warning("malformed", "a message was dropped: %s", why->text);
}

static void
on_turned_away(void *owner, const char *reason, size_t count)
{
    broker_t *self = owner;

    core_counters(self->core)->turned_away++;
    if (gate_is_told(count))
        log_warning("turned-away", "somebody wants to connect, the %zu. time: %s", count,
                    reason);
}

static int
drain_socket(broker_t *self, side_t side)
{
    for (int i = 0; i < BATCH_MAX; i++) {
        AUTO(parcel_clear) parcel_t parcel = { .count = 0 };
        if (!actor_take(&parcel, self->sockets[side]))
            break;
        AUTO(event_clear) event_t event = { 0 };
        failure_t why;
        if (event_from(&event, side, &parcel, &why))
            drop(self, &why);
        else
            step(self, &event);
    }
    return 0;
}

static int
on_transport(zloop_t *loop, zsock_t *socket, void *arg)
{
    return drain_socket(arg, TRANSPORTS);
}

static int
on_worker(zloop_t *loop, zsock_t *socket, void *arg)
{
    return drain_socket(arg, WORKERS);
}

static void
step_kind(broker_t *self, event_kind_t kind)
{
    event_t event = { .kind = kind };

    step(self, &event);
}

static void
leave_when_done(broker_t *self)
{
    if (clock_now_ms() >= self->drain_ends_ms)
        step_kind(self, EVENT_END);
    if (core_is_idle(self->core))
        actor_part(self->actor);
}

static int
on_tick(zloop_t *loop, int timer, void *arg)
{
    broker_t *self = arg;

    buffer_clear(&self->metrics);
    step_kind(self, EVENT_TICK);
    if (self->drain_ends_ms)
        leave_when_done(self);
    return 0;
}

static void
on_drain(void *arg)
{
    broker_t *self = arg;

    self->drain_ends_ms = clock_now_ms() + DRAIN_MS - LAST_WORD_MS;
    step_kind(self, EVENT_DRAIN);
    leave_when_done(self);
}

static bool
is_category(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");

    return size > 0 && size < PEER_NAME_SIZE && !name[size];
}

// Splits `list`, which is written to, at its commas. The number of names, or -1 if one is none
// or there are too many.
static int
split_categories(char *list, const char *names[CATEGORIES_MAX])
{
    int count = 0;
    char *rest = list;

    for (char *name; (name = strsep(&rest, ","));) {
        if (count == CATEGORIES_MAX || !is_category(name))
            return -1;
        names[count++] = name;
    }
    return count;
}

static exit_code_t
make_core(broker_t *self, const char *categories, failure_t *why)
{
    AUTO(zstr_free) char *list = strdup(categories);
    const char *names[CATEGORIES_MAX];
    char instance[ENDPOINT_NAME_SIZE];
    int count = split_categories(list, names);

    if (count < 0) {
        fail(why, BAD_ARGS, "--categories takes up to %d names separated by commas",
             CATEGORIES_MAX);
        return EXIT_USAGE;
    }
    core_options_t options = { .instance = instance,
                               .categories = names,
                               .categories_count = (size_t) count,
                               .limits = core_limits() };
    endpoint_random_name(instance);
    randombytes_buf(&options.seed, sizeof options.seed);
    self->core = core_new(&options, clock_now_ms());
    return EXIT_DONE;
}

static exit_code_t
bind_socket(broker_t *self, side_t side, const char *endpoint, zloop_reader_fn *reader,
            failure_t *why)
{
    self->sockets[side] = zsock_new(ZMQ_ROUTER);
    assert(self->sockets[side]);
    endpoint_prepare(self->sockets[side]);
    exit_code_t code = endpoint_bind(self->sockets[side], endpoint, self->curve, why);
    if (code != EXIT_DONE)
        return code;
    zloop_reader(actor_loop(self->actor), self->sockets[side], reader, self);
    self->gates[side] =
        gate_new(actor_loop(self->actor), self->sockets[side], endpoint, on_turned_away, self);
    return EXIT_DONE;
}

static exit_code_t
open_sockets(broker_t *self, const broker_options_t *options, failure_t *why)
{
    self->curve = curve_new(options->curve_dir, true, why);
    if (!self->curve)
        return EXIT_KEY;
    exit_code_t code = bind_socket(self, WORKERS, options->workers, on_worker, why);
    if (code == EXIT_DONE)
        code = bind_socket(self, TRANSPORTS, options->transports, on_transport, why);
    return code;
}

exit_code_t
broker_new(actor_t *actor, const broker_options_t *options, broker_t **self_p, failure_t *why)
{
    AUTO(broker_destroy) broker_t *self = calloc(1, sizeof *self);

    assert(self);
    self->actor = actor;
    exit_code_t code = make_core(self, options->categories, why);
    if (code == EXIT_DONE)
        code = open_sockets(self, options, why);
    if (code != EXIT_DONE)
        return code;
    zloop_timer(actor_loop(actor), TICK_MS, 0, on_tick, self);
    actor_on_drain(actor, on_drain, self);
    *self_p = self;
    self = NULL;
    return EXIT_DONE;
}

void
broker_destroy(broker_t **self_p)
{
    broker_t *self = *self_p;

    if (!self)
        return;
    for (side_t side = TRANSPORTS; side <= WORKERS; side++) {
        if (self->sockets[side])
            zloop_reader_end(actor_loop(self->actor), self->sockets[side]);
        gate_destroy(&self->gates[side]);
        zsock_destroy(&self->sockets[side]);
    }
    outbox_clear(&self->out);
    core_destroy(&self->core);
    curve_destroy(&self->curve);
    buffer_clear(&self->metrics);
    free(self->unsent.events);
    free(self->lost.events);
    free(self);
    *self_p = NULL;
}

const char *
broker_endpoint(const broker_t *self)
{
    return zsock_endpoint(self->sockets[TRANSPORTS]);
}
