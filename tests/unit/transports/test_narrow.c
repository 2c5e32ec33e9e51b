// SPDX-License-Identifier: Apache-2.0
// A question that a tool has left, as a form.
#include "client.h"

#define BEGIN(version, capabilities)                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":" \
    "\"" version "\",\"capabilities\":" capabilities "}}"

static const char narrowing[] = "{\"reason\":\"ambiguous\",\"ask_user\":\"Which "
                                "project?\",\"candidates\":[{\"id\":3,\"name\":"
                                "\"Pay\"},{\"id\":4,\"name\":\"Pay\",\"project\":\"Shop\"}]}";

static bool
has_held_call(void *arg)
{
    client_t *client = arg;

    take_output(client);
    return client->bench.count == client->wanted;
}

// The broker answers the next call that comes with one question about the project.
static void
narrow_call(client_t *client, size_t count)
{
    client->wanted = count;
    assert_true(bench_run(&client->bench, has_held_call, client));
    const answer_msg_t answer = {
        .id = client->bench.calls[count - 1].id,
        .status = NARROWED,
        .outcome = DONE,
        .asked = "project",
    };
    bench_send(&client->bench, &answer_wire, &answer, narrowing);
}

static void
begin(client_t *client, const char *hello, bool elicits)
{
    service_options_t options = bench_options;

    options.elicits = elicits;
    open_client(client, &options);
    client->bench.holds = true;
    ask(client, hello);
    forget_lines(client);
    say(client, call_write);
    say(client, "\n");
    narrow_call(client, 1);
    await_lines(client, 1);
}

static void
respond(client_t *client, const char *result)
{
    char *text = zsys_sprintf("{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":%s}\n",
                              json_get_text(line(client, 0), "id"), result);

    forget_lines(client);
    say(client, text);
    freen(text);
}

static void
a_choice_becomes_an_argument(void **state)
{
    AUTO(close_client) client_t client;

    begin(&client, BEGIN("2025-11-25", "{\"elicitation\":{}}"), true);
    const json_t *params = get(line(&client, 0), "params");
    assert_string_equal(json_get_text(params, "message"), "Which project?");
    const json_t *choices = get(params, "requestedSchema.properties.project.oneOf");
    assert_string_equal(json_get_text(choices->first, "const"), "3");
    assert_string_equal(json_get_text(choices->last, "title"), "Pay (Shop)");
    respond(&client, "{\"action\":\"accept\",\"content\":{\"project\":\"4\"}}");
    client.wanted = 2;
    assert_true(bench_run(&client.bench, has_held_call, &client));
    assert_string_equal(client.bench.calls[1].body, "{\"a\":1,\"project\":\"4\"}");
    assert_string_not_equal(client.bench.calls[0].call.key, client.bench.calls[1].call.key);
    bench_answer(&client.bench, &client.bench.calls[1], OK, DONE, NULL);
    await_lines(&client, 1);
    assert_non_null(get(line(&client, 0), "result.structuredContent"));
}

static void
the_choices_of_an_older_version_are_an_enum(void **state)
{
    AUTO(close_client) client_t client;

    begin(&client, BEGIN("2025-06-18", "{\"elicitation\":{}}"), true);
    const json_t *property = get(line(&client, 0), "params.requestedSchema.properties.project");
    assert_int_equal(json_get(property, "enum")->count, 2);
    assert_int_equal(json_get(property, "enumNames")->count, 2);
}

static void
who_declines_gets_the_plain_question(void **state)
{
    static const char *const responses[] = {
        "{\"action\":\"decline\"}",
        "{\"action\":\"cancel\"}",
        "{\"action\":\"accept\",\"content\":{}}",
        "{\"action\":\"accept\",\"content\":{\"project\":4}}",
    };

    for (size_t i = 0; i < ROWS(responses); i++) {
        AUTO(close_client) client_t client;
        begin(&client, BEGIN("2025-11-25", "{\"elicitation\":{}}"), true);
        respond(&client, responses[i]);
        narrow_call(&client, 2);
        await_lines(&client, 1);
        assert_string_equal(get(line(&client, 0), "result.structuredContent.ask_user")->text,
                            "Which project?");
    }
}

static void
nobody_is_asked_who_cannot_be(void **state)
{
    static const struct {
        const char *hello;
        bool elicits;
    } rows[] = {
        { BEGIN("2025-11-25", "{\"elicitation\":{}}"), false },
        { BEGIN("2025-11-25", "{}"), true },
        { BEGIN("2025-11-25", "{\"elicitation\":{\"url\":{}}}"), true },
        { BEGIN("2025-03-26", "{\"elicitation\":{}}"), true },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(close_client) client_t client;
        begin(&client, rows[i].hello, rows[i].elicits);
        assert_null(json_get(line(&client, 0), "method"));
        assert_non_null(get(line(&client, 0), "result.content"));
    }
}

static void
without_initialize_the_answer_holds_the_form(void **state)
{
    static const char meta[] = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                               "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{"
                               "\"elicitation\":{\"form\":{}}}}";
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
        "{\"name\":\"list_things\",\"arguments\":{\"a\":1},%s%s}}\n";
    AUTO(close_client) client_t client;
    service_options_t options = bench_options;

    options.elicits = true;
    open_client(&client, &options);
    client.bench.holds = true;
    char *text = zsys_sprintf(call, meta, "");
    say(&client, text);
    freen(text);
    narrow_call(&client, 1);
    await_lines(&client, 1);
    const json_t *result = get(line(&client, 0), "result");
    assert_string_equal(json_get_text(result, "resultType"), "input_required");
    char *more = zsys_sprintf(",\"requestState\":\"%s\",\"inputResponses\":{\"project\":{"
                              "\"action\":\"accept\",\"content\":{\"project\":\"3\"}}}",
                              json_get_text(result, "requestState"));
    text = zsys_sprintf(call, meta, more);
    say(&client, text);
    client.wanted = 2;
    assert_true(bench_run(&client.bench, has_held_call, &client));
    assert_string_equal(client.bench.calls[1].body, "{\"a\":1,\"project\":\"3\"}");
    assert_string_equal(client.bench.calls[1].call.inputs, "");
    freen(text);
    freen(more);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_becomes_an_argument),
        cmocka_unit_test(the_choices_of_an_older_version_are_an_enum),
        cmocka_unit_test(who_declines_gets_the_plain_question),
        cmocka_unit_test(nobody_is_asked_who_cannot_be),
        cmocka_unit_test(without_initialize_the_answer_holds_the_form),
    };
    client_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
