// SPDX-License-Identifier: Apache-2.0
// What a client is told when things go wrong, and how writes are kept from happening twice.
#include "client.h"

static const char brief_read[] = "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\","
                                 "\"params\":{\"name\":\"brief_read\"}}";
static const char brief_write[] =
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\","
    "\"params\":{\"name\":\"brief_write\",\"arguments\":{\"b\":2,\"a\":1}}}";
static const char cancel_write[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
    "\"params\":{\"requestId\":2}}\n";

static const char *
outcome_of(const json_t *answer)
{
    assert_true(json_get_bool(get(answer, "result"), "isError", false));
    return json_get_text(get(answer, "result.structuredContent.error"), "outcome");
}

static const char *
key_of(const client_t *client, size_t n)
{
    return client->bench.calls[n].call.key;
}

// Calls without an answer, one after the other.
static void
call_and_hold(client_t *client, const char *text)
{
    size_t before = client->bench.count;

    client->bench.holds = true;
    say(client, text);
    say(client, "\n");
    await_calls(client, before + 1);
}

static void
a_read_is_sent_again_when_its_broker_is_lost(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    call_and_hold(&client, call_read);
    client.bench.holds = false;
    bench_restart(&client.bench);
    await_lines(&client, 1);
    assert_int_equal(client.bench.count, 2);
    assert_string_not_equal(client.bench.calls[0].id, client.bench.calls[1].id);
    assert_string_equal(client.bench.calls[0].body, client.bench.calls[1].body);
    assert_non_null(get(line(&client, 0), "result.structuredContent.arguments"));
}

static void
a_read_is_sent_twice_at_most(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    call_and_hold(&client, call_read);
    bench_restart(&client.bench);
    await_calls(&client, 2);
    bench_restart(&client.bench);
    await_lines(&client, 1);
    assert_int_equal(client.bench.count, 2);
    assert_true(json_get_bool(get(line(&client, 0), "result"), "isError", false));
}

static void
a_write_whose_broker_is_lost_may_have_happened(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    call_and_hold(&client, call_write);
    bench_restart(&client.bench);
    await_lines(&client, 1);
    assert_string_equal(outcome_of(line(&client, 0)), "unknown");
    assert_int_equal(client.bench.count, 1);
}

static void
a_call_that_the_new_broker_refuses_goes_out_again(void **state)
{
    AUTO(close_client) client_t client;
    const hello_msg_t who_are_you = { 0 };

    open_client(&client, NULL);
    call_and_hold(&client, call_write);
    // The call came before our introduction: it is refused, and that goes before the beat.
    bench_send(&client.bench, &hello_wire, &who_are_you, NULL);
    endpoint_random_name(client.bench.instance);
    bench_answer(&client.bench, &client.bench.calls[0], BUSY, NOT_SENT, "");
    await_calls(&client, 2);
    assert_string_equal(client.bench.calls[1].call.name, client.bench.calls[0].call.name);
    bench_answer(&client.bench, &client.bench.calls[1], BUSY, NOT_SENT, "");  // once alone
    await_lines(&client, 1);
    assert_string_equal(outcome_of(line(&client, 0)), "not_sent");
}

static void
a_call_is_answered_when_its_time_is_up(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    call_and_hold(&client, brief_read);
    int64_t begin_ms = clock_now_ms();
    await_lines(&client, 1);
    assert_true(clock_now_ms() - begin_ms >= 400);
    assert_string_equal(outcome_of(line(&client, 0)), "failed");
    forget_lines(&client);
    call_and_hold(&client, brief_write);
    await_lines(&client, 1);
    assert_string_equal(outcome_of(line(&client, 0)), "unknown");
    assert_int_equal(client.bench.service->ended[TIMEOUT], 2);
}

static void
without_a_broker_a_call_is_refused_at_once(void **state)
{
    AUTO(close_client) client_t client;
    const bye_msg_t bye = { 0 };

    open_client(&client, NULL);
    ask(&client, call_read);
    client.bench.is_mute = true;
    bench_send(&client.bench, &bye_wire, &bye, NULL);
    while (link_is_up(client.bench.service->link))
        ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}");
    int64_t begin_ms = clock_now_ms();
    assert_string_equal(outcome_of(ask(&client, call_read)), "not_sent");
    assert_true(clock_now_ms() - begin_ms < 500);
}

