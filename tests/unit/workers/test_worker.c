// SPDX-License-Identifier: Apache-2.0
// A whole worker between a broker and a resolver, which the test plays, and a platform that
// answers from a table.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "actor.h"
#include "auto.h"
#include "call_state.h"
#include "catalogue.h"
#include "fake_platform.h"
#include "limits.h"
#include "worker.h"

#include <cmocka.h>  // last: it defines fail()

enum { GUARD_MS = 20 * 1000 };  // nothing here takes that long

static tool_fn write_late, write_after_gate, wait_for_run, answer_quickly;

// clang-format off
static const field_t thing_fields[] = { { "id", NUMBER, "Id." }, { "name", TEXT, "Name." }, { 0 } };

static const tool_t tools[] = {
    {
        .name = "list_things", .title = "List", .about = "Lists.", .effect = READS, .profile = CORE,
        .rest = "GET /api/projects/{project}/things",
        .params = { { "project", PROJECT | MUST, "Where." }, { "name_part", TEXT, "Part." } },
        .result = { { "things", OBJECT | MANY, "All.", .fields = thing_fields },
                    { "project", TEXT, "Where." } },
    },
    {
        .name = "create_thing", .title = "Create", .about = "Creates.", .effect = WRITES, .profile = CORE,
        .rest = "POST /api/things", .touches = "scenario",
        .params = { { "name", TEXT | MUST, "Name." } },
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "lose_thing", .title = "Lose", .about = "Loses.", .effect = WRITES, .profile = CORE,
        .rest = "POST /api/lost",
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "refuse_thing", .title = "Refuse", .about = "Refuses.", .effect = WRITES, .profile = CORE,
        .rest = "POST /api/refused",
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "be_unknown", .title = "Unknown", .about = "Unknown.", .effect = READS, .profile = CORE,
        .rest = "GET /api/unauthorized",
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "read_garbage", .title = "Garbage", .about = "Garbage.", .effect = READS, .profile = CORE,
        .rest = "GET /api/garbage",
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "write_late", .title = "Late", .about = "Late.", .effect = WRITES, .profile = CORE,
        .run = write_late,
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "write_after_gate", .title = "Gate", .about = "Gate.", .effect = WRITES, .profile = CORE,
        .run = write_after_gate,
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "run_thing", .title = "Run", .about = "Runs.", .effect = EXECUTES, .profile = CORE,
        .run = wait_for_run,
        .params = { { "run", NUMBER | MUST, "Which." }, { "wait", FLAG, "Wait." } },
        .result = { { "status", TEXT, "Status." }, { "timedOut", FLAG, "Whether." } },
    },
    {
        .name = "answer_quickly", .title = "Quick", .about = "Quick.", .effect = READS, .profile = CORE,
        .quick = true, .run = answer_quickly,
        .result = { { "who", TEXT, "Who." } },
    },
    { 0 }
};

static const template_t templates[] = {
    { "proofarc://thing/{thing_id}", "thing", "Thing", "A thing.", "application/json",
      "GET /api/things/{thing_id}" },
    { 0 }
};

