// SPDX-License-Identifier: Apache-2.0
// Streams over HTTP: of a session, of the old pair of addresses, and what one sees of the tools.
#include "http/pair.h"
#include "visitor.h"

static const char list[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";

// Opens the stream of the old pair of addresses. What is posted to: a request line.
static const char *
begin_pair(site_t *site, visitor_t *stream, const char *headers)
{
    connect_to(site, stream);
    send_request(stream, "GET /sse", site->ann,
                 arena_printf(site->arena, "%s%s", headers, accepts), NULL);
    await_text(site, stream, "event: endpoint\ndata: /messages?sessionId=");
    await_text(site, stream, "\n\n");
    const char *id = strstr(stream->in.bytes, "sessionId=");
    return arena_printf(site->arena, "POST /messages?%.*s", (int) strcspn(id, "\n"), id);
}

static void
a_session_hears_of_changes_on_its_stream(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t stream, answer;
    const changed_msg_t changed = { .kind = "resource", .uri = "test://a" };
    const changed_msg_t prompts = { .kind = "prompts", .uri = "" };

    open_site(&site);
    const char *session = begin_session(&site, site.ann);
    listen_on(&site, &stream, session);
    assert_int_equal(
        code_for(&site, "POST /mcp", site.ann, session,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\","
                 "\"params\":{\"uri\":\"test://a\"}}"),
        200);
    bench_send(&site.bench, &changed_wire, &changed, NULL);
    await_text(&site, &stream,
               "notifications/resources/updated\",\"params\":{\"uri\":\"test://a\"}");
    visit(&site, &answer, "POST /mcp", site.ann, session,
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/unsubscribe\",\"params\":{"
          "\"uri\":\"test://a\"}}");
    assert_non_null(strstr(body_of(&answer), "\"result\":{}}"));
    buffer_clear(&stream.in);
    bench_send(&site.bench, &changed_wire, &changed, NULL);
    bench_send(&site.bench, &changed_wire, &prompts, NULL);
    await_text(&site, &stream, "notifications/prompts/list_changed");
    assert_null(strstr(stream.in.bytes, "updated"));
}

static void
a_second_stream_of_a_session_ends_the_first(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t first, second;

    open_site(&site);
    const char *session = begin_session(&site, site.ann);
    listen_on(&site, &first, session);
    listen_on(&site, &second, session);
    await_text(&site, &first, "\r\n0\r\n\r\n");
    assert_int_equal(code_for(&site, "DELETE /mcp", site.ann, session, NULL), 204);
    await_text(&site, &second, "\r\n0\r\n\r\n");  // its session is over
}

// A session is nothing without the token it began with.
static void
test_A_S08_somebody_elses_session_is_not_there(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t stream;

    open_site(&site);
    const char *session = begin_session(&site, site.ann);
    const char *listening = arena_printf(site.arena, "%s%s", session, accepts);
    assert_int_equal(code_for(&site, "POST /mcp", site.bob, session, list), 404);
    assert_int_equal(code_for(&site, "GET /mcp", site.bob, listening, NULL), 404);
    assert_int_equal(code_for(&site, "DELETE /mcp", site.bob, session, NULL), 404);
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, session, list), 200);

    const char *post = begin_pair(&site, &stream, "");
    assert_int_equal(code_for(&site, post, site.bob, "", list), 404);
    assert_int_equal(code_for(&site, post, NULL, "", list), 401);
    assert_int_equal(code_for(&site, "POST /messages", site.ann, "", list), 404);
    assert_int_equal(code_for(&site, post, site.ann, "", list), 202);
}

// Nobody is forced to say which session it is.
static void
test_A_S01_a_request_without_its_session_is_served(void **state)
{
    AUTO(close_site) site_t site;

    open_site(&site);
    begin_session(&site, site.ann);
    assert_int_equal(code_for(&site, "POST /mcp", site.ann, "", list), 200);
}

