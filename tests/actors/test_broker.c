// SPDX-License-Identifier: Apache-2.0
// The real broker process, with transports and workers played by the test over real sockets.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <czmq.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "actor.h"
#include "auto.h"
#include "catalogue.h"
#include "clock.h"
#include "endpoint.h"
#include "limits.h"

#include <cmocka.h>  // last: it defines fail()

extern char **environ;

enum { GUARD_MS = 20000, ARGUMENTS_MAX = 16 };

static char dir[64];             // of all endpoints and logs; 0700
static char transports_at[128];  // endpoints
static char workers_at[128];

typedef struct {
    pid_t pid;
    int ready;  // reading end of --ready-fd
    char log[128];
} process_t;

// Starts the broker with these arguments, NULL-ended.
static process_t
start(const char *const *arguments)
{
    static int number = 0;
    process_t self = { 0 };
    char *argv[ARGUMENTS_MAX] = { BIN_DIR "/proofarc-broker", "--ready-fd", "3" };
    posix_spawn_file_actions_t actions;
    int pipe_fds[2];

    for (size_t i = 0; arguments[i]; i++)
        argv[3 + i] = (char *) arguments[i];
    snprintf(self.log, sizeof self.log, "%s/log.%d", dir, number++);
    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], 3);
    posix_spawn_file_actions_addopen(&actions, 2, self.log, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(posix_spawn(&self.pid, argv[0], &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(pipe_fds[1]);
    self.ready = pipe_fds[0];
    return self;
}

// Waits for the "ready" line and gives the endpoint it names.
static void
wait_ready(process_t *self, char endpoint[128])
{
    struct pollfd item = { self->ready, POLLIN, 0 };
    char line[256] = { 0 };

    assert_int_equal(poll(&item, 1, GUARD_MS), 1);
    assert_true(read(self->ready, line, sizeof line - 1) > 0);
    assert_int_equal(sscanf(line, "ready %127s", endpoint), 1);
}

// Waits for the end and gives the exit code.
static int
wait_end(process_t *self)
{
    int status;

    assert_int_equal(waitpid(self->pid, &status, 0), self->pid);
    close(self->ready);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int
run(const char *const *arguments)
{
    process_t process = start(arguments);

    return wait_end(&process);
}

static process_t
start_ready(void)
{
    const char *arguments[] = { "--transports", transports_at, "--workers", workers_at,
                                "--categories", "explore",     NULL };
    process_t self = start(arguments);
    char endpoint[128];

    wait_ready(&self, endpoint);
    assert_string_equal(endpoint, transports_at);
    return self;
}

static void
stop(process_t *self)
{
    kill(self->pid, SIGTERM);
    assert_int_equal(wait_end(self), EXIT_DONE);
}

// How often `word` stands in the log.
static size_t
logged(const process_t *self, const char *word)
{
    char text[16 * 1024] = { 0 };
    size_t count = 0;
    FILE *file = fopen(self->log, "r");

    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) < sizeof text - 1);
    fclose(file);
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

static zsock_t *
connected(const char *endpoint, curve_t *curve)
{
    AUTO(curve_destroy) curve_t *none = curve ? NULL : curve_new(NULL, false, NULL);
    zsock_t *socket = zsock_new(ZMQ_DEALER);
    failure_t why;

    endpoint_prepare(socket);
    zsock_set_rcvtimeo(socket, GUARD_MS);
    zsock_set_sndtimeo(socket, GUARD_MS);
    assert_int_equal(endpoint_connect(socket, endpoint, curve ? curve : none, &why), 0);
    return socket;
}

static void
tell(zsock_t *socket, const wire_table_t *table, const void *message, const char *body)
{
    zmsg_t *msg = wire_pack(table, message, body, body ? strlen(body) : 0);

    assert_int_equal(zmsg_send(&msg, socket), 0);
}

// Waits for the next message of this type, over beats and whatever else. Gives its body to the
// caller, if `body_p` is given.
static void
heard(zsock_t *socket, const wire_table_t *table, void *message, char **body_p)
{
    for (bool is_it = false; !is_it;) {
        AUTO(zmsg_destroy) zmsg_t *msg = zmsg_recv(socket);
        failure_t why;
        if (!msg)
            fail_msg("no %s came", table->name);
        if (wire_type(msg) != table->type)
            continue;
        is_it = wire_unpack(table, msg, message, &why) == OK;
        if (is_it && body_p)
            *body_p = zmsg_popstr(msg);
    }
}

static void
say_hello(zsock_t *transport, const char *instance, int64_t protocol)
{
    tell(transport, &hello_wire, &(hello_msg_t){ .protocol = protocol, .instance = instance },
         NULL);
}

static void
say_ready(zsock_t *worker, const char *instance, int64_t protocol)
{
    static const entry_msg_t entries[] = {
        { .kind = "tool", .category = "explore", .name = "look", .effect = "reads" },
        { .kind = "tool", .category = "explore", .name = "write", .effect = "writes" },
    };
    void *bytes;
    size_t size;

    catalogue_pack(entries, ROWS(entries), &bytes, &size);
    tell(worker, &ready_wire,
         &(ready_msg_t){ .protocol = protocol,
                         .instance = instance,
                         .host = "host",
                         .credit = 8,
                         .entries = { bytes, size } },
         NULL);
    free(bytes);
}

// Waits until the catalogue is complete: the worker is there.
static void
await_catalogue(zsock_t *transport)
{
    for (bool is_complete = false; !is_complete;) {
        AUTO(catalogue_msg_clear) catalogue_msg_t catalogue = { 0 };
        heard(transport, &catalogue_wire, &catalogue, NULL);
        is_complete = catalogue.complete;
    }
}

static void
ask(zsock_t *transport, const char *id, const char *tool)
{
    tell(transport, &call_wire,
         &(call_msg_t){ .id = id,
                        .kind = "tool",
                        .name = tool,
                        .principal = "ann",
                        .token = "secret-token",
                        .left_ms = 15000 },
         "{\"a\": 1}");
}

static void
assert_asked(zsock_t *worker, const char *id)
{
    AUTO(call_msg_clear) call_msg_t call = { 0 };
    AUTO(zstr_free) char *body = NULL;

    heard(worker, &call_wire, &call, &body);
    assert_string_equal(call.id, id);
    assert_string_equal(call.token, "secret-token");
    assert_in_range(call.left_ms, 14000, 15000);
    assert_string_equal(body, "{\"a\": 1}");
}

static void
assert_answered(zsock_t *transport, const char *id, status_t status, outcome_t outcome,
                const char *body)
{
    AUTO(answer_msg_clear) answer_msg_t answer = { 0 };
    AUTO(zstr_free) char *text = NULL;

    heard(transport, &answer_wire, &answer, &text);
    assert_string_equal(answer.id, id);
    assert_string_equal(status_name(answer.status), status_name(status));
    assert_string_equal(outcome_name(answer.outcome), outcome_name(outcome));
    assert_non_null(strstr(text, body));
}

static void
round_trip(zsock_t *transport, zsock_t *worker, const char *id)
{
    ask(transport, id, "look");
    assert_asked(worker, id);
    tell(worker, &answer_wire, &(answer_msg_t){ .id = id }, "{\"items\": []}");
    assert_answered(transport, id, OK, DONE, "{\"items\": []}");
}

// A broker with one transport and one worker.
typedef struct {
    process_t broker;
    zsock_t *transport, *worker;
} stage_t;

static stage_t
stage_open(void)
{
    stage_t self = { .broker = start_ready(),
                     .transport = connected(transports_at, NULL),
                     .worker = connected(workers_at, NULL) };

    say_hello(self.transport, "transport", WIRE_PROTOCOL);
    say_ready(self.worker, "worker", WIRE_PROTOCOL);
    await_catalogue(self.transport);
    return self;
}

static void
stage_close(stage_t *self)
{
    zsock_destroy(&self->transport);
    zsock_destroy(&self->worker);
}

static void
a_call_goes_through_and_its_answer_comes_back(void **state)
{
    AUTO(stage_close) stage_t s = stage_open();

    round_trip(s.transport, s.worker, "c1");
    round_trip(s.transport, s.worker, "c2");
    stop(&s.broker);
    assert_int_equal(logged(&s.broker, "secret-token"), 0);
}

static void
beats_carry_counters_to_transports(void **state)
{
    AUTO(stage_close) stage_t s = stage_open();

    tell(s.worker, &beat_wire,
         &(beat_msg_t){ .instance = "worker", .credit = 8, .counters = "{\"x\":7}" }, NULL);
    round_trip(s.transport, s.worker, "c1");
    for (bool is_there = false; !is_there;) {
        AUTO(beat_msg_clear) beat_msg_t beat = { 0 };
        heard(s.transport, &beat_wire, &beat, NULL);
        assert_int_equal(strlen(beat.instance), 32);
        tell(s.transport, &beat_wire, &(beat_msg_t){ .instance = "transport" }, NULL);
        is_there = strstr(beat.counters, "\"broker_answers\":1")
                   && strstr(beat.counters, "\"worker_x\":7");
    }
    stop(&s.broker);
}

// Sends one frame, or several, that are no message.
static void
send_garbage(zsock_t *socket)
{
    static const struct {
        const char *bytes;
        size_t size;
    } rows[] = {
        { "", 0 },
        { "GET / HTTP/1.1", 14 },
        { "\x91"
          "C",
          2 },
        { "\xdd\xff\xff\xff\xff", 5 },
        { "\x92"
          "A\xdb\xff\xff\xff\xff",
          7 },
        { "\x92"
          "C\xa2"
          "a\0",
          5 },
        { "\xdc\xff\xff\xdc\xff\xff", 6 },
    };

    for (size_t frames = 1; frames <= 4; frames++)
        for (size_t i = 0; i < ROWS(rows); i++) {
            zmsg_t *msg = zmsg_new();
            for (size_t frame = 0; frame < frames; frame++)
                zmsg_addmem(msg, rows[(i + frame) % ROWS(rows)].bytes,
                            rows[(i + frame) % ROWS(rows)].size);
            assert_int_equal(zmsg_send(&msg, socket), 0);
        }
}

static void
garbage_costs_nothing_but_itself(void **state)
{
    AUTO(stage_close) stage_t s = stage_open();
    AUTO(zsock_destroy) zsock_t *stranger = connected(workers_at, NULL);

    send_garbage(s.transport);
    send_garbage(s.worker);
    send_garbage(stranger);
    tell(s.transport, &catalogue_wire, &(catalogue_msg_t){ .version = 9 }, NULL);
    tell(s.worker, &answer_wire, &(answer_msg_t){ .id = "nobody's" }, "{}");
    round_trip(s.transport, s.worker, "c1");
    stop(&s.broker);
}

static void
peers_of_another_protocol_are_refused_with_one_line(void **state)
{
    AUTO(stage_close) stage_t s = stage_open();
    AUTO(zsock_destroy) zsock_t *newer = connected(workers_at, NULL);
    AUTO(beat_msg_clear) beat_msg_t beat = { 0 };

    say_ready(newer, "newer", WIRE_PROTOCOL + 1);
    for (int i = 0; i < 5; i++)
        tell(newer, &beat_wire, &(beat_msg_t){ .instance = "newer", .credit = 8 }, NULL);
    heard(s.transport, &beat_wire, &beat, NULL);  // a second later
    round_trip(s.transport, s.worker, "c1");
    stop(&s.broker);
    assert_int_equal(logged(&s.broker, "peer-refused"), 1);
    assert_int_equal(logged(&s.broker, "newer"), 1);
}

static void
a_stranger_is_asked_for_its_name(void **state)
{
    AUTO(stage_close) stage_t s = stage_open();
    AUTO(zsock_destroy) zsock_t *stranger = connected(workers_at, NULL);
    AUTO(hello_msg_clear) hello_msg_t hello = { 0 };

    tell(stranger, &beat_wire, &(beat_msg_t){ .instance = "who" }, NULL);
    heard(stranger, &hello_wire, &hello, NULL);
    assert_string_equal(hello.instance, "");
    stop(&s.broker);
}

static void
a_worker_that_dies_with_a_write_is_noticed_within_four_seconds(void **state)
{
    AUTO(stage_close) stage_t s = stage_open();

    ask(s.transport, "c1", "write");
    assert_asked(s.worker, "c1");
    zsock_destroy(&s.worker);
    int64_t since_ms = clock_now_ms();
    assert_answered(s.transport, "c1", UNKNOWN, UNKNOWN_OUTCOME, "it may have happened");
    assert_true(clock_now_ms() - since_ms < 4000);
    stop(&s.broker);
}

static void
a_read_moves_to_the_next_worker(void **state)
{
    AUTO(stage_close) stage_t s = stage_open();

    ask(s.transport, "c1", "look");
    assert_asked(s.worker, "c1");
    zsock_destroy(&s.worker);
    s.worker = connected(workers_at, NULL);
    say_ready(s.worker, "next", WIRE_PROTOCOL);  // same host: the old one is dead
    assert_asked(s.worker, "c1");
    tell(s.worker, &answer_wire, &(answer_msg_t){ .id = "c1" }, "{}");
    assert_answered(s.transport, "c1", OK, DONE, "{}");
    stop(&s.broker);
}

static void
sigterm_finishes_what_is_under_way_and_refuses_the_rest(void **state)
{
    AUTO(stage_close) stage_t s = stage_open();
    AUTO(bye_msg_clear) bye_msg_t to_worker = { 0 };

    ask(s.transport, "c1", "write");
    assert_asked(s.worker, "c1");
    kill(s.broker.pid, SIGTERM);
    heard(s.worker, &bye_wire, &to_worker, NULL);
    ask(s.transport, "c2", "write");
    assert_answered(s.transport, "c2", BUSY, NOT_SENT, "the server is stopping");
    tell(s.worker, &answer_wire, &(answer_msg_t){ .id = "c1" }, "{}");
    assert_answered(s.transport, "c1", OK, DONE, "{}");
    assert_int_equal(wait_end(&s.broker), EXIT_DONE);
}

static void
sigterm_does_not_wait_for_ever(void **state)
{
    AUTO(stage_close) stage_t s = stage_open();

    ask(s.transport, "c1", "write");
    assert_asked(s.worker, "c1");
    int64_t since_ms = clock_now_ms();
    kill(s.broker.pid, SIGTERM);
    AUTO(answer_msg_clear) answer_msg_t answer = { 0 };
    for (bool is_answered = false; !is_answered;) {  // both ends beat on
        zmsg_t *msg = zmsg_recv(s.transport);
        failure_t why;
        assert_non_null(msg);
        if (wire_type(msg) == MSG_answer)
            is_answered = wire_unpack(&answer_wire, msg, &answer, &why) == OK;
        zmsg_destroy(&msg);
        tell(s.transport, &beat_wire, &(beat_msg_t){ .instance = "transport" }, NULL);
        tell(s.worker, &beat_wire, &(beat_msg_t){ .instance = "worker", .credit = 8 }, NULL);
    }
    assert_int_equal(answer.outcome, UNKNOWN_OUTCOME);
    assert_int_equal(wait_end(&s.broker), EXIT_DONE);
    assert_in_range(clock_now_ms() - since_ms, 3000, DRAIN_MS + 1000);
}

static void
an_endpoint_that_is_taken_is_an_exit_code(void **state)
{
    process_t first = start_ready();
    char other[128];

    snprintf(other, sizeof other, "ipc://%s/other.sock", dir);
    const char *same_transports[] = { "--transports", transports_at, "--workers", other,
                                      "--categories", "explore",     NULL };
    const char *same_workers[] = { "--transports", other,     "--workers", workers_at,
                                   "--categories", "explore", NULL };
    assert_int_equal(run(same_transports), EXIT_ADDRESS);
    assert_int_equal(run(same_workers), EXIT_ADDRESS);
    stop(&first);
    process_t again = start_ready();  // a dead broker's lock does not stay
    stop(&again);
}

static void
tcp_without_keys_is_refused(void **state)
{
    const char *transports[] = { "--transports", "tcp://127.0.0.1:*", "--workers", workers_at,
                                 "--categories", "explore",           NULL };
    const char *workers[] = { "--transports", transports_at, "--workers", "tcp://127.0.0.1:*",
                              "--categories", "explore",     NULL };

    assert_int_equal(run(transports), EXIT_CURVE);
    assert_int_equal(run(workers), EXIT_CURVE);
}

#define SOCKETS "--transports", "ipc:///x/y", "--workers", "ipc:///x/z"

// clang-format off
static const struct {
    const char *arguments[ARGUMENTS_MAX - 4];
    int code;
} command_lines[] = {
    { { "--help" }, EXIT_DONE },
    { { "--version" }, EXIT_DONE },
    { { NULL }, EXIT_USAGE },
    { { SOCKETS }, EXIT_USAGE },
    { { SOCKETS, "--categories", "a,,b" }, EXIT_USAGE },
    { { SOCKETS, "--categories", "a b" }, EXIT_USAGE },
    { { SOCKETS, "--categories", "A" }, EXIT_USAGE },
    { { SOCKETS, "--categories", "" }, EXIT_USAGE },
    { { "--transports", "udp://x", "--workers", "udp://y", "--categories", "a" }, EXIT_USAGE },
    { { SOCKETS, "--categories", "a",
        "--curve-dir", "/nowhere" }, EXIT_KEY },
    { { "--fly" }, EXIT_USAGE },
};
// clang-format on

static void
mistakes_on_the_command_line_are_exit_codes(void **state)
{
    for (size_t i = 0; i < ROWS(command_lines); i++) {
        print_message("  row %zu\n", i);
        assert_int_equal(run(command_lines[i].arguments), command_lines[i].code);
    }
}

// Writes a key pair as the programs expect it.
static void
make_key(const char *path)
{
    AUTO(zcert_destroy) zcert_t *cert = zcert_new();
    char secret[256];

    assert_int_equal(zcert_save(cert, path), 0);
    snprintf(secret, sizeof secret, "%s_secret", path);
    chmod(secret, 0600);
}

static void
with_keys_calls_go_over_tcp(void **state)
{
    char keys[96], path[128], known[160], endpoint[128];
    failure_t why;

    snprintf(keys, sizeof keys, "%s/keys", dir);
    snprintf(path, sizeof path, "%s/clients", keys);
    assert_int_equal(mkdir(keys, 0700), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/server.key", keys);
    make_key(path);
    snprintf(path, sizeof path, "%s/client.key", keys);
    make_key(path);
    AUTO(zcert_destroy) zcert_t *client = zcert_load(path);
    snprintf(known, sizeof known, "%s/clients/client.key", keys);
    assert_int_equal(zcert_save_public(client, known), 0);

    const char *arguments[] = {
        "--transports", "tcp://127.0.0.1:*", "--workers", workers_at, "--categories",
        "explore",      "--curve-dir",       keys,        NULL
    };
    process_t broker = start(arguments);
    wait_ready(&broker, endpoint);
    AUTO(curve_destroy) curve_t *curve = curve_new(keys, false, &why);
    assert_non_null(curve);
    AUTO(zsock_destroy) zsock_t *transport = connected(endpoint, curve);
    AUTO(zsock_destroy) zsock_t *worker = connected(workers_at, NULL);
    say_hello(transport, "transport", WIRE_PROTOCOL);
    say_ready(worker, "worker", WIRE_PROTOCOL);
    await_catalogue(transport);
    round_trip(transport, worker, "c1");
    stop(&broker);
}

static int
set_up(void **state)
{
    zsys_init();
    zsys_handler_set(NULL);
    snprintf(dir, sizeof dir, "/tmp/proofarc-broker-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    snprintf(transports_at, sizeof transports_at, "ipc://%s/transports.sock", dir);
    snprintf(workers_at, sizeof workers_at, "ipc://%s/workers.sock", dir);
    return 0;
}

static int
tear_down(void **state)
{
    zdir_t *all = zdir_new(dir, NULL);

    zdir_remove(all, true);
    zdir_destroy(&all);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_goes_through_and_its_answer_comes_back),
        cmocka_unit_test(beats_carry_counters_to_transports),
        cmocka_unit_test(garbage_costs_nothing_but_itself),
        cmocka_unit_test(peers_of_another_protocol_are_refused_with_one_line),
        cmocka_unit_test(a_stranger_is_asked_for_its_name),
        cmocka_unit_test(a_worker_that_dies_with_a_write_is_noticed_within_four_seconds),
        cmocka_unit_test(a_read_moves_to_the_next_worker),
        cmocka_unit_test(sigterm_finishes_what_is_under_way_and_refuses_the_rest),
        cmocka_unit_test(sigterm_does_not_wait_for_ever),
        cmocka_unit_test(an_endpoint_that_is_taken_is_an_exit_code),
        cmocka_unit_test(tcp_without_keys_is_refused),
        cmocka_unit_test(mistakes_on_the_command_line_are_exit_codes),
        cmocka_unit_test(with_keys_calls_go_over_tcp),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
