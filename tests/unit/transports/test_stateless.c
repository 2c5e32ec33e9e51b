// SPDX-License-Identifier: Apache-2.0
// Protocol 2026-07-28: every request says who speaks, over both transports.
#include "client.h"
#include "mcp/stateless.h"
#include "visitor.h"

#define VERSION "MCP-Protocol-Version: 2026-07-28\r\n"

static const char discover[] = REQUEST("server/discover", META(""));
static const char list[] = REQUEST("tools/list", META(""));
// ---- stdio

// clang-format off
static const struct {
    const char *body;
    bool does_claim;
} claims[] = {
    { "{\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}",  true },
    { "{\"params\":{\"_meta\":{\"io.modelcontextprotocol\\/protocolVersion\":\"2026-07-28\"}}}", true },
    { "{\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":7}}}",             true },  // wrongly
    { "{\"params\":{\"_meta\":{\"protocolVersion\":\"2026-07-28\"}}}",                          false },
    { "{\"params\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}",              false },
    { "{\"params\":{\"protocolVersion\":\"2025-11-25\"}}",                                      false },
    { "{\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\"",                    false },
    { "",                                                                                     false },
};
// clang-format on

static void
a_body_says_of_which_version_it_is(void **state)
{
    for (size_t i = 0; i < ROWS(claims); i++)
        assert_int_equal(stateless_claims(claims[i].body, strlen(claims[i].body)),
                         claims[i].does_claim);
}

static void
discover_says_what_is_served(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    const json_t *result = get(ask(&client, discover), "result");
    assert_int_equal(json_get(result, "supportedVersions")->count, 1);
    assert_string_equal(json_get(result, "supportedVersions")->first->text, "2026-07-28");
    assert_string_equal(json_get_text(result, "resultType"), "complete");
    assert_string_equal(json_get_text(result, "cacheScope"), "private");
    assert_true(json_get_int(result, "ttlMs", -1) >= 0);
    assert_non_null(json_get(json_get(result, "_meta"), "io.modelcontextprotocol/serverInfo"));
    assert_non_null(
        json_get(json_get(json_get(result, "capabilities"), "extensions"), STATELESS_TASKS));
}

static void
the_version_is_decided_for_each_message(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    assert_non_null(get(ask(&client, list), "result.resultType"));
    initialize(&client, "2025-06-18");
    assert_null(get(ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"),
                    "result.resultType"));
    assert_non_null(get(ask(&client, list), "result.resultType"));
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    assert_string_equal(client.read.bytes, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
}

static void
what_the_version_does_not_have_is_no_method(void **state)
{
    static const char *const methods[] = { "initialize",       "ping",
                                           "logging/setLevel", "resources/subscribe",
                                           "tasks/list",       "foo/bar" };
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    for (size_t i = 0; i < ROWS(methods); i++) {
        char *text =
            zsys_sprintf("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s}}",
                         methods[i], META(""));
        assert_int_equal(json_get_int(get(ask(&client, text), "error"), "code", 0), RPC_METHOD);
        freen(text);
    }
}

// What only this version has, asked without saying so. Whoever has agreed on an older version gets
// to hear that there is no such method.
static void
half_a_request_hears_what_is_missing(void **state)
{
    static const char plain[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}";
    static const char capable[] = REQUEST(
        "server/discover", "\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{}}");
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    assert_int_equal(json_get_int(get(ask(&client, plain), "error"), "code", 0), RPC_PARAMS);
    assert_int_equal(json_get_int(get(ask(&client, capable), "error"), "code", 0), RPC_PARAMS);
    initialize(&client, "2025-11-25");
    assert_int_equal(json_get_int(get(ask(&client, plain), "error"), "code", 0), RPC_METHOD);
}

// clang-format off
static const struct { const char *params; int code; } envelopes[] = {
    { "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}", RPC_PARAMS },
    { "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":7,\"io.modelcontextprotocol/clientCapabilities\":{}}", RPC_PARAMS },
    { "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":[]}", RPC_PARAMS },
    { META(",\"io.modelcontextprotocol/logLevel\":\"loud\""), RPC_PARAMS },
    { "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2099-01-01\",\"io.modelcontextprotocol/clientCapabilities\":{}}", RPC_VERSION },
    { "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2025-11-25\",\"io.modelcontextprotocol/clientCapabilities\":{}}", RPC_VERSION },
};
// clang-format on

static void
an_envelope_that_is_wrong_is_refused(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    for (size_t i = 0; i < ROWS(envelopes); i++) {
        char *text = zsys_sprintf(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{%s}}",
            envelopes[i].params);
        const json_t *error = get(ask(&client, text), "error");
        assert_int_equal(json_get_int(error, "code", 0), envelopes[i].code);
        if (envelopes[i].code == RPC_VERSION)
            assert_string_equal(get(error, "data.supported")->first->text, "2026-07-28");
        freen(text);
    }
}

