// SPDX-License-Identifier: Apache-2.0
// The local stack as a client sees it, with a launcher that the test plays.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "auto.h"
#include "buffer.h"
#include "log.h"
#include "settings.h"
#include "stack.h"

#include <cmocka.h>

enum { GUARD_MS = 10 * 1000 };

typedef struct {
    zloop_t *loop;
    stack_lease_t *stack;
    char dir[64];
    char launcher[128];
    int listener, lease;  // -1: none
    char broker[128], platform[128];
    char reason[256];
    int said, lost;
    bool (*is_done)(void *arg);
    bool is_late;
} fixture_t;

static void
on_broker(void *owner, const char *endpoint)
{
    fixture_t *self = owner;

    self->said++;
    snprintf(self->broker, sizeof self->broker, "%s", endpoint);
}

static void
on_platform(void *owner, const char *url)
{
    fixture_t *self = owner;

    self->said++;
    snprintf(self->platform, sizeof self->platform, "%s", url);
}

static void
on_lost(void *owner)
{
    fixture_t *self = owner;

    self->lost++;
}

static void
on_failed(void *owner, const char *reason)
{
    fixture_t *self = owner;

    snprintf(self->reason, sizeof self->reason, "%s", reason);
}

static const stack_ops_t ops = { on_broker, on_platform, on_lost, on_failed };

static void
path_in(const fixture_t *self, const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", self->dir, name);
}

static void
listen_at(fixture_t *self)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    snprintf(address.sun_path, sizeof address.sun_path, "%s/stack.sock", self->dir);
    unlink(address.sun_path);
    self->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(self->listener, (struct sockaddr *) &address, sizeof address), 0);
    assert_int_equal(listen(self->listener, 4), 0);
}

// A launcher that writes down how it was started, and nothing else.
static void
write_launcher(fixture_t *self)
{
    path_in(self, "launcher", self->launcher);
    FILE *file = fopen(self->launcher, "w");
    fprintf(file,
            "#!/bin/sh\nenv > %s/env\nls -l /proc/self/fd > %s/fds\n"
            "ps -o sid= -p $$ > %s/sid\necho \"$*\" > %s/part && mv %s/part %s/args\n",
            self->dir, self->dir, self->dir, self->dir, self->dir, self->dir);
    fclose(file);
    chmod(self->launcher, 0700);
}

static void
open_fixture(fixture_t *self)
{
    *self = (fixture_t){ .dir = "/tmp/proofarc-test-XXXXXX", .listener = -1, .lease = -1 };
    assert_non_null(mkdtemp(self->dir));
    write_launcher(self);
    self->loop = zloop_new();
    zloop_set_nonstop(self->loop, true);
}

static void
start(fixture_t *self, const char *platform)
{
    self->stack = stack_new(self->loop, self->dir, self->launcher, platform, &ops, self);
}

static void
close_all(fixture_t *self)
{
    if (self->lease >= 0)
        close(self->lease);
    if (self->listener >= 0)
        close(self->listener);
    self->lease = self->listener = -1;
}

static void
close_fixture(fixture_t *self)
{
    static const char *const names[] = {
        "launcher", "env", "fds", "sid", "args", "stack.sock"
    };
    char path[128];

    stack_destroy(&self->stack);
    zloop_destroy(&self->loop);
    close_all(self);
    for (size_t i = 0; i < ROWS(names); i++) {
        path_in(self, names[i], path);
        unlink(path);
    }
    rmdir(self->dir);
}

static int
on_tick(zloop_t *loop, int timer, void *arg)
{
    fixture_t *self = arg;

    return self->is_done(self) ? -1 : 0;
}

static int
on_late(zloop_t *loop, int timer, void *arg)
{
    fixture_t *self = arg;

    self->is_late = true;
    return -1;
}

static void
run(fixture_t *self, bool (*is_done)(void *arg))
{
    self->is_done = is_done;
    int tick = zloop_timer(self->loop, 2, 0, on_tick, self);
    int late = zloop_timer(self->loop, GUARD_MS, 1, on_late, self);
    zloop_start(self->loop);
    zloop_timer_end(self->loop, tick);
    zloop_timer_end(self->loop, late);
    assert_false(self->is_late);
}

static bool
has_lease(void *arg)
{
    fixture_t *self = arg;

    if (self->lease < 0)
        self->lease = accept(self->listener, NULL, NULL);
    return self->lease >= 0;
}

static bool
has_said_two(void *arg)
{
    fixture_t *self = arg;

    return self->said >= 2;
}

static bool
has_lost(void *arg)
{
    fixture_t *self = arg;

    return self->lost > 0;
}

static bool
has_failed(void *arg)
{
    fixture_t *self = arg;

    return *self->reason;
}

static bool
has_started(void *arg)
{
    fixture_t *self = arg;
    char path[128];

    path_in(self, "args", path);
    return access(path, F_OK) == 0;
}

