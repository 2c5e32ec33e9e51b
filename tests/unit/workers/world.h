// SPDX-License-Identifier: Apache-2.0
// A whole worker between a broker and a resolver, which the test plays, and a platform that
// answers from the table of trial.h. Include in the one source of a test program.

#ifndef PROOFARC_WORLD_H
#define PROOFARC_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "actor.h"
#include "auto.h"
#include "limits.h"
#include "trial.h"
#include "worker.h"

#include <cmocka.h>  // last: it defines fail()

enum { GUARD_MS = 20 * 1000 };  // nothing here takes that long

// The world around the worker.
typedef struct {
    char dir[32];
    char broker_endpoint[64];
    char resolver_endpoint[64];
    zsock_t *broker, *resolver;
    zframe_t *worker;  // its routing id at the broker
    fake_platform_t platform;
    zactor_t *actor;
    ready_msg_t ready;
    int64_t credit, keeps_keys;
    buffer_t progress;  // "done/total text\n"
    int calls;
    char resolved[64];  // the id of the last question that was answered
} world_t;

static world_t world;

static void
on_ready(void *arg, const char *endpoint)
{
}

static void
on_stop(void *arg, int exit_code)
{
}

static int
on_pipe(zloop_t *loop, zsock_t *pipe, void *arg)
{
    AUTO(zstr_free) char *command = zstr_recv(pipe);

    if (command && !strcmp(command, "DRAIN"))
        worker_drain(arg);
    return command && !strcmp(command, "$TERM") ? -1 : 0;
}

static void
run_worker(zsock_t *pipe, void *arg)
{
    static const worker_ops_t ops = { on_ready, on_stop };
    const char *broker = world.broker_endpoint;
    const char *resolver = world.resolver_endpoint;
    const worker_options_t options = {
        .categories = categories,
        .brokers = &broker,
        .broker_count = 1,
        .resolvers = &resolver,
        .resolver_count = 1,
        .platform = world.platform.url,
        .name = "trial@test:0",
        .slots = 2,
    };
    AUTO(zloop_destroy) zloop_t *loop = zloop_new();
    worker_t *worker = NULL;
    failure_t why;

    assert(worker_new(loop, &options, &ops, NULL, &worker, &why) == EXIT_DONE);
    zloop_reader(loop, pipe, on_pipe, worker);
    zsock_signal(pipe, 0);
    zloop_start(loop);
    worker_destroy(&worker);
}

static inline zsock_t *
bind_router(const char *endpoint)
{
    zsock_t *socket = zsock_new(ZMQ_ROUTER);

    endpoint_prepare(socket);
    zsock_set_rcvtimeo(socket, GUARD_MS);
    assert_int_equal(zsock_bind(socket, "%s", endpoint), 0);
    return socket;
}

static void
send_to(zsock_t *socket, const zframe_t *peer, const wire_table_t *table, const void *message,
        const char *body)
{
    zmsg_t *msg = wire_pack(table, message, body, strlen(body));
    zframe_t *identity = zframe_dup((zframe_t *) peer);

    zmsg_prepend(msg, &identity);
    assert_int_equal(actor_send(&msg, socket), 0);
}

// What comes beside answers is written down.
static void
note_message(zmsg_t *msg)
{
    AUTO(progress_msg_clear) progress_msg_t progress = { 0 };
    AUTO(beat_msg_clear) beat_msg_t beat = { 0 };
    AUTO(log_msg_clear) log_msg_t said = { 0 };
    AUTO(changed_msg_clear) changed_msg_t changed = { 0 };
    failure_t why;

    switch (wire_type(msg)) {
    case MSG_ready:
        ready_msg_clear(&world.ready);
        assert_int_equal(wire_unpack(&ready_wire, msg, &world.ready, &why), OK);
        break;
    case MSG_beat:
        assert_int_equal(wire_unpack(&beat_wire, msg, &beat, &why), OK);
        world.credit = beat.credit;
        world.keeps_keys = beat.keeps_keys;
        break;
    case MSG_progress:
        assert_int_equal(wire_unpack(&progress_wire, msg, &progress, &why), OK);
        buffer_printf(&world.progress, "%lld/%lld %s\n", (long long) progress.done,
                      (long long) progress.total, progress.text);
        break;
    case MSG_log:
        assert_int_equal(wire_unpack(&log_wire, msg, &said, &why), OK);
        buffer_printf(&world.progress, "%s %s\n", said.level, said.text);
        break;
    case MSG_changed:
        assert_int_equal(wire_unpack(&changed_wire, msg, &changed, &why), OK);
        buffer_printf(&world.progress, "%s %s\n", changed.kind, changed.uri);
        break;
    default:
        fail_msg("a message '%c' that a broker does not expect", wire_type(msg));
    }
}

// The next message of a type that the broker receives; others are noted.
static zmsg_t *
await(char type)
{
    for (;;) {
        zmsg_t *msg = zmsg_recv(world.broker);
        assert_non_null(msg);
        zframe_destroy(&world.worker);
        world.worker = zmsg_pop(msg);
        if (wire_type(msg) == type)
            return msg;
        note_message(msg);
        zmsg_destroy(&msg);
    }
}

static void
await_noted(char type)
{
    AUTO(zmsg_destroy) zmsg_t *msg = await(type);

    note_message(msg);
}

