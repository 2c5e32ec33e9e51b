// SPDX-License-Identifier: Apache-2.0
// MCP over HTTP, with a broker that the test plays.
#include "visitor.h"

#include "httpd.h"

static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
static const char notice[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
static const char initialize[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}}";
static const char call[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
    "\"name\":\"list_things\",\"arguments\":{}}}";
static const char write_call[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
    "\"name\":\"make_thing\",\"arguments\":{}}}";

static const char *
begin_older_session(site_t *site, const char *token)
{
    return begin_session_with(site, token, initialize);
}

static void
requests_are_answered_and_notifications_accepted(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    assert_int_equal(visit(&site, &visitor, "POST /mcp", site.ann, "", ping), 200);
    assert_string_equal(body_of(&visitor), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    assert_string_equal(header_of(&site, &visitor, "Content-Type"), "application/json");
    disconnect(&visitor);
    assert_int_equal(visit(&site, &visitor, "POST /mcp/", site.ann, "", notice), 202);
    assert_string_equal(body_of(&visitor), "");
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, "",
                              "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}"),
                     202);
}

static void
a_stream_is_sent_to_who_takes_nothing_else(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    assert_int_equal(
        visit(&site, &visitor, "POST /mcp", site.ann, "Accept: text/event-stream\r\n", ping),
        200);
    assert_string_equal(header_of(&site, &visitor, "Content-Type"), "text/event-stream");
    assert_string_equal(
        body_of(&visitor),
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n");
}

// clang-format off
static const struct { const char *what, *headers, *body; int code; } refusals[] = {
    { "GET /mcp",     "",                                       NULL,  405 },
    { "GET /mcp",     "Accept: application/json\r\n",           NULL,  405 },
    { "GET /mcp",     "Accept: text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n", NULL, 405 },
    { "DELETE /mcp",  "MCP-Protocol-Version: 2026-07-28\r\n",   NULL,  405 },
    { "POST /sse",    "",                                       "{}",  405 },
    { "GET /messages", "",                                      NULL,  405 },
    { "POST /messages?sessionId=x", "",                         "{}",  404 },
    { "POST /mcp",    "X-Proofarc-Profile: huge\r\n",           "{}",  400 },
    { "POST /mcp",    "X-Proofarc-Read-Only: yes\r\n",          "{}",  400 },
    { "PUT /mcp",     "",                                       "{}",  405 },
    { "POST /",       "",                                       "{}",  404 },
    { "POST /mcp/x",  "",                                       "{}",  404 },
    { "POST /mcp",    "Content-Type: text/plain\r\n",           "{}",  415 },
    { "POST /mcp",    "Content-Encoding: gzip\r\n",             "{}",  415 },
    { "POST /mcp",    "Accept: text/html\r\n",                  "{}",  406 },
    { "POST /mcp",    "MCP-Protocol-Version: 1999-01-01\r\n",   "{}",  400 },
    { "POST /mcp",    "Mcp-Session-Id: nope\r\n",               "{}",  404 },
    { "POST /mcp",    "Origin: http://evil.example\r\n",        "{}",  403 },
    { "POST /mcp?access_token=x", "",                           "{}",  401 },
    { "POST /mcp",    "",                                       "{",   400 },
    { "POST /mcp",    "",                                       "",    400 },
    { "POST /mcp",    "",                                       "[]",  400 },
    { "POST /mcp",    "",                                       "{}",  400 },
    { "DELETE /mcp",  "",                                       NULL,  400 },
    { "POST /healthz", "",                                      "{}",  405 },
};
// clang-format on

static void
each_refusal_has_its_code_and_a_reason(void **state)
{
    AUTO(close_site) site_t site;

    open_site(&site);
    for (size_t i = 0; i < ROWS(refusals); i++) {
        AUTO(disconnect) visitor_t visitor;
        print_message("  %s %s", refusals[i].what, refusals[i].headers);
        assert_int_equal(visit(&site, &visitor, refusals[i].what, site.ann, refusals[i].headers,
                               refusals[i].body),
                         refusals[i].code);
        assert_true(strlen(body_of(&visitor)) > 10);
        if (refusals[i].code == 405)
            assert_non_null(header_of(&site, &visitor, "Allow"));
    }
    assert_int_equal(site.bench.service->open, 0);
    assert_int_equal(sessions_ended(site.bench.service->sessions), 0);
}

static void
a_token_that_is_no_good_is_refused(void **state)
{
    AUTO(close_site) site_t site;
    unsigned char other_key[KEY_SIZE] = { 1 };

    open_site(&site);
    char *const tokens[] = {
        strdup("x"),
        strdup("a.b.c"),
        site_token(other_key, JWT_ALG_HS256, "ann", "analyst", 3600),
        site_token(site.key, JWT_ALG_HS512, "ann", "analyst", 3600),
        site_token(site.key, JWT_ALG_NONE, "ann", "analyst", 3600),
        site_token(site.key, JWT_ALG_HS256, "ann", "analyst", -61),
        site_token(site.key, JWT_ALG_HS256, "ann", "analyst", 0),
        site_token(site.key, JWT_ALG_HS256, NULL, "analyst", 3600),
        site_token(site.key, JWT_ALG_HS256, "ann", NULL, 3600),
        site_token(site.key, JWT_ALG_HS256, "ann|admin", "analyst", 3600),
        site_token(site.key, JWT_ALG_HS256, "", "analyst", 3600),
    };
    for (size_t i = 0; i < ROWS(tokens); i++) {
        AUTO(disconnect) visitor_t visitor;
        assert_int_equal(visit(&site, &visitor, "POST /mcp", tokens[i], "", ping), 401);
        assert_non_null(strstr(header_of(&site, &visitor, "WWW-Authenticate"), "Bearer"));
        free(tokens[i]);
    }
    char *late = site_token(site.key, JWT_ALG_HS256, "ann", "analyst", -50);
    assert_int_equal(code_for(&site, "POST /mcp", late, "", ping), 200);  // within the leeway
    free(late);
    assert_int_equal(code_for(&site, "POST /mcp", NULL, "", ping), 401);
    assert_int_equal(code_for(&site, "POST /mcp", NULL, "Authorization: Basic eDp5\r\n", ping),
                     401);
}

static void
the_broker_hears_who_calls(void **state)
{
    AUTO(close_site) site_t site;

    open_site(&site);
    const char *session = begin_older_session(&site, site.bob);
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, "", call), 200);
    assert_int_equal(code_for(&site, "POST /mcp", site.bob, session, call), 200);
    const call_msg_t *first = &site.bench.calls[0].call, *second = &site.bench.calls[1].call;
    assert_string_equal(first->principal, "proofarc|ann|analyst");
    assert_string_equal(first->token, site.ann);
    assert_string_equal(first->session, "");
    assert_string_equal(second->principal, "proofarc|bob|analyst");
    assert_int_equal(strlen(second->session), 32);
}

