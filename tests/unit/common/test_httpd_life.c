// SPDX-License-Identifier: Apache-2.0
#include "httpd_play.h"

static void
leave_while_it_waits(script_t *self)
{
    int fd = dial(self);

    say(fd, self->say);
    if (strstr(self->say, "/stream"))
        hear(self, fd, "first,");
    close(fd);
}

static void
leave_half(script_t *self)
{
    int fd = dial(self);

    say(fd, self->say);
    shutdown(fd, SHUT_WR);
    hear(self, fd, NULL);
    close(fd);
}

static void
a_client_that_leaves_is_noticed_once(void **state)
{
    static const struct {
        const char *say;
        void (*act)(script_t *self);
        const char *heard;
    } rows[] = {
        { "GET /never HTTP/1.1\r\n" HOST "\r\n", leave_while_it_waits, "" },
        { "GET /never HTTP/1.1\r\n" HOST "\r\n", leave_half, "HTTP/1.1 499 " },
        { "GET /stream?endless HTTP/1.1\r\n" HOST "\r\n", leave_while_it_waits, "first," },
        { "GET /stream?endless HTTP/1.1\r\n" HOST "\r\n", leave_half, "first," },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(app_stop) app_t app = { .wait_ended = 1 };
        script_t script = { .say = rows[i].say, .act = rows[i].act };

        print_message("  row %zu\n", i);
        app_start(&app);
        play(&app, &script);
        buffer_text(&script.heard, "");
        assert_non_null(strstr(script.heard.bytes, rows[i].heard));
        assert_int_equal(app.left, 1);
        assert_int_equal(app.ended, 1);
        buffer_clear(&script.heard);
    }
}

static void
leave_in_the_middle(script_t *self)
{
    static const char *const parts[] = {
        "",
        "GET",
        "GET /x HTTP/1.1\r\n",
        "GET /x HTTP/1.1\r\nHost: x\r\nOdd",
        "POST /x HTTP/1.1\r\n" HOST "Content-Length: 9\r\n\r\nhalf",
        "POST /x HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n5\r\nha",
    };

    for (size_t i = 0; i < ROWS(parts); i++) {
        int fd = dial(self);
        say(fd, parts[i]);
        close(fd);
    }
}

static void
a_client_that_leaves_in_the_middle_of_a_request_harms_nothing(void **state)
{
    AUTO(app_stop)
    app_t app = { .wait_ended = 2, .idle_s = 1 };  // of those the headers were whole
    script_t script = { .act = leave_in_the_middle };

    app_start(&app);
    play(&app, &script);
    assert_int_equal(app.requests, 0);
    assert_int_equal(app.left, 0);
    assert_int_equal(httpd_open_requests(app.server), 0);
}

enum { CROWD = 300 };  // over 128, where one epoll_wait of libmicrohttpd is full

static void
say_nothing(script_t *self)
{
    int fd = dial(self);

    hear(self, fd, NULL);
    buffer_text(&self->heard, "closed");
    close(fd);
}

static void
a_silent_connection_is_closed(void **state)
{
    AUTO(app_stop) app_t app = { .idle_s = 1 };
    script_t script = { .act = say_nothing };

    app_start(&app);
    play(&app, &script);
    assert_string_equal(script.heard.bytes, "closed");
    buffer_clear(&script.heard);
}

static void
come_as_a_crowd(script_t *self)
{
    int fds[CROWD];

    for (size_t i = 0; i < CROWD; i++)
        fds[i] = dial(self);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < CROWD; i++)
            say(fds[i], "GET /later HTTP/1.1\r\n" HOST "\r\n");
        for (size_t i = 0; i < CROWD; i++)
            hear(self, fds[i], "later");
    }
    for (size_t i = 0; i < CROWD; i++)
        close(fds[i]);
}

static void
a_crowd_is_served(void **state)
{
    AUTO(app_stop) app_t app = { .wait_ended = 3 * CROWD };
    script_t script = { .act = come_as_a_crowd };

    app_start(&app);
    play(&app, &script);
    assert_int_equal(app.requests, 3 * CROWD);
    assert_int_equal(app.ended, 3 * CROWD);
    buffer_clear(&script.heard);
}

static void
come_as_three(script_t *self)
{
    for (size_t i = 0; i < 3; i++)
        self->fds[i] = dial(self);  // the kernel takes them all
    for (size_t i = 0; i < 3; i++)
        say(self->fds[i], "GET /later HTTP/1.1\r\n" HOST "\r\n");
    hear(self, self->fds[0], "later");
    hear(self, self->fds[1], "later");
    close(self->fds[0]);  // makes room
    hear(self, self->fds[2], "later");
    close(self->fds[1]);
    close(self->fds[2]);
}

static void
a_connection_over_the_limit_waits_for_room(void **state)
{
    AUTO(app_stop) app_t app = { .connections_max = 2, .wait_ended = 3 };
    script_t script = { .act = come_as_three };

    app_start(&app);
    play(&app, &script);
    assert_int_equal(app.requests, 3);
    buffer_clear(&script.heard);
}