static void
tell(fixture_t *self, const char *text)
{
    assert_int_equal(write(self->lease, text, strlen(text)), (ssize_t) strlen(text));
}

static char *
read_file(const fixture_t *self, const char *name)
{
    static char text[16384];
    char path[128];

    path_in(self, name, path);
    int fd = open(path, O_RDONLY);
    ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

static void
a_running_stack_says_where_its_parts_are(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f);
    listen_at(&f);
    start(&f, NULL);
    run(&f, has_lease);
    tell(&f, "{\"version\":\"9.0.0\",\"pid\":1,\"broker\":\"ipc:///run/"
             "b\",\"platform\":null}\n{\"plat");
    tell(&f, "form\":\"http://127.0.0.1:1\"}\n");
    run(&f, has_said_two);
    assert_string_equal(f.broker, "ipc:///run/b");
    assert_string_equal(f.platform, "http://127.0.0.1:1");
    assert_false(has_started(&f));
    char byte;
    assert_int_equal(recv(f.lease, &byte, 1, MSG_DONTWAIT), -1);  // a newer one is not drained
}

static void
an_older_stack_is_asked_to_make_room(void **state)
{
    AUTO(close_fixture) fixture_t f;
    char text[128] = "", wanted[128];

    open_fixture(&f);
    listen_at(&f);
    start(&f, NULL);
    run(&f, has_lease);
    tell(&f, "{\"version\":\"0.9.9\",\"broker\":\"ipc:///run/b\",\"platform\":\"http://x\"}\n");
    run(&f, has_said_two);
    assert_true(recv(f.lease, text, sizeof text - 1, MSG_DONTWAIT) > 0);
    snprintf(wanted, sizeof wanted, "{\"drain\":\"%s\"}\n", proofarc_version());
    assert_string_equal(text, wanted);
}

static void
what_is_no_json_costs_a_line(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f);
    listen_at(&f);
    start(&f, NULL);
    run(&f, has_lease);
    tell(
        &f,
        "garbage\n\n[]\n{\"broker\":7}\n{\"broker\":\"ipc:///b\",\"platform\":\"http://x\"}\n");
    run(&f, has_said_two);
    assert_int_equal(f.lost, 0);
}

static void
an_endless_line_loses_the_stack(void **state)
{
    AUTO(close_fixture) fixture_t f;
    char text[8192];

    open_fixture(&f);
    listen_at(&f);
    start(&f, NULL);
    run(&f, has_lease);
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    tell(&f, text);
    run(&f, has_lost);
}

static void
a_stack_that_is_not_there_is_started(void **state)
{
    AUTO(close_fixture) fixture_t f;
    char wanted[256];

    open_fixture(&f);
    setenv("PROOFARC_PASSWORD", "secret-pass", 1);
    setenv("PROOFARC_TOKEN", "secret-token", 1);
    setenv("PROOFARC_LOG_LEVEL", "debug", 1);
    start(&f, "http://other.example");
    run(&f, has_started);
    unsetenv("PROOFARC_PASSWORD");
    unsetenv("PROOFARC_TOKEN");
    unsetenv("PROOFARC_LOG_LEVEL");
    snprintf(wanted, sizeof wanted, "--data-dir %s --platform http://other.example\n", f.dir);
    assert_string_equal(read_file(&f, "args"), wanted);
    assert_null(strstr(read_file(&f, "env"), "secret"));
    assert_non_null(strstr(read_file(&f, "env"), "PROOFARC_LOG_LEVEL=debug"));
    assert_int_not_equal(strtol(read_file(&f, "sid"), NULL, 10), getsid(0));  // its own session
    assert_non_null(strstr(read_file(&f, "fds"), " 0 -> /dev/null"));
}

static void
a_stack_that_is_lost_is_found_again(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f);
    listen_at(&f);
    start(&f, NULL);
    run(&f, has_lease);
    tell(&f, "{\"broker\":\"ipc:///a\",\"platform\":\"http://a\"}\n");
    run(&f, has_said_two);
    close_all(&f);
    run(&f, has_lost);
    run(&f, has_started);
    listen_at(&f);
    run(&f, has_lease);
    f.said = 0;
    tell(&f, "{\"broker\":\"ipc:///b\",\"platform\":\"http://b\"}\n");
    run(&f, has_said_two);
    assert_string_equal(f.platform, "http://b");
}

static void
a_stack_that_cannot_start_says_why(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f);
    listen_at(&f);
    start(&f, NULL);
    run(&f, has_lease);
    tell(&f, "{\"version\":\"9.0.0\"}\n{\"error\":\"no key\"}\n");
    run(&f, has_failed);
    assert_string_equal(f.reason, "no key");
    assert_int_equal(f.said, 0);
}

