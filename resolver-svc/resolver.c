// SPDX-License-Identifier: Apache-2.0
#include "resolver.h"

#include <string.h>
#include <unistd.h>

#include "actor.h"
#include "auto.h"
#include "clock.h"
#include "core.h"
#include "endpoint.h"
#include "fetch.h"
#include "gate.h"
#include "limits.h"
#include "log.h"
#include "slot.h"

enum { TICK_MS = 10 * 1000, URL_MAX = 2048 };

// clang-format off
static const setting_t rows[] = {
    { .name = "bind", .kind = SETTING_TEXT, .argument = "ENDPOINT", .must = true,
      .about = "Where workers ask, ipc:///PATH or tcp://HOST:PORT." },
    { .name = "platform", .kind = SETTING_TEXT, .argument = "URL", .must = true,
      .about = "Base address of the platform, http:// or https://." },
    { .name = "slots", .kind = SETTING_NUMBER, .argument = "N", .fallback = "8",
      .about = "Lists that are fetched at once.", .min = 1, .max = 64 },
    { .name = "curve-dir", .kind = SETTING_TEXT, .argument = "DIR",
      .about = "Keys for tcp:// endpoints." },
    { 0 }
};
// clang-format on

static const char *const examples[] = {
    "proofarc-resolver --bind ipc:///run/proofarc/resolver.sock --platform "
    "http://127.0.0.1:8080",
    NULL,
};

const program_t resolver_program = {
    .name = "proofarc-resolver",
    .about =
        "Turns the names of projects, tests and environments into ids, or into a question.",
    .rows = rows,
    .examples = examples,
};

typedef struct {
    actor_t *actor;
    core_t *core;
    zsock_t *workers;  // ROUTER
    gate_t *gate;
    slots_t *slots;
    curve_t *curve;
    char platform[URL_MAX];
    int due_timer;   // -1: none
    int64_t due_ms;  // when it fires
    size_t garbage;  // messages that were none
    bool is_draining;
} resolver_t;

static int
send_to(resolver_t *self, const core_peer_t *peer, zmsg_t **msg_p)
{
    zmsg_pushmem(*msg_p, peer->bytes, peer->size);
    int error = actor_send(msg_p, self->workers);
    if (error)
        log_info("answer-lost", "a worker cannot be reached: %s", zmq_strerror(error));
    return error;
}

static void
send_resolved(void *arg, const core_peer_t *peer, const resolved_msg_t *answer,
              const void *body, size_t size)
{
    resolver_t *self = arg;
    AUTO(zmsg_destroy) zmsg_t *msg = wire_pack(&resolved_wire, answer, body, size);

    if (send_to(self, peer, &msg) != EMSGSIZE)
        return;
    resolved_msg_t refusal = {
        .id = answer->id,
        .status = TOO_LARGE,
        .code = status_name(TOO_LARGE),
        .text = "the names that could be meant are too long to be listed; give an id",
    };
    AUTO(zmsg_destroy) zmsg_t *instead = wire_pack(&resolved_wire, &refusal, NULL, 0);
    send_to(self, peer, &instead);
}

static int on_due(zloop_t *loop, int timer, void *arg);

// Sees to it that core_tick() is called when the first one's time is up.
static void
arm(resolver_t *self)
{
    int64_t due_ms = core_due_ms(self->core), now_ms = clock_now_ms();
    zloop_t *loop = actor_loop(self->actor);

    if (self->due_timer >= 0 && self->due_ms == due_ms)
        return;
    if (self->due_timer >= 0)
        zloop_timer_end(loop, self->due_timer);
    self->due_timer = -1;
    self->due_ms = due_ms;
    if (due_ms != INT64_MAX)
        self->due_timer = zloop_timer(loop, due_ms > now_ms ? (size_t) (due_ms - now_ms) : 0, 1,
                                      on_due, self);
}

// After every event: idle slots get what is due, and a drained resolver ends.
static void
go_on(resolver_t *self)
{
    flight_t *flight;

    while (slots_idle(self->slots) && (flight = core_next_fetch(self->core, clock_now_ms())))
        slots_give(self->slots, flight);
    arm(self);
    if (self->is_draining && !core_waiting(self->core))
        actor_part(self->actor);
}

static int
on_due(zloop_t *loop, int timer, void *arg)
{
    resolver_t *self = arg;

    self->due_timer = -1;
    core_tick(self->core, clock_now_ms());
    go_on(self);
    return 0;
}

static int
on_tick(zloop_t *loop, int timer, void *arg)
{
    resolver_t *self = arg;

    core_tick(self->core, clock_now_ms());
    go_on(self);
    return 0;
}

static void
on_fetched(void *owner, void *job)
{
    resolver_t *self = owner;
    flight_t *flight = job;

    if (flight->failure.status)
        log_warning("fetch-failed", "%s: %s", kinds_row(flight->kind)->plural,
                    flight->failure.text);
    else
        log_debug("fetched", "%s", kinds_row(flight->kind)->plural);
    core_fetched(self->core, flight, clock_now_ms());
    go_on(self);
}

static const slot_ops_t slot_ops = { fetch_open, fetch_work, fetch_close, on_fetched };

static const void *
body_of(zmsg_t *msg, size_t *size_p)
{
    zframe_t *frame = zmsg_first(msg);

    *size_p = frame ? zframe_size(frame) : 0;
    return frame ? zframe_data(frame) : NULL;
}

