// SPDX-License-Identifier: Apache-2.0
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auto.h"
#include "clock.h"
#include "endpoint.h"

#include <cmocka.h>

typedef struct {
    char dir[64];
    char keys[80];
} place_t;

static int
remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    return remove(path);
}

static int
make_place(void **state)
{
    place_t *place = calloc(1, sizeof *place);

    snprintf(place->dir, sizeof place->dir, "/tmp/endpoint-XXXXXX");
    assert_non_null(mkdtemp(place->dir));
    snprintf(place->keys, sizeof place->keys, "%s/keys", place->dir);
    *state = place;
    return 0;
}

static int
remove_place(void **state)
{
    place_t *place = *state;

    nftw(place->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(place);
    return 0;
}

static exit_code_t
try_bind(const char *endpoint, curve_t *curve, failure_t *why)
{
    AUTO(zsock_destroy) zsock_t *socket = zsock_new(ZMQ_ROUTER);

    endpoint_prepare(socket);
    return endpoint_bind(socket, endpoint, curve, why);
}

static void
endpoints_of_the_wrong_kind_are_refused(void **state)
{
    const place_t *place = *state;
    char endpoint[300];
    failure_t why = { 0 };
    AUTO(curve_destroy) curve_t *curve = curve_new(NULL, true, &why);

    assert_int_equal(try_bind("tcp://127.0.0.1:0", curve, &why), EXIT_CURVE);
    assert_non_null(strstr(why.text, "--curve-dir"));
    assert_int_equal(try_bind("inproc://x", curve, &why), EXIT_USAGE);
    assert_int_equal(try_bind("ipc://@abstract", curve, &why), EXIT_USAGE);
    snprintf(endpoint, sizeof endpoint, "ipc://%s/%0*d", place->dir,
             107 - (int) strlen(place->dir) - 1, 0);
    assert_int_equal(try_bind(endpoint, curve, &why), EXIT_DONE);
    snprintf(endpoint, sizeof endpoint, "ipc://%s/%0*d", place->dir,
             108 - (int) strlen(place->dir) - 1, 0);
    assert_int_equal(try_bind(endpoint, curve, &why), EXIT_USAGE);
    assert_non_null(strstr(why.text, "107"));
}

static void
a_directory_that_others_can_enter_is_refused(void **state)
{
    const place_t *place = *state;
    char endpoint[128];
    failure_t why = { 0 };
    AUTO(curve_destroy) curve_t *curve = curve_new(NULL, true, &why);

    snprintf(endpoint, sizeof endpoint, "ipc://%s/x.sock", place->dir);
    chmod(place->dir, 0755);
    assert_int_equal(try_bind(endpoint, curve, &why), EXIT_ADDRESS);
    assert_non_null(strstr(why.text, "0700"));
    chmod(place->dir, 0700);
    assert_int_equal(try_bind(endpoint, curve, &why), EXIT_DONE);
}

static void
a_path_is_served_once(void **state)
{
    const place_t *place = *state;
    char endpoint[128];
    failure_t why = { 0 };
    AUTO(curve_destroy) curve_t *curve = curve_new(NULL, true, &why);
    AUTO(zsock_destroy) zsock_t *first = zsock_new(ZMQ_ROUTER);

    snprintf(endpoint, sizeof endpoint, "ipc://%s/once.sock", place->dir);
    assert_int_equal(endpoint_bind(first, endpoint, curve, &why), EXIT_DONE);
    assert_int_equal(try_bind(endpoint, curve, &why), EXIT_ADDRESS);
    assert_non_null(strstr(why.text, "another process"));
}

static void
write_keys(const place_t *place)
{
    char path[160];

    mkdir(place->keys, 0700);
    static const char *const names[] = { "server.key", "client.key" };
    for (size_t i = 0; i < ROWS(names); i++) {
        AUTO(zcert_destroy) zcert_t *cert = zcert_new();
        snprintf(path, sizeof path, "%s/%s", place->keys, names[i]);
        assert_int_equal(zcert_save(cert, path), 0);
        snprintf(path, sizeof path, "%s/%s_secret", place->keys, names[i]);
        chmod(path, 0600);
        snprintf(path, sizeof path, "%s/clients", place->keys);
        mkdir(path, 0700);
        snprintf(path, sizeof path, "%s/clients/%s", place->keys, names[i]);
        if (i == 1)
            assert_int_equal(zcert_save_public(cert, path), 0);
    }
}

static void
tcp_with_keys_lets_the_listed_client_in_and_no_stranger(void **state)
{
    const place_t *place = *state;
    failure_t why = { 0 };

    write_keys(place);
    AUTO(curve_destroy) curve_t *server_curve = curve_new(place->keys, true, &why);
    AUTO(curve_destroy) curve_t *client_curve = curve_new(place->keys, false, &why);
    AUTO(zsock_destroy) zsock_t *server = zsock_new(ZMQ_ROUTER);
    AUTO(zsock_destroy) zsock_t *client = zsock_new(ZMQ_DEALER);
    endpoint_prepare(server);
    endpoint_prepare(client);
    exit_code_t code = endpoint_bind(server, "tcp://127.0.0.1:*", server_curve, &why);
    assert_string_equal(why.text, "");
    assert_int_equal(code, EXIT_DONE);
    assert_int_equal(endpoint_connect(client, zsock_endpoint(server), client_curve, &why),
                     EXIT_DONE);
    zsock_set_rcvtimeo(server, 5000);
    zsock_set_sndtimeo(client, 5000);
    assert_int_equal(zstr_send(client, "hello"), 0);
    AUTO(zmsg_destroy) zmsg_t *msg = zmsg_recv(server);
    assert_non_null(msg);
}

static void
keys_that_are_missing_or_readable_by_others_are_refused(void **state)
{
    const place_t *place = *state;
    char path[160];
    failure_t why = { 0 };

    assert_null(curve_new("/nonexistent", true, &why));
    write_keys(place);
    snprintf(path, sizeof path, "%s/server.key_secret", place->keys);
    chmod(path, 0644);
    assert_null(curve_new(place->keys, true, &why));
    assert_non_null(strstr(why.text, "chmod 600"));
}

enum { CROWD = 200, ABSENT_MS = 1500, RETURN_MS = 20 * 1000 };

static int64_t
cpu_ms(void)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000
           + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}