static void
ask_three_and_stay(script_t *self)
{
    static const char *const asked[] = { "/never", "/stream?endless", "/never" };

    for (size_t i = 0; i < ROWS(asked); i++) {
        char text[100];
        snprintf(text, sizeof text, "GET %s HTTP/1.1\r\n" HOST "\r\n", asked[i]);
        self->fds[i] = dial(self);
        say(self->fds[i], text);
    }
    hear(self, self->fds[1], "third");
}

static void
destroying_ends_what_is_open(void **state)
{
    AUTO(app_stop) app_t app = { .wait_requests = 3 };
    script_t script = { .act = ask_three_and_stay };

    app_start(&app);
    play(&app, &script);
    assert_int_equal(httpd_open_requests(app.server), 3);
    assert_int_equal(app.ended, 0);
    httpd_destroy(&app.server);
    assert_int_equal(app.ended, 3);
    for (size_t i = 0; i < 3; i++)
        close(script.fds[i]);
    buffer_clear(&script.heard);
}

static void
ask_and_be_quiesced(script_t *self)
{
    int fd = dial(self);

    say(fd, "GET /quiesce HTTP/1.1\r\n" HOST "\r\n");
    hear(self, fd, NULL);
    close(fd);
    close(dial(self));
}

static void
a_quiesced_server_takes_no_one_new(void **state)
{
    AUTO(app_stop) app_t app = { 0 };
    script_t script = { .act = ask_and_be_quiesced };

    app_start(&app);
    play(&app, &script);
    assert_non_null(strstr(script.heard.bytes, "HTTP/1.1 200 "));
    assert_non_null(strstr(script.heard.bytes, "Connection: close"));
    assert_non_null(strstr(script.heard.bytes, "REFUSED"));
    buffer_clear(&script.heard);
}

// clang-format off
static const struct {
    const char *listen;
    exit_code_t code;
    const char *said;  // address, or part of the reason
} addresses[] = {
    { "127.0.0.1:0",      EXIT_DONE,    "127.0.0.1:" },
    { "localhost:0",      EXIT_DONE,    ":" },
    { "0.0.0.0:0",        EXIT_DONE,    "0.0.0.0:" },
    { "[::1]:0",          EXIT_DONE,    "[::1]:" },
    { "127.0.0.1",        EXIT_USAGE,   "HOST:PORT" },
    { "127.0.0.1:",       EXIT_USAGE,   "HOST:PORT" },
    { ":8080",            EXIT_USAGE,   "HOST:PORT" },
    { "8080",             EXIT_USAGE,   "HOST:PORT" },
    { "127.0.0.1:65536",  EXIT_USAGE,   "HOST:PORT" },
    { "127.0.0.1:+80",    EXIT_USAGE,   "HOST:PORT" },
    { "::1:8080",         EXIT_USAGE,   "HOST:PORT" },
    { "[::1]",            EXIT_USAGE,   "HOST:PORT" },
    { "[::1:80",          EXIT_USAGE,   "HOST:PORT" },
    { "",                 EXIT_USAGE,   "HOST:PORT" },
    { "192.0.2.1:0",      EXIT_ADDRESS, "cannot listen" },
    { "no-such-host.invalid:0", EXIT_ADDRESS, "not known" },
};
// clang-format on

static void
addresses_are_read_and_refused_with_a_reason(void **state)
{
    for (size_t i = 0; i < ROWS(addresses); i++) {
        zloop_t *loop = zloop_new();
        const httpd_options_t options = { .listen = addresses[i].listen,
                                          .body_max = 1,
                                          .connections_max = 1 };
        httpd_t *server = NULL;
        failure_t why = { 0 };

        print_message("  %s\n", addresses[i].listen);
        assert_int_equal(httpd_new(loop, &options, &ops, NULL, &server, &why),
                         addresses[i].code);
        assert_int_equal(server != NULL, addresses[i].code == EXIT_DONE);
        assert_non_null(strstr(server ? httpd_address(server) : why.text, addresses[i].said));
        assert_null(server ? strstr(httpd_address(server) + 1, ":0") : NULL);
        httpd_destroy(&server);
        zloop_destroy(&loop);
    }
}

static void
a_port_that_is_taken_is_named(void **state)
{
    AUTO(app_stop) app_t app = { 0 };
    httpd_t *second = NULL;
    failure_t why;

    app_start(&app);
    const httpd_options_t options = { .listen = httpd_address(app.server),
                                      .body_max = 1,
                                      .connections_max = 1 };
    assert_int_equal(httpd_new(app.loop, &options, &ops, NULL, &second, &why), EXIT_ADDRESS);
    assert_non_null(strstr(why.text, httpd_address(app.server)));
    assert_non_null(strstr(why.text, "taken by another program"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_that_leaves_is_noticed_once),
        cmocka_unit_test(a_client_that_leaves_in_the_middle_of_a_request_harms_nothing),
        cmocka_unit_test(a_silent_connection_is_closed),
        cmocka_unit_test(a_crowd_is_served),
        cmocka_unit_test(a_connection_over_the_limit_waits_for_room),
        cmocka_unit_test(destroying_ends_what_is_open),
        cmocka_unit_test(a_quiesced_server_takes_no_one_new),
        cmocka_unit_test(addresses_are_read_and_refused_with_a_reason),
        cmocka_unit_test(a_port_that_is_taken_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
