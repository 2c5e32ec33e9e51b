// SPDX-License-Identifier: Apache-2.0
// A service with a broker that the test plays, all in one loop: the test says what the broker
// answers, and looks at what came to it. Included once by each test program that needs it.

#ifndef PROOFARC_TEST_BENCH_H
#define PROOFARC_TEST_BENCH_H

#include <czmq.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actor.h"
#include "auto.h"
#include "catalogue.h"
#include "clock.h"
#include "limits.h"
#include "mcp/service.h"

enum { BENCH_GUARD_MS = 10 * 1000, BENCH_CALLS_MAX = 2048 };

#define BENCH_UNUSED __attribute__((unused))

typedef struct {
    char *id;
    call_msg_t call;
    char *body;
} bench_call_t;

typedef struct {
    zloop_t *loop;
    char dir[64];
    char endpoint[96];
    zsock_t *router;
    zframe_t *transport;  // who spoke last
    char instance[ENDPOINT_NAME_SIZE];
    curve_t *curve;
    service_t *service;
    // What the broker does.
    bool holds;       // answers nothing by itself
    bool is_mute;     // says nothing of itself either
    status_t status;  // of every answer
    outcome_t outcome;
    const char *body;  // NULL: {"name", "arguments"}
    // What came to it.
    bench_call_t calls[BENCH_CALLS_MAX];
    size_t count;
    size_t hellos, cancels, byes;
    char cancelled[CALL_ID_SIZE];  // the last one
    char ended[64];
    char said[512];
    seek_msg_t seek;  // the last one
    size_t seeks;
    buffer_t pieces;             // "reader id text\n" of each
    bool (*is_done)(void *arg);  // ends bench_run()
    void *arg;
    bool is_late;
} bench_t;

// clang-format off
static const entry_msg_t bench_entries[] = {
    { .kind = "tool", .category = "explore", .name = "list_things", .effect = "reads", .budget_ms = 5000, .profile = "core",
      .json = "{\"name\":\"list_things\",\"title\":\"List things\",\"description\":\"Lists.\",\"inputSchema\":{\"type\":\"object\"},"
              "\"outputSchema\":{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":true}}" },
    { .kind = "tool", .category = "act", .name = "make_thing", .effect = "writes", .budget_ms = 5000, .profile = "standard",
      .json = "{\"name\":\"make_thing\",\"title\":\"Make\",\"description\":\"Makes.\",\"inputSchema\":{\"type\":\"object\"},"
              "\"outputSchema\":{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":false}}" },
    { .kind = "tool", .category = "act", .name = "brief_read", .effect = "reads", .budget_ms = 50, .profile = "full",
      .json = "{\"name\":\"brief_read\",\"description\":\"Short.\",\"inputSchema\":{\"type\":\"object\"}}" },
    { .kind = "tool", .category = "act", .name = "brief_write", .effect = "executes", .budget_ms = 50, .profile = "full",
      .json = "{\"name\":\"brief_write\",\"description\":\"Short.\",\"inputSchema\":{\"type\":\"object\"}}" },
    { .kind = "template", .category = "report", .name = "proofarc://thing/{id}", .effect = "reads", .budget_ms = 5000, .profile = "core",
      .json = "{\"uriTemplate\":\"proofarc://thing/{id}\",\"name\":\"thing\",\"title\":\"Thing\",\"description\":\"One.\",\"mimeType\":\"application/json\"}" },
};
// clang-format on

static void
bench_send(bench_t *self, const wire_table_t *table, const void *message, const char *body)
{
    zframe_t *to = zframe_dup(self->transport);
    zmsg_t *msg = wire_pack(table, message, body, body ? strlen(body) : 0);

    zmsg_prepend(msg, &to);
    zmsg_send(&msg, self->router);
}

static void
bench_beat(bench_t *self)
{
    const beat_msg_t beat = { .instance = self->instance, .counters = "{\"calls\":3}" };

    bench_send(self, &beat_wire, &beat, NULL);
}

static void
bench_offer(bench_t *self, size_t count, bool is_complete)
{
    catalogue_msg_t catalogue = { .version = 1, .complete = is_complete };
    void *bytes;

    catalogue_pack(bench_entries, count, &bytes, &catalogue.entries.size);
    catalogue.entries.bytes = bytes;
    bench_send(self, &catalogue_wire, &catalogue, NULL);
    free(bytes);
}

// Answers a call that is held.
static void
bench_answer(bench_t *self, const bench_call_t *call, status_t status, outcome_t outcome,
             const char *body)
{
    const answer_msg_t answer = { .id = call->id, .status = status, .outcome = outcome };
    char *echo =
        zsys_sprintf("{\"name\":\"%s\",\"arguments\":%s}", call->call.name, call->body);

    bench_send(self, &answer_wire, &answer, body ? body : echo);
    freen(echo);
}

static void
bench_take_call(bench_t *self, zmsg_t *msg)
{
    bench_call_t *call = &self->calls[self->count++];
    failure_t why;

    assert(self->count < BENCH_CALLS_MAX);
    assert(wire_unpack(&call_wire, msg, &call->call, &why) == OK);
    call->id = strdup(call->call.id);
    call->body = zmsg_popstr(msg);
    if (!self->holds)
        bench_answer(self, call, self->status, self->outcome, self->body);
}

static void
bench_take_piece(bench_t *self, zmsg_t *msg)
{
    AUTO(piece_msg_clear) piece_msg_t piece = { 0 };
    failure_t why;

    assert(wire_unpack(&piece_wire, msg, &piece, &why) == OK);
    buffer_printf(&self->pieces, "%s %s %s\n", piece.reader, piece.id, piece.text);
}