static void
twenty_requests_with_one_id_get_their_own_answers(void **state)
{
    enum { COUNT = 20 };
    AUTO(close_site) site_t site;
    visitor_t visitors[COUNT];

    open_site(&site);
    site.bench.holds = true;
    for (int i = 0; i < COUNT; i++) {
        char body[256];
        snprintf(body, sizeof body,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
                 "\"name\":\"list_things\",\"arguments\":{\"n\":%d}}}",
                 i);
        connect_to(&site, &visitors[i]);
        send_request(&visitors[i], "POST /mcp", i % 2 ? site.ann : site.bob, "", body);
    }
    while (site.bench.count < COUNT)
        code_for(&site, "GET /healthz", NULL, "", NULL);
    for (int i = COUNT - 1; i >= 0; i--)
        bench_answer(&site.bench, &site.bench.calls[i], OK, DONE, NULL);
    for (int i = 0; i < COUNT; i++) {
        char wanted[64];
        assert_true(bench_run(&site.bench, has_answer, &visitors[i]));
        snprintf(wanted, sizeof wanted, "\\\"n\\\":%d}", i);
        assert_non_null(strstr(body_of(&visitors[i]), wanted));
        disconnect(&visitors[i]);
    }
}

static void
the_first_thing_that_is_wrong_is_told(void **state)
{
    static const struct {
        bool is_known;
        const char *headers, *body;
        int code;
    } rows[] = {
        { false, "Mcp-Session-Id: nope\r\n", "{}", 401 },
        { false, "Content-Type: text/plain\r\n", "{}", 401 },
        { false, "Origin: http://evil.example\r\n", "{}", 403 },
        { true, "Accept: text/html\r\nMcp-Session-Id: nope\r\n", "{}", 406 },
        { true, "MCP-Protocol-Version: 1999-01-01\r\nMcp-Session-Id: nope\r\n", "{}", 400 },
        { true, "Mcp-Session-Id: nope\r\n", "{", 404 },
    };
    AUTO(close_site) site_t site;

    open_site(&site);
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_int_equal(code_for(&site, "POST /mcp", rows[i].is_known ? site.ann : "bad",
                                  rows[i].headers, rows[i].body),
                         rows[i].code);
}

