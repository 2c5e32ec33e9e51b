// SPDX-License-Identifier: Apache-2.0
// What a tool asks of the client: as an answer, or by requests of ours.
#include "client.h"

static const char question[] =
    "{\"inputRequests\":{\"who\":{\"method\":\"elicitation/create\",\"params\":{\"message\":"
    "\"Who?\"}}},\"state\":\"half way\"}";

static char *
retry(const char *call, const char *state, const char *responses)
{
    return zsys_sprintf("%.*s,\"inputResponses\":%s,\"requestState\":\"%s\"}}",
                        (int) strlen(call) - 2, call, responses, state);
}

static void
a_question_is_an_answer_and_the_call_comes_again(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.status = INPUT_REQUIRED;
    client.bench.body = question;
    const json_t *result = get(ask(&client, write_call), "result");
    assert_string_equal(json_get_text(result, "resultType"), "input_required");
    assert_string_equal(get(result, "inputRequests.who.method")->text, "elicitation/create");
    const char *sealed = json_get_text(result, "requestState");
    assert_null(strstr(sealed, "half"));
    client.bench.status = OK;
    client.bench.body = NULL;
    char *text = retry(write_call, sealed, "{\"who\":{\"action\":\"accept\"},\"x\":{}}");
    assert_string_equal(get(ask(&client, text), "result.resultType")->text, "complete");
    freen(text);
    const bench_call_t *first = &client.bench.calls[0], *second = &client.bench.calls[1];
    assert_string_equal(first->call.inputs, "");
    assert_string_equal(second->call.inputs,
                        "{\"responses\":{\"who\":{\"action\":\"accept\"},\"x\":{}},"
                        "\"state\":\"half way\"}");
    assert_string_equal(first->call.key, second->call.key);
}

static void
a_state_is_good_for_its_own_call_alone(void **state)
{
    static const char other_arguments[] =
        REQUEST("tools/call", "\"name\":\"make_thing\",\"arguments\":{\"a\":2}," META(""));
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.status = INPUT_REQUIRED;
    client.bench.body = question;
    char *sealed =
        strdup(json_get_text(get(ask(&client, write_call), "result"), "requestState"));
    char *tampered = zsys_sprintf("%s-TAMPERED", sealed);
    char *texts[] = {
        retry(write_call, tampered, "{}"),    retry(write_call, "x", "{}"),
        retry(other_arguments, sealed, "{}"), retry(read_call, sealed, "{}"),
        retry(write_call, sealed, "[]"),      retry(write_call, sealed, "{\"who\":null}"),
    };
    for (size_t i = 0; i < ROWS(texts); i++) {
        assert_int_equal(json_get_int(get(ask(&client, texts[i]), "error"), "code", 0),
                         RPC_PARAMS);
        freen(texts[i]);
    }
    assert_int_equal(client.bench.count, 1);
    free(sealed);
    freen(tampered);
}

static void
a_client_that_cannot_be_asked_is_told_so(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.status = INPUT_REQUIRED;
    client.bench.body = "{\"inputRequests\":{\"m\":{\"method\":\"sampling/createMessage\","
                        "\"params\":{}}}}";
    const json_t *error = get(ask(&client, read_call), "error");
    assert_int_equal(json_get_int(error, "code", 0), RPC_CAPABILITY);
    assert_non_null(get(error, "data.requiredCapabilities.sampling"));
    client.bench.body = "{\"inputRequests\":{\"m\":{\"method\":\"sampling/createMessage\","
                        "\"params\":{}},\"e\":{\"method\":\"elicitation/create\"}}}";
    assert_int_equal(get(ask(&client, read_call), "result.inputRequests")->count, 1);
    client.bench.status = MISSING_CAPABILITY;
    client.bench.body =
        "{\n\"requiredCapabilities\":{\"roots\":{}}\n}";  // one line all the same
    error = get(ask(&client, read_call), "error");
    assert_int_equal(json_get_int(error, "code", 0), RPC_CAPABILITY);
    assert_non_null(get(error, "data.requiredCapabilities.roots"));
}

