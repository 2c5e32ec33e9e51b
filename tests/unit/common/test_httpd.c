// SPDX-License-Identifier: Apache-2.0
#include "limits.h"

#include "httpd_play.h"  // last: it includes cmocka, which defines fail()

// clang-format off
static const struct {
    const char *say;
    const char *answers;   // first line
    const char *contains;
    int requests;          // that reached on_request
} exchanges[] = {
    { "GET /a%20b?name=x%26y&z HTTP/1.1\r\n" HOST CLOSE "X-Odd: 7\r\n\r\n",
      "HTTP/1.1 200 OK", "GET|/a%20b|name=x%26y&z|x&y|7||127.0.0.1", 1 },
    { "GET / HTTP/1.1\r\n" HOST CLOSE "\r\n", "HTTP/1.1 200 OK", "X-Answer: yes\r\n", 1 },
    { "GET /?na%6de=a+b%zz%00 HTTP/1.1\r\n" HOST CLOSE "\r\n", "HTTP/1.1 200 OK", "|a b%zz%00|", 1 },
    { "POST /p HTTP/1.1\r\n" HOST CLOSE "Content-Length: 5\r\n\r\nhello", "HTTP/1.1 200 OK", "|hello|", 1 },
    { "POST /p HTTP/1.1\r\n" HOST CLOSE "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK", "|hello|", 1 },
    { "HEAD / HTTP/1.1\r\n" HOST CLOSE "\r\n", "HTTP/1.1 200 OK", "Content-Length: 22\r\n", 1 },
    { "DELETE /later HTTP/1.1\r\n" HOST CLOSE "\r\n", "HTTP/1.1 200 OK", "later", 1 },
    { "GET /later HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK", "later", 1 },
    { "GET /stream HTTP/1.1\r\n" HOST CLOSE "\r\n", "HTTP/1.1 200 OK", "first,\r\n", 1 },
    { "GET /stream HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK", "first,second,third", 1 },
    { "GET /forbidden HTTP/1.1\r\n" HOST "\r\n", "HTTP/1.1 403 Forbidden", "no", 0 },
    { "POST /forbidden HTTP/1.1\r\n" HOST "Content-Length: 99999999\r\n\r\nx", "HTTP/1.1 403 Forbidden", "no", 0 },
    { "POST /p HTTP/1.1\r\n" HOST "Content-Length: 1001\r\n\r\n", "HTTP/1.1 413 ", "larger than 1000 bytes", 0 },
    { "POST /p HTTP/1.1\r\n" HOST "Content-Length: 1001\r\nExpect: 100-continue\r\n\r\n", "HTTP/1.1 413 ", "TOO_LARGE", 0 },
    { "POST /p HTTP/1.1\r\n" HOST CLOSE "Content-Length: 2\r\nExpect: 100-continue\r\n\r\nhi", "HTTP/1.1 100 ", "|hi|", 1 },
    { "POST /p HTTP/1.1\r\n" HOST "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 400 ", "once", 0 },
    { "POST /p HTTP/1.1\r\n" HOST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 400 ", "once", 0 },
    { "POST /p HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 501 ", "chunked", 0 },
    { "POST /p HTTP/1.1\r\n" HOST "Content-Length: -1\r\n\r\n", "HTTP/1.1 400 ", "", 0 },
    { "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 ", "", 0 },  // no Host
    { "nonsense\r\n\r\n", "", "", 0 },
    { "GET / HTTP/9.9\r\n" HOST "\r\n", "HTTP/1.1 505 ", "", 0 },
};
// clang-format on

static void
answers_every_kind_of_request(void **state)
{
    for (size_t i = 0; i < ROWS(exchanges); i++) {
        AUTO(app_stop) app_t app = { 0 };
        script_t script = { .say = exchanges[i].say };

        print_message("  %s\n", exchanges[i].say);
        app_start(&app);
        play(&app, &script);
        buffer_text(&script.heard, "");
        assert_memory_equal(script.heard.bytes, exchanges[i].answers,
                            strlen(exchanges[i].answers));
        assert_non_null(strstr(script.heard.bytes, exchanges[i].contains));
        assert_int_equal(app.requests, exchanges[i].requests);
        app_stop(&app);
        assert_int_equal(app.left, 0);
        buffer_clear(&script.heard);
    }
}

static void
request_after_request(script_t *self)
{
    int fd = dial(self);

    say(fd, "GET /later HTTP/1.1\r\n" HOST "\r\n");
    hear(self, fd, "later");
    say(fd, "POST /1 HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\none");
    hear(self, fd, "one|");
    say(fd, "GET /2 HTTP/1.1\r\n" HOST "\r\nGET /later HTTP/1.1\r\n" HOST
            "\r\nGET /3 HTTP/1.1\r\n" HOST "\r\n");
    hear(self, fd, "GET|/3|");
    close(fd);
}

static void
a_connection_serves_one_request_after_the_other(void **state)
{
    AUTO(app_stop) app_t app = { .wait_ended = 5 };
    script_t script = { .act = request_after_request };

    app_start(&app);
    play(&app, &script);
    assert_int_equal(app.requests, 5);
    assert_int_equal(httpd_open_requests(app.server), 0);
    const char *second = strstr(script.heard.bytes, "GET|/2|");
    const char *third = strstr(script.heard.bytes, "GET|/3|");
    assert_non_null(second);
    assert_non_null(strstr(second, "later"));
    assert_true(strstr(second, "later") < third);
    buffer_clear(&script.heard);
}

// Sends `say`, which ends with the headers, and a chunked body of `size` bytes.
static void
send_chunks(script_t *self)
{
    char head[160];
    int fd = dial(self);

    snprintf(head, sizeof head,
             "POST /p HTTP/1.1\r\n" HOST CLOSE "Transfer-Encoding: chunked\r\n\r\n");
    say(fd, head);
    for (size_t sent = 0; sent < self->size; sent++)
        say(fd, "1\r\nx\r\n");
    say(fd, "0\r\n\r\n");
    hear(self, fd, NULL);
    close(fd);
}

static void
send_length(script_t *self)
{
    char head[160];
    int fd = dial(self);

    snprintf(head, sizeof head, "POST /p HTTP/1.1\r\n" HOST CLOSE "Content-Length: %zu\r\n\r\n",
             self->size);
    say(fd, head);
    for (size_t sent = 0; sent < self->size; sent++)
        say(fd, "x");
    hear(self, fd, NULL);
    close(fd);
}

static void
a_body_over_the_limit_is_refused(void **state)
{
    static const struct {
        void (*act)(script_t *self);
        size_t size;
        const char *heard;
    } rows[] = {
        { send_length, BODY_MAX - 1, "HTTP/1.1 200 " },
        { send_length, BODY_MAX, "HTTP/1.1 200 " },
        { send_length, BODY_MAX + 1, "HTTP/1.1 413 " },
        { send_chunks, BODY_MAX - 1, "HTTP/1.1 200 " },
        { send_chunks, BODY_MAX, "HTTP/1.1 200 " },
        { send_chunks, BODY_MAX + 1, "HTTP/1.1 413 " },
        { send_chunks, 2 * BODY_MAX, "HTTP/1.1 413 " },
        { send_chunks, 100 * BODY_MAX, "" },  // cut off
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(app_stop) app_t app = { .wait_ended = 1 };
        script_t script = { .size = rows[i].size, .act = rows[i].act };

        print_message("  row %zu\n", i);
        app_start(&app);
        play(&app, &script);
        buffer_text(&script.heard, "");
        assert_memory_equal(script.heard.bytes, rows[i].heard, strlen(rows[i].heard));
        assert_int_equal(app.requests, strstr(rows[i].heard, "200") ? 1 : 0);
        buffer_clear(&script.heard);
    }
}

static void
send_long_header(script_t *self)
{
    int fd = dial(self);

    say(fd, "GET / HTTP/1.1\r\n" HOST CLOSE "Authorization: Bearer ");
    for (size_t sent = 0; sent < self->size; sent += 64)
        say(fd, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    say(fd, "\r\n\r\n");
    hear(self, fd, NULL);
    close(fd);
}

static void
headers_are_bounded(void **state)
{
    static const struct {
        size_t size;
        const char *heard;
    } rows[] = {
        { TOKEN_MAX, "HTTP/1.1 200 " },
        { HEADER_MEMORY, "HTTP/1.1 431 " },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(app_stop) app_t app = { 0 };
        script_t script = { .size = rows[i].size, .act = send_long_header };

        app_start(&app);
        play(&app, &script);
        buffer_text(&script.heard, "");
        assert_memory_equal(script.heard.bytes, rows[i].heard, strlen(rows[i].heard));
        buffer_clear(&script.heard);
    }
}

static void
large_answers_arrive_whole(void **state)
{
    AUTO(app_stop) app_t app = { 0 };
    script_t script = { .say = "GET /big HTTP/1.1\r\n" HOST CLOSE "\r\n" };

    app_start(&app);
    play(&app, &script);
    const char *body = strstr(script.heard.bytes, "\r\n\r\n") + 4;
    assert_int_equal(script.heard.size - (size_t) (body - script.heard.bytes), 1000000);
    for (size_t i = 0; i < 1000000; i++)
        assert_true(body[i] == (char) ('0' + i % 10));
    buffer_clear(&script.heard);
}

static void
a_stream_keeps_what_the_client_has_not_taken(void **state)
{
    AUTO(app_stop) app_t app = { .wait_ended = 1 };
    script_t script = { .say = "GET /flood HTTP/1.0\r\n\r\n" };

    app_start(&app);
    play(&app, &script);
    assert_int_equal(app.pending_most, (size_t) FLOOD_BLOCK * FLOOD_BLOCKS);
    const char *body = strstr(script.heard.bytes, "\r\n\r\n") + 4;
    assert_int_equal(strspn(body, "f"), (size_t) FLOOD_BLOCK * FLOOD_BLOCKS);
    assert_string_equal(strrchr(body, 'f') + 1, "end");
    buffer_clear(&script.heard);
}

// What a proxy before us may read otherwise than we do: one request has to stay one.
static void
what_can_be_read_in_two_ways_is_refused(void **state)
{
    static const struct {
        const char *about;
        const char *say;
    } rows[] = {
#define POST   "POST /x HTTP/1.1\r\n" HOST
#define HIDDEN "GET /hidden HTTP/1.1\r\n" HOST CLOSE "\r\n"
        { "both lengths",
          POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" HIDDEN },
        { "two lengths", POST "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab" HIDDEN },
        { "a length with a sign", POST "Content-Length: +1\r\n\r\na" HIDDEN },
        { "a length that is none", POST "Content-Length: 1a\r\n\r\na" HIDDEN },
        { "an unknown coding", POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" HIDDEN },
        { "a chunk without a size",
          POST "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n" HIDDEN },
        { "a blank before the colon", POST "Content-Length : 1\r\n\r\na" HIDDEN },
        { "no host", "GET /x HTTP/1.1\r\n" CLOSE "\r\n" },
        { "two hosts", "GET /x HTTP/1.1\r\n" HOST "Host: y\r\n" CLOSE "\r\n" },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(app_stop) app_t app = { 0 };
        script_t script = { .say = rows[i].say };
        app_start(&app);
        play(&app, &script);
        buffer_text(&script.heard, "");
        print_message("  %s: %.24s\n", rows[i].about, script.heard.bytes);
        assert_int_equal(app.requests, 0);
        assert_true(!strncmp(script.heard.bytes, "HTTP/1.1 400 ", 13)
                    || !strncmp(script.heard.bytes, "HTTP/1.1 501 ", 13));
        buffer_clear(&script.heard);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_every_kind_of_request),
        cmocka_unit_test(a_connection_serves_one_request_after_the_other),
        cmocka_unit_test(a_body_over_the_limit_is_refused),
        cmocka_unit_test(headers_are_bounded),
        cmocka_unit_test(what_can_be_read_in_two_ways_is_refused),
        cmocka_unit_test(large_answers_arrive_whole),
        cmocka_unit_test(a_stream_keeps_what_the_client_has_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