// ---- sessions

static void
a_session_belongs_to_its_principal(void **state)
{
    AUTO(close_site) site_t site;

    open_site(&site);
    const char *session = begin_older_session(&site, site.ann);
    char *renewed = site_token(site.key, JWT_ALG_HS256, "ann", "analyst", 7200);
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, session, ping), 200);
    assert_int_equal(code_for(&site, "POST /mcp", renewed, session, ping), 200);
    assert_int_equal(code_for(&site, "POST /mcp", site.bob, session, ping), 404);
    assert_int_equal(code_for(&site, "DELETE /mcp", site.bob, session, NULL), 404);
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, "", ping), 200);
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, session, initialize), 400);
    free(renewed);
}

static void
a_session_has_the_version_it_agreed_on(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    const char *session = begin_older_session(&site, site.ann);
    visit(&site, &visitor, "POST /mcp", site.ann, session, call);
    assert_non_null(strstr(body_of(&visitor), "structuredContent"));
    disconnect(&visitor);
    visit(&site, &visitor, "POST /mcp", site.ann, "", call);  // 2025-03-26 is assumed
    assert_null(strstr(body_of(&visitor), "structuredContent"));
    disconnect(&visitor);
    visit(&site, &visitor, "POST /mcp", site.ann, "MCP-Protocol-Version: 2025-11-25\r\n", call);
    assert_non_null(strstr(body_of(&visitor), "structuredContent"));
}

static void
arrays_are_taken_by_agreement_only(void **state)
{
    static const char batch[] = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]";
    AUTO(close_site) site_t site;

    open_site(&site);
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, "", batch), 400);
    assert_int_equal(
        code_for(&site, "POST /mcp", site.ann, "MCP-Protocol-Version: 2025-03-26\r\n", batch),
        200);
    assert_int_equal(
        code_for(&site, "POST /mcp", site.ann, "MCP-Protocol-Version: 2025-11-25\r\n", batch),
        400);
}

// ---- the platform's word

static void
a_token_that_the_platform_refuses_is_401(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    site.bench.status = UNAUTHORIZED;
    site.bench.outcome = FAILED;
    site.bench.body = "{\"error\":{\"message\":\"the token was deleted\"}}";
    assert_int_equal(visit(&site, &visitor, "POST /mcp", site.ann, "", call), 401);
    assert_non_null(strstr(body_of(&visitor), "the token was deleted"));
    assert_non_null(header_of(&site, &visitor, "WWW-Authenticate"));
    site.bench.status = DENIED;
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, "", call), 200);
}

static void
cancelling_ends_the_request_of_the_same_client(void **state)
{
    static const char cancel[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                                 "\"params\":{\"requestId\":1}}";
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    site.bench.holds = true;
    const char *session = begin_older_session(&site, site.ann);
    connect_to(&site, &visitor);
    send_request(&visitor, "POST /mcp", site.ann, session, call);
    while (!site.bench.count)
        code_for(&site, "GET /healthz", NULL, "", NULL);
    assert_int_equal(code_for(&site, "POST /mcp", site.bob, "", cancel), 202);
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, "", cancel), 202);
    assert_int_equal(site.bench.service->cancelled, 0);
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, session, cancel), 202);
    assert_true(bench_run(&site.bench, has_answer, &visitor));
    assert_int_equal(code_of(&visitor), 202);
    assert_string_equal(body_of(&visitor), "");
}

static bool
is_remembered(void *arg)
{
    site_t *site = arg;

    return repeats_find(site->bench.service->repeats, "proofarc|ann|analyst", "make_thing",
                        json_object(site->arena), clock_now_ms());
}

static void
the_work_goes_on_when_the_client_leaves(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    site.bench.holds = true;
    connect_to(&site, &visitor);
    send_request(&visitor, "POST /mcp", site.ann, "", write_call);
    while (!site.bench.count)
        code_for(&site, "GET /healthz", NULL, "", NULL);
    disconnect(&visitor);
    assert_true(bench_run(&site.bench, is_remembered, &site));
    assert_int_equal(site.bench.cancels, 0);
    site.bench.holds = false;
    // The same again: it is known to be the same.
    assert_int_equal(code_for(&site, "POST /mcp", site.bob, "", write_call), 200);
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, "", write_call), 200);
    assert_string_not_equal(site.bench.calls[1].call.key, site.bench.calls[0].call.key);
    assert_string_equal(site.bench.calls[2].call.key, site.bench.calls[0].call.key);
}

