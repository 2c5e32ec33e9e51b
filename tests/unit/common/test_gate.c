// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <dirent.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auto.h"
#include "clock.h"
#include "endpoint.h"
#include "gate.h"

#include <cmocka.h>

enum { WAIT_MS = 10 * 1000, CALLERS = 300 };

typedef struct {
    char dir[64];
    curve_t *curve;
    zloop_t *loop;
    zsock_t *server;
    gate_t *gate;
    size_t count;   // told by the gate
    size_t wanted;  // the loop ends with that many
    char reason[64];
} scene_t;

static int
remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    return remove(path);
}

static void
save_keys(const char *dir, const char *name)
{
    AUTO(zcert_destroy) zcert_t *cert = zcert_new();
    char path[128];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_int_equal(zcert_save(cert, path), 0);
    snprintf(path, sizeof path, "%s/%s_secret", dir, name);
    chmod(path, 0600);
}

static void
on_turned_away(void *owner, const char *reason, size_t count)
{
    scene_t *self = owner;

    self->count = count;
    snprintf(self->reason, sizeof self->reason, "%s", reason);
}

static int
look(zloop_t *loop, int timer, void *arg)
{
    const scene_t *self = arg;

    return self->count >= self->wanted ? -1 : 0;
}

static int
give_up(zloop_t *loop, int timer, void *arg)
{
    return -1;
}

// Until so many were turned away.
static void
run_until(scene_t *self, size_t wanted)
{
    self->wanted = wanted;
    int look_timer = zloop_timer(self->loop, 5, 0, look, self);
    int end_timer = zloop_timer(self->loop, WAIT_MS, 1, give_up, self);
    zloop_start(self->loop);
    zloop_timer_end(self->loop, look_timer);
    zloop_timer_end(self->loop, end_timer);
}

static int
open_scene(void **state)
{
    scene_t *self = calloc(1, sizeof *self);
    char clients[80];
    failure_t why;

    snprintf(self->dir, sizeof self->dir, "/tmp/gate-XXXXXX");
    assert_non_null(mkdtemp(self->dir));
    snprintf(clients, sizeof clients, "%s/clients", self->dir);
    mkdir(clients, 0700);
    save_keys(self->dir, "server.key");
    save_keys(self->dir, "client.key");  // which is not listed
    self->curve = curve_new(self->dir, true, &why);
    self->loop = zloop_new();
    self->server = zsock_new(ZMQ_ROUTER);
    endpoint_prepare(self->server);
    assert_int_equal(endpoint_bind(self->server, "tcp://127.0.0.1:*", self->curve, &why),
                     EXIT_DONE);
    self->gate =
        gate_new(self->loop, self->server, zsock_endpoint(self->server), on_turned_away, self);
    *state = self;
    return 0;
}

static int
close_scene(void **state)
{
    scene_t *self = *state;

    gate_destroy(&self->gate);
    zsock_destroy(&self->server);
    zloop_destroy(&self->loop);
    curve_destroy(&self->curve);
    nftw(self->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(self);
    return 0;
}

// One that connects as we do, with a key of its own.
static void
a_key_that_is_not_listed_is_told(void **state)
{
    scene_t *self = *state;
    failure_t why;
    AUTO(curve_destroy) curve_t *curve = curve_new(self->dir, false, &why);
    AUTO(zsock_destroy) zsock_t *stranger = zsock_new(ZMQ_DEALER);

    endpoint_prepare(stranger);
    zsock_set_linger(stranger, 0);
    assert_int_equal(self->count, 0);  // the stranger of endpoint_bind() was before
    assert_int_equal(endpoint_connect(stranger, zsock_endpoint(self->server), curve, &why),
                     EXIT_DONE);
    run_until(self, 1);
    assert_int_equal(self->count, 1);
    assert_string_equal(self->reason, "its key is not listed");
}

static void
one_without_keys_is_told(void **state)
{
    scene_t *self = *state;
    AUTO(zsock_destroy) zsock_t *stranger = zsock_new(ZMQ_DEALER);

    zsock_set_linger(stranger, 0);
    assert_int_equal(zsock_connect(stranger, "%s", zsock_endpoint(self->server)), 0);
    run_until(self, 1);
    assert_true(self->count >= 1);
    assert_string_equal(self->reason, "it does not speak CURVE as we do");
}

static size_t
open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    size_t count = 0;

    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static int
connect_plainly(const char *endpoint)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    address.sin_port = htons((uint16_t) strtol(strrchr(endpoint, ':') + 1, NULL, 10));
    assert_int_equal(connect(fd, (struct sockaddr *) &address, sizeof address), 0);
    return fd;
}

// Says what no peer of ours says, or nothing at all, which ends when its time is up.
static void
callers_that_never_greet_cost_their_connection(void **state)
{
    static const char *const words[] = { "", "GET / HTTP/1.0\r\n\r\n",
                                         "\xff\0\0\0\0\0\0\0\1\x7f\3", "\x16\3\1" };
    scene_t *self = *state;
    size_t before = open_descriptors();
    int fds[CALLERS];

    for (int i = 0; i < CALLERS; i++) {
        fds[i] = connect_plainly(zsock_endpoint(self->server));
        const char *word = words[i % (int) ROWS(words)];
        send(fds[i], word, i % 4 == 2 ? 11 : strlen(word), MSG_NOSIGNAL);
    }
    for (int64_t end_ms = clock_now_ms() + WAIT_MS;
         open_descriptors() > before + CALLERS && clock_now_ms() < end_ms;)
        zclock_sleep(20);
    assert_true(open_descriptors() <= before + CALLERS);  // ours alone: theirs are closed
    for (int i = 0; i < CALLERS; i++)
        close(fds[i]);
}

static void
what_comes_again_and_again_is_told_less_and_less(void **state)
{
    size_t told = 0;

    for (size_t count = 1; count <= 1000; count++)
        told += gate_is_told(count);
    assert_int_equal(told, 10);
    assert_true(gate_is_told(1));
}

static void
nobody_is_turned_away_at_an_ipc_socket(void **state)
{
    assert_null(gate_new(NULL, NULL, "ipc:///run/x.sock", on_turned_away, NULL));
    gate_destroy(&(gate_t *){ NULL });
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_key_that_is_not_listed_is_told, open_scene,
                                        close_scene),
        cmocka_unit_test_setup_teardown(one_without_keys_is_told, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(callers_that_never_greet_cost_their_connection,
                                        open_scene, close_scene),
        cmocka_unit_test(what_comes_again_and_again_is_told_less_and_less),
        cmocka_unit_test(nobody_is_turned_away_at_an_ipc_socket),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
