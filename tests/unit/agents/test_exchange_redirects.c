// SPDX-License-Identifier: Apache-2.0
#include "trial.h"

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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_redirect_to_a_forbidden_address_is_refused),
        cmocka_unit_test(redirects_that_lead_nowhere_are_explained),
        cmocka_unit_test(ten_redirects_are_followed_and_no_more),
        cmocka_unit_test(a_redirect_is_an_answer_when_it_is_not_followed),
        cmocka_unit_test(methods_change_over_redirects_as_in_browsers),
        cmocka_unit_test(credentials_stay_at_their_origin),
        cmocka_unit_test(cookies_are_kept_by_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
