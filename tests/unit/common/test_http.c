// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "auto.h"
#include "buffer.h"
#include "http.h"

#include <cmocka.h>  // last: it defines fail()

// A platform that reads whole requests, counts them, and answers as it was told.
enum { CONNECTIONS_MAX = 16 };

typedef struct {
    const char *answer;  // to every request; NULL: drop the connection after reading
    bool stays_silent;   // read and say nothing more
    int drop_from;       // the number of the request from which on all are dropped; 0: none
    int stop_fd;
    int port;
    pthread_t thread;
    struct pollfd polls[2 + CONNECTIONS_MAX];
    buffer_t received[2 + CONNECTIONS_MAX];
    int requests;
    int connections;
    buffer_t log;  // all requests, one behind the other
} fake_t;

static void
fake_drop(fake_t *self, size_t slot)
{
    close(self->polls[slot].fd);
    self->polls[slot].fd = -1;
    buffer_clear(&self->received[slot]);
}

static bool
fake_has_whole_request(const buffer_t *received)
{
    const char *end = received->bytes ? strstr(received->bytes, "\r\n\r\n") : NULL;
    const char *length = end ? strstr(received->bytes, "Content-Length: ") : NULL;
    size_t body = length ? strtoul(length + 16, NULL, 10) : 0;

    return end && received->size >= (size_t) (end + 4 - received->bytes) + body;
}

static void
fake_serve(fake_t *self, size_t slot)
{
    char bytes[65536];
    ssize_t size = recv(self->polls[slot].fd, bytes, sizeof bytes, 0);

    if (size <= 0) {
        fake_drop(self, slot);
        return;
    }
    buffer_add(&self->received[slot], bytes, (size_t) size);
    if (!fake_has_whole_request(&self->received[slot]))
        return;
    self->requests++;
    buffer_add(&self->log, self->received[slot].bytes, self->received[slot].size);
    buffer_clear(&self->received[slot]);
    if (self->stays_silent)
        return;
    bool drops = !self->answer || (self->drop_from && self->requests >= self->drop_from);
    if (!drops)
        (void) !write(self->polls[slot].fd, self->answer, strlen(self->answer));
    if (drops || strstr(self->answer, "Connection: close"))
        fake_drop(self, slot);
}

static void
fake_accept(fake_t *self)
{
    int fd = accept(self->polls[1].fd, NULL, NULL);
    size_t slot = 2;

    while (self->polls[slot].fd >= 0)
        slot++;
    assert(slot < ROWS(self->polls));
    self->polls[slot] = (struct pollfd){ .fd = fd, .events = POLLIN };
    self->connections++;
}

static void *
fake_run(void *arg)
{
    fake_t *self = arg;

    for (;;) {
        poll(self->polls, ROWS(self->polls), -1);
        if (self->polls[0].revents)
            return NULL;
        for (size_t slot = 2; slot < ROWS(self->polls); slot++)
            if (self->polls[slot].fd >= 0 && self->polls[slot].revents)
                fake_serve(self, slot);
        if (self->polls[1].revents)
            fake_accept(self);
    }
}

static void
fake_start(fake_t *self)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(listener, (struct sockaddr *) &address, size), 0);
    assert_int_equal(listen(listener, 16), 0);
    getsockname(listener, (struct sockaddr *) &address, &size);
    self->port = ntohs(address.sin_port);
    for (size_t slot = 0; slot < ROWS(self->polls); slot++)
        self->polls[slot].fd = -1;
    self->stop_fd = eventfd(0, 0);
    self->polls[0] = (struct pollfd){ .fd = self->stop_fd, .events = POLLIN };
    self->polls[1] = (struct pollfd){ .fd = listener, .events = POLLIN };
    pthread_create(&self->thread, NULL, fake_run, self);
}

// After this the counters may be read.
static void
fake_stop(fake_t *self)
{
    if (self->stop_fd <= 0)
        return;
    uint64_t one = 1;
    (void) !write(self->stop_fd, &one, sizeof one);
    pthread_join(self->thread, NULL);
    for (size_t slot = 0; slot < ROWS(self->polls); slot++)
        if (self->polls[slot].fd >= 0)
            fake_drop(self, slot);
    self->stop_fd = 0;
}

static void
fake_clear(fake_t *self)
{
    fake_stop(self);
    buffer_clear(&self->log);
}

#define OK_EMPTY "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nETag: \"e1\"\r\n\r\n{}"

static status_t
send_to(http_t *http, arena_t *arena, const fake_t *fake, http_request_t request,
        http_response_t *response, failure_t *why)
{
    request.url = arena_printf(arena, "http://127.0.0.1:%d/api/x", fake->port);
    if (!request.timeout_ms)
        request.timeout_ms = 10000;
    return http_send(http, arena, &request, response, why);
}

