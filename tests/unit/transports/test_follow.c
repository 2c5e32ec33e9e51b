// SPDX-License-Identifier: Apache-2.0
// Subscriptions that follow tasks, over stdio.
#include "client.h"

#include "mcp/follow.h"
#include "mcp/jsonrpc.h"

#define WITH_TASKS                                                                             \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":{"                         \
    "\"io.modelcontextprotocol/tasks\":{}}}}"
#define WITHOUT_TASKS                                                                          \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define LISTEN(wanted, meta)                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"subscriptions/listen\",\"params\":{"      \
    "\"notifications\":" wanted "," meta "}}"

static void
a_task_is_followed_until_it_is_over(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.body = "{\"taskId\":\"t.1\",\"status\":\"working\"}";
    const json_t *first =
        ask(&client,
            LISTEN("{\"toolsListChanged\":true,\"taskIds\":[\"t.1\",7,\"\"]}", WITH_TASKS));
    assert_string_equal(json_get_text(first, "method"),
                        "notifications/subscriptions/acknowledged");
    assert_int_equal(get(first, "params.notifications")->count, 2);
    assert_int_equal(get(first, "params.notifications.taskIds")->count, 1);
    await_calls(&client, 2);  // it is looked at again, as nothing has changed
    assert_string_equal(client.bench.calls[0].call.kind, "task");
    assert_string_equal(client.bench.calls[0].call.name, "t.1");
    assert_string_equal(client.bench.calls[0].body, "{\"op\":\"get\"}");
    forget_lines(&client);
    client.bench.body =
        "{\"taskId\":\"t.1\",\"status\":\"completed\",\"result\":{\"content\":[]}}";
    await_lines(&client, 1);
    const json_t *told = line(&client, 0);
    assert_string_equal(json_get_text(told, "method"), "notifications/tasks");
    assert_string_equal(get(told, "params.taskId")->text, "t.1");
    assert_string_equal(get(told, "params.status")->text, "completed");
    assert_string_equal(
        json_get_text(get(told, "params._meta"), "io.modelcontextprotocol/subscriptionId"),
        "s1");
    size_t looks = client.bench.count;
    follow_tick(client.bench.service->requests->follow, clock_now_ms() + 2 * FOLLOW_EVERY_MS);
    assert_int_equal(client.bench.service->requests->call.serial, 0);  // it is over
    assert_int_equal(client.bench.count, looks);
}

static bool
is_asked(void *arg)
{
    const client_t *client = arg;

    return client->bench.count >= client->wanted;
}

// Several are looked at in turn; one that is not there, or not the caller's, is forgotten.
static void
tasks_are_looked_at_in_turn(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.body = "{\"taskId\":\"t\",\"status\":\"working\"}";
    ask(&client, LISTEN("{\"taskIds\":[\"t.1\",\"t.2\",\"t.3\"]}", WITH_TASKS));
    client.wanted = 3;
    assert_true(bench_run(&client.bench, is_asked, &client));
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(client.bench.calls[i].call.name,
                                    client.bench.calls[j].call.name);
    client.bench.status = NOT_FOUND;
    client.wanted = 7;
    while (client.bench.service->requests->follow && client.bench.count < 6)
        bench_run(&client.bench, is_asked, &client);
    assert_true(client.bench.count >= 6);
}

static void
who_has_no_tasks_follows_none(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    const json_t *answer = ask(&client, LISTEN("{\"taskIds\":[\"t.1\"]}", WITHOUT_TASKS));
    assert_int_equal(json_get_int(json_get(answer, "error"), "code", 0), RPC_CAPABILITY);
    assert_int_equal(client.bench.count, 0);
}

static void
no_more_tasks_are_followed_than_there_may_be(void **state)
{
    AUTO(close_client) client_t client;
    AUTO(buffer_clear) buffer_t text = { 0 };

    open_client(&client, NULL);
    client.bench.holds = true;
    buffer_text(&text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\","
                       "\"params\":{" WITH_TASKS ",\"notifications\":{\"taskIds\":[");
    for (int i = 0; i < FOLLOWED_MAX + 1; i++)
        buffer_printf(&text, "%s\"t.%d\"", i ? "," : "", i);
    buffer_text(&text, "]}}}");
    const json_t *first = ask(&client, text.bytes);
    assert_int_equal(get(first, "params.notifications.taskIds")->count, FOLLOWED_MAX);
}

// What is under way for it is taken back.
static void
whoever_stops_listening_is_not_looked_for(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.holds = true;
    ask(&client, LISTEN("{\"taskIds\":[\"t.1\"]}", WITH_TASKS));
    await_calls(&client, 1);
    say(&client, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                 "\"requestId\":\"s1\"}}\n");
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    assert_int_equal(client.bench.service->open, 0);
    assert_int_equal(link_open_calls(client.bench.service->link), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_is_followed_until_it_is_over),
        cmocka_unit_test(tasks_are_looked_at_in_turn),
        cmocka_unit_test(who_has_no_tasks_follows_none),
        cmocka_unit_test(no_more_tasks_are_followed_than_there_may_be),
        cmocka_unit_test(whoever_stops_listening_is_not_looked_for),
    };
    client_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