static void
a_client_comes_back_for_the_rest(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t early, late;

    open_site(&site);
    const char *session = begin_session(&site, site.ann);
    const char *id = begin_call_and_leave(&site, session);
    const char *headers =
        arena_printf(site.arena, "%sLast-Event-ID: %s\r\n%s", session, id, accepts);
    connect_to(&site, &early);
    send_request(&early, "GET /mcp", site.ann, headers, NULL);
    await_text(&site, &early, "\r\n\r\n");
    bench_answer(&site.bench, &site.bench.calls[0], OK, DONE, NULL);
    await_text(&site, &early, "\"id\":7,\"result\"");
    await_text(&site, &early, "\r\n0\r\n\r\n");
    assert_null(strstr(early.in.bytes, "\"progress\":1"));
    connect_to(&site, &late);
    send_request(&late, "GET /mcp", site.ann, headers, NULL);
    await_text(&site, &late, "\"id\":7,\"result\"");
    await_text(&site, &late, "\r\n0\r\n\r\n");
}

static void
test_A_S10_the_stream_of_another_session_is_not_resumed(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t stream;

    open_site(&site);
    const char *id = begin_call_and_leave(&site, begin_session(&site, site.ann));
    listen_on(&site, &stream,
              arena_printf(site.arena, "%sLast-Event-ID: %s\r\n",
                           begin_session(&site, site.ann), id));
    bench_answer(&site.bench, &site.bench.calls[0], OK, DONE, NULL);
    const changed_msg_t prompts = { .kind = "prompts", .uri = "" };
    bench_send(&site.bench, &changed_wire, &prompts, NULL);
    await_text(&site, &stream, "notifications/prompts/list_changed");
    assert_null(strstr(stream.in.bytes, "\"result\""));
}

static void
test_A_S10_an_id_that_is_none_means_nothing(void **state)
{
    static const char *const ids[] = { "1", "../../x", "\"'<>" };
    AUTO(close_site) site_t site;

    open_site(&site);
    const char *session = begin_session(&site, site.ann);
    for (size_t i = 0; i < ROWS(ids); i++) {
        AUTO(disconnect) visitor_t stream;
        listen_on(&site, &stream,
                  arena_printf(site.arena, "%sLast-Event-ID: %s\r\n", session, ids[i]));
        assert_null(strstr(stream.in.bytes, "data:"));
    }
}

static void
the_old_pair_of_addresses_is_one_session(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t stream;

    open_site(&site);
    const char *post = begin_pair(&site, &stream, "");
    assert_int_equal(code_for(&site, post, site.ann, "", hello), 202);
    await_text(&site, &stream, "\"protocolVersion\":\"2025-11-25\"");
    assert_int_equal(code_for(&site, post, site.ann, "", list), 202);
    await_text(&site, &stream, "\"tools\":[");
    assert_int_equal(code_for(&site, post, site.ann, "", "{"), 202);
    await_text(&site, &stream, "-32700");
    buffer_clear(&stream.in);
    bench_offer(&site.bench, 1, true);
    await_text(&site, &stream, "notifications/tools/list_changed");
}