static void
sends_what_was_asked_and_hands_back_the_answer(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(http_destroy) http_t *http = http_new();
    AUTO(fake_clear)
    fake_t fake = { .answer = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"
                              "Location: /api/x/1\r\nETag: \"7\"\r\nContent-Length: 8\r\n\r\n"
                              "{\"id\":1}" };
    http_response_t response;
    failure_t why;

    fake_start(&fake);
    http_request_t post = { .method = "POST",
                            .token = "secret",
                            .key = "k-1",
                            .etag = "\"6\"",
                            .body = "{\"a\":1}",
                            .body_size = 7 };
    assert_int_equal(send_to(http, arena, &fake, post, &response, &why), OK);
    assert_int_equal(response.code, 201);
    assert_string_equal(response.body, "{\"id\":1}");
    assert_int_equal(response.size, 8);
    assert_string_equal(response.etag, "\"7\"");
    assert_string_equal(response.location, "/api/x/1");
    assert_string_equal(response.content_type, "application/json");
    fake_stop(&fake);
    static const char *const sent[] = {
        "POST /api/x HTTP/1.1\r\n",
        "User-Agent: proofarc/",
        "Authorization: Bearer secret\r\n",
        "Idempotency-Key: k-1\r\n",
        "If-None-Match: \"6\"\r\n",
        "Accept-Encoding: identity\r\n",
        "Content-Type: application/json\r\n",
        "Content-Length: 7\r\n",
        "\r\n\r\n{\"a\":1}",
    };
    for (size_t i = 0; i < ROWS(sent); i++)
        assert_non_null(strstr(fake.log.bytes, sent[i]));
    assert_null(strstr(fake.log.bytes, "Expect"));
}

static void
every_method_reaches_the_platform(void **state)
{
    static const struct {
        const char *method, *body, *sent;
    } rows[] = {
        { "GET", NULL, "GET /api/x HTTP/1.1\r\n" },
        { "DELETE", NULL, "DELETE /api/x HTTP/1.1\r\n" },
        { "PUT", "1", "PUT /api/x HTTP/1.1\r\n" },
        { "PATCH", "1", "PATCH /api/x HTTP/1.1\r\n" },
        { "POST", NULL, "Content-Length: 0\r\n" },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        AUTO(http_destroy) http_t *http = http_new();
        AUTO(fake_clear) fake_t fake = { .answer = OK_EMPTY };
        http_request_t request = { .method = rows[i].method,
                                   .body = rows[i].body,
                                   .body_size = rows[i].body ? 1 : 0 };
        http_response_t response;
        failure_t why;

        fake_start(&fake);
        assert_int_equal(send_to(http, arena, &fake, request, &response, &why), OK);
        fake_stop(&fake);
        assert_int_equal(fake.requests, 1);
        assert_non_null(strstr(fake.log.bytes, rows[i].sent));
    }
}

// The hole this closes: libcurl repeats a POST by itself when a reused connection dies.
static void
a_write_that_is_dropped_after_reading_was_sent_once(void **state)
{
    static const char *const methods[] = { "POST", "PUT", "PATCH", "DELETE" };

    for (size_t i = 0; i < ROWS(methods); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        AUTO(http_destroy) http_t *http = http_new();
        AUTO(fake_clear) fake_t fake = { .answer = OK_EMPTY, .drop_from = 4 };
        http_request_t get = { .method = "GET" };
        http_request_t write = { .method = methods[i], .body = "{}", .body_size = 2 };
        http_response_t response;
        failure_t why;

        fake_start(&fake);
        for (int reads = 0; reads < 3; reads++)  // leaves a connection to reuse
            assert_int_equal(send_to(http, arena, &fake, get, &response, &why), OK);
        assert_int_equal(send_to(http, arena, &fake, write, &response, &why), UNKNOWN);
        assert_int_equal(why.outcome, UNKNOWN_OUTCOME);
        fake_stop(&fake);
        assert_int_equal(fake.requests, 4);
    }
}

static void
a_write_on_a_warm_handle_uses_a_fresh_connection(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(http_destroy) http_t *http = http_new();
    AUTO(fake_clear) fake_t fake = { .answer = OK_EMPTY };
    http_request_t get = { .method = "GET" };
    http_request_t post = { .method = "POST", .body = "{}", .body_size = 2 };
    http_request_t keyed = { .method = "POST", .body = "{}", .body_size = 2, .key = "k" };
    http_response_t response;
    failure_t why;

    fake_start(&fake);
    assert_int_equal(send_to(http, arena, &fake, get, &response, &why), OK);
    assert_int_equal(send_to(http, arena, &fake, post, &response, &why), OK);
    assert_int_equal(send_to(http, arena, &fake, get, &response, &why), OK);
    assert_int_equal(send_to(http, arena, &fake, keyed, &response, &why), OK);
    fake_stop(&fake);
    assert_int_equal(fake.requests, 4);
    assert_int_equal(fake.connections, 2);
}

