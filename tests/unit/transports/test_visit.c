// SPDX-License-Identifier: Apache-2.0
// How a session ends, here and at other transports.
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_ends_everywhere),
        cmocka_unit_test(the_end_of_a_session_waits_for_the_broker),
        cmocka_unit_test(the_end_of_a_session_does_not_wait_for_ever),
    };
    site_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
