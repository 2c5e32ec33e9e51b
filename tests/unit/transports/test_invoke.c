// SPDX-License-Identifier: Apache-2.0
// Calls, from the client to the broker and back.
#include "client.h"

static void
arguments_go_on_as_the_bytes_that_came(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"list_things\",\"arguments\":{ \"b\" : 1.50e1 ,\"a\":\"\\u00e4\" }}}");
    assert_string_equal(client.bench.calls[0].body, "{ \"b\" : 1.50e1 ,\"a\":\"\\u00e4\" }");
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"list_things\"}}");
    assert_string_equal(client.bench.calls[1].body, "{}");
    const call_msg_t *call = &client.bench.calls[0].call;
    assert_string_equal(call->token, "our-own-token");
    assert_int_equal(strlen(call->session), 32);
    assert_string_equal(call->profile, "full");
    assert_true(call->left_ms > 4000 && call->left_ms <= 5000);
}

static void
a_result_has_the_form_of_the_version(void **state)
{
    static const struct {
        const char *version;
        bool structure;
    } versions[] = {
        { "2024-11-05", false },
        { "2025-03-26", false },
        { "2025-06-18", true },
        { "2025-11-25", true },
    };

    for (size_t i = 0; i < ROWS(versions); i++) {
        AUTO(close_client) client_t client;
        open_client(&client, NULL);
        client.bench.body = "{\"say\":\"\\\"hi\\\"\\n\"}";
        initialize(&client, versions[i].version);
        const json_t *result = get(ask(&client, call_read), "result");
        assert_string_equal(json_get_text(get(result, "content")->first, "text"),
                            client.bench.body);
        assert_int_equal(json_get(result, "structuredContent") != NULL, versions[i].structure);
        assert_null(json_get(result, "isError"));
    }
}

static void
what_is_wrong_with_a_call_is_said(void **state)
{
    static const struct {
        const char *params;
        int code;
    } wrong[] = {
        { "{}", RPC_PARAMS },
        { "{\"name\":5}", RPC_PARAMS },
        { "{\"name\":\"no_such_tool\"}", RPC_PARAMS },
        { "{\"name\":\"list_things\",\"arguments\":[]}", RPC_PARAMS },
        { "{\"name\":\"list_things\",\"arguments\":\"{}\"}", RPC_PARAMS },
    };
    AUTO(close_client) client_t client;
    char text[256];

    open_client(&client, NULL);
    for (size_t i = 0; i < ROWS(wrong); i++) {
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                 "\"params\":%s}",
                 wrong[i].params);
        assert_int_equal(json_get_int(get(ask(&client, text), "error"), "code", 0),
                         wrong[i].code);
    }
    assert_int_equal(client.bench.count, 0);
}

static void
a_failure_of_a_tool_is_a_result(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.status = NOT_FOUND;
    client.bench.outcome = FAILED;
    client.bench.body = "{\"error\":{\"code\":\"not_found\"}}";
    const json_t *result = get(ask(&client, call_read), "result");
    assert_true(json_get_bool(result, "isError", false));
    assert_non_null(get(result, "structuredContent.error"));
    client.bench.status = BUSY;
    client.bench.outcome = NOT_SENT;
    client.bench.body = "";
    result = get(ask(&client, call_read), "result");
    assert_string_equal(json_get_text(get(result, "structuredContent.error"), "outcome"),
                        "not_sent");
    client.bench.status = NO_TOOL;
    assert_int_equal(json_get_int(get(ask(&client, call_read), "error"), "code", 0),
                     RPC_PARAMS);
    client.bench.status = NARROWED;
    client.bench.outcome = DONE;
    client.bench.body = "{\"ask_user\":\"Which?\"}";
    assert_null(get(ask(&client, call_read), "result.isError"));
}

static void
a_resource_is_read_or_is_not_there(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.body = "{\"id\":7}";
    const json_t *result =
        get(ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
                         "\"params\":{\"uri\":\"proofarc://thing/7\"}}"),
            "result.contents");
    assert_string_equal(json_get_text(result->first, "text"), "{\"id\":7}");
    assert_string_equal(json_get_text(result->first, "mimeType"), "application/json");
    assert_string_equal(client.bench.calls[0].call.kind, "resource");
    client.bench.status = NOT_FOUND;
    client.bench.outcome = FAILED;
    static const char *const missing[] = { "proofarc://thing/8", "proofarc://thing/",
                                           "file:///etc" };
    for (size_t i = 0; i < ROWS(missing); i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
                 "\"params\":{\"uri\":\"%s\"}}",
                 missing[i]);
        const json_t *error = get(ask(&client, text), "error");
        assert_int_equal(json_get_int(error, "code", 0), RPC_NOT_FOUND);
        assert_string_equal(get(error, "data.uri")->text, missing[i]);
    }
    assert_int_equal(client.bench.count, 2);
    assert_int_equal(json_get_int(get(ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                                                   "\"resources/read\",\"params\":{}}"),
                                      "error"),
                                  "code", 0),
                     RPC_PARAMS);
}

