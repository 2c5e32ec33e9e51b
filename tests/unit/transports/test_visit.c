// SPDX-License-Identifier: Apache-2.0
// How a session ends, here and at other transports; and what becomes of who is refused.
#include "visitor.h"

static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
static const char call[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
    "\"name\":\"list_things\",\"arguments\":{}}}";

static bool
is_told(void *arg)
{
    site_t *site = arg;

    return site->bench.ended[0];
}

static void
a_session_ends_everywhere(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    const char *session = begin_session(&site, site.ann),
               *other = begin_session(&site, site.ann);
    assert_int_equal(code_for(&site, "DELETE /mcp", site.ann, session, NULL), 204);
    assert_true(bench_run(&site.bench, is_told, &site));
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, session, ping), 404);
    assert_int_equal(visit(&site, &visitor, "DELETE /mcp", site.ann, session, NULL), 404);
    assert_non_null(strstr(body_of(&visitor), "-32001"));
    // One that was ended at another transport.
    code_for(&site, "POST /mcp", site.ann, other, call);
    const ended_msg_t ended = { .session = site.bench.calls[0].call.session };
    bench_send(&site.bench, &ended_wire, &ended, NULL);
    code_for(&site, "POST /mcp", site.ann, "", call);  // comes behind it
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, other, ping), 404);
}

// Whoever is told that it is over may go to another transport next, which has to know it.
static void
the_end_of_a_session_waits_for_the_broker(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    const char *session = begin_session(&site, site.ann);
    site.bench.holds = true;
    connect_to(&site, &visitor);
    send_request(&visitor, "DELETE /mcp", site.ann, session, NULL);
    assert_true(bench_run(&site.bench, is_told, &site));
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, session, ping), 404);
    assert_false(has_answer(&visitor));
    const ended_msg_t ended = { .session = site.bench.ended };
    bench_send(&site.bench, &ended_wire, &ended, NULL);
    assert_true(bench_run(&site.bench, has_answer, &visitor));
    assert_int_equal(code_of(&visitor), 204);
}

static void
the_end_of_a_session_does_not_wait_for_ever(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    site.bench.holds = true;
    connect_to(&site, &visitor);
    send_request(&visitor, "DELETE /mcp", site.ann, begin_session(&site, site.ann), NULL);
    assert_true(bench_run(&site.bench, is_told, &site));
    assert_false(has_answer(&visitor));
    server_tick(site.server, clock_now_ms() + 1000);
    assert_true(bench_run(&site.bench, has_answer, &visitor));
    assert_int_equal(code_of(&visitor), 204);
}

// ---- tokens

// The code of the answer is out already: the call fails, and whoever comes next is told.
static void
test_A_T02_a_token_that_is_refused_in_a_stream_fails_the_call(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t stream;
    static const char body[] =
        "{\"error\":{\"code\":\"unauthorized\",\"message\":\"the account is closed\"}}";

    open_site(&site);
    site.bench.holds = true;
    connect_to(&site, &stream);
    send_request(&stream, "POST /mcp", site.ann, accepts, call_with_progress);
    assert_true(bench_run(&site.bench, has_call_of_site, &site));
    const progress_msg_t progress = { .id = site.bench.calls[0].id, .done = 1, .text = "" };
    bench_send(&site.bench, &progress_wire, &progress, NULL);
    await_text(&site, &stream, "\"progress\":1");
    bench_answer(&site.bench, &site.bench.calls[0], UNAUTHORIZED, FAILED, body);
    await_text(&site, &stream, "\r\n0\r\n\r\n");
    assert_int_equal(code_of(&stream), 200);
    assert_non_null(strstr(stream.in.bytes, "\"isError\":true"));
    assert_non_null(strstr(stream.in.bytes, "unauthorized"));
    site.bench.holds = false;
    site.bench.status = UNAUTHORIZED;
    site.bench.body = body;
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, accepts, call), 401);
}

static void
test_A_S09_a_session_outlives_the_token_it_began_with(void **state)
{
    AUTO(close_site) site_t site;

    open_site(&site);
    const char *session = begin_session(&site, site.ann);
    char *renewed = site_token(site.key, JWT_ALG_HS256, "ann", "analyst", 7200);
    assert_string_not_equal(renewed, site.ann);
    assert_int_equal(code_for(&site, "POST /mcp", renewed, session, call), 200);
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, session, call), 200);
    assert_string_equal(site.bench.calls[0].call.principal, site.bench.calls[1].call.principal);
    assert_string_equal(site.bench.calls[0].call.session, site.bench.calls[1].call.session);
    assert_string_equal(site.bench.calls[0].call.token, renewed);
    free(renewed);
}

// ---- what is refused

// Nothing is kept of it: no session, no stream, no request.
static void
test_A_S06_what_is_refused_leaves_nothing_behind(void **state)
{
    static const struct {
        const char *what, *headers;
        bool has_token;
        int code;
    } rows[] = {
        { "GET /mcp", "Accept: text/event-stream\r\n", false, 401 },
        { "GET /mcp", "", true, 405 },
        { "PATCH /mcp", "", true, 405 },
        { "PUT /mcp", "", true, 405 },
        { "OPTIONS /mcp", "", false, 204 },
        { "DELETE /mcp", "", false, 401 },
        { "DELETE /mcp", "Mcp-Session-Id: nobody's\r\n", true, 404 },
        { "GET /mcp", "Accept: text/event-stream\r\nMcp-Session-Id: nobody's\r\n", true, 404 },
        { "GET /sse", "Accept: text/event-stream\r\n", false, 401 },
        { "POST /messages?sessionId=nobody", "Content-Type: application/json\r\n", true, 404 },
        { "POST /mcp", "Content-Type: text/plain\r\n", true, 415 },
        { "POST /mcp", "", false, 401 },
    };
    AUTO(close_site) site_t site;

    open_site(&site);
    for (size_t i = 0; i < ROWS(rows); i++) {
        print_message("  %s %s\n", rows[i].what, rows[i].headers);
        for (int n = 0; n < 20; n++)
            assert_int_equal(code_for(&site, rows[i].what, rows[i].has_token ? site.ann : NULL,
                                      rows[i].headers,
                                      strncmp(rows[i].what, "POST", 4) ? NULL : hello),
                             rows[i].code);
    }
    assert_int_equal(site.bench.service->open, 0);
    assert_int_equal(listeners_count(site.bench.service->listeners), 0);
    assert_int_equal(sessions_ended(site.bench.service->sessions), 0);
    assert_int_equal(zhashx_size(site.bench.service->levels), 0);
    assert_int_equal(site.bench.count, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_ends_everywhere),
        cmocka_unit_test(the_end_of_a_session_waits_for_the_broker),
        cmocka_unit_test(the_end_of_a_session_does_not_wait_for_ever),
        cmocka_unit_test(test_A_T02_a_token_that_is_refused_in_a_stream_fails_the_call),
        cmocka_unit_test(test_A_S09_a_session_outlives_the_token_it_began_with),
        cmocka_unit_test(test_A_S06_what_is_refused_leaves_nothing_behind),
    };
    site_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