static void
a_subscription_is_acknowledged_and_marked(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    const json_t *first =
        ask(&client, REQUEST("subscriptions/listen",
                             "\"notifications\":{\"toolsListChanged\":true,\"other\":true,"
                             "\"resourceSubscriptions\":[\"test://a\"]}," META("")));
    assert_string_equal(json_get_text(first, "method"),
                        "notifications/subscriptions/acknowledged");
    assert_int_equal(get(first, "params.notifications")->count, 2);
    ask(&client, list);
    forget_lines(&client);
    bench_offer(&client.bench, 1, true);  // resources change as well, and nobody asked for it
    const changed_msg_t other = { .kind = "resource", .uri = "test://b" };
    const changed_msg_t changed = { .kind = "resource", .uri = "test://a" };
    bench_send(&client.bench, &changed_wire, &other, NULL);
    bench_send(&client.bench, &changed_wire, &changed, NULL);
    await_lines(&client, 2);
    assert_string_equal(json_get_text(line(&client, 0), "method"),
                        "notifications/tools/list_changed");
    assert_string_equal(get(line(&client, 1), "params.uri")->text, "test://a");
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(json_get_text(get(line(&client, i), "params._meta"),
                                          "io.modelcontextprotocol/subscriptionId"),
                            "s1");
    forget_lines(&client);
    close_fd(&client.to);
    await_lines(&client, 1);  // the end of the program is the end of it
    assert_string_equal(get(line(&client, 0), "result.resultType")->text, "complete");
}

static void
an_error_that_belongs_to_no_request_has_null_or_no_id(void **state)
{
    static const struct {
        const char *version;
        bool has_id;
    } rows[] = {
        { "2024-11-05", true },
        { "2025-06-18", true },
        { "2025-11-25", false },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(close_client) client_t client;
        open_client(&client, NULL);
        assert_non_null(json_get(ask(&client, "garbage"), "id"));  // nothing is agreed on
        initialize(&client, rows[i].version);
        const json_t *answer = ask(&client, "garbage");
        assert_int_equal(json_get(answer, "id") != NULL, rows[i].has_id);
        assert_non_null(json_get(answer, "error"));
    }
}

static void
a_task_is_a_result_of_its_own_kind(void **state)
{
    static const char with_tasks[] =
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":{"
        "\"io.modelcontextprotocol/tasks\":{}}}}";
    AUTO(close_client) client_t client;
    char text[512];

    open_client(&client, NULL);
    client.bench.body = "{\"taskId\":\"t.1\",\"status\":\"working\"}";
    snprintf(text, sizeof text, REQUEST("tasks/get", "\"taskId\":\"t.1\",%s"), with_tasks);
    assert_string_equal(get(ask(&client, text), "result.status")->text, "working");
    assert_string_equal(client.bench.calls[0].call.kind, "task");
    assert_string_equal(client.bench.calls[0].body, "{\"op\":\"get\"}");
    snprintf(text, sizeof text, REQUEST("tasks/cancel", "\"taskId\":\"t.1\",%s"), with_tasks);
    assert_null(get(ask(&client, text), "result.status"));
    snprintf(text, sizeof text,
             REQUEST("tasks/update", "\"taskId\":\"t.1\",\"inputResponses\":{\"a\":{}},%s"),
             with_tasks);
    assert_non_null(get(ask(&client, text), "result"));
    assert_string_equal(client.bench.calls[2].body,
                        "{\"op\":\"update\",\"responses\":{\"a\":{}}}");
    client.bench.status = NOT_FOUND;
    assert_int_equal(json_get_int(get(ask(&client, text), "error"), "code", 0), RPC_PARAMS);
    assert_int_equal(
        json_get_int(
            get(ask(&client, REQUEST("tasks/get", "\"taskId\":\"t.1\"," META(""))), "error"),
            "code", 0),
        RPC_CAPABILITY);
}

// ---- HTTP