// clang-format off
static const struct { const char *capability, *params; bool is_asked; } modes[] = {
    { "{}",                       "{}",                   true },
    { "{\"form\":{}}",            "{}",                   true },
    { "{\"form\":{},\"url\":{}}", "{\"mode\":\"form\"}", true },
    { "{\"url\":{}}",             "{\"mode\":\"url\"}",  true },
    { "{\"url\":{}}",             "{}",                   false },
    { "{}",                       "{\"mode\":\"url\"}",  false },
    { "{\"form\":{}}",            "{\"mode\":\"url\"}",  false },
};
// clang-format on

static void
a_client_is_asked_in_the_modes_it_has(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    for (size_t i = 0; i < ROWS(modes); i++) {
        char call[512], asked[256];
        snprintf(call, sizeof call,
                 REQUEST("tools/call",
                         "\"name\":\"list_things\",\"_meta\":{\"io.modelcontextprotocol/"
                         "protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
                         "clientCapabilities\":{\"elicitation\":%s}}"),
                 modes[i].capability);
        snprintf(
            asked, sizeof asked,
            "{\"inputRequests\":{\"q\":{\"method\":\"elicitation/create\",\"params\":%s}}}",
            modes[i].params);
        client.bench.status = INPUT_REQUIRED;
        client.bench.body = asked;
        const json_t *answer = ask(&client, call);
        print_message("  %s: %s\n", modes[i].capability, modes[i].params);
        assert_int_equal(get(answer, modes[i].is_asked ? "result" : "error") != NULL, true);
    }
}

static void
an_older_client_is_asked_by_a_request(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                 "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"elicitation\":{}}}}");
    client.bench.status = INPUT_REQUIRED;
    client.bench.body = question;
    const json_t *request = ask(&client, call_write);
    assert_string_equal(json_get_text(request, "method"), "elicitation/create");
    assert_string_equal(get(request, "params.message")->text, "Who?");
    client.bench.status = OK;
    client.bench.body = NULL;
    char *text = zsys_sprintf("{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":{\"action\":"
                              "\"decline\"}}",
                              json_get_text(request, "id"));
    assert_non_null(get(ask(&client, text), "result.structuredContent"));
    say(&client, text);  // once more means nothing
    freen(text);
    assert_string_equal(client.bench.calls[1].call.inputs,
                        "{\"responses\":{\"who\":{\"action\":\"decline\"}},"
                        "\"state\":\"half way\"}");
    assert_string_equal(client.bench.calls[0].call.key, client.bench.calls[1].call.key);
}

static void
who_says_nothing_more_is_not_asked(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                 "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"elicitation\":{}}}}");
    client.bench.holds = true;
    client.bench.body = question;
    forget_lines(&client);
    say(&client, call_write);
    say(&client, "\n");
    say(&client, call_read);
    say(&client, "\n");
    await_calls(&client, 2);
    bench_answer(&client.bench, &client.bench.calls[0], INPUT_REQUIRED, DONE, question);
    await_lines(&client, 1);  // the question
    close_fd(&client.to);
    await_lines(&client, 2);  // the end of the one that waits
    assert_string_equal(get(line(&client, 1), "result.structuredContent.error.outcome")->text,
                        "cancelled");
    bench_answer(&client.bench, &client.bench.calls[1], INPUT_REQUIRED, DONE, question);
    await_lines(&client, 3);
    assert_true(bench_run(&client.bench, is_over, &client));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_is_an_answer_and_the_call_comes_again),
        cmocka_unit_test(a_state_is_good_for_its_own_call_alone),
        cmocka_unit_test(a_client_that_cannot_be_asked_is_told_so),
        cmocka_unit_test(a_client_is_asked_in_the_modes_it_has),
        cmocka_unit_test(an_older_client_is_asked_by_a_request),
        cmocka_unit_test(who_says_nothing_more_is_not_asked),
    };
    client_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
