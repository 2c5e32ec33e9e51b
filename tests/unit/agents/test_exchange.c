// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arrival.h"
#include "clock.h"
#include "exchange.h"
#include "stub.h"

#include <cmocka.h>  // last: it defines fail()

// What one exchange came to.
typedef struct {
    arena_t *arena;
    exchange_t *exchange;
    exchange_answer_t answer;
    failure_t why;
    status_t status;
} trial_t;

static trial_t
begin(bool allow_private)
{
    return (trial_t){ .arena = arena_new(), .exchange = exchange_new(allow_private, NULL) };
}

static void
finish(trial_t *trial)
{
    exchange_destroy(&trial->exchange);
    arena_destroy(&trial->arena);
}

// Sends with what is not given filled in: GET, 5 s, 1 MiB, redirects followed.
static status_t
ask(trial_t *trial, exchange_request_t request)
{
    request.method = request.method ? request.method : "GET";
    request.timeout_ms = request.timeout_ms ? request.timeout_ms : 5000;
    request.answer_max = request.answer_max ? request.answer_max : MIB;
    trial->why = (failure_t){ 0 };
    trial->status =
        exchange_send(trial->exchange, trial->arena, &request, &trial->answer, &trial->why);
    if (trial->status)
        print_message("    %s: %s\n", status_name(trial->status), trial->why.text);
    return trial->status;
}

static const char *
url(trial_t *trial, const stub_t *stub, const char *path)
{
    return arena_printf(trial->arena, "%s%s", stub->url, path);
}

static status_t
get(trial_t *trial, const stub_t *stub, const char *path)
{
    return ask(trial,
               (exchange_request_t){ .url = url(trial, stub, path), .follow_redirects = true });
}

static json_t *
headers(trial_t *trial, const char *text)
{
    json_t *list = json_parse_text(trial->arena, text);

    assert_non_null(list);
    return list;
}

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
a_redirect_to_a_forbidden_address_is_refused(void **state)
{
    static const stub_row_t script[] = {
        { "GET /", "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/meta-data\r\n"
                   "Content-Length: 0\r\n\r\n" },
        { 0 }
    };
    stub_t stub;
    trial_t trial = begin(true);

    stub_start(&stub, script);
    assert_int_equal(get(&trial, &stub, "/"), DENIED);
    assert_string_equal(trial.why.code, "ADDRESS_FORBIDDEN");
    assert_int_equal(trial.answer.hops->count, 1);
    finish(&trial);
    stub_stop(&stub);
}

// clang-format off
static const struct {
    const char *about, *location;
    status_t status;
    const char *why;
} bad_locations[] = {
    { "another protocol", "ftp://127.0.0.1/x",  DENIED,   "neither http nor https" },
    { "a file",           "file:///etc/passwd", DENIED,   "neither http nor https" },
    { "no URL",           "http://",            BACKEND,  "no URL" },
    { "with a login",     "http://u:p@127.0.0.1:{PORT}/", BAD_ARGS, "holds a login" },
    { "to itself",        "/",                  BACKEND,  "in a circle" },
};
// clang-format on

static void
redirects_that_lead_nowhere_are_explained(void **state)
{
    for (size_t i = 0; i < ROWS(bad_locations); i++) {
        trial_t trial = begin(true);
        const stub_row_t script[] = {
            { "GET /",
              arena_printf(trial.arena,
                           "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n",
                           bad_locations[i].location) },
            { 0 }
        };
        stub_t stub;
        print_message("  %s\n", bad_locations[i].about);
        stub_start(&stub, script);
        assert_int_equal(get(&trial, &stub, "/"), bad_locations[i].status);
        assert_non_null(strstr(trial.why.text, bad_locations[i].why));
        assert_true(stub.requests <= 2);
        finish(&trial);
        stub_stop(&stub);
    }
}