// ---- limits

static void
a_body_may_have_four_mib(void **state)
{
    AUTO(close_site) site_t site;

    open_site(&site);
    for (int extra = -1; extra <= 1; extra++) {
        size_t size = (size_t) (INPUT_MAX + extra);
        char *body = malloc(size + 1);
        int length =
            snprintf(body, size, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"");
        memset(body + length, 'x', size - (size_t) length);
        memcpy(body + size - 2, "\"}", 3);
        AUTO(disconnect) visitor_t visitor;
        connect_to(&site, &visitor);
        send_while_served(&site, &visitor, site.ann, body);
        assert_true(bench_run(&site.bench, has_answer, &visitor));
        assert_int_equal(code_of(&visitor), extra > 0 ? 413 : 200);
        free(body);
    }
}

static void
headers_may_not_be_endless(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(buffer_clear) buffer_t headers = { 0 };

    open_site(&site);
    buffer_text(&headers, "X-Long: ");
    for (int i = 0; i < 64 * KIB; i++)
        buffer_char(&headers, 'x');
    buffer_text(&headers, "\r\n");
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, headers.bytes, ping), 431);
}

// ---- pages and browsers

static void
a_browser_may_ask_first(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    assert_int_equal(visit(&site, &visitor, "OPTIONS /mcp", NULL,
                           "Origin: http://localhost:6274\r\n"
                           "Access-Control-Request-Method: POST\r\n"
                           "Access-Control-Request-Headers: "
                           "x-other,mcp-param-project, Mcp-Param-Tag,mcp-param-\r\n",
                           NULL),
                     204);
    assert_string_equal(header_of(&site, &visitor, "Access-Control-Allow-Origin"),
                        "http://localhost:6274");
    assert_string_equal(
        header_of(&site, &visitor, "Access-Control-Allow-Headers"),
        "Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, "
        "Mcp-Method, "
        "Mcp-Name, Last-Event-ID, X-Proofarc-Profile, X-Proofarc-Categories, X-Proofarc-Tools, "
        "X-Proofarc-Exclude, X-Proofarc-Read-Only, mcp-param-project, Mcp-Param-Tag");
    assert_null(header_of(&site, &visitor, "Access-Control-Allow-Credentials"));
    disconnect(&visitor);
    visit(&site, &visitor, "POST /mcp", site.ann, "Origin: http://localhost:6274\r\n", ping);
    assert_string_equal(header_of(&site, &visitor, "Access-Control-Expose-Headers"),
                        "Mcp-Session-Id, WWW-Authenticate");
    assert_string_equal(header_of(&site, &visitor, "Vary"), "Origin");
    disconnect(&visitor);
    visit(&site, &visitor, "POST /mcp", NULL, "Origin: http://localhost:6274\r\n", ping);
    assert_int_equal(code_of(&visitor), 401);
    assert_string_equal(header_of(&site, &visitor, "Access-Control-Allow-Origin"),
                        "http://localhost:6274");
    disconnect(&visitor);
    visit(&site, &visitor, "POST /mcp", site.ann, "", ping);
    assert_null(header_of(&site, &visitor, "Access-Control-Allow-Origin"));
}

static void
pages_tell_how_it_is(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    code_for(&site, "POST /mcp", site.ann, "", call);
    assert_int_equal(code_for(&site, "GET /healthz", NULL, "", NULL), 200);
    assert_int_equal(code_for(&site, "GET /readyz", NULL, "", NULL), 200);
    assert_int_equal(visit(&site, &visitor, "GET /metrics", NULL, "", NULL), 200);
    assert_non_null(strstr(body_of(&visitor), "\nproofarc_calls_total{status=\"ok\"} 1\n"));
    assert_non_null(strstr(body_of(&visitor), "\nproofarc_broker_calls{broker=\"0\"} 3\n"));
    assert_non_null(strstr(body_of(&visitor), "\nproofarc_brokers_up 1\n"));
    assert_int_equal(
        code_for(&site, "GET /metrics", NULL, "Origin: http://evil.example\r\n", NULL), 403);
}

static void
it_is_not_ready_before_all_categories_are(void **state)
{
    const server_options_t server = { .listen = "127.0.0.1:0" };
    AUTO(close_site) site_t site;

    open_site_with(&site, (service_options_t){ .profile = "full" }, &server);
    site.bench.is_mute = true;
    assert_int_equal(code_for(&site, "GET /readyz", NULL, "", NULL), 503);
    assert_int_equal(code_for(&site, "GET /healthz", NULL, "", NULL), 200);
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, "", initialize), 200);
}