// Sends a CALL; what is not set has its usual value. Returns its id.
static const char *
call_with(call_msg_t call, const char *arguments)
{
    static char id[33];

    snprintf(id, sizeof id, "%032d", ++world.calls);
    call.id = id;
    call.kind = call.kind ? call.kind : "tool";
    call.principal = "proofarc|ada|analyst";
    call.token = "ada-token";
    call.session = "s1";
    call.key = call.key ? call.key : "key";
    call.left_ms = call.left_ms ? call.left_ms : 10000;
    send_to(world.broker, world.worker, &call_wire, &call, arguments);
    return id;
}

static inline const char *
call_tool(const char *name, const char *arguments)
{
    return call_with((call_msg_t){ .name = name }, arguments);
}

typedef struct {
    int call;  // number of the call
    status_t status;
    outcome_t outcome;
    char asked[40], mime[40], content[512];
    bool is_base64;
    char body[4096];
} answer_t;

static answer_t
await_any_answer(void)
{
    AUTO(zmsg_destroy) zmsg_t *msg = await(MSG_answer);
    AUTO(answer_msg_clear) answer_msg_t answer = { 0 };
    failure_t why;
    answer_t result;

    assert_int_equal(wire_unpack(&answer_wire, msg, &answer, &why), OK);
    result.call = (int) strtol(answer.id, NULL, 10);
    result.status = (status_t) answer.status;
    result.outcome = (outcome_t) answer.outcome;
    snprintf(result.asked, sizeof result.asked, "%s", answer.asked);
    snprintf(result.mime, sizeof result.mime, "%s", answer.mime);
    snprintf(result.content, sizeof result.content, "%s", answer.content);
    result.is_base64 = answer.is_base64;
    AUTO(zstr_free) char *body = zmsg_popstr(msg);
    snprintf(result.body, sizeof result.body, "%s", body);
    return result;
}

// Of the latest call.
static inline answer_t
await_answer(void)
{
    answer_t answer = await_any_answer();

    assert_int_equal(answer.call, world.calls);
    return answer;
}

// The next question that the resolver receives. One that was answered may have been asked again
// meanwhile, on a machine with much to do.
static inline zmsg_t *
receive_question(zframe_t **peer_p, resolve_msg_t *question)
{
    failure_t why;

    for (;;) {
        zmsg_t *msg = zmsg_recv(world.resolver);
        assert_non_null(msg);
        *peer_p = zmsg_pop(msg);
        assert_int_equal(wire_unpack(&resolve_wire, msg, question, &why), OK);
        if (strcmp(question->id, world.resolved))
            return msg;
        resolve_msg_clear(question);
        zframe_destroy(peer_p);
        zmsg_destroy(&msg);
    }
}

// The resolver receives one question whose body is `asked`, and answers.
static inline void
resolve(const char *asked, status_t status, const char *answer)
{
    AUTO(resolve_msg_clear) resolve_msg_t question = { 0 };
    AUTO(zframe_destroy) zframe_t *peer = NULL;
    AUTO(zmsg_destroy) zmsg_t *msg = receive_question(&peer, &question);

    snprintf(world.resolved, sizeof world.resolved, "%s", question.id);
    assert_string_equal(question.session, "s1");
    assert_string_equal(question.principal, "proofarc|ada|analyst");
    assert_string_equal(question.token, "ada-token");
    AUTO(zstr_free) char *body = zmsg_popstr(msg);
    assert_string_equal(body, asked);
    const resolved_msg_t late = { .id = "somebody else's", .status = NOT_FOUND };
    const resolved_msg_t resolved = { .id = question.id, .status = status };
    send_to(world.resolver, peer, &resolved_wire, &late, "{}");
    send_to(world.resolver, peer, &resolved_wire, &resolved, answer);
}

// OpenSSL keeps something for the thread that starts it, which must not end as the process does.
static void
start_curl(void)
{
    AUTO(http_destroy) http_t *first = http_new();

    assert_non_null(first);
}

static int
start_world(void **state)
{
    start_curl();
    snprintf(world.dir, sizeof world.dir, "/tmp/proofarc-worker-XXXXXX");
    assert_non_null(mkdtemp(world.dir));
    snprintf(world.broker_endpoint, sizeof world.broker_endpoint, "ipc://%s/b", world.dir);
    snprintf(world.resolver_endpoint, sizeof world.resolver_endpoint, "ipc://%s/r", world.dir);
    fake_platform_start(&world.platform, routes);
    world.broker = bind_router(world.broker_endpoint);
    world.resolver = bind_router(world.resolver_endpoint);
    world.actor = zactor_new(run_worker, NULL);
    await_noted(MSG_ready);
    return 0;
}

static int
stop_world(void **state)
{
    AUTO(zdir_destroy) zdir_t *dir = zdir_new(world.dir, NULL);

    zactor_destroy(&world.actor);
    fake_platform_stop(&world.platform);
    zsock_destroy(&world.broker);
    zsock_destroy(&world.resolver);
    zframe_destroy(&world.worker);
    ready_msg_clear(&world.ready);
    buffer_clear(&world.progress);
    zdir_remove(dir, true);
    return 0;
}

static inline int
reset(void **state)
{
    fake_platform_reset(&world.platform);
    buffer_clear(&world.progress);
    return 0;
}

#endif
