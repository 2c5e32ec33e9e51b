// SPDX-License-Identifier: Apache-2.0
// The real broker process, with transports and workers played by the test over real sockets.
#include <dirent.h>
#include <sched.h>

#include "stage.h"

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

// How its thread of that name is scheduled; -1 without one.
static int
policy_of_thread(pid_t pid, const char *name)
{
    char path[64], found[32];
    int policy = -1;

    snprintf(path, sizeof path, "/proc/%d/task", (int) pid);
    DIR *threads = opendir(path);
    assert_non_null(threads);
    for (const struct dirent *entry; (entry = readdir(threads));) {
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/comm", (int) pid, entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(found, sizeof found, file) && !strncmp(found, name, strlen(name)))
            policy = sched_getscheduler((pid_t) strtol(entry->d_name, NULL, 10));
        if (file)
            fclose(file);
    }
    closedir(threads);
    return policy;
}

static void
io_threads_push_nobody_aside(void **state)
{
    AUTO(stage_close) stage_t s = stage_open();

    round_trip(s.transport, s.worker, "c1");
    assert_int_equal(sched_getscheduler(s.broker.pid), SCHED_OTHER);
    assert_int_equal(policy_of_thread(s.broker.pid, "ZMQbg/IO"), SCHED_BATCH);
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

// What /proc says of a process: the soft limit of its descriptors.
static long
descriptors_of(pid_t pid)
{
    char path[64], text[4096] = { 0 };
    long limit = 0;

    snprintf(path, sizeof path, "/proc/%d/limits", pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_int_equal(sscanf(strstr(text, "Max open files"), "Max open files %ld", &limit), 1);
    return limit;
}

static void
as_many_descriptors_as_the_hard_limit_allows(void **state)
{
    struct rlimit before, few;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = (struct rlimit){ 256, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    process_t broker = start_ready();
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(descriptors_of(broker.pid) > 256 || before.rlim_max <= 256);
    stop(&broker);
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
        cmocka_unit_test(io_threads_push_nobody_aside),
        cmocka_unit_test(garbage_costs_nothing_but_itself),
        cmocka_unit_test(peers_of_another_protocol_are_refused_with_one_line),
        cmocka_unit_test(a_stranger_is_asked_for_its_name),
        cmocka_unit_test(a_worker_that_dies_with_a_write_is_noticed_within_four_seconds),
        cmocka_unit_test(a_read_moves_to_the_next_worker),
        cmocka_unit_test(sigterm_finishes_what_is_under_way_and_refuses_the_rest),
        cmocka_unit_test(sigterm_does_not_wait_for_ever),
        cmocka_unit_test(an_endpoint_that_is_taken_is_an_exit_code),
        cmocka_unit_test(tcp_without_keys_is_refused),
        cmocka_unit_test(as_many_descriptors_as_the_hard_limit_allows),
        cmocka_unit_test(mistakes_on_the_command_line_are_exit_codes),
        cmocka_unit_test(with_keys_calls_go_over_tcp),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