static void
answers_find_their_requests_in_any_order(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.holds = true;
    say(&client, call_read);
    say(&client, "\n");
    say(&client, call_write);
    say(&client, "\n");
    await_calls(&client, 2);
    bench_answer(&client.bench, &client.bench.calls[1], OK, DONE, "{\"n\":2}");
    bench_answer(&client.bench, &client.bench.calls[1], OK, DONE, "{\"n\":22}");
    bench_answer(&client.bench, &client.bench.calls[0], OK, DONE, "{\"n\":1}");
    await_lines(&client, 2);
    assert_int_equal(json_get_int(get(line(&client, 0), "result.structuredContent"), "n", 0),
                     2);
    assert_int_equal(json_get_int(line(&client, 0), "id", 0), 2);
    assert_int_equal(json_get_int(get(line(&client, 1), "result.structuredContent"), "n", 0),
                     1);
}

// ---- cancel and progress

static void
a_cancelled_call_is_never_answered(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.holds = true;
    assert_true(bench_wait_up(&client.bench));
    say(&client, call_read);
    say(&client, "\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                 "cancelled\",\"params\":{\"requestId\":1}}\n");
    await_calls(&client, 1);
    while (!client.bench.cancels)
        ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}");
    assert_string_equal(client.bench.cancelled, client.bench.calls[0].id);
    bench_answer(&client.bench, &client.bench.calls[0], OK, DONE, NULL);
    const json_t *pong = ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"ping\"}");
    assert_int_equal(json_get_int(pong, "id", 0), 10);
    assert_int_equal(client.bench.service->open, 0);
    assert_int_equal(client.bench.service->cancelled, 1);
}

static void
cancelling_what_is_not_open_does_nothing(void **state)
{
    static const char *const cancels[] = {
        "{\"requestId\":1}", "{\"requestId\":\"2\"}", "{\"requestId\":null}", "{}", "[]",
        "{\"requestId\":0}", "{\"requestId\":{}}",
    };
    AUTO(close_client) client_t client;
    char text[200];

    open_client(&client, NULL);
    initialize(&client, "2025-11-25");
    client.bench.holds = true;
    say(&client, call_write);
    say(&client, "\n");
    await_calls(&client, 1);
    for (size_t i = 0; i < ROWS(cancels); i++) {
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                 "\"params\":%s}\n",
                 cancels[i]);
        say(&client, text);
    }
    forget_lines(&client);
    bench_answer(&client.bench, &client.bench.calls[0], OK, DONE, NULL);
    await_lines(&client, 1);
    assert_int_equal(client.bench.cancels, 0);
    assert_int_equal(client.bench.service->cancelled, 0);
}

static void
progress_is_told_only_to_who_asked(void **state)
{
    static const char *const tokens[] = { "0", "\"0\"", "7", "\"a\\\"b\"" };

    for (size_t i = 0; i < ROWS(tokens); i++) {
        AUTO(close_client) client_t client;
        char text[300];
        open_client(&client, NULL);
        client.bench.holds = true;
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
                 "\"name\":\"list_things\",\"_meta\":{\"progressToken\":%s}}}\n",
                 tokens[i]);
        say(&client, text);
        await_calls(&client, 1);
        const progress_msg_t progress = {
            .id = client.bench.calls[0].id, .done = 3, .total = 9, .text = "three"
        };
        assert_int_equal(client.bench.calls[0].call.progress, 1);
        bench_send(&client.bench, &progress_wire, &progress, NULL);
        bench_send(&client.bench, &progress_wire, &progress, NULL);  // does not grow
        bench_answer(&client.bench, &client.bench.calls[0], OK, DONE, NULL);
        bench_send(&client.bench, &progress_wire, &progress, NULL);  // comes too late
        await_lines(&client, 2);
        ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}");
        assert_int_equal(lines_read(&client), 1);
    }
}

static void
progress_carries_the_token_as_it_came(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.holds = true;
    say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
                 "\"name\":\"list_things\",\"_meta\":{\"progressToken\":\"0\"}}}\n");
    await_calls(&client, 1);
    const progress_msg_t progress = {
        .id = client.bench.calls[0].id, .done = 3, .total = 9, .text = "three"
    };
    bench_send(&client.bench, &progress_wire, &progress, NULL);
    await_lines(&client, 1);
    assert_string_equal(
        client.read.bytes,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
        "\"progressToken\":\"0\",\"progress\":3,\"total\":9,\"message\":\"three\"}}\n");
}

static void
without_a_token_there_is_no_progress(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.holds = true;
    say(&client, call_read);
    say(&client, "\n");
    await_calls(&client, 1);
    const progress_msg_t progress = { .id = client.bench.calls[0].id, .done = 3 };
    assert_int_equal(client.bench.calls[0].call.progress, 0);
    bench_send(&client.bench, &progress_wire, &progress, NULL);
    bench_answer(&client.bench, &client.bench.calls[0], OK, DONE, NULL);
    await_lines(&client, 1);
    assert_int_equal(json_get_int(line(&client, 0), "id", 0), 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_go_on_as_the_bytes_that_came),
        cmocka_unit_test(a_result_has_the_form_of_the_version),
        cmocka_unit_test(what_is_wrong_with_a_call_is_said),
        cmocka_unit_test(a_failure_of_a_tool_is_a_result),
        cmocka_unit_test(a_resource_is_read_or_is_not_there),
        cmocka_unit_test(answers_find_their_requests_in_any_order),
        cmocka_unit_test(a_cancelled_call_is_never_answered),
        cmocka_unit_test(cancelling_what_is_not_open_does_nothing),
        cmocka_unit_test(progress_is_told_only_to_who_asked),
        cmocka_unit_test(progress_carries_the_token_as_it_came),
        cmocka_unit_test(without_a_token_there_is_no_progress),
    };
    client_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
