// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lease.h"

#include <cmocka.h>  // last: it defines fail()

static char dir[32], path[64];
static zloop_t *loop;

static int
open_loop(void **state)
{
    zsys_handler_set(NULL);
    snprintf(dir, sizeof dir, "/tmp/lease-XXXXXX");
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/stack.sock", dir);
    loop = zloop_new();
    zloop_set_nonstop(loop, true);
    return 0;
}

static int
close_loop(void **state)
{
    zloop_destroy(&loop);
    unlink(path);
    return rmdir(dir);
}

static int
listen_there(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    unlink(path);
    memcpy(address.sun_path, path, strlen(path));
    assert_int_equal(bind(fd, (struct sockaddr *) &address, sizeof address), 0);
    assert_int_equal(listen(fd, 4), 0);
    return fd;
}

static int
end_loop(zloop_t *self, int timer, void *arg)
{
    return -1;
}

// Lets the loop see what has happened.
static void
look(void)
{
    zloop_timer(loop, 20, 1, end_loop, NULL);
    zloop_start(loop);
}

static void
a_lease_stands_as_long_as_it_is_needed(void **state)
{
    int listener = listen_there();
    lease_t *lease = lease_new(loop, path);
    char byte;

    assert_false(lease_is_held(lease));
    lease_hold(lease, true);
    lease_hold(lease, true);  // once is enough
    int held = accept(listener, NULL, NULL);
    assert_true(held >= 0);
    assert_int_equal(accept(listener, NULL, NULL), -1);
    assert_int_equal(write(held, "{}\n", 3), 3);  // what the launcher says is read away
    look();
    assert_true(lease_is_held(lease));
    lease_hold(lease, false);
    assert_int_equal(recv(held, &byte, 1, 0), 0);
    close(held);
    close(listener);
    lease_destroy(&lease);
}

static void
a_launcher_that_went_away_is_asked_again(void **state)
{
    int listener = listen_there();
    lease_t *lease = lease_new(loop, path);

    lease_hold(lease, true);
    close(accept(listener, NULL, NULL));
    look();
    assert_false(lease_is_held(lease));
    lease_hold(lease, true);
    assert_true(lease_is_held(lease));
    close(listener);
    lease_destroy(&lease);
}

static void
without_a_launcher_there_is_no_lease_and_no_harm(void **state)
{
    lease_t *none = lease_new(loop, NULL), *nobody = lease_new(loop, path);
    char long_path[200];

    memset(long_path, 'x', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = '\0';
    lease_t *too_long = lease_new(loop, long_path);
    lease_hold(none, true);
    lease_hold(nobody, true);
    lease_hold(too_long, true);
    assert_false(lease_is_held(none) || lease_is_held(nobody) || lease_is_held(too_long));
    lease_destroy(&none);
    lease_destroy(&nobody);
    lease_destroy(&too_long);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_loop, close_loop)
    const struct CMUnitTest tests[] = {
        TEST(a_lease_stands_as_long_as_it_is_needed),
        TEST(a_launcher_that_went_away_is_asked_again),
        TEST(without_a_launcher_there_is_no_lease_and_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
