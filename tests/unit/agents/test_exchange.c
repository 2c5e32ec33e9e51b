// SPDX-License-Identifier: Apache-2.0
#include "arrival.h"
#include "clock.h"
#include "trial.h"

// clang-format off
static const struct {
    const char *about;
    const char *method;
    const char *answer;
    stub_manner_t manner;
    status_t status;
    long code;
    const char *body;
    const char *why;
} rows[] = {
    { "bytes behind a 204 are no body", "GET",
      "HTTP/1.1 204 No Content\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nnull",
      STUB_KEEP, OK, 204, "", "" },
    { "bytes behind a 304 are no body", "GET",
      "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\nnull", STUB_KEEP, OK, 304, "", "" },
    { "HEAD does not wait for what it announces", "HEAD",
      "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n", STUB_KEEP, OK, 200, "", "" },
    { "less than announced is no answer", "GET",
      "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello", STUB_CLOSE, BACKEND, 200, "hello",
      "connection closed, 5 of 1000 bytes" },
    { "more than announced is left out", "GET",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, world", STUB_CLOSE, OK, 200, "hello", "" },
    { "without a length the end is the end", "GET",
      "HTTP/1.1 200 OK\r\n\r\nhello", STUB_CLOSE, OK, 200, "hello", "" },
    { "chunks with extensions and zeros", "GET",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "A;ext=\"x\"\r\n0123456789\r\n0a\r\n0123456789\r\n0000\r\nX-Trailer: t\r\n\r\n",
      STUB_KEEP, OK, 200, "01234567890123456789", "" },
    { "byte by byte", "GET",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      STUB_SLOW, OK, 200, "hello", "" },
    { "lines that end with LF alone", "GET",
      "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", STUB_CLOSE, OK, 200, "hello", "" },
    { "chunks win over a length", "GET",
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      STUB_CLOSE, OK, 200, "hello", "" },
    { "a chunk without end", "GET",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nhello",
      STUB_CLOSE, BACKEND, 200, "", "chunk" },
    { "chunks that break off", "GET",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nwo",
      STUB_CLOSE, BACKEND, 200, "hellowo", "closed" },
    { "a reason in UTF-8", "GET", "HTTP/1.1 200 \xc3\xa4\r\nContent-Length: 0\r\n\r\n",
      STUB_KEEP, OK, 200, "", "" },
    { "no reason", "GET", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", STUB_KEEP, OK, 200, "", "" },
    { "HTTP/1.0", "GET", "HTTP/1.0 200 OK\r\n\r\nold", STUB_CLOSE, OK, 200, "old", "" },
    { "a status nobody knows", "GET", "HTTP/1.1 299 Hm\r\nContent-Length: 0\r\n\r\n",
      STUB_KEEP, OK, 299, "", "" },
    { "interim answers are skipped", "GET",
      "HTTP/1.1 100 Continue\r\nX-Early: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", STUB_KEEP, OK, 200, "ok", "" },
    { "no HTTP at all", "GET", "220 mail.example.com ESMTP\r\n", STUB_CLOSE, BACKEND, 0, NULL, "is not HTTP" },
    { "no answer", "GET", "", STUB_CLOSE, BACKEND, 0, NULL, "Empty reply" },
    { "a head that breaks off", "GET", "HTTP/1.1 200 OK\r\nContent-", STUB_CLOSE, OK, 200, "", "" },
    { "a Location without redirect", "GET",
      "HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", STUB_KEEP, OK, 201, "", "" },
    { "a redirect without Location", "GET", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
      STUB_KEEP, OK, 302, "", "" },
};
// clang-format on

static void
answers_of_every_form_are_read(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        const char *line = strcmp(rows[i].method, "HEAD") ? "GET /" : "HEAD /";
        const stub_row_t script[] = { { line, rows[i].answer, 0, rows[i].manner }, { 0 } };
        stub_t stub;
        trial_t trial = begin(true);

        print_message("  %s\n", rows[i].about);
        stub_start(&stub, script);
        ask(&trial,
            (exchange_request_t){ .method = rows[i].method, .url = url(&trial, &stub, "/") });
        assert_int_equal(trial.status, rows[i].status);
        assert_int_equal(trial.answer.status, rows[i].code);
        if (rows[i].body && *rows[i].why == '\0')
            assert_string_equal(trial.answer.body, rows[i].body);
        else if (rows[i].body)
            assert_memory_equal(trial.answer.body, rows[i].body, strlen(rows[i].body));
        assert_non_null(strstr(trial.why.text, rows[i].why));
        finish(&trial);
        stub_stop(&stub);
    }
}

static void
after_a_204_with_bytes_the_next_request_has_a_connection_of_its_own(void **state)
{
    static const stub_row_t script[] = {
        { "GET /a", "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nnull" },
        { "GET /b", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" },
        { 0 }
    };
    stub_t stub;
    trial_t trial = begin(true);

    stub_start(&stub, script);
    assert_int_equal(get(&trial, &stub, "/a"), OK);
    assert_int_equal(get(&trial, &stub, "/b"), OK);
    assert_string_equal(trial.answer.body, "ok");
    assert_int_equal(trial.answer.status, 200);
    finish(&trial);
    stub_stop(&stub);
}

static void
odd_headers_are_read_as_they_are_meant(void **state)
{
    static const stub_row_t script[] = {
        { "GET /", "HTTP/1.1 200 OK\r\nX-Tight:yes\r\nX-Folded: one\r\n  two: 2\r\n\tthree\r\n"
                   "X-Empty:\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 0\r\n\r\n" },
        { 0 }
    };
    stub_t stub;
    trial_t trial = begin(true);

    stub_start(&stub, script);
    assert_int_equal(get(&trial, &stub, "/"), OK);
    assert_string_equal(json_text(trial.arena, trial.answer.headers),
                        "[[\"X-Tight\",\"yes\"],[\"X-Folded\",\"one two: 2 three\"],"
                        "[\"X-Empty\",\"\"],[\"X-A\",\"1\"],[\"x-a\",\"2\"],"
                        "[\"Content-Length\",\"0\"]]");
    assert_string_equal(exchange_header(trial.answer.headers, "x-tight"), "yes");
    assert_null(exchange_header(trial.answer.headers, "X-Other"));
    assert_string_equal(trial.answer.version, "HTTP/1.1");
    finish(&trial);
    stub_stop(&stub);
}

// An answer with `count` headers, the last of which makes the head `size` bytes long.
static char *
head_of(arena_t *arena, size_t count, size_t size)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    buffer_text(&out, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n");
    for (size_t i = 2; i < count; i++)
        buffer_text(&out, "X-H: 1\r\n");
    buffer_text(&out, "X-L: ");
    while (out.size + 4 < size)
        buffer_char(&out, 'x');
    buffer_text(&out, "\r\n\r\n");
    return arena_strndup(arena, out.bytes, out.size);
}

static void
heads_have_limits(void **state)
{
    static const struct {
        size_t count, size;
        bool fits;
    } limits[] = {
        { ARRIVAL_HEADERS_MAX - 1, 0, true },
        { ARRIVAL_HEADERS_MAX, 0, true },
        { ARRIVAL_HEADERS_MAX + 1, 0, false },
        { 3, 64 * KIB, true },
        { 200, 95 * KIB, true },
    };

    for (size_t i = 0; i < ROWS(limits); i++) {
        stub_t stub;
        trial_t trial = begin(true);
        const stub_row_t script[] = {
            { "GET /", head_of(trial.arena, limits[i].count, limits[i].size) }, { 0 }
        };
        print_message("  %zu headers, %zu bytes\n", limits[i].count, limits[i].size);
        stub_start(&stub, script);
        get(&trial, &stub, "/");
        assert_int_equal(trial.status, limits[i].fits ? OK : BACKEND);
        if (!limits[i].fits)
            assert_non_null(strstr(trial.why.text, "more than 256 headers"));
        finish(&trial);
        stub_stop(&stub);
    }
}

// libcurl takes no line over 100 KiB, so that the limit of the head needs several.
static void
a_head_ends_at_128_kib(void **state)
{
    for (int more = -1; more <= 1; more++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        AUTO(arrival_clear) arrival_t arrival = arrival_begin(arena, 10);
        char *line = arena_alloc(arena, ARRIVAL_HEAD_MAX);
        size_t first = 60 * KIB, second = (size_t) (ARRIVAL_HEAD_MAX - 60 * KIB + more);

        memset(line, 'x', ARRIVAL_HEAD_MAX);
        line[1] = ':';
        assert_int_equal(arrival_header(line, 1, first, &arrival), first);
        assert_int_equal(arrival_header(line, 1, second, &arrival), more > 0 ? 0 : second);
        assert_int_equal(arrival.is_head_over, more > 0);
    }
}

static void
a_body_is_cut_at_its_limit(void **state)
{
    static const stub_row_t script[] = {
        { "GET /", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789" }, { 0 }
    };

    for (size_t most = 9; most <= 11; most++) {
        stub_t stub;
        trial_t trial = begin(true);
        stub_start(&stub, script);
        ask(&trial, (exchange_request_t){ .url = stub.url, .answer_max = most });
        assert_int_equal(trial.status, OK);
        assert_int_equal(trial.answer.is_truncated, most < 10);
        assert_int_equal(trial.answer.size, most < 10 ? most : 10);
        finish(&trial);
        stub_stop(&stub);
    }
}

static void
an_ipv6_literal_is_reached_and_named_with_its_brackets(void **state)
{
    static const stub_row_t script[] = {
        { "GET /a", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" }, { 0 }
    };
    stub_t stub;
    trial_t trial = begin(true);

    stub_start_at(&stub, script, true);
    assert_int_equal(get(&trial, &stub, "/a"), OK);
    assert_string_equal(trial.answer.body, "ok");
    assert_non_null(strstr(stub_seen(&stub),
                           arena_printf(trial.arena, "\r\nHost: [::1]:%d\r\n", stub.port)));
    finish(&trial);
    stub_stop(&stub);
}

static void
private_addresses_are_refused_before_a_byte_is_sent(void **state)
{
    static const char *const spellings[] = { "127.0.0.1", "localhost", "2130706433",
                                             "0x7f.1",    "[::1]",     "[::ffff:127.0.0.1]",
                                             "0.0.0.0" };
    stub_t stub;

    stub_start(&stub, (const stub_row_t[]){ { 0 } });
    for (size_t i = 0; i < ROWS(spellings); i++) {
        trial_t trial = begin(false);
        ask(&trial, (exchange_request_t){ .url = arena_printf(trial.arena, "http://%s:%d/",
                                                              spellings[i], stub.port) });
        assert_int_equal(trial.status, DENIED);
        assert_string_equal(trial.why.code, "ADDRESS_FORBIDDEN");
        finish(&trial);
    }
    assert_int_equal(stub.connections, 0);
    stub_stop(&stub);
}

static void
nothing_is_sent_that_nobody_asked_for(void **state)
{
    static const stub_row_t script[] = {
        { "POST /", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }, { 0 }
    };
    stub_t stub;
    trial_t trial = begin(true);
    char *body = arena_alloc(trial.arena, 3 * KIB);

    memset(body, 'x', 3 * KIB);
    stub_start(&stub, script);
    ask(&trial, (exchange_request_t){
                    .method = "POST", .url = stub.url, .body = body, .body_size = 3 * KIB });
    ask(&trial, (exchange_request_t){ .method = "POST", .url = stub.url });
    assert_int_equal(trial.status, OK);
    assert_null(strcasestr(stub_seen(&stub), "Expect:"));
    assert_null(strcasestr(stub_seen(&stub), "Content-Type:"));
    assert_null(strcasestr(stub_seen(&stub), "Accept-Encoding:"));
    assert_int_equal(stub_count(&stub, "Content-Length: 3072\r\n"), 1);
    assert_int_equal(stub_count(&stub, "Content-Length: 0\r\n"), 1);
    assert_int_equal(stub.connections, 2);  // a write never goes over a connection that may die
    finish(&trial);
    stub_stop(&stub);
}

static void
who_asks_for_expect_gets_one_try_without_it_after_417(void **state)
{
    static const stub_row_t script[] = {
        { "POST /", "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n" },
        { "POST /", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" },
        { 0 }
    };
    stub_t stub;
    trial_t trial = begin(true);

    stub_start(&stub, script);
    ask(&trial,
        (exchange_request_t){ .method = "POST",
                              .url = stub.url,
                              .headers = headers(&trial, "[[\"Expect\",\"100-continue\"]]"),
                              .body = "late",
                              .body_size = 4 });
    assert_int_equal(trial.status, OK);
    assert_int_equal(trial.answer.status, 200);
    assert_int_equal(stub_count(&stub, "Expect: 100-continue"), 1);
    assert_int_equal(stub_count(&stub, "late"), 2);
    assert_int_equal(stub.requests, 2);
    finish(&trial);
    stub_stop(&stub);
}

// clang-format off
static const struct {
    const char *about, *method, *url, *headers, *body, *why;
} refusals[] = {
    { "a value with a line break", "GET", NULL, "[[\"X-A\",\"1\\r\\nX-B: 2\"]]", NULL, "line break" },
    { "a name with a line break",  "GET", NULL, "[[\"X-A\\nX-B\",\"1\"]]",       NULL, "line break" },
    { "a name with a colon",       "GET", NULL, "[[\"X-A: 1, X-B\",\"1\"]]",     NULL, "colon" },
    { "a name of nothing",         "GET", NULL, "[[\"\",\"1\"]]",                NULL, "name" },
    { "a body of HEAD",            "HEAD", NULL, NULL,                           "x",  "no body" },
    { "a login in the URL",        "GET", "http://me:secret-1@127.0.0.1/",       NULL, NULL, "holds a login" },
    { "no URL",                    "GET", "http://",                             NULL, NULL, "no URL" },
};
// clang-format on

static void
requests_that_cannot_be_sent_are_refused(void **state)
{
    stub_t stub;

    stub_start(&stub, (const stub_row_t[]){ { 0 } });
    for (size_t i = 0; i < ROWS(refusals); i++) {
        trial_t trial = begin(true);
        print_message("  %s\n", refusals[i].about);
        ask(&trial, (exchange_request_t){ .method = refusals[i].method,
                                          .url = refusals[i].url ? refusals[i].url : stub.url,
                                          .headers = refusals[i].headers
                                                         ? headers(&trial, refusals[i].headers)
                                                         : NULL,
                                          .body = refusals[i].body,
                                          .body_size = refusals[i].body ? 1 : 0 });
        assert_int_equal(trial.status, BAD_ARGS);
        assert_non_null(strstr(trial.why.text, refusals[i].why));
        assert_int_equal(trial.answer.status, 0);
        finish(&trial);
    }
    assert_int_equal(stub.connections, 0);
    stub_stop(&stub);
}

static void
secrets_of_a_url_are_in_no_sentence(void **state)
{
    trial_t trial = begin(true);
    mask_t *mask = mask_new(trial.arena);
    stub_t stub;

    stub_start(&stub, (const stub_row_t[]){ { 0 } });
    stub_stop(&stub);  // its port is free: nobody listens
    mask_add(mask, "s3cret-in-url");
    ask(&trial,
        (exchange_request_t){ .url = url(&trial, &stub, "/?t=s3cret-in-url"), .mask = mask });
    assert_int_equal(trial.status, BACKEND);
    assert_string_equal(trial.why.code, "UNREACHABLE");
    assert_null(strstr(trial.why.text, "s3cret"));
    finish(&trial);
}

static void
a_host_without_address_is_named(void **state)
{
    trial_t trial = begin(true);

    assert_int_equal(ask(&trial, (exchange_request_t){ .url = "http://nowhere.invalid/" }),
                     BACKEND);
    assert_string_equal(trial.why.code, "HOST_UNKNOWN");
    finish(&trial);
}

static void
time_is_up_for_all_hops_together_and_what_came_is_there(void **state)
{
    static const stub_row_t script[] = {
        { "GET /a", "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n" },
        { "GET /b", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart", 0, STUB_HANG },
        { 0 }
    };
    stub_t stub;
    trial_t trial = begin(true);
    int64_t begun_ms = clock_now_ms();

    stub_start(&stub, script);
    ask(&trial, (exchange_request_t){ .url = url(&trial, &stub, "/a"),
                                      .timeout_ms = 300,
                                      .follow_redirects = true });
    assert_int_equal(trial.status, TIMEOUT);
    assert_non_null(strstr(trial.why.text, "within 300 ms"));
    assert_true(clock_now_ms() - begun_ms < 3000);
    assert_int_equal(trial.answer.status, 200);
    assert_string_equal(trial.answer.body, "part");
    finish(&trial);
    stub_stop(&stub);
}

typedef struct {
    stub_t *stub;
    atomic_bool cancelled;
} canceller_t;

static void *
cancel_when_asked(void *arg)
{
    canceller_t *self = arg;

    while (!self->stub->requests)
        poll(NULL, 0, 5);
    atomic_store(&self->cancelled, true);
    return NULL;
}

static void
a_cancelled_exchange_ends_while_it_waits(void **state)
{
    static const stub_row_t script[] = { { "GET /", "", 0, STUB_HANG }, { 0 } };
    stub_t stub;
    canceller_t canceller = { .stub = &stub };
    trial_t trial = { .arena = arena_new(),
                      .exchange = exchange_new(true, &canceller.cancelled) };
    pthread_t thread;

    stub_start(&stub, script);
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_asked, &canceller), 0);
    int64_t begun_ms = clock_now_ms();
    assert_int_equal(ask(&trial, (exchange_request_t){ .url = stub.url, .timeout_ms = 20000 }),
                     CANCELLED);
    assert_true(clock_now_ms() - begun_ms < 5000);
    pthread_join(thread, NULL);
    assert_int_equal(ask(&trial, (exchange_request_t){ .url = stub.url }), CANCELLED);
    assert_int_equal(stub.requests, 1);  // once cancelled nothing more is sent
    finish(&trial);
    stub_stop(&stub);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_every_form_are_read),
        cmocka_unit_test(after_a_204_with_bytes_the_next_request_has_a_connection_of_its_own),
        cmocka_unit_test(odd_headers_are_read_as_they_are_meant),
        cmocka_unit_test(heads_have_limits),
        cmocka_unit_test(a_head_ends_at_128_kib),
        cmocka_unit_test(a_body_is_cut_at_its_limit),
        cmocka_unit_test(an_ipv6_literal_is_reached_and_named_with_its_brackets),
        cmocka_unit_test(private_addresses_are_refused_before_a_byte_is_sent),
        cmocka_unit_test(nothing_is_sent_that_nobody_asked_for),
        cmocka_unit_test(who_asks_for_expect_gets_one_try_without_it_after_417),
        cmocka_unit_test(requests_that_cannot_be_sent_are_refused),
        cmocka_unit_test(secrets_of_a_url_are_in_no_sentence),
        cmocka_unit_test(a_host_without_address_is_named),
        cmocka_unit_test(time_is_up_for_all_hops_together_and_what_came_is_there),
        cmocka_unit_test(a_cancelled_exchange_ends_while_it_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