// How many of the crowd the server has heard; each says its word as soon as it can.
static int
hear_crowd(zsock_t *server, zsock_t *crowd[CROWD])
{
    bool has_spoken[CROWD] = { 0 };
    int heard = 0;

    for (int64_t end_ms = clock_now_ms() + RETURN_MS;
         heard < CROWD && clock_now_ms() < end_ms;) {
        for (int i = 0; i < CROWD; i++)
            if (!has_spoken[i])
                has_spoken[i] = !zmq_send(zsock_resolve(crowd[i]), "", 0, ZMQ_DONTWAIT);
        AUTO(zmsg_destroy) zmsg_t *msg = zmsg_recv(server);
        heard += msg != NULL;
    }
    return heard;
}

static zsock_t *
serve(const char *endpoint, curve_t *curve)
{
    zsock_t *server = zsock_new(ZMQ_ROUTER);
    failure_t why;

    endpoint_prepare(server);
    zsock_set_rcvtimeo(server, 5);
    assert_int_equal(endpoint_bind(server, endpoint, curve, &why), EXIT_DONE);
    return server;
}

static void
a_crowd_comes_back_to_its_server_and_does_not_hammer(void **state)
{
    const place_t *place = *state;
    zsock_t *crowd[CROWD];
    char endpoint[64];
    failure_t why;

    write_keys(place);
    AUTO(curve_destroy) curve_t *server_curve = curve_new(place->keys, true, &why);
    AUTO(curve_destroy) curve_t *client_curve = curve_new(place->keys, false, &why);
    zsock_t *server = serve("tcp://127.0.0.1:*", server_curve);
    snprintf(endpoint, sizeof endpoint, "%s", zsock_endpoint(server));
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = zsock_new(ZMQ_DEALER);
        endpoint_prepare(crowd[i]);
        zsock_set_linger(crowd[i], 0);
        assert_int_equal(endpoint_connect(crowd[i], endpoint, client_curve, &why), EXIT_DONE);
    }
    assert_int_equal(hear_crowd(server, crowd), CROWD);
    zsock_destroy(&server);
    int64_t since_ms = cpu_ms();
    zclock_sleep(ABSENT_MS);
    assert_true(cpu_ms() - since_ms < ABSENT_MS / 6);
    server = serve(endpoint, server_curve);
    assert_int_equal(hear_crowd(server, crowd), CROWD);
    zsock_destroy(&server);
    for (int i = 0; i < CROWD; i++)
        zsock_destroy(&crowd[i]);
}

static void
names_are_random(void **state)
{
    char a[ENDPOINT_NAME_SIZE], b[ENDPOINT_NAME_SIZE];

    endpoint_random_name(a);
    endpoint_random_name(b);
    assert_int_equal(strlen(a), 32);
    assert_int_equal(strspn(a, "0123456789abcdef"), 32);
    assert_string_not_equal(a, b);
}

int
main(void)
{
    zsys_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(endpoints_of_the_wrong_kind_are_refused, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(a_directory_that_others_can_enter_is_refused,
                                        make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_path_is_served_once, make_place, remove_place),
        cmocka_unit_test_setup_teardown(tcp_with_keys_lets_the_listed_client_in_and_no_stranger,
                                        make_place, remove_place),
        cmocka_unit_test_setup_teardown(keys_that_are_missing_or_readable_by_others_are_refused,
                                        make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_crowd_comes_back_to_its_server_and_does_not_hammer,
                                        make_place, remove_place),
        cmocka_unit_test(names_are_random),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