static void
a_pair_with_too_much_open_says_so(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t stream, one_more;
    static const char call[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                               "\"params\":{\"name\":\"list_things\"}}";

    open_site(&site);
    site.bench.holds = true;
    const char *post = begin_pair(&site, &stream, "");
    for (int i = 0; i < PAIR_OPEN_MAX; i++)
        assert_int_equal(code_for(&site, post, site.ann, "", call), 202);
    assert_int_equal(visit(&site, &one_more, post, site.ann, "", call), 503);
    assert_non_null(strstr(body_of(&one_more), "wait for answers"));
}

static void
a_pair_whose_stream_is_gone_is_gone(void **state)
{
    AUTO(close_site) site_t site;
    visitor_t stream;

    open_site(&site);
    site.bench.holds = true;
    const char *post = begin_pair(&site, &stream, "");
    assert_int_equal(code_for(&site, post, site.ann, "",
                              "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                              "\"params\":{\"name\":\"list_things\"}}"),
                     202);
    disconnect(&stream);
    int code;
    do
        code = code_for(&site, post, site.ann, "", list);
    while (code == 202);
    assert_int_equal(code, 404);
}

static bool
has_heard_hello(void *arg)
{
    const site_t *site = arg;

    return site->bench.hellos > 0;
}

static bool
has_nothing_open(void *arg)
{
    const site_t *site = arg;

    return !site->bench.service->open;
}

// The list waits for the broker, and is made when the headers that narrow it are gone.
static void
what_a_pair_sees_outlives_its_stream(void **state)
{
    const server_options_t server = { .listen = "127.0.0.1:0" };
    const char *narrowed =
        "X-Proofarc-Categories: explore, act\r\nX-Proofarc-Profile: core\r\n";
    AUTO(close_site) site_t site;
    visitor_t stream;
    int code;

    open_site_with(&site, (service_options_t){ .profile = "full" }, &server);
    site.bench.is_mute = true;
    assert_true(bench_run(&site.bench, has_heard_hello, &site));
    const char *post = begin_pair(&site, &stream, narrowed);
    assert_int_equal(code_for(&site, post, site.ann, "", list), 202);
    disconnect(&stream);
    do
        code = code_for(&site, post, site.ann, "", "{}");
    while (code == 202);
    assert_int_equal(code, 404);
    assert_int_equal(site.bench.service->open, 1);
    bench_beat(&site.bench);
    bench_offer(&site.bench, ROWS(bench_entries), true);
    assert_true(bench_run(&site.bench, has_nothing_open, &site));
}

// ---- several transports

static const char question[] =
    "{\"inputRequests\":{\"who\":{\"method\":\"elicitation/create\",\"params\":{}}}}";

static const char *
begin_session_that_answers(site_t *site)
{
    static const char text[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
                               "\"params\":{\"protocolVersion\":"
                               "\"2025-11-25\",\"capabilities\":{\"elicitation\":{}}}}";

    return arena_printf(site->arena, "%s%s", begin_session_with(site, site->ann, text),
                        accepts);
}

static void
an_answer_that_another_transport_was_given_counts(void **state)
{
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"list_things\"}}";
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t stream;

    open_site(&site);
    site.bench.status = INPUT_REQUIRED;
    site.bench.body = question;
    connect_to(&site, &stream);
    send_request(&stream, "POST /mcp", site.ann, begin_session_that_answers(&site), call);
    await_text(&site, &stream, "elicitation/create");
    await_text(&site, &stream, "\n\n");
    site.bench.status = OK;
    site.bench.body = NULL;
    const char *id = strstr(stream.in.bytes, "\"id\":\"") + 6;
    said_msg_t said = {
        .session = site.bench.calls[0].call.session,
        .principal = "proofarc|bob|analyst",
        .text = arena_printf(site.arena,
                             "{\"jsonrpc\":\"2.0\",\"id\":\"%.*s\",\"result\":{\"action\":"
                             "\"decline\"}}",
                             (int) strcspn(id, "\""), id),
    };
    bench_send(&site.bench, &said_wire, &said, NULL);  // not hers
    said.principal = site.bench.calls[0].call.principal;
    bench_send(&site.bench, &said_wire, &said, NULL);
    await_text(&site, &stream, "structuredContent");
    assert_string_equal(site.bench.calls[1].call.inputs,
                        "{\"responses\":{\"who\":{\"action\":\"decline\"}}}");
    assert_int_equal(site.bench.count, 2);
}

static bool
has_said(void *arg)
{
    const site_t *site = arg;

    return *site->bench.said;
}

static void
what_concerns_another_transport_is_told_to_all(void **state)
{
    static const char *const messages[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
        "cancelled\",\"params\":{\"requestId\":9}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":"
        "\"error\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/"
        "subscribe\",\"params\":{\"uri\":\"x:y\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/"
        "unsubscribe\",\"params\":{\"uri\":"
        "\"x:y\"}}",
    };
    AUTO(close_site) site_t site;

    open_site(&site);
    const char *session = begin_session(&site, site.ann);
    for (size_t i = 0; i < ROWS(messages); i++) {
        *site.bench.said = '\0';
        code_for(&site, "POST /mcp", site.ann, session, messages[i]);
        assert_true(bench_run(&site.bench, has_said, &site));
        assert_string_equal(site.bench.said, messages[i]);
    }
}

// ---- what one sees

// clang-format off
static const struct { const char *what, *headers; size_t count; } views[] = {
    { "POST /mcp",          "",                                       4 },
    { "POST /mcp/full",     "",                                       4 },
    { "POST /mcp/core",     "",                                       1 + 3 },
    { "POST /mcp/core/",    "",                                       1 + 3 },
    { "POST /mcp/standard", "",                                       2 + 3 },
    { "POST /mcp/readonly", "",                                       2 },
    { "POST /mcp",          "X-Proofarc-Profile: core\r\n",           1 + 3 },
    { "POST /mcp",          "X-Proofarc-Profile: readonly\r\n",       2 },
    { "POST /mcp",          "X-Proofarc-Read-Only: true\r\n",         2 },
    { "POST /mcp",          "X-Proofarc-Read-Only: True\r\n",         2 },
    { "POST /mcp",          "X-Proofarc-Read-Only: 0\r\n",            4 },
    { "POST /mcp",          "X-Proofarc-Categories: act\r\n",         3 },
    { "POST /mcp",          "X-Proofarc-Exclude: act, other\r\n",     1 },
    { "POST /mcp",          "X-Proofarc-Exclude: brief_read\r\n",     3 },
    { "POST /mcp",          "X-Proofarc-Tools: make_thing\r\n",       1 + 3 },
    { "POST /mcp/core",     "X-Proofarc-Categories: act\r\n",         0 + 3 },
};
// clang-format on

static size_t
count_of(const char *text, const char *word)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

static void
a_request_narrows_what_it_sees(void **state)
{
    AUTO(close_site) site_t site;

    open_site(&site);
    for (size_t i = 0; i < ROWS(views); i++) {
        AUTO(disconnect) visitor_t visitor;
        print_message("  %s %s\n", views[i].what, views[i].headers);
        assert_int_equal(
            visit(&site, &visitor, views[i].what, site.ann, views[i].headers, list), 200);
        assert_int_equal(count_of(body_of(&visitor), "\"inputSchema\""), views[i].count);
    }
    assert_int_equal(code_for(&site, "POST /mcp/huge", site.ann, "", list), 404);
}

static void
what_is_hidden_is_reached_and_what_is_forbidden_is_not(void **state)
{
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"%s\",\"arguments\":%s}}";
    static const struct {
        const char *what, *tool, *arguments, *found;
    } rows[] = {
        { "POST /mcp/core", "make_thing", "{}", "-32602" },
        { "POST /mcp/core", "call_tool", "{\"name\":\"make_thing\",\"arguments\":{\"x\":2}}",
          "\"arguments\":{\"x\":2}" },
        { "POST /mcp/core", "call_tool", "{}", "bad_args" },
        { "POST /mcp/core", "call_tool", "{\"name\":\"nothing\"}", "-32602" },
        { "POST /mcp/core", "search_tools", "{\"query\":\"MAKE thing\"}",
          "\"name\":\"make_thing\"" },
        { "POST /mcp/core", "search_tools", "{\"query\":\"zebra\"}", "\"total\":0" },
        { "POST /mcp/core", "search_tools", "{}", "bad_args" },
        { "POST /mcp/core", "describe_tool", "{\"name\":\"make_thing\"}", "\"inputSchema\"" },
        { "POST /mcp/core", "describe_tool", "{\"name\":\"nothing\"}", "not_found" },
        { "POST /mcp/readonly", "make_thing", "{}", "-32602" },
        { "POST /mcp/readonly", "call_tool", "{\"name\":\"make_thing\"}", "-32602" },
        { "POST /mcp", "call_tool", "{\"name\":\"make_thing\"}", "-32602" },
    };
    AUTO(close_site) site_t site;

    open_site(&site);
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(disconnect) visitor_t visitor;
        char *body = zsys_sprintf(call, rows[i].tool, rows[i].arguments);
        print_message("  %s %s\n", rows[i].what, rows[i].tool);
        visit(&site, &visitor, rows[i].what, site.ann, "MCP-Protocol-Version: 2025-11-25\r\n",
              body);
        assert_non_null(strstr(body_of(&visitor), rows[i].found));
        freen(body);
    }
}

static void
the_command_line_is_the_bound(void **state)
{
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"call_tool\",\"arguments\":{\"name\":\"make_thing\"}}}";
    const server_options_t server = { .listen = "127.0.0.1:0" };
    const service_options_t options = { .profile = "core",
                                        .bound = { .exclude = "make_thing" } };
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t listed, called;

    open_site_with(&site, options, &server);
    assert_true(bench_wait_up(&site.bench));
    visit(&site, &listed, "POST /mcp/full", site.ann, "", list);
    assert_int_equal(count_of(body_of(&listed), "\"inputSchema\""), 1 + 3);
    visit(&site, &called, "POST /mcp/full", site.ann, "", call);
    assert_non_null(strstr(body_of(&called), "-32602"));
}

// ---- tokens

static void
a_client_is_told_where_tokens_are_given(void **state)
{
    const server_options_t server = { .listen = "127.0.0.1:0",
                                      .issuer = "https://login.example" };
    const service_options_t options = { .profile = "full" };
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t refused, told;

    open_site_with(&site, options, &server);
    assert_int_equal(visit(&site, &refused, "POST /mcp", NULL, "", list), 401);
    assert_non_null(strstr(header_of(&site, &refused, "WWW-Authenticate"),
                           "resource_metadata=\"http://127.0.0.1/.well-known/"
                           "oauth-protected-resource/mcp\""));
    assert_int_equal(
        visit(&site, &told, "GET /.well-known/oauth-protected-resource/mcp", NULL, "", NULL),
        200);
    assert_string_equal(body_of(&told),
                        "{\"resource\":\"http://127.0.0.1/mcp\",\"authorization_servers\":["
                        "\"https://login.example\"],\"bearer_methods_supported\":[\"header\"],"
                        "\"resource_name\":\"Proofarc\"}");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_hears_of_changes_on_its_stream),
        cmocka_unit_test(a_second_stream_of_a_session_ends_the_first),
        cmocka_unit_test(test_A_S08_somebody_elses_session_is_not_there),
        cmocka_unit_test(test_A_S01_a_request_without_its_session_is_served),
        cmocka_unit_test(a_client_comes_back_for_the_rest),
        cmocka_unit_test(test_A_S10_the_stream_of_another_session_is_not_resumed),
        cmocka_unit_test(test_A_S10_an_id_that_is_none_means_nothing),
        cmocka_unit_test(the_old_pair_of_addresses_is_one_session),
        cmocka_unit_test(a_pair_with_too_much_open_says_so),
        cmocka_unit_test(a_pair_whose_stream_is_gone_is_gone),
        cmocka_unit_test(what_a_pair_sees_outlives_its_stream),
        cmocka_unit_test(an_answer_that_another_transport_was_given_counts),
        cmocka_unit_test(what_concerns_another_transport_is_told_to_all),
        cmocka_unit_test(a_request_narrows_what_it_sees),
        cmocka_unit_test(what_is_hidden_is_reached_and_what_is_forbidden_is_not),
        cmocka_unit_test(the_command_line_is_the_bound),
        cmocka_unit_test(a_client_is_told_where_tokens_are_given),
    };
    site_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