static void
nothing_of_one_caller_is_left_for_the_next(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(http_destroy) http_t *http = http_new();
    AUTO(fake_clear)
    fake_t fake = { .answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
                              "Set-Cookie: sid=first; Path=/\r\n\r\n" };
    http_request_t first = { .method = "GET", .token = "first-token", .etag = "\"first\"" };
    http_request_t second = { .method = "GET", .token = "second-token" };
    http_request_t nobody = { .method = "GET" };
    http_response_t response;
    failure_t why;

    fake_start(&fake);
    assert_int_equal(send_to(http, arena, &fake, first, &response, &why), OK);
    assert_int_equal(send_to(http, arena, &fake, second, &response, &why), OK);
    assert_int_equal(send_to(http, arena, &fake, nobody, &response, &why), OK);
    assert_string_equal(response.body, "");
    fake_stop(&fake);
    assert_int_equal(fake.connections, 1);
    char *later = strstr(fake.log.bytes, "second-token");
    assert_non_null(later);
    assert_null(strstr(later, "first"));
    assert_null(strstr(fake.log.bytes, "Cookie"));
    char *last = strstr(later, "GET ");
    assert_non_null(last);
    assert_null(strstr(last, "Authorization"));
}

// clang-format off
static const struct {
    const char *name;
    const char *answer;
    size_t answer_max;
    status_t get;      // what a GET makes of it
    outcome_t get_outcome;
    status_t post;
    outcome_t post_outcome;
} answers[] = {
    { "redirect is not followed", "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
      0, OK, 0, OK, 0 },
    { "no content",   "HTTP/1.1 204 No Content\r\n\r\n", 0, OK, 0, OK, 0 },
    { "cut body",     "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\nshort",
      0, BACKEND, FAILED, UNKNOWN, UNKNOWN_OUTCOME },
    { "no HTTP",      "garbage\r\nConnection: close\r\n\r\n", 0, BACKEND, FAILED, UNKNOWN, UNKNOWN_OUTCOME },
    { "empty answer", "Connection: close", 0, BACKEND, FAILED, UNKNOWN, UNKNOWN_OUTCOME },
    { "compressed",   "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxx",
      0, BACKEND, FAILED, UNKNOWN, UNKNOWN_OUTCOME },
    { "under limit",  "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n1234567", 8, OK, 0, OK, 0 },
    { "at limit",     "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n12345678", 8, OK, 0, OK, 0 },
    { "over limit",   "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\n123456789",
      8, TOO_LARGE, FAILED, TOO_LARGE, UNKNOWN_OUTCOME },
    { "over limit in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
      "5\r\n12345\r\n5\r\n67890\r\n0\r\n\r\n", 8, TOO_LARGE, FAILED, TOO_LARGE, UNKNOWN_OUTCOME },
};
// clang-format on

static void
every_answer_has_one_outcome(void **state)
{
    for (size_t i = 0; i < 2 * ROWS(answers); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        AUTO(http_destroy) http_t *http = http_new();
        AUTO(fake_clear) fake_t fake = { .answer = answers[i / 2].answer };
        bool is_get = i % 2 == 0;
        http_request_t request = { .method = is_get ? "GET" : "POST",
                                   .answer_max = answers[i / 2].answer_max };
        http_response_t response;
        failure_t why = { 0 };

        print_message("  %s: %s\n", request.method, answers[i / 2].name);
        fake_start(&fake);
        status_t status = send_to(http, arena, &fake, request, &response, &why);
        assert_int_equal(status, is_get ? answers[i / 2].get : answers[i / 2].post);
        if (status != OK)
            assert_int_equal(why.outcome,
                             is_get ? answers[i / 2].get_outcome : answers[i / 2].post_outcome);
        fake_stop(&fake);
        assert_int_equal(fake.requests, 1);
    }
}