static const route_t routes[] = {
    { "GET /api/info", 200, "{\"remembersKeys\":true}" },
    { "GET /api/projects/3/things", 200,
      "{\"things\":[{\"id\":1,\"name\":\"a\",\"secret\":\"x\",\"note\":null}],\"total\":1}" },
    { "GET /api/projects/999/things", 404,
      "{\"error\":{\"code\":\"PROJECT_NOT_FOUND\",\"message\":\"no project has the id 999\"}}" },
    { "POST /api/things", 201, "{\"id\":7,\"name\":\"n\",\"projectIds\":[1],\"password\":\"p\"}" },
    { "GET /api/things/12", 200, "{\"id\":12,\"anything\":null}" },
    { "POST /api/lost", 0, "" },
    { "POST /api/refused", 409, "{\"error\":{\"code\":\"DUPLICATE_THING\",\"message\":\"it is there\","
                                "\"errors\":[{\"line\":3}]}}" },
    { "GET /api/unauthorized", 401, "{\"error\":{\"code\":\"UNAUTHORIZED\",\"message\":\"log in\"}}" },
    { "GET /api/garbage", 200, "<html>" },
    { "GET /api/gate", 200, "{}", .at_gate = true },
    { "POST /api/runs/5", 202, "{\"id\":5}" },
    { "GET /api/runs/5", 200, "{\"status\":\"PENDING\",\"totalSteps\":3,\"passedSteps\":0,\"failedSteps\":0}" },
    { "GET /api/runs/5", 503, "{}" },
    { "GET /api/runs/5", 200, "{\"status\":\"RUNNING\",\"totalSteps\":3,\"passedSteps\":1,\"failedSteps\":1}" },
    { "GET /api/runs/5", 200, "{\"status\":\"COMPLETED\",\"totalSteps\":3,\"passedSteps\":2,\"failedSteps\":1}" },
    { "POST /api/runs/6", 202, "{\"id\":6}" },
    { "GET /api/runs/6", 200, "{\"status\":\"PENDING\"}" },
    { "POST /api/runs/8", 202, "{\"id\":8}" },
    { "GET /api/runs/8", 403, "{\"error\":{\"code\":\"DENIED\",\"message\":\"not yours\"}}" },
    { 0 }
};
// clang-format on

static const tool_t *const tables[] = { tools, NULL };
static const category_t category = { "trial", tables, templates };
static const category_t *const categories[] = { &category, NULL };

static void
write_late(call_t *call)
{
    json_t *answer;

    while (call_left(call))
        zclock_sleep(1);
    if (!platform_send_or_reply(call, &answer, "POST", NULL, "/api/things"))
        reply_json(call, answer);
}

static void
write_after_gate(call_t *call)
{
    json_t *answer;

    if (platform_get_or_reply(call, &answer, "/api/gate"))
        return;
    if (!platform_send_or_reply(call, &answer, "POST", NULL, "/api/things"))
        reply_json(call, answer);
}

static void
run_has_ended(call_t *call, json_t *answer, bool timed_out)
{
    json_set_bool(call_arena(call), answer, "timedOut", timed_out);
    reply_json(call, answer);
}

static void
wait_for_run(call_t *call)
{
    const int64_t run = call_number(call, "run", 0);
    json_t *answer;

    if (platform_send_or_reply(call, &answer, "POST", NULL, "/api/runs/%" PRId64, run))
        return;
    reply_when_done(call, run_has_ended, "/api/runs/%" PRId64, run);
}

static void
answer_quickly(call_t *call)
{
    json_t *result = json_object(call_arena(call));

    json_set_text(call_arena(call), result, "who", call_principal(call));
    reply_json(call, result);
}

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

static zsock_t *
bind_router(const char *endpoint)
{
    AUTO(curve_destroy) curve_t *curve = curve_new(NULL, true, NULL);
    zsock_t *socket = zsock_new(ZMQ_ROUTER);
    failure_t why;

    endpoint_prepare(socket);
    zsock_set_rcvtimeo(socket, GUARD_MS);
    assert_int_equal(endpoint_bind(socket, endpoint, curve, &why), EXIT_DONE);
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
    call.key = "key";
    call.left_ms = call.left_ms ? call.left_ms : 10000;
    send_to(world.broker, world.worker, &call_wire, &call, arguments);
    return id;
}

static const char *
call_tool(const char *name, const char *arguments)
{
    return call_with((call_msg_t){ .name = name }, arguments);
}

typedef struct {
    status_t status;
    outcome_t outcome;
    char asked[40], mime[40];
    char body[4096];
} answer_t;

static answer_t
await_answer(void)
{
    AUTO(zmsg_destroy) zmsg_t *msg = await(MSG_answer);
    AUTO(answer_msg_clear) answer_msg_t answer = { 0 };
    char id[33];
    failure_t why;
    answer_t result;

    assert_int_equal(wire_unpack(&answer_wire, msg, &answer, &why), OK);
    snprintf(id, sizeof id, "%032d", world.calls);
    assert_string_equal(answer.id, id);
    result.status = (status_t) answer.status;
    result.outcome = (outcome_t) answer.outcome;
    snprintf(result.asked, sizeof result.asked, "%s", answer.asked);
    snprintf(result.mime, sizeof result.mime, "%s", answer.mime);
    AUTO(zstr_free) char *body = zmsg_popstr(msg);
    snprintf(result.body, sizeof result.body, "%s", body);
    return result;
}