// ---- keys

static void
every_write_has_a_key_of_its_own(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    ask(&client, call_write);
    ask(&client, call_write);
    assert_string_equal(key_of(&client, 0), client.bench.calls[0].id);
    assert_string_not_equal(key_of(&client, 0), key_of(&client, 1));
    assert_int_equal(client.bench.calls[0].call.key_given, 0);
}

static void
the_key_of_the_client_is_used(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"make_thing\",\"arguments\":{\"idempotency_key\":\"order-7\"}}}");
    assert_string_equal(key_of(&client, 0), "order-7");
    assert_int_equal(client.bench.calls[0].call.key_given, 1);
}

static void
a_key_that_is_none_is_left_to_the_tool(void **state)
{
    static const char *const keys[] = { "\"\"", "\"a b\"", "\"\\u00e4\"",
                                        "7",    "null",    "\"a\\u0000\"" };
    AUTO(close_client) client_t client;
    char text[256];

    open_client(&client, NULL);
    for (size_t i = 0; i < ROWS(keys); i++) {
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
                 "\"name\":\"make_thing\",\"arguments\":{\"idempotency_key\":%s}}}",
                 keys[i]);
        ask(&client, text);
        assert_string_equal(key_of(&client, i), client.bench.calls[i].id);
        assert_int_equal(client.bench.calls[i].call.key_given, 0);
    }
}

static void
an_equal_write_after_an_unknown_outcome_has_the_same_key(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    call_and_hold(&client, brief_write);
    await_lines(&client, 1);  // its time is up
    client.bench.holds = false;
    // Equal arguments, spelled in another way.
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"brief_write\",\"arguments\":{\"a\":1.0, \"b\":2}}}");
    assert_string_equal(key_of(&client, 1), key_of(&client, 0));
    assert_int_equal(client.bench.calls[1].call.key_given, 0);
    // Now its outcome is known: the next one is another write.
    ask(&client, brief_write);
    assert_string_equal(key_of(&client, 2), client.bench.calls[2].id);
}

static void
a_different_write_has_another_key(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    call_and_hold(&client, brief_write);
    await_lines(&client, 1);
    client.bench.holds = false;
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"brief_write\",\"arguments\":{\"a\":1,\"b\":3}}}");
    assert_string_not_equal(key_of(&client, 1), key_of(&client, 0));
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"make_thing\",\"arguments\":{\"a\":1,\"b\":2}}}");
    assert_string_not_equal(key_of(&client, 2), key_of(&client, 0));
}

static void
a_write_that_was_cancelled_may_have_happened(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    call_and_hold(&client, call_write);
    say(&client, cancel_write);
    while (!client.bench.cancels)
        ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}");
    client.bench.holds = false;
    ask(&client, call_write);
    assert_string_equal(key_of(&client, 1), key_of(&client, 0));
}

static void
our_own_token_is_not_asked_for_twice(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.status = UNAUTHORIZED;
    client.bench.outcome = FAILED;
    client.bench.body = "{\"error\":{\"message\":\"no\"}}";
    const json_t *answer = ask(&client, call_read);
    assert_true(json_get_bool(get(answer, "result"), "isError", false));
    assert_int_equal(client.bench.count, 1);  // PROOFARC_TOKEN is all there is
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_is_sent_again_when_its_broker_is_lost),
        cmocka_unit_test(a_read_is_sent_twice_at_most),
        cmocka_unit_test(a_write_whose_broker_is_lost_may_have_happened),
        cmocka_unit_test(a_call_that_the_new_broker_refuses_goes_out_again),
        cmocka_unit_test(a_call_is_answered_when_its_time_is_up),
        cmocka_unit_test(without_a_broker_a_call_is_refused_at_once),
        cmocka_unit_test(every_write_has_a_key_of_its_own),
        cmocka_unit_test(the_key_of_the_client_is_used),
        cmocka_unit_test(a_key_that_is_none_is_left_to_the_tool),
        cmocka_unit_test(an_equal_write_after_an_unknown_outcome_has_the_same_key),
        cmocka_unit_test(a_different_write_has_another_key),
        cmocka_unit_test(a_write_that_was_cancelled_may_have_happened),
        cmocka_unit_test(our_own_token_is_not_asked_for_twice),
    };
    client_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