static status_t
on_resolve(resolver_t *self, const core_peer_t *peer, zmsg_t *msg, failure_t *why)
{
    AUTO(resolve_msg_clear) resolve_msg_t message = { 0 };
    size_t size;

    if (wire_unpack(&resolve_wire, msg, &message, why))
        return why->status;
    const void *body = body_of(msg, &size);
    core_resolve(self->core, peer, &message, body, size, clock_now_ms());
    return OK;
}

static status_t
on_forget(resolver_t *self, const core_peer_t *peer, zmsg_t *msg, failure_t *why)
{
    AUTO(forget_msg_clear) forget_msg_t message = { 0 };
    size_t size;

    if (wire_unpack(&forget_wire, msg, &message, why))
        return why->status;
    const void *body = body_of(msg, &size);
    core_forget(self->core, &message, body, size);
    forgotten_msg_t answer = { .id = message.id };
    AUTO(zmsg_destroy) zmsg_t *reply = wire_pack(&forgotten_wire, &answer, NULL, 0);
    send_to(self, peer, &reply);
    return OK;
}

// A peer that sends rubbish costs one message; the log says so less and less often.
static void
count_garbage(resolver_t *self, const failure_t *why)
{
    size_t count = ++self->garbage;

    if ((count & (count - 1)) == 0)
        log_warning("garbage", "%zu messages so far were none of ours: %s", count, why->text);
}

static void
on_turned_away(void *owner, const char *reason, size_t count)
{
    if (gate_is_told(count))
        log_warning("turned-away", "somebody wants to connect, the %zu. time: %s", count,
                    reason);
}

static void
on_message(resolver_t *self, zmsg_t *msg)
{
    AUTO(zframe_destroy) zframe_t *identity = zmsg_pop(msg);
    core_peer_t peer = { zframe_data(identity), zframe_size(identity) };
    failure_t why = { 0 };

    switch (wire_type(msg)) {
    case MSG_resolve:
        on_resolve(self, &peer, msg, &why);
        break;
    case MSG_forget:
        on_forget(self, &peer, msg, &why);
        break;
    default:
        fail(&why, BAD_ARGS, "neither RESOLVE nor FORGET");
    }
    if (why.status)
        count_garbage(self, &why);
}

static int
on_workers(zloop_t *loop, zsock_t *socket, void *arg)
{
    resolver_t *self = arg;

    for (zmsg_t *msg; (msg = actor_receive(socket)); zmsg_destroy(&msg))
        on_message(self, msg);
    go_on(self);
    return 0;
}

static void
on_drain(void *arg)
{
    resolver_t *self = arg;

    self->is_draining = true;
    zloop_reader_end(actor_loop(self->actor), self->workers);
    go_on(self);
}

static exit_code_t
set_platform(resolver_t *self, const char *url, failure_t *why)
{
    size_t length = strlen(url);

    if ((strncmp(url, "http://", 7) && strncmp(url, "https://", 8)) || length >= URL_MAX) {
        fail(why, BAD_ARGS, "--platform must be an http:// or https:// address, not %s", url);
        return EXIT_USAGE;
    }
    while (url[length - 1] == '/')
        length--;
    memcpy(self->platform, url, length);
    return EXIT_DONE;
}

static exit_code_t
start(resolver_t *self, const settings_t *settings, failure_t *why)
{
    zloop_t *loop = actor_loop(self->actor);

    exit_code_t code = set_platform(self, settings_text(settings, "platform"), why);
    if (code)
        return code;
    self->curve = curve_new(settings_text(settings, "curve-dir"), true, why);
    if (!self->curve)
        return EXIT_KEY;
    self->workers = zsock_new(ZMQ_ROUTER);
    endpoint_prepare(self->workers);
    code = endpoint_bind(self->workers, settings_text(settings, "bind"), self->curve, why);
    if (code)
        return code;
    self->slots = slots_new(loop, (size_t) settings_number(settings, "slots"), &slot_ops,
                            self->platform, self);
    self->gate =
        gate_new(loop, self->workers, settings_text(settings, "bind"), on_turned_away, self);
    zloop_reader(loop, self->workers, on_workers, self);
    zloop_timer(loop, TICK_MS, 0, on_tick, self);
    actor_on_drain(self->actor, on_drain, self);
    return EXIT_DONE;
}

// A fetch that hangs must not keep the process: what is left is freed by its end.
static void
leave_if_busy(const resolver_t *self, int code)
{
    if (self->slots && slots_idle(self->slots) < slots_count(self->slots))
        _exit(code);
}

int
resolver_run(const settings_t *settings)
{
    resolver_t self = { .actor = actor_new(settings), .due_timer = -1 };
    failure_t why = { 0 };

    self.core = core_new(SNAPSHOTS_PER_PRINCIPAL, SNAPSHOTS_MAX, send_resolved, &self);
    int code = start(&self, settings, &why);
    if (code) {
        actor_refuse(&resolver_program, code, "%s", why.text);
    } else {
        actor_ready(self.actor, settings_text(settings, "bind"));
        code = actor_run(self.actor);
    }
    leave_if_busy(&self, code);
    slots_destroy(&self.slots);
    core_destroy(&self.core);
    gate_destroy(&self.gate);
    zsock_destroy(&self.workers);
    curve_destroy(&self.curve);
    actor_destroy(&self.actor);
    return code;
}