// The resolver receives one question whose body is `asked`, and answers.
static void
resolve(const char *asked, status_t status, const char *answer)
{
    AUTO(zmsg_destroy) zmsg_t *msg = zmsg_recv(world.resolver);
    AUTO(resolve_msg_clear) resolve_msg_t question = { 0 };
    failure_t why;

    assert_non_null(msg);
    AUTO(zframe_destroy) zframe_t *peer = zmsg_pop(msg);
    assert_int_equal(wire_unpack(&resolve_wire, msg, &question, &why), OK);
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

#define NAMES(value, gone)                                                                     \
    "{\"names\":[{\"param\":\"project\",\"kind\":\"project\",\"value\":" value                 \
    ",\"must\":true,\"gone\":" gone "}]}"

static void
a_read_goes_straight_through(void **state)
{
    call_tool("list_things", "{\"project\":\"pay\",\"name_part\":\"a b\"}");
    resolve(NAMES("\"pay\"", "false"), OK,
            "{\"resolved\":{\"project\":{\"id\":3,\"name\":\"payments\"}}}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, OK);
    assert_int_equal(answer.outcome, DONE);
    assert_string_equal(answer.body,
                        "{\"things\":[{\"id\":1,\"name\":\"a\"}],\"project\":\"payments\"}");
    assert_int_equal(fake_platform_count(&world.platform,
                                         "GET /api/projects/3/things?namePart=a%20b key= "
                                         "auth=Bearer ada-token \n"),
                     1);
}

static void
a_question_of_the_resolver_is_the_result(void **state)
{
    call_tool("list_things", "{}");
    resolve("{\"names\":[{\"param\":\"project\",\"kind\":\"project\",\"must\":true,"
            "\"gone\":false}]}",
            NARROWED,
            "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"missing_required\","
            "\"ask_user\":\"Which?\",\"candidates\":[],\"scoped_by\":{}}}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, NARROWED);
    assert_int_equal(answer.outcome, DONE);
    assert_string_equal(answer.asked, "project");
    assert_string_equal(answer.body, "{\"reason\":\"missing_required\",\"ask_user\":\"Which?\","
                                     "\"candidates\":[],\"scoped_by\":{}}");
    assert_int_equal(fake_platform_count(&world.platform, "things"), 0);
}

static void
an_id_that_the_platform_does_not_know_becomes_a_question(void **state)
{
    call_tool("list_things", "{\"project\":\"999\"}");
    resolve(NAMES("\"999\"", "false"), OK, "{\"resolved\":{\"project\":{\"id\":999}}}");
    resolve(NAMES("\"999\"", "true"), NARROWED,
            "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"not_found\"}}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, NARROWED);
    assert_string_equal(answer.asked, "project");
    assert_string_equal(answer.body, "{\"reason\":\"not_found\"}");
}

// FORGET has to be out before the answer; FORGOTTEN never comes, which holds it 200 ms at most.
static void
a_write_carries_its_key_and_is_patched_into_the_snapshots(void **state)
{
    AUTO(forget_msg_clear) forget_msg_t forget = { 0 };
    failure_t why;

    call_tool("create_thing", "{\"name\":\"n\",\"idempotency_key\":\"mine\"}");
    AUTO(zmsg_destroy) zmsg_t *msg = zmsg_recv(world.resolver);
    AUTO(zframe_destroy) zframe_t *peer = zmsg_pop(msg);
    assert_non_null(peer);
    assert_int_equal(wire_unpack(&forget_wire, msg, &forget, &why), OK);
    assert_string_equal(forget.kind, "scenario");
    assert_string_equal(forget.principal, "proofarc|ada|analyst");
    assert_int_equal(forget.removed, 0);
    AUTO(zstr_free) char *entity = zmsg_popstr(msg);
    assert_string_equal(entity, "{\"id\":7,\"name\":\"n\",\"projectIds\":[1]}");
    answer_t answer = await_answer();
    assert_int_equal(answer.status, OK);
    assert_string_equal(answer.body, "{\"id\":7}");
    assert_int_equal(fake_platform_count(&world.platform,
                                         "POST /api/things key=key-1 auth=Bearer ada-token "
                                         "{\"name\":\"n\"}\n"),
                     1);
}

static void
a_lost_answer_is_unknown_and_says_how_to_look_it_up(void **state)
{
    call_tool("lose_thing", "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, UNKNOWN);
    assert_int_equal(answer.outcome, UNKNOWN_OUTCOME);
    assert_non_null(strstr(answer.body, "\"outcome\":\"unknown\""));
    assert_non_null(strstr(answer.body, "idempotency_key \\\"key\\\""));
    // With a key the request may be repeated below us; it is the same request then.
    assert_true(fake_platform_count(&world.platform, "POST /api/lost key=key-1 ") >= 1);
    assert_int_equal(fake_platform_count(&world.platform, "key-2"), 0);
}

static void
a_refusal_of_the_platform_is_passed_on(void **state)
{
    call_tool("refuse_thing", "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, CONFLICT);
    assert_int_equal(answer.outcome, FAILED);
    assert_string_equal(answer.body,
                        "{\"error\":{\"code\":\"DUPLICATE_THING\",\"message\":\"it is there\","
                        "\"outcome\":\"failed\",\"errors\":[{\"line\":3}]}}");
}

static void
a_dead_token_is_unauthorized(void **state)
{
    call_tool("be_unknown", "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, UNAUTHORIZED);
    assert_int_equal(answer.outcome, FAILED);
}

static void
an_answer_that_is_no_json_is_a_failure_of_the_platform(void **state)
{
    call_tool("read_garbage", "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, BACKEND);
    assert_non_null(strstr(answer.body, "GET /api/garbage is not JSON"));
}

static void
nothing_is_written_after_the_deadline(void **state)
{
    call_with((call_msg_t){ .name = "write_late", .left_ms = 700 }, "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, TIMEOUT);
    assert_int_equal(answer.outcome, NOT_SENT);
    assert_int_equal(fake_platform_count(&world.platform, "POST"), 0);
}

static void
a_call_that_comes_too_late_is_not_begun(void **state)
{
    call_with((call_msg_t){ .name = "create_thing", .left_ms = 500 }, "{\"name\":\"n\"}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, TIMEOUT);
    assert_int_equal(answer.outcome, NOT_SENT);
    assert_int_equal(fake_platform_count(&world.platform, "POST"), 0);
}

static void
a_cancelled_call_writes_nothing_more(void **state)
{
    const cancel_msg_t cancel = { .id = call_tool("write_after_gate", "{}") };

    fake_platform_wait_at_gate(&world.platform);
    send_to(world.broker, world.worker, &cancel_wire, &cancel, "");
    // The quick answer says that the worker has read the cancel before it.
    call_tool("answer_quickly", "{}");
    await_answer();
    world.calls--;
    fake_platform_open_gate(&world.platform);
    answer_t answer = await_answer();
    world.calls++;

    assert_int_equal(answer.status, CANCELLED);
    assert_int_equal(answer.outcome, CANCELLED_OUTCOME);
    assert_int_equal(fake_platform_count(&world.platform, "POST"), 0);
}

static void
a_wait_tells_progress_until_the_run_has_ended(void **state)
{
    call_with((call_msg_t){ .name = "run_thing", .progress = 1 }, "{\"run\":5,\"wait\":true}");
    await_noted(MSG_beat);
    assert_int_equal(world.credit, 3);  // the waiting call holds no slot
    answer_t answer = await_answer();

    assert_int_equal(answer.status, OK);
    assert_string_equal(answer.body, "{\"status\":\"COMPLETED\",\"timedOut\":false}");
    assert_string_equal(world.progress.bytes, "0/300 0 of 3 steps\n");
    assert_int_equal(fake_platform_count(&world.platform, "GET /api/runs/5?waitMs=0 "), 1);
    assert_int_equal(fake_platform_count(&world.platform, "GET /api/runs/5?waitMs="), 4);
    assert_int_equal(world.credit, 2);
}

static void
a_wait_without_wish_for_progress_is_silent(void **state)
{
    call_with((call_msg_t){ .name = "run_thing" }, "{\"run\":5,\"wait\":true}");
    await_answer();
    assert_null(world.progress.bytes);
}

static void
a_wait_ends_with_what_is_known_when_the_time_is_nearly_up(void **state)
{
    call_with((call_msg_t){ .name = "run_thing", .left_ms = 2000 },
              "{\"run\":6,\"wait\":true}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, OK);
    assert_string_equal(answer.body, "{\"status\":\"QUEUED\",\"timedOut\":true}");
}

static void
a_wait_that_is_refused_fails(void **state)
{
    call_with((call_msg_t){ .name = "run_thing" }, "{\"run\":8,\"wait\":true}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, DENIED);
    assert_int_equal(answer.outcome, UNKNOWN_OUTCOME);  // the run was started
}

static void
a_cancelled_wait_ends_at_once(void **state)
{
    const cancel_msg_t cancel = { .id = call_tool("run_thing", "{\"run\":6,\"wait\":true}") };

    await_noted(MSG_beat);
    send_to(world.broker, world.worker, &cancel_wire, &cancel, "");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, CANCELLED);
}

static void
a_quick_row_is_answered_without_a_slot(void **state)
{
    call_tool("answer_quickly", "{}");
    assert_string_equal(await_answer().body, "{\"who\":\"proofarc|ada|analyst\"}");
}

static void
malformed_arguments_are_refused(void **state)
{
    static const struct {
        const char *arguments, *message;
    } rows[] = {
        { "{\"name\":", "" },
        { "[1]", "must be an object" },
        { "{\"name\":\"a\",\"name\":\"b\"}", "two members of the same name" },
        { "{\"name\":\"a\\u0000\"}", "U+0000" },
        { "{\"name\":\"a\",\"colour\":1}", "no argument" },
        { "", "create_thing needs name" },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        call_tool("create_thing", rows[i].arguments);
        answer_t answer = await_answer();
        assert_int_equal(answer.status, BAD_ARGS);
        assert_int_equal(answer.outcome, FAILED);
        assert_non_null(strstr(answer.body, rows[i].message));
    }
    assert_int_equal(fake_platform_count(&world.platform, "POST"), 0);
}

static void
what_is_not_offered_is_refused(void **state)
{
    call_tool("drop_tables", "{}");
    assert_int_equal(await_answer().status, NO_TOOL);
    call_with((call_msg_t){ .name = "list_things", .kind = "prompt" }, "{}");
    assert_int_equal(await_answer().status, NO_TOOL);
    call_with((call_msg_t){ .name = "proofarc://other/1", .kind = "resource" }, "{}");
    assert_int_equal(await_answer().status, NOT_FOUND);
}

static void
a_resource_is_the_platforms_json_as_it_is(void **state)
{
    call_with((call_msg_t){ .name = "proofarc://thing/12", .kind = "resource" }, "");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, OK);
    assert_string_equal(answer.body, "{\"id\":12,\"anything\":null}");
    assert_string_equal(answer.mime, "application/json");
    call_with((call_msg_t){ .name = "proofarc://thing/13", .kind = "resource" }, "");
    assert_int_equal(await_answer().status, NOT_FOUND);
}

static void
garbage_costs_nothing_but_itself(void **state)
{
    static const char *const bytes[] = { "", "x",
                                         "\x93\xa1"
                                         "C",
                                         "\x91\xa1"
                                         "Z",
                                         "\xc1\xff" };

    for (size_t i = 0; i < ROWS(bytes); i++) {
        zmsg_t *msg = zmsg_new();
        zframe_t *identity = zframe_dup(world.worker);
        zmsg_addstr(msg, bytes[i]);
        zmsg_prepend(msg, &identity);
        assert_int_equal(actor_send(&msg, world.broker), 0);
    }
    const call_msg_t nameless = { .id = "", .kind = "tool", .name = "answer_quickly" };
    send_to(world.broker, world.worker, &call_wire, &nameless, "{}");
    a_quick_row_is_answered_without_a_slot(state);
}

static void
an_empty_hello_is_answered_with_what_is_on_offer(void **state)
{
    const hello_msg_t hello = { 0 };
    entry_msg_t *entries;
    size_t count;
    failure_t why;

    send_to(world.broker, world.worker, &hello_wire, &hello, "");
    await_noted(MSG_ready);
    assert_int_equal(world.ready.protocol, WIRE_PROTOCOL);
    assert_int_equal(world.ready.credit, 2);
    assert_string_equal(world.ready.host, "trial@test:0");
    assert_int_equal(strlen(world.ready.instance), 32);
    assert_int_equal(catalogue_unpack(world.ready.entries, &entries, &count, &why), OK);
    assert_int_equal(count, ROWS(tools) - 1 + 1);
    assert_string_equal(entries[0].category, "trial");
    assert_string_equal(entries[0].name, "list_things");
    assert_string_equal(entries[0].effect, "reads");
    assert_int_equal(entries[0].budget_ms, CALL_MS);
    assert_int_equal(entries[8].budget_ms, WAIT_CALL_MS);
    assert_string_equal(entries[count - 1].kind, "template");
    catalogue_free(&entries, count);
}

static void
beats_say_that_the_platform_remembers_keys(void **state)
{
    while (!world.keeps_keys)
        await_noted(MSG_beat);
    assert_int_equal(world.credit, 2);
}

static void
a_draining_worker_says_bye_and_takes_nothing_new(void **state)
{
    zstr_send(world.actor, "DRAIN");
    AUTO(zmsg_destroy) zmsg_t *bye = await(MSG_bye);
    assert_non_null(bye);
    call_tool("answer_quickly", "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, BUSY);
    assert_int_equal(answer.outcome, NOT_SENT);
}

static int
start_world(void **state)
{
    strcpy(world.dir, "/tmp/proofarc-worker-XXXXXX");
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

static int
reset(void **state)
{
    fake_platform_reset(&world.platform);
    buffer_clear(&world.progress);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_read_goes_straight_through),
        TEST(a_question_of_the_resolver_is_the_result),
        TEST(an_id_that_the_platform_does_not_know_becomes_a_question),
        TEST(a_write_carries_its_key_and_is_patched_into_the_snapshots),
        TEST(a_lost_answer_is_unknown_and_says_how_to_look_it_up),
        TEST(a_refusal_of_the_platform_is_passed_on),
        TEST(a_dead_token_is_unauthorized),
        TEST(an_answer_that_is_no_json_is_a_failure_of_the_platform),
        TEST(nothing_is_written_after_the_deadline),
        TEST(a_call_that_comes_too_late_is_not_begun),
        TEST(a_cancelled_call_writes_nothing_more),
        TEST(a_wait_tells_progress_until_the_run_has_ended),
        TEST(a_wait_without_wish_for_progress_is_silent),
        TEST(a_wait_ends_with_what_is_known_when_the_time_is_nearly_up),
        TEST(a_wait_that_is_refused_fails),
        TEST(a_cancelled_wait_ends_at_once),
        TEST(a_quick_row_is_answered_without_a_slot),
        TEST(malformed_arguments_are_refused),
        TEST(what_is_not_offered_is_refused),
        TEST(a_resource_is_the_platforms_json_as_it_is),
        TEST(garbage_costs_nothing_but_itself),
        TEST(an_empty_hello_is_answered_with_what_is_on_offer),
        TEST(beats_say_that_the_platform_remembers_keys),
        TEST(a_draining_worker_says_bye_and_takes_nothing_new),
    };
    zsys_init();
    zsys_handler_set(NULL);
    return cmocka_run_group_tests(tests, start_world, stop_world);
}