// /0 leads to /1 and so on up to /`hops`, which answers.
static void
chain_of(trial_t *trial, stub_row_t *script, int hops)
{
    for (int i = 0; i < hops; i++)
        script[i] = (stub_row_t){
            .line = arena_printf(trial->arena, "GET /%d", i),
            .answer = arena_printf(
                trial->arena,
                "HTTP/1.1 302 Found\r\nLocation: /%d\r\nContent-Length: 0\r\n\r\n", i + 1),
        };
    script[hops] = (stub_row_t){ .line = arena_printf(trial->arena, "GET /%d", hops),
                                 .answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" };
}

static void
ten_redirects_are_followed_and_no_more(void **state)
{
    for (int hops = REDIRECTS_MAX - 1; hops <= REDIRECTS_MAX + 1; hops++) {
        stub_row_t script[REDIRECTS_MAX + 3] = { 0 };
        stub_t stub;
        trial_t trial = begin(true);
        chain_of(&trial, script, hops);
        stub_start(&stub, script);
        get(&trial, &stub, "/0");
        assert_int_equal(trial.status, hops <= REDIRECTS_MAX ? OK : BACKEND);
        assert_int_equal(trial.answer.hops->count, hops);
        assert_string_equal(trial.answer.hops->first->text, url(&trial, &stub, "/0"));
        assert_int_equal(stub.requests, hops <= REDIRECTS_MAX ? hops + 1 : REDIRECTS_MAX + 1);
        finish(&trial);
        stub_stop(&stub);
    }
}

static void
a_redirect_is_an_answer_when_it_is_not_followed(void **state)
{
    static const stub_row_t script[] = {
        { "GET /", "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n" }, { 0 }
    };
    stub_t stub;
    trial_t trial = begin(true);

    stub_start(&stub, script);
    assert_int_equal(ask(&trial, (exchange_request_t){ .url = stub.url }), OK);
    assert_int_equal(trial.answer.status, 302);
    assert_int_equal(trial.answer.hops->count, 0);
    finish(&trial);
    stub_stop(&stub);
}

// clang-format off
static const struct {
    const char *code, *method, *becomes;
    bool keeps_body;
} methods[] = {
    { "301", "POST",   "GET",    false },
    { "302", "POST",   "GET",    false },
    { "303", "POST",   "GET",    false },
    { "303", "PUT",    "GET",    false },
    { "301", "PUT",    "PUT",    true },
    { "302", "DELETE", "DELETE", true },
    { "307", "POST",   "POST",   true },
    { "308", "POST",   "POST",   true },
};
// clang-format on

static void
methods_change_over_redirects_as_in_browsers(void **state)
{
    for (size_t i = 0; i < ROWS(methods); i++) {
        trial_t trial = begin(true);
        arena_t *arena = trial.arena;
        const stub_row_t script[] = {
            { arena_printf(arena, "%s /a", methods[i].method),
              arena_printf(arena,
                           "HTTP/1.1 %s Moved\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
                           methods[i].code) },
            { arena_printf(arena, "%s /b", methods[i].becomes),
              "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" },
            { 0 }
        };
        stub_t stub;
        print_message("  %s %s\n", methods[i].code, methods[i].method);
        stub_start(&stub, script);
        ask(&trial,
            (exchange_request_t){ .method = methods[i].method,
                                  .url = url(&trial, &stub, "/a"),
                                  .headers = headers(&trial, "[[\"content-type\",\"text/x\"]]"),
                                  .body = "body-1",
                                  .body_size = 6,
                                  .follow_redirects = true });
        assert_int_equal(trial.status, OK);
        assert_int_equal(trial.answer.status, 200);
        assert_int_equal(stub_count(&stub, "body-1"), methods[i].keeps_body ? 2 : 1);
        assert_int_equal(stub_count(&stub, "text/x"), methods[i].keeps_body ? 2 : 1);
        finish(&trial);
        stub_stop(&stub);
    }
}

// clang-format off
static const struct {
    const char *about, *location;
    bool keeps;
} origins[] = {
    { "the same origin",      "/b",                          true },
    { "another port",         "http://127.0.0.1:{OTHER}/b",  false },
    { "another name",         "http://localhost:{PORT}/b",   false },
    { "there and back again", "http://127.0.0.1:{OTHER}/back", false },
};
// clang-format on

static void
credentials_stay_at_their_origin(void **state)
{
    static const char *const credentials[] = { "auth-1", "cookie-1", "key-1", "own-1" };

    for (size_t i = 0; i < ROWS(origins); i++) {
        trial_t trial = begin(true);
        mask_t *mask = mask_new(trial.arena);
        const stub_row_t first[] = {
            { "GET /a",
              arena_printf(trial.arena,
                           "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n",
                           origins[i].location) },
            { "GET /b", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" },
            { 0 }
        };
        const stub_row_t second[] = {
            { "GET /b", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" },
            { "GET /back", "HTTP/1.1 307 Back\r\nLocation: http://127.0.0.1:{OTHER}/b\r\n"
                           "Content-Length: 0\r\n\r\n" },
            { 0 }
        };
        stub_t here, there;
        print_message("  %s\n", origins[i].about);
        stub_start(&here, first);
        stub_start(&there, second);
        here.other_port = there.port;
        there.other_port = here.port;
        mask_add(mask, "own-1");
        ask(&trial,
            (exchange_request_t){
                .url = url(&trial, &here, "/a"),
                .headers = headers(&trial, "[[\"authorization\",\"Bearer auth-1\"],[\"Cookie\","
                                           "\"c=cookie-1\"],[\"X-API-Key\",\"key-1\"],"
                                           "[\"X-Tenant\",\"a own-1 b\"],[\"X-Plain\",\"p\"]]"),
                .follow_redirects = true,
                .mask = mask });
        assert_int_equal(trial.status, OK);
        assert_int_equal(trial.answer.status, 200);
        for (size_t j = 0; j < ROWS(credentials); j++)
            assert_int_equal(stub_count(&here, credentials[j])
                                 + stub_count(&there, credentials[j]),
                             origins[i].keeps ? 2 : 1);
        assert_int_equal(stub_count(&here, "X-Plain: p") + stub_count(&there, "X-Plain: p"),
                         here.requests + there.requests);
        finish(&trial);
        stub_stop(&here);
        stub_stop(&there);
    }
}

static void
cookies_are_kept_by_the_rules(void **state)
{
    static const stub_row_t script[] = {
        { "GET /login",
          "HTTP/1.1 302 Found\r\nSet-Cookie: hop=h1; Path=/\r\nLocation: /home\r\n"
          "Content-Length: 0\r\n\r\n" },
        { "GET /home",
          "HTTP/1.1 200 OK\r\nSet-Cookie: sid=x; Max-Age=0; Path=/\r\n"
          "Set-Cookie: sid=NEW; Path=/\r\nSet-Cookie: part=p; Path=/a\r\n"
          "Set-Cookie: old=o; Max-Age=100; Expires=Thu, 01 Jan 1970 00:00:00 GMT\r\n"
          "Set-Cookie: far=f; Domain=example.com\r\nContent-Length: 0\r\n\r\n" },
        { 0 }
    };
    stub_t stub;
    trial_t trial = begin(true);

    stub_start(&stub, script);
    get(&trial, &stub, "/login");
    get(&trial, &stub, "/ab");
    get(&trial, &stub, "/a/b");
    ask(&trial,
        (exchange_request_t){ .url = url(&trial, &stub, "/own"),
                              .headers = headers(&trial, "[[\"cookie\",\"mine=1\"]]") });
    const char *home = strstr(stub_seen(&stub), "GET /home"), *ab = strstr(home, "GET /ab"),
               *a_b = strstr(ab, "GET /a/b"), *own = strstr(a_b, "GET /own");
    assert_non_null(memmem(home, (size_t) (ab - home), "hop=h1", 6));
    assert_non_null(memmem(ab, (size_t) (a_b - ab), "sid=NEW", 7));
    assert_non_null(memmem(ab, (size_t) (a_b - ab), "old=o", 5));
    assert_null(memmem(ab, (size_t) (a_b - ab), "part=p", 6));
    assert_non_null(memmem(a_b, (size_t) (own - a_b), "part=p", 6));
    assert_non_null(strstr(own, "mine=1"));
    assert_non_null(strstr(own, "sid=NEW"));
    assert_null(strcasestr(strcasestr(own, "\r\nCookie:") + 1, "\r\nCookie:"));  // one line
    assert_null(strstr(stub_seen(&stub), "far=f"));
    assert_null(strstr(stub_seen(&stub), "sid=x"));
    assert_non_null(strstr(
        json_text(trial.arena, exchange_cookies(trial.exchange, trial.arena)), "\"NEW\""));
    finish(&trial);
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
        cmocka_unit_test(a_redirect_to_a_forbidden_address_is_refused),
        cmocka_unit_test(redirects_that_lead_nowhere_are_explained),
        cmocka_unit_test(ten_redirects_are_followed_and_no_more),
        cmocka_unit_test(a_redirect_is_an_answer_when_it_is_not_followed),
        cmocka_unit_test(methods_change_over_redirects_as_in_browsers),
        cmocka_unit_test(credentials_stay_at_their_origin),
        cmocka_unit_test(cookies_are_kept_by_the_rules),
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