// clang-format off
static const struct { const char *headers, *body; int code; } visits[] = {
    { VERSION "Mcp-Method: server/discover\r\n", discover, 200 },
    { VERSION "Mcp-Method: server/discover\r\nMcp-Session-Id: nope\r\n", discover, 200 },
    { "Mcp-Method: server/discover\r\n", discover, 400 },
    { VERSION, discover, 400 },
    { VERSION "Mcp-Method: tools/list\r\n", discover, 400 },
    { "MCP-Protocol-Version: 2025-11-25\r\nMcp-Method: server/discover\r\n", discover, 400 },
    { "MCP-Protocol-Version: 1999-01-01\r\nMcp-Method: server/discover\r\n", discover, 400 },
    { VERSION "Mcp-Method: foo/bar\r\n", REQUEST("foo/bar", META("")), 404 },
    { VERSION "Mcp-Method: tools/call\r\n", read_call, 400 },
    { VERSION "Mcp-Method: tools/call\r\nMcp-Name: other\r\n", read_call, 400 },
    { VERSION "Mcp-Method: tools/call\r\nMcp-Name: list_things\r\n", read_call, 200 },
    { VERSION "Mcp-Method: tools/call\r\nMcp-Name:  list_things \r\n", read_call, 200 },
    { VERSION "Mcp-Method: tools/call\r\nMcp-Name: =?base64?bGlzdF90aGluZ3M=?=\r\n", read_call, 200 },
    { VERSION "Mcp-Method: tools/call\r\nMcp-Name: =?base64?bGlzdF90aGluZ3M?=\r\n", read_call, 400 },
    { VERSION "Mcp-Method: tools/call\r\nMcp-Name: nope\r\n", REQUEST("tools/call", "\"name\":\"nope\"," META("")), 200 },
    { VERSION "Mcp-Method: tools/list\r\n", REQUEST("tools/list", ""), 400 },
    { VERSION, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", 400 },
    { VERSION, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/foo\"}", 202 },
    { VERSION "Mcp-Method: subscriptions/listen\r\n", REQUEST("subscriptions/listen", "\"notifications\":{}," META("")), 200 },
};
// clang-format on

static void
headers_say_what_the_body_says(void **state)
{
    AUTO(close_site) site_t site;

    open_site(&site);
    for (size_t i = 0; i < ROWS(visits); i++) {
        print_message("  %s", visits[i].headers);
        assert_int_equal(
            code_for(&site, "POST /mcp", site.ann, visits[i].headers, visits[i].body),
            visits[i].code);
    }
    assert_int_equal(site.bench.service->open, 0);
}

// clang-format off
static const struct { const char *headers, *body, *says; } complaints[] = {
    { "Mcp-Method: server/discover\r\n", discover, "MCP-Protocol-Version has to say \\\"2026-07-28\\\", as the body does; it is missing" },
    { VERSION "Mcp-Method: tools/list\r\n", discover, "Mcp-Method has to say \\\"server/discover\\\", as the body does; it says something else" },
    { VERSION "Mcp-Method: tools/call\r\n", read_call, "Mcp-Name has to say \\\"list_things\\\", as the body does; it is missing" },
    { VERSION "Mcp-Method: ping\r\n", REQUEST("ping", META("")), "There is no method \\\"ping\\\" in protocol version 2026-07-28." },
    { "", REQUEST("server/discover", ""), "carry params._meta" },
    { "", REQUEST("tasks/list", ""), "There is no method \\\"tasks/list\\\" in protocol version 2025-03-26." },
    { "", REQUEST("resources/read", "\"uri\":\"test://nope\""), "There is no resource \\\"test://nope\\\"; resources/list" },
    { "", REQUEST("completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"no\"},\"argument\":{\"name\":\"a\",\"value\":\"\"}"), "prompts/list and resources/templates/list name all" },
};
// clang-format on

static void
an_error_names_what_is_wrong(void **state)
{
    AUTO(close_site) site_t site;

    open_site(&site);
    for (size_t i = 0; i < ROWS(complaints); i++) {
        AUTO(disconnect) visitor_t visitor;
        visit(&site, &visitor, "POST /mcp", site.ann, complaints[i].headers,
              complaints[i].body);
        print_message("  %s\n", body_of(&visitor));
        assert_non_null(strstr(body_of(&visitor), complaints[i].says));
    }
}

// An id of null is none in this version: what belongs to no request goes without, over both
// transports, once it is known who asks.
static void
an_error_of_no_request_has_no_id_here(void **state)
{
    static const char broken[] = "{\"jsonrpc\":";
    AUTO(close_client) client_t client;
    static const struct {
        const char *headers, *body;
        int code;
        bool has_id;
    } rows[] = {
        { VERSION, broken, 400, false },
        { "MCP-Protocol-Version: 2025-11-25\r\n", broken, 400, false },
        { "MCP-Protocol-Version: 2025-06-18\r\n", broken, 400, true },
        { "", broken, 400, true },
        { VERSION "Accept: text/html\r\n", discover, 406, false },
        { "MCP-Protocol-Version: 2025-06-18\r\nAccept: text/html\r\n", list, 406, true },
        { "Accept: text/html\r\n", list, 406, true },
    };
    AUTO(close_site) site_t site;

    open_client(&client, NULL);
    assert_non_null(json_get(ask(&client, broken), "id"));
    ask(&client, list);
    assert_null(json_get(ask(&client, broken), "id"));

    open_site(&site);
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(disconnect) visitor_t visitor;
        visit(&site, &visitor, "POST /mcp", site.ann, rows[i].headers, rows[i].body);
        print_message("  %s%s\n", rows[i].headers, body_of(&visitor));
        assert_int_equal(code_of(&visitor), rows[i].code);
        assert_int_equal(strstr(body_of(&visitor), "\"id\":null") != NULL, rows[i].has_id);
    }
}