static void
without_auth_everyone_is_the_own_user(void **state)
{
    const server_options_t server = { .listen = "127.0.0.1:0" };
    AUTO(close_site) site_t site;

    open_site_with(&site, bench_options, &server);
    assert_true(bench_wait_up(&site.bench));
    const char *session = begin_older_session(&site, NULL);
    assert_int_equal(code_for(&site, "POST /mcp", NULL, session, call), 200);
    assert_string_equal(site.bench.calls[0].call.token, "our-own-token");
}

static void
on_log_in(httpd_request_t *request, void *arg)
{
    int *count = arg;
    char body[32];

    snprintf(body, sizeof body, "{\"token\":\"t%d\"}", ++*count);
    httpd_answer(request, 200, "application/json", body, strlen(body));
}

// The first token has grown old: nobody hears of it.
static void
an_own_token_that_is_refused_is_renewed_once(void **state)
{
    const server_options_t server = { .listen = "127.0.0.1:0" };
    const httpd_options_t platform = {
        .listen = "127.0.0.1:0", .body_max = KIB, .idle_s = 5, .connections_max = 4
    };
    static const httpd_ops_t ops = { .on_request = on_log_in };
    const service_options_t options = { .profile = "full",
                                        .logs_in = true,
                                        .access = { .username = "me", .password = "p" } };
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;
    httpd_t *httpd;
    int count = 0;
    char url[64];
    failure_t why;

    open_site_with(&site, options, &server);
    assert_int_equal(httpd_new(site.bench.loop, &platform, &ops, &count, &httpd, &why), 0);
    snprintf(url, sizeof url, "http://%s", httpd_address(httpd));
    access_set_platform(site.bench.service->access, url);
    assert_true(bench_wait_up(&site.bench));
    site.bench.status = UNAUTHORIZED;
    site.bench.outcome = FAILED;
    assert_int_equal(visit(&site, &visitor, "POST /mcp", NULL, "", call), 200);
    assert_non_null(strstr(body_of(&visitor), "isError"));
    assert_int_equal(site.bench.count, 2);
    assert_string_equal(site.bench.calls[0].call.token, "t1");
    assert_string_equal(site.bench.calls[1].call.token, "t2");
    assert_int_equal(count, 2);
    httpd_destroy(&httpd);
}

static bool
is_over(void *arg)
{
    site_t *site = arg;

    return site->is_over;
}

static void
draining_waits_for_what_is_under_way(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    site.bench.holds = true;
    connect_to(&site, &visitor);
    send_request(&visitor, "POST /mcp", site.ann, "", call);
    while (!site.bench.count)
        code_for(&site, "GET /healthz", NULL, "", NULL);
    server_drain(site.server);
    assert_false(site.is_over);
    bench_answer(&site.bench, &site.bench.calls[0], OK, DONE, NULL);
    assert_true(bench_run(&site.bench, has_answer, &visitor));
    assert_int_equal(code_of(&visitor), 200);
    assert_true(bench_run(&site.bench, is_over, &site));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_answered_and_notifications_accepted),
        cmocka_unit_test(a_stream_is_sent_to_who_takes_nothing_else),
        cmocka_unit_test(each_refusal_has_its_code_and_a_reason),
        cmocka_unit_test(a_token_that_is_no_good_is_refused),
        cmocka_unit_test(the_broker_hears_who_calls),
        cmocka_unit_test(twenty_requests_with_one_id_get_their_own_answers),
        cmocka_unit_test(the_first_thing_that_is_wrong_is_told),
        cmocka_unit_test(an_own_token_that_is_refused_is_renewed_once),
        cmocka_unit_test(a_session_belongs_to_its_principal),
        cmocka_unit_test(a_session_has_the_version_it_agreed_on),
        cmocka_unit_test(arrays_are_taken_by_agreement_only),
        cmocka_unit_test(a_token_that_the_platform_refuses_is_401),
        cmocka_unit_test(cancelling_ends_the_request_of_the_same_client),
        cmocka_unit_test(the_work_goes_on_when_the_client_leaves),
        cmocka_unit_test(a_body_may_have_four_mib),
        cmocka_unit_test(headers_may_not_be_endless),
        cmocka_unit_test(a_browser_may_ask_first),
        cmocka_unit_test(pages_tell_how_it_is),
        cmocka_unit_test(it_is_not_ready_before_all_categories_are),
        cmocka_unit_test(without_auth_everyone_is_the_own_user),
        cmocka_unit_test(draining_waits_for_what_is_under_way),
    };
    site_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