static void
a_launcher_that_ends_at_once_is_told_by_its_code(void **state)
{
    AUTO(close_fixture) fixture_t f;
    char path[128], wanted[256];

    open_fixture(&f);
    path_in(&f, "launcher", path);
    FILE *file = fopen(path, "w");
    fputs("#!/bin/sh\nexit 4\n", file);
    fclose(file);
    start(&f, NULL);
    run(&f, has_failed);
    snprintf(wanted, sizeof wanted, "The local stack ended with code 4; %s/stack.log says why.",
             f.dir);
    assert_string_equal(f.reason, wanted);
}

static void
giving_the_lease_back_is_seen(void **state)
{
    AUTO(close_fixture) fixture_t f;
    char byte;

    open_fixture(&f);
    listen_at(&f);
    start(&f, NULL);
    run(&f, has_lease);
    stack_destroy(&f.stack);
    assert_int_equal(recv(f.lease, &byte, 1, 0), 0);
}

// ---- the data directory

static void
the_data_directory_is_made_where_it_belongs(void **state)
{
    char base[] = "/tmp/proofarc-test-XXXXXX", path[PATH_MAX], wanted[PATH_MAX];
    failure_t why;
    struct stat info;

    assert_non_null(mkdtemp(base));
    setenv("XDG_DATA_HOME", base, 1);
    assert_int_equal(stack_data_dir(NULL, NULL, path, &why), EXIT_DONE);
    snprintf(wanted, sizeof wanted, "%s/proofarc", base);
    assert_string_equal(path, wanted);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    rmdir(path);
    setenv("XDG_DATA_HOME", "relative", 1);  // to be ignored
    setenv("HOME", base, 1);
    assert_int_equal(stack_data_dir(NULL, NULL, path, &why), EXIT_DONE);
    snprintf(wanted, sizeof wanted, "%s/.local/share/proofarc", base);
    assert_string_equal(path, wanted);
    unsetenv("XDG_DATA_HOME");
    for (int i = 0; i < 4; i++) {
        rmdir(wanted);
        *strrchr(wanted, '/') = '\0';
    }
}

static void
each_remote_platform_has_a_directory_of_its_own(void **state)
{
    char base[] = "/tmp/proofarc-test-XXXXXX", a[PATH_MAX], b[PATH_MAX];
    failure_t why;

    assert_non_null(mkdtemp(base));
    assert_int_equal(stack_data_dir(base, "http://a", a, &why), EXIT_DONE);
    assert_int_equal(stack_data_dir(base, "http://b", b, &why), EXIT_DONE);
    assert_string_not_equal(a, b);
    assert_memory_equal(a, base, strlen(base));
    rmdir(a);
    rmdir(b);
    *strrchr(a, '/') = '\0';
    rmdir(a);
    rmdir(base);
}

static void
a_directory_that_others_can_read_is_refused(void **state)
{
    char base[] = "/tmp/proofarc-test-XXXXXX", path[PATH_MAX];
    failure_t why;

    assert_non_null(mkdtemp(base));
    chmod(base, 0755);
    assert_int_equal(stack_data_dir(base, NULL, path, &why), EXIT_DATA_DIR);
    rmdir(base);
    assert_int_equal(stack_data_dir("/proc/nowhere", NULL, path, &why), EXIT_DATA_DIR);
    assert_int_equal(stack_data_dir("/dev/null", NULL, path, &why), EXIT_DATA_DIR);
    assert_true(strlen(why.text) > 10);
}

static void
a_path_that_no_socket_can_have_is_refused(void **state)
{
    char base[] = "/tmp/proofarc-test-XXXXXX", given[256], path[PATH_MAX];
    failure_t why;

    assert_non_null(mkdtemp(base));
    snprintf(given, sizeof given, "%s/%0100d", base, 7);
    assert_int_equal(stack_data_dir(given, NULL, path, &why), EXIT_DATA_DIR);
    assert_non_null(strstr(why.text, "too long"));
    rmdir(given);
    rmdir(base);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_running_stack_says_where_its_parts_are),
        cmocka_unit_test(an_older_stack_is_asked_to_make_room),
        cmocka_unit_test(what_is_no_json_costs_a_line),
        cmocka_unit_test(an_endless_line_loses_the_stack),
        cmocka_unit_test(a_stack_that_is_not_there_is_started),
        cmocka_unit_test(a_stack_that_is_lost_is_found_again),
        cmocka_unit_test(a_stack_that_cannot_start_says_why),
        cmocka_unit_test(a_launcher_that_ends_at_once_is_told_by_its_code),
        cmocka_unit_test(giving_the_lease_back_is_seen),
        cmocka_unit_test(the_data_directory_is_made_where_it_belongs),
        cmocka_unit_test(each_remote_platform_has_a_directory_of_its_own),
        cmocka_unit_test(a_directory_that_others_can_read_is_refused),
        cmocka_unit_test(a_path_that_no_socket_can_have_is_refused),
    };
    zsys_init();
    zsys_handler_set(NULL);
    signal(SIGPIPE, SIG_IGN);
    log_setup("test", LEVEL_ERROR, false);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