static bool
has_cancel(void *arg)
{
    const site_t *site = arg;

    return site->bench.cancels > 0;
}

static void
to_leave_is_to_cancel(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    site.bench.holds = true;
    connect_to(&site, &visitor);
    send_request(&visitor, "POST /mcp", site.ann,
                 VERSION "Mcp-Method: tools/call\r\nMcp-Name: list_things\r\n", read_call);
    assert_true(bench_run(&site.bench, has_call_of_site, &site));
    disconnect(&visitor);
    assert_true(bench_run(&site.bench, has_cancel, &site));
    assert_int_equal(site.bench.service->open, 0);
}

static bool
has_end(void *arg)
{
    visitor_t *self = arg;

    has_answer(self);
    return self->in.size && strstr(self->in.bytes, "\r\n0\r\n\r\n");
}

static void
progress_and_logs_make_a_stream_of_the_answer(void **state)
{
    static const char body[] =
        REQUEST("tools/call", "\"name\":\"list_things\",\"_meta\":{\"progressToken\":0,"
                              "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                              "\"io.modelcontextprotocol/clientCapabilities\":{},"
                              "\"io.modelcontextprotocol/logLevel\":\"info\"}");
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t visitor;

    open_site(&site);
    site.bench.holds = true;
    connect_to(&site, &visitor);
    send_request(&visitor, "POST /mcp", site.ann,
                 VERSION "Mcp-Method: tools/call\r\nMcp-Name: list_things\r\n"
                         "Accept: application/json, text/event-stream\r\n",
                 body);
    assert_true(bench_run(&site.bench, has_call_of_site, &site));
    const bench_call_t *call = &site.bench.calls[0];
    assert_string_equal(call->call.log_level, "info");
    const progress_msg_t begun = { .id = call->id, .done = 0, .total = 2, .text = "begun" };
    const log_msg_t quiet = { .id = call->id, .level = "debug", .text = "not this" };
    const log_msg_t loud = { .id = call->id, .level = "error", .text = "look" };
    bench_send(&site.bench, &progress_wire, &begun, NULL);
    bench_send(&site.bench, &log_wire, &quiet, NULL);
    bench_send(&site.bench, &log_wire, &loud, NULL);
    bench_answer(&site.bench, call, OK, DONE, NULL);
    assert_true(bench_run(&site.bench, has_end, &visitor));
    assert_string_equal(header_of(&site, &visitor, "Content-Type"), "text/event-stream");
    assert_string_equal(header_of(&site, &visitor, "X-Accel-Buffering"), "no");
    const char *progress = strstr(visitor.in.bytes, "\"progressToken\":0,\"progress\":0");
    const char *log = strstr(visitor.in.bytes, "\"data\":\"look\"");
    const char *result = strstr(visitor.in.bytes, "\"resultType\":\"complete\"");
    assert_true(progress && log && result && progress < log && log < result);
    assert_null(strstr(visitor.in.bytes, "not this"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_says_of_which_version_it_is),
        cmocka_unit_test(discover_says_what_is_served),
        cmocka_unit_test(half_a_request_hears_what_is_missing),
        cmocka_unit_test(the_version_is_decided_for_each_message),
        cmocka_unit_test(what_the_version_does_not_have_is_no_method),
        cmocka_unit_test(an_envelope_that_is_wrong_is_refused),
        cmocka_unit_test(a_subscription_is_acknowledged_and_marked),
        cmocka_unit_test(an_error_that_belongs_to_no_request_has_null_or_no_id),
        cmocka_unit_test(a_task_is_a_result_of_its_own_kind),
        cmocka_unit_test(headers_say_what_the_body_says),
        cmocka_unit_test(an_error_names_what_is_wrong),
        cmocka_unit_test(an_error_of_no_request_has_no_id_here),
        cmocka_unit_test(to_leave_is_to_cancel),
        cmocka_unit_test(progress_and_logs_make_a_stream_of_the_answer),
    };
    client_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