static void
bench_take(bench_t *self, zmsg_t *msg)
{
    AUTO(cancel_msg_clear) cancel_msg_t cancel = { 0 };
    AUTO(ended_msg_clear) ended_msg_t ended = { 0 };
    AUTO(said_msg_clear) said_msg_t said = { 0 };
    failure_t why;

    switch (wire_type(msg)) {
    case MSG_hello:
        self->hellos++;
        if (self->is_mute)
            break;
        bench_beat(self);
        bench_offer(self, ROWS(bench_entries), true);
        break;
    case MSG_call:
        bench_take_call(self, msg);
        break;
    case MSG_cancel:
        assert(wire_unpack(&cancel_wire, msg, &cancel, &why) == OK);
        snprintf(self->cancelled, sizeof self->cancelled, "%s", cancel.id);
        self->cancels++;
        break;
    case MSG_bye:
        self->byes++;
        break;
    case MSG_beat:
        if (!self->is_mute)
            bench_beat(self);
        break;
    case MSG_ended:
        assert(wire_unpack(&ended_wire, msg, &ended, &why) == OK);
        snprintf(self->ended, sizeof self->ended, "%s", ended.session);
        if (!self->holds)
            bench_send(self, &ended_wire, &ended, NULL);
        break;
    case MSG_seek:
        seek_msg_clear(&self->seek);
        assert(wire_unpack(&seek_wire, msg, &self->seek, &why) == OK);
        self->seeks++;
        break;
    case MSG_piece:
        bench_take_piece(self, msg);
        break;
    case MSG_said:
        assert(wire_unpack(&said_wire, msg, &said, &why) == OK);
        snprintf(self->said, sizeof self->said, "%s", said.text);
        break;
    }
}

static int
bench_on_router(zloop_t *loop, zsock_t *router, void *arg)
{
    bench_t *self = arg;

    for (;;) {
        AUTO(zmsg_destroy) zmsg_t *msg = actor_receive(router);
        if (!msg)
            break;
        zframe_destroy(&self->transport);
        self->transport = zmsg_pop(msg);
        bench_take(self, msg);
    }
    return self->is_done && self->is_done(self->arg) ? -1 : 0;
}

static int
bench_on_tick(zloop_t *loop, int timer, void *arg)
{
    bench_t *self = arg;

    return self->is_done && self->is_done(self->arg) ? -1 : 0;
}

static int
bench_on_late(zloop_t *loop, int timer, void *arg)
{
    bench_t *self = arg;

    self->is_late = true;
    return -1;
}

// Runs the loop until it is done. False when that takes longer than any test may.
BENCH_UNUSED static bool
bench_run(bench_t *self, bool (*is_done)(void *arg), void *arg)
{
    self->is_done = is_done;
    self->arg = arg;
    self->is_late = false;
    int tick = zloop_timer(self->loop, 2, 0, bench_on_tick, self);
    int late = zloop_timer(self->loop, BENCH_GUARD_MS, 1, bench_on_late, self);
    if (!is_done(arg))
        zloop_start(self->loop);
    zloop_timer_end(self->loop, tick);
    zloop_timer_end(self->loop, late);
    self->is_done = NULL;
    return !self->is_late;
}

static const service_options_t bench_options = {
    .profile = "full",
    .logs_in = true,
    .access = { .token = "our-own-token" },
};

BENCH_UNUSED static void
bench_open(bench_t *self, const service_options_t *options)
{
    failure_t why;

    *self = (bench_t){ .dir = "/tmp/proofarc-test-XXXXXX" };
    assert(mkdtemp(self->dir));
    snprintf(self->endpoint, sizeof self->endpoint, "ipc://%s/broker.sock", self->dir);
    endpoint_random_name(self->instance);
    self->loop = zloop_new();
    zloop_set_nonstop(self->loop, true);
    self->router = zsock_new(ZMQ_ROUTER);
    assert(!zsock_attach(self->router, self->endpoint, true));
    zloop_reader(self->loop, self->router, bench_on_router, self);
    self->curve = curve_new(NULL, false, &why);
    self->service = service_new(self->loop, self->curve, options ? options : &bench_options);
    assert(link_connect(self->service->link, self->endpoint, &why) == EXIT_DONE);
}

BENCH_UNUSED static void
bench_close(bench_t *self)
{
    char path[128];

    service_destroy(&self->service);
    curve_destroy(&self->curve);
    zloop_destroy(&self->loop);
    zsock_destroy(&self->router);
    zframe_destroy(&self->transport);
    seek_msg_clear(&self->seek);
    buffer_clear(&self->pieces);
    for (size_t i = 0; i < self->count; i++) {
        free(self->calls[i].id);
        freen(self->calls[i].body);
        call_msg_clear(&self->calls[i].call);
    }
    snprintf(path, sizeof path, "%s/broker.sock", self->dir);
    unlink(path);
    rmdir(self->dir);
}

// Another instance answers at the same place from now on: what the old one had is lost.
BENCH_UNUSED static void
bench_restart(bench_t *self)
{
    const hello_msg_t who_are_you = { 0 };

    endpoint_random_name(self->instance);
    bench_send(self, &hello_wire, &who_are_you, NULL);
}

static bool
bench_is_up(void *arg)
{
    bench_t *self = arg;

    return link_is_up(self->service->link) && listing_is_complete(self->service->listing);
}

BENCH_UNUSED static bool
bench_wait_up(bench_t *self)
{
    return bench_run(self, bench_is_up, self);
}

#endif