static void
silence_ends_with_the_time(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(http_destroy) http_t *http = http_new();
    AUTO(fake_clear) fake_t fake = { .stays_silent = true };
    http_request_t get = { .method = "GET", .timeout_ms = 50 };
    http_request_t post = { .method = "POST", .timeout_ms = 50 };
    http_response_t response;
    failure_t why;

    fake_start(&fake);
    assert_int_equal(send_to(http, arena, &fake, get, &response, &why), TIMEOUT);
    assert_int_equal(why.outcome, FAILED);
    assert_int_equal(send_to(http, arena, &fake, post, &response, &why), UNKNOWN);
    assert_int_equal(why.outcome, UNKNOWN_OUTCOME);
    post.timeout_ms = -1;
    assert_int_equal(send_to(http, arena, &fake, post, &response, &why), BUSY);
    assert_int_equal(why.outcome, NOT_SENT);
    fake_stop(&fake);
    assert_int_equal(fake.requests, 2);
}

// clang-format off
static const struct {
    const char *method;
    const char *url;
    const char *token, *key, *etag, *type;
    status_t status;
} unsendable[] = {
    { "POST", "http://127.0.0.1:1/",        NULL, NULL, NULL, NULL, BUSY },  // nobody listens
    { "GET",  "http://127.0.0.1:1/",        NULL, NULL, NULL, NULL, BUSY },
    { "POST", "http://no-such-host.invalid/", NULL, NULL, NULL, NULL, BUSY },
    { "GET",  "file:///etc/passwd",         NULL, NULL, NULL, NULL, BAD_ARGS },
    { "GET",  "gopher://127.0.0.1:1/",      NULL, NULL, NULL, NULL, BAD_ARGS },
    { "GET",  "http://user:word@127.0.0.1:1/", NULL, NULL, NULL, NULL, BAD_ARGS },
    { "GET",  "http://:80/ nonsense",       NULL, NULL, NULL, NULL, BAD_ARGS },
    { "GET",  "http://127.0.0.1:1/\r\nX: 1", NULL, NULL, NULL, NULL, BAD_ARGS },
    { "GET",  "http://127.0.0.1:1/",        "t\r\nX-Admin: 1", NULL, NULL, NULL, BAD_ARGS },
    { "POST", "http://127.0.0.1:1/",        NULL, "k\n", NULL, NULL, BAD_ARGS },
    { "GET",  "http://127.0.0.1:1/",        NULL, NULL, "\"\x7f\"", NULL, BAD_ARGS },
    { "POST", "http://127.0.0.1:1/",        NULL, NULL, NULL, "a/b\r\nX: 1", BAD_ARGS },
};
// clang-format on

static void
what_cannot_be_sent_is_told_from_what_was_lost(void **state)
{
    for (size_t i = 0; i < ROWS(unsendable); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        AUTO(http_destroy) http_t *http = http_new();
        http_request_t request = {
            .method = unsendable[i].method,
            .url = unsendable[i].url,
            .token = unsendable[i].token,
            .key = unsendable[i].key,
            .etag = unsendable[i].etag,
            .content_type = unsendable[i].type,
            .timeout_ms = 5000,
            .body = "",
            .body_size = 0,
        };
        http_response_t response;
        failure_t why;

        print_message("  row %zu\n", i);
        assert_int_equal(http_send(http, arena, &request, &response, &why),
                         unsendable[i].status);
        assert_int_equal(why.outcome, unsendable[i].status == BUSY ? NOT_SENT : FAILED);
        assert_null(strstr(why.text, "X-Admin"));
        assert_true(why.text[0]);
    }
}

static void
the_environment_chooses_no_proxy(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(fake_clear) fake_t fake = { .answer = OK_EMPTY };
    http_request_t get = { .method = "GET" };
    http_response_t response;
    failure_t why;

    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    AUTO(http_destroy) http_t *http = http_new();
    fake_start(&fake);
    assert_int_equal(send_to(http, arena, &fake, get, &response, &why), OK);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
}

static void
escapes_all_but_the_unreserved(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();

    assert_string_equal(http_escape(arena, "aZ09-._~"), "aZ09-._~");
    assert_string_equal(http_escape(arena, "a b/?&=+%#\xc3\xa9"),
                        "a%20b%2F%3F%26%3D%2B%25%23%C3%A9");
    assert_string_equal(http_escape(arena, ""), "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_what_was_asked_and_hands_back_the_answer),
        cmocka_unit_test(every_method_reaches_the_platform),
        cmocka_unit_test(a_write_that_is_dropped_after_reading_was_sent_once),
        cmocka_unit_test(a_write_on_a_warm_handle_uses_a_fresh_connection),
        cmocka_unit_test(nothing_of_one_caller_is_left_for_the_next),
        cmocka_unit_test(every_answer_has_one_outcome),
        cmocka_unit_test(silence_ends_with_the_time),
        cmocka_unit_test(what_cannot_be_sent_is_told_from_what_was_lost),
        cmocka_unit_test(the_environment_chooses_no_proxy),
        cmocka_unit_test(escapes_all_but_the_unreserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
