// SPDX-License-Identifier: Apache-2.0
// The process as workers see it, with a platform that counts. This program is the resolver, too:
// it starts itself again with --as-resolver, because ZeroMQ does not survive a fork.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include "actor.h"
#include "auto.h"
#include "clock.h"
#include "endpoint.h"
#include "limits.h"
#include "messages.h"
#include "resolver.h"

#include <cmocka.h>  // last: it defines fail()

#include "fake_platform.h"

enum { CROWD = 50, PATIENCE_MS = 20 * 1000, GARBAGE = 300 };

// clang-format off
static const char projects[] =
    "{\"items\":[{\"id\":1,\"name\":\"payments\"},{\"id\":2,\"name\":\"auth\"}]}";
static const char more_projects[] =
    "{\"items\":[{\"id\":1,\"name\":\"payments\"},{\"id\":2,\"name\":\"auth\"},{\"id\":3,\"name\":\"shop\"}]}";
static const char environments[] = "{\"items\":["
    "{\"id\":11,\"name\":\"dev\",\"projectIds\":[1,2]},"
    "{\"id\":12,\"name\":\"staging\",\"projectIds\":[1,2]},"
    "{\"id\":13,\"name\":\"prod\",\"projectIds\":[1,2]}]}";
static const char scenarios[] = "{\"items\":["
    "{\"id\":204,\"name\":\"Login flow\",\"projectIds\":[1],\"tags\":[\"smoke\"]},"
    "{\"id\":206,\"name\":\"Login flow\",\"projectIds\":[2],\"tags\":[\"smoke\"]}]}";
static const char ui_tests[] = "{\"items\":[]}";

#define NAME(param, value) "{\"param\":\"" param "\",\"kind\":\"" param "\",\"value\":" value ",\"must\":true}"
static const char ask_payments[] = "{\"names\":[" NAME("project", "\"payments\"") "]}";
static const char ask_shop[] = "{\"names\":[" NAME("project", "\"shop\"") "]}";
static const char ask_smoke[] = "{\"names\":[" NAME("environment", "\"staging\"") ","
    NAME("project", "null") "],\"tags\":[\"smoke\"],\"by_tag\":true}";
static const char settled_payments[] = "{\"resolved\":{\"project\":{\"id\":1,\"name\":\"payments\"}}}";
static const char smoke_question[] = "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"ambiguous\","
    "\"ask_user\":\"Tag(s) ['smoke'] match tests across multiple projects: payments, auth. "
    "Which project do you want to run in?\",\"candidates\":[{\"id\":1,\"name\":\"payments\"},"
    "{\"id\":2,\"name\":\"auth\"}],\"scoped_by\":{\"environment\":\"staging\"}}}";
// clang-format on

typedef struct {
    fake_t platform;
    char directory[64];
    char endpoint[128];
    pid_t pid;
    curve_t *curve;
    zsock_t *worker;
    int asked;
} world_t;

typedef struct {
    int64_t status;
    char text[256];
    char body[1024];
    char id[32];
} answer_t;

static void
become_resolver(const char *endpoint, const char *platform, int ready_fd)
{
    char fd[16];

    snprintf(fd, sizeof fd, "%d", ready_fd);
    execl("/proc/self/exe", "proofarc-resolver", "--as-resolver", "--bind", endpoint,
          "--platform", platform, "--ready-fd", fd, "--log-level", "error", NULL);
    _exit(127);
}

static pid_t
start_resolver(const char *endpoint, const char *platform, int *ready_p)
{
    int ready[2];

    assert_int_equal(pipe(ready), 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        close(ready[0]);
        become_resolver(endpoint, platform, ready[1]);
    }
    close(ready[1]);
    *ready_p = ready[0];
    return pid;
}

static int
exit_code_of(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void
await_ready(int fd, const char *endpoint)
{
    char line[256] = "", expected[256];
    size_t size = 0;
    ssize_t got;

    while (size < sizeof line - 1 && (got = read(fd, line + size, sizeof line - 1 - size)) > 0)
        size += (size_t) got;
    close(fd);
    snprintf(expected, sizeof expected, "ready %s\n", endpoint);
    assert_string_equal(line, expected);
}

static void
connect_worker(world_t *world)
{
    failure_t why;

    world->curve = curve_new(NULL, false, &why);
    world->worker = zsock_new(ZMQ_DEALER);
    endpoint_prepare(world->worker);
    zsock_set_rcvtimeo(world->worker, PATIENCE_MS);
    assert_int_equal(endpoint_connect(world->worker, world->endpoint, world->curve, &why), 0);
}

static int
setup(void **state)
{
    world_t *world = calloc(1, sizeof *world);
    char url[64];
    int ready;

    assert_non_null(world);
    snprintf(world->directory, sizeof world->directory, "/tmp/resolver-test-XXXXXX");
    assert_non_null(mkdtemp(world->directory));
    snprintf(world->endpoint, sizeof world->endpoint, "ipc://%s/r.sock", world->directory);
    world->platform.lists[KIND_PROJECT] = projects;
    world->platform.lists[KIND_ENVIRONMENT] = environments;
    world->platform.lists[KIND_SCENARIO] = scenarios;
    world->platform.lists[KIND_UI_TEST] = ui_tests;
    snprintf(world->platform.token, sizeof world->platform.token, "token-of-ann");
    fake_listen(&world->platform);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", world->platform.port);
    world->pid = start_resolver(world->endpoint, url, &ready);
    fake_start(&world->platform);
    await_ready(ready, world->endpoint);
    *state = world;
    return 0;
}

static void
remove_directory(const char *directory)
{
    char path[128];
    static const char *const files[] = { "r.sock", "r.sock.lock" };

    for (size_t i = 0; i < ROWS(files); i++) {
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        unlink(path);
    }
    rmdir(directory);
}

static int
teardown(void **state)
{
    world_t *world = *state;

    zsock_destroy(&world->worker);
    curve_destroy(&world->curve);
    if (world->pid) {
        kill(world->pid, SIGTERM);
        assert_int_equal(exit_code_of(world->pid), EXIT_DONE);
    }
    fake_stop(&world->platform);
    assert_int_equal(world->platform.strange, 0);
    remove_directory(world->directory);
    free(world);
    return 0;
}

static void
send_resolve(world_t *world, const char *session, const char *body)
{
    char id[16];
    const resolve_msg_t message = {
        .id = id,
        .session = session,
        .principal = "proofarc|ann|analyst",
        .token = "token-of-ann",
        .left_ms = PATIENCE_MS,
    };

    if (!world->worker)
        connect_worker(world);
    snprintf(id, sizeof id, "q%d", world->asked++);
    zmsg_t *msg = wire_pack(&resolve_wire, &message, body, strlen(body));
    assert_int_equal(zmsg_send(&msg, world->worker), 0);
}

static void
send_forget(world_t *world, const char *kind, const char *entity)
{
    const forget_msg_t message = { .id = "f",
                                   .principal = "proofarc|ann|analyst",
                                   .kind = kind };
    zmsg_t *msg = wire_pack(&forget_wire, &message, entity, strlen(entity));

    assert_int_equal(zmsg_send(&msg, world->worker), 0);
}

static answer_t
receive(world_t *world)
{
    AUTO(zmsg_destroy) zmsg_t *msg = zmsg_recv(world->worker);
    AUTO(resolved_msg_clear) resolved_msg_t resolved = { 0 };
    answer_t answer = { 0 };
    failure_t why;

    assert_non_null(msg);
    assert_int_equal(wire_unpack(&resolved_wire, msg, &resolved, &why), OK);
    AUTO(zframe_destroy) zframe_t *body = zmsg_pop(msg);
    assert_non_null(body);
    answer.status = resolved.status;
    snprintf(answer.id, sizeof answer.id, "%s", resolved.id);
    snprintf(answer.text, sizeof answer.text, "%s", resolved.text);
    snprintf(answer.body, sizeof answer.body, "%.*s", (int) zframe_size(body),
             (const char *) zframe_data(body));
    return answer;
}

static void
receive_forgotten(world_t *world)
{
    AUTO(zmsg_destroy) zmsg_t *msg = zmsg_recv(world->worker);
    AUTO(forgotten_msg_clear) forgotten_msg_t forgotten = { 0 };
    failure_t why;

    assert_non_null(msg);
    assert_int_equal(wire_unpack(&forgotten_wire, msg, &forgotten, &why), OK);
    assert_string_equal(forgotten.id, "f");
}

static answer_t
ask(world_t *world, const char *body)
{
    send_resolve(world, "s1", body);
    return receive(world);
}

static void
each_list_is_fetched_once_for_a_crowd_over_turns_and_after_writes(void **state)
{
    static const kind_t kinds[] = { KIND_PROJECT, KIND_ENVIRONMENT, KIND_SCENARIO,
                                    KIND_UI_TEST };
    world_t *world = *state;

    fake_set(&world->platform, FAKE_LISTS, true);
    for (int i = 0; i < CROWD; i++)
        send_resolve(world, "s1", ask_smoke);
    fake_await_request(&world->platform);
    fake_set(&world->platform, FAKE_LISTS, false);
    for (int i = 0; i < CROWD; i++) {
        answer_t answer = receive(world);
        assert_int_equal(answer.status, NARROWED);
        assert_string_equal(answer.body, smoke_question);
    }
    assert_string_equal(ask(world, ask_payments).body, settled_payments);
    send_forget(world, "project", "{\"id\":3,\"name\":\"shop\"}");
    receive_forgotten(world);
    assert_string_equal(ask(world, ask_shop).body,
                        "{\"resolved\":{\"project\":{\"id\":3,\"name\":\"shop\"}}}");
    for (size_t i = 0; i < ROWS(kinds); i++)
        assert_int_equal(fake_gets(&world->platform, kinds[i]), 1);
    send_resolve(world, "s2", ask_payments);
    receive(world);
    assert_int_equal(fake_gets(&world->platform, KIND_PROJECT), 2);
}

static void
a_write_during_a_fetch_causes_another(void **state)
{
    world_t *world = *state;

    fake_set(&world->platform, FAKE_LISTS, true);
    send_resolve(world, "s1", ask_shop);
    fake_await_request(&world->platform);
    send_forget(world, "project", "{\"id\":3,\"name\":\"shop\"}");
    receive_forgotten(world);
    fake_set(&world->platform, FAKE_LISTS, false);
    answer_t answer = receive(world);
    // The second list did not know it either: only this one was asked for after the write.
    assert_int_equal(answer.status, NARROWED);
    assert_int_equal(fake_gets(&world->platform, KIND_PROJECT), 2);
}

static void
what_fails_is_said_and_not_kept(void **state)
{
    static const struct {
        fake_mode_t mode;
        status_t status;
    } rows[] = {
        { FAKE_HTML, BACKEND },
        { FAKE_TRUNCATED, BACKEND },
        { FAKE_ERROR, BACKEND },
        { FAKE_REFUSED, UNAUTHORIZED },
    };
    world_t *world = *state;

    for (size_t i = 0; i < ROWS(rows); i++) {
        char session[8];
        snprintf(session, sizeof session, "f%zu", i);
        fake_set(&world->platform, rows[i].mode, false);
        send_resolve(world, session, ask_payments);
        answer_t answer = receive(world);
        assert_int_equal(answer.status, rows[i].status);
        assert_true(*answer.text != '\0');
        assert_string_equal(answer.body, "");
    }
    fake_set(&world->platform, FAKE_LISTS, false);
    fake_set_list(&world->platform, KIND_PROJECT, more_projects);
    assert_int_equal(ask(world, ask_shop).status, OK);
}

static void
send_bytes(world_t *world, const void *bytes, size_t size)
{
    zmsg_t *msg = zmsg_new();

    zmsg_addmem(msg, bytes, size);
    assert_int_equal(zmsg_send(&msg, world->worker), 0);
}

static void
send_beginnings(world_t *world, const wire_table_t *table, const void *message)
{
    AUTO(zmsg_destroy) zmsg_t *whole = wire_pack(table, message, "{}", 2);
    zframe_t *envelope = zmsg_first(whole);

    for (size_t size = 0; size < zframe_size(envelope); size++)
        send_bytes(world, zframe_data(envelope), size);
}

static void
rubbish_costs_one_message_and_harms_nobody(void **state)
{
    world_t *world = *state;
    const resolve_msg_t resolve = { .id = "x", .principal = "p", .token = "t", .left_ms = 9 };
    const forget_msg_t forget = { .id = "x", .principal = "p", .kind = "project" };
    const forgotten_msg_t stranger = { .id = "x" };
    uint64_t seed = 0x9e3779b97f4a7c15;

    assert_string_equal(ask(world, ask_payments).body, settled_payments);
    send_beginnings(world, &resolve_wire, &resolve);
    send_beginnings(world, &forget_wire, &forget);
    for (int i = 0; i < GARBAGE; i++) {
        unsigned char bytes[64];
        for (size_t j = 0; j < sizeof bytes; j++) {
            seed = seed * 6364136223846793005 + 1442695040888963407;
            bytes[j] = (unsigned char) (seed >> 56);
        }
        send_bytes(world, bytes, (size_t) i % sizeof bytes);
    }
    zmsg_t *msg = wire_pack(&forgotten_wire, &stranger, "{}", 2);
    assert_int_equal(zmsg_send(&msg, world->worker), 0);
    // A RESOLVE without the frame of its body is answered, like one whose body is no JSON.
    send_resolve(world, "s1", "");
    assert_int_equal(receive(world).status, BAD_ARGS);
    send_resolve(world, "s1", "\xff\xfe{");
    assert_int_equal(receive(world).status, BAD_ARGS);
    assert_string_equal(ask(world, ask_payments).body, settled_payments);
}

static void
a_worker_that_has_gone_does_not_matter(void **state)
{
    world_t *world = *state;

    fake_set(&world->platform, FAKE_LISTS, true);
    send_resolve(world, "s1", ask_payments);
    fake_await_request(&world->platform);
    zsock_destroy(&world->worker);
    curve_destroy(&world->curve);
    fake_set(&world->platform, FAKE_LISTS, false);
    assert_string_equal(ask(world, ask_payments).body, settled_payments);
    assert_int_equal(fake_gets(&world->platform, KIND_PROJECT), 1);
}

static void
who_waits_is_answered_before_it_ends(void **state)
{
    world_t *world = *state;

    fake_set(&world->platform, FAKE_LISTS, true);
    send_resolve(world, "s1", ask_payments);
    fake_await_request(&world->platform);
    kill(world->pid, SIGTERM);
    fake_set(&world->platform, FAKE_LISTS, false);
    assert_string_equal(receive(world).body, settled_payments);
    int64_t answered_ms = clock_now_ms();
    assert_int_equal(exit_code_of(world->pid), EXIT_DONE);
    world->pid = 0;
    // A worker that reads a little later has its answer as well.
    assert_true(clock_now_ms() - answered_ms >= PARTING_MS - 50);
}

static void
a_platform_that_is_not_there_is_an_answer(void **state)
{
    char directory[] = "/tmp/resolver-test-XXXXXX";
    world_t world = { 0 };
    int ready;

    assert_non_null(mkdtemp(directory));
    snprintf(world.endpoint, sizeof world.endpoint, "ipc://%s/r.sock", directory);
    fake_listen(&world.platform);  // a port that is ours and then closed
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d", world.platform.port);
    close(world.platform.listener);
    world.pid = start_resolver(world.endpoint, url, &ready);
    await_ready(ready, world.endpoint);
    answer_t answer = ask(&world, ask_payments);
    assert_int_equal(answer.status, BUSY);
    assert_non_null(strstr(answer.text, "cannot be reached"));
    zsock_destroy(&world.worker);
    curve_destroy(&world.curve);
    kill(world.pid, SIGTERM);
    assert_int_equal(exit_code_of(world.pid), EXIT_DONE);
    remove_directory(directory);
}

static void
it_does_not_start_in_a_broken_world(void **state)
{
    static const struct {
        const char *endpoint, *platform;
        exit_code_t code;
    } rows[] = {
        { "ipc:///tmp/r.sock", "127.0.0.1:80", EXIT_USAGE },
        { "ipc:///tmp/r.sock", "", EXIT_USAGE },
        { "ipc:///nowhere/at/all/r.sock", "http://127.0.0.1:80", EXIT_ADDRESS },
        { "ipc:///tmp/r.sock", "http://127.0.0.1:80", EXIT_ADDRESS },  // open to others
        { "tcp://127.0.0.1:*", "http://127.0.0.1:80", EXIT_CURVE },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        int ready;
        print_message("  %s %s\n", rows[i].endpoint, rows[i].platform);
        pid_t pid = start_resolver(rows[i].endpoint, rows[i].platform, &ready);
        close(ready);
        assert_int_equal(exit_code_of(pid), rows[i].code);
    }
}

static int
run_as_resolver(int argc, char **argv)
{
    AUTO(settings_destroy) settings_t *settings = settings_parse(&resolver_program, argc, argv);

    return resolver_run(settings);
}

int
main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--as-resolver"))
        return run_as_resolver(argc - 1, argv + 1);
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_does_not_start_in_a_broken_world),
        TEST(each_list_is_fetched_once_for_a_crowd_over_turns_and_after_writes),
        TEST(a_write_during_a_fetch_causes_another),
        TEST(what_fails_is_said_and_not_kept),
        TEST(rubbish_costs_one_message_and_harms_nobody),
        TEST(a_worker_that_has_gone_does_not_matter),
        TEST(who_waits_is_answered_before_it_ends),
        cmocka_unit_test(a_platform_that_is_not_there_is_an_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
