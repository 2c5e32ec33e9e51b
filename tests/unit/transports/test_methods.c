// SPDX-License-Identifier: Apache-2.0
// The life cycle and the lists.
#include "client.h"

// ---- life cycle

// clang-format off
static const struct { const char *params, *version; } initializes[] = {
    { ",\"params\":{\"protocolVersion\":\"2024-11-05\"}", "2024-11-05" },
    { ",\"params\":{\"protocolVersion\":\"2025-03-26\"}", "2025-03-26" },
    { ",\"params\":{\"protocolVersion\":\"2025-06-18\"}", "2025-06-18" },
    { ",\"params\":{\"protocolVersion\":\"2025-11-25\"}", "2025-11-25" },
    { ",\"params\":{\"protocolVersion\":\"2026-07-28\"}", "2025-11-25" },
    { ",\"params\":{\"protocolVersion\":\"1999-01-01\"}", "2025-11-25" },
    { ",\"params\":{\"protocolVersion\":\"\"}",           "2025-11-25" },
    { ",\"params\":{\"protocolVersion\":123}",            "2025-11-25" },
    { ",\"params\":{}",                                   "2025-11-25" },
    { ",\"params\":null",                                 "2025-11-25" },
    { "",                                                 "2025-11-25" },
    { ",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"new\":{\"x\":[]}},\"more\":1}", "2025-06-18" },
};
// clang-format on

static void
initialize_agrees_on_a_version_whatever_is_asked(void **state)
{
    for (size_t i = 0; i < ROWS(initializes); i++) {
        AUTO(close_client) client_t client;
        char *text = zsys_sprintf("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"%s}",
                                  initializes[i].params);
        open_client(&client, NULL);
        const json_t *result = get(ask(&client, text), "result");
        assert_string_equal(json_get_text(result, "protocolVersion"), initializes[i].version);
        assert_string_equal(json_get_text(json_get(result, "serverInfo"), "name"),
                            "proofarc-mcp");
        bool completes = strcmp(initializes[i].version, "2024-11-05") != 0;
        assert_int_equal(json_get(result, "capabilities")->count, completes ? 5 : 4);
        freen(text);
    }
}

static void
nothing_waits_for_a_broker_that_is_not_needed(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.is_mute = true;
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    assert_string_equal(client.read.bytes, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    initialize(&client, "2025-11-25");
    initialize(&client, "2025-06-18");
    assert_false(link_is_up(client.bench.service->link));
}

static void
a_request_in_front_of_initialized_is_served(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    const json_t *answer = ask(&client, call_read);
    assert_non_null(get(answer, "result.structuredContent"));
}

// ---- lists

static void
lists_show_what_a_version_knows(void **state)
{
    static const struct {
        const char *version;
        bool annotations, structure;
    } versions[] = {
        { "2024-11-05", false, false },
        { "2025-03-26", true, false },
        { "2025-06-18", true, true },
        { "2025-11-25", true, true },
    };

    for (size_t i = 0; i < ROWS(versions); i++) {
        AUTO(close_client) client_t client;
        open_client(&client, NULL);
        initialize(&client, versions[i].version);
        const json_t *tools =
            get(ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"),
                "result.tools");
        const json_t *tool = tools->first;
        assert_int_equal(tools->count, 4);
        assert_string_equal(json_get_text(tool, "name"), "list_things");
        assert_non_null(json_get(tool, "inputSchema"));
        assert_int_equal(json_get(tool, "annotations") != NULL, versions[i].annotations);
        assert_int_equal(json_get(tool, "outputSchema") != NULL, versions[i].structure);
        assert_int_equal(json_get(tool, "title") != NULL, versions[i].structure);
    }
}

static void
two_servers_list_the_same_bytes(void **state)
{
    AUTO(close_client) client_t a, b;
    static const char text[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";

    open_client(&a, NULL);
    open_client(&b, NULL);
    ask(&a, text);
    ask(&b, text);
    assert_string_equal(a.read.bytes, b.read.bytes);
    ask(&b, text);
    assert_string_equal(a.read.bytes, b.read.bytes);
}

static void
other_lists_answer_and_take_no_cursor(void **state)
{
    static const struct {
        const char *method, *member;
        size_t count;
    } lists[] = {
        { "resources/list", "result.resources", 0 },
        { "resources/templates/list", "result.resourceTemplates", 1 },
        { "prompts/list", "result.prompts", 0 },
        { "tools/list", "result.tools", 4 },
    };
    static const char *const cursors[] = { "\"\"", "\"bogus\"", "7", "{}" };
    AUTO(close_client) client_t client;
    char text[256];

    open_client(&client, NULL);
    for (size_t i = 0; i < ROWS(lists); i++) {
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{"
                 "\"cursor\":null}}",
                 lists[i].method);
        assert_int_equal(get(ask(&client, text), lists[i].member)->count, lists[i].count);
        for (size_t j = 0; j < ROWS(cursors); j++) {
            snprintf(text, sizeof text,
                     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\","
                     "\"params\":{\"cursor\":%s}}",
                     lists[i].method, cursors[j]);
            assert_int_equal(json_get_int(get(ask(&client, text), "error"), "code", 0),
                             RPC_PARAMS);
        }
    }
}

static void
the_profile_limits_what_is_listed_and_called(void **state)
{
    AUTO(close_client) client_t client;
    service_options_t options = bench_options;

    options.profile = "core";
    open_client(&client, &options);
    const json_t *tools =
        get(ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"),
            "result.tools");
    assert_int_equal(tools->count, 1 + 3);  // search_tools and its kind are not counted
    assert_int_equal(json_get_int(get(ask(&client, call_write), "error"), "code", 0),
                     RPC_PARAMS);
}

// clang-format off
static const struct { const char *tool, *arguments, *told; } searches[] = {
    { "search_tools", "{\"query\":\"make\"}",       "{\"tools\":[{\"name\":\"make_thing\",\"category\":\"act\",\"description\":\"Makes.\"}],\"total\":1}" },
    { "search_tools", "{\"query\":\"LISTS thing\"}", "{\"tools\":[{\"name\":\"list_things\",\"category\":\"explore\",\"description\":\"Lists.\"}],\"total\":1}" },
    { "search_tools", "{\"query\":\"make lists\"}", "{\"tools\":[],\"total\":0}" },
    // what every entry has tells nothing
    { "search_tools", "{\"query\":\"object\"}",     "{\"tools\":[],\"total\":0}" },
    { "search_tools", "{}",                           "query has to be words" },
    { "make_thing",   "{}", "There is no tool \"make_thing\" in this list; search_tools finds the others, and call_tool calls them." },
    { "call_tool",    "{\"name\":\"nothing\"}",     "There is no tool \"nothing\"; search_tools finds those that there are." },
};
// clang-format on

static void
who_sees_a_part_is_led_to_the_rest(void **state)
{
    AUTO(close_client) client_t client;
    service_options_t options = bench_options;

    options.profile = "core";
    open_client(&client, &options);
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    for (size_t i = 0; i < ROWS(searches); i++) {
        char *text = zsys_sprintf("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                                  "\"params\":{\"name\":\"%s\",\"arguments\":%s}}",
                                  searches[i].tool, searches[i].arguments);
        const json_t *answer = ask(&client, text);
        const json_t *content = json_get(json_get(answer, "result"), "content");
        const char *told = content ? json_get_text(content->first, "text")
                                   : json_get_text(json_get(answer, "error"), "message");
        print_message("  %s: %s\n", text, told);
        assert_non_null(strstr(told, searches[i].told));
        freen(text);
    }
}

// The page behind the cursor (NULL: the first one).
static const json_t *
page(client_t *client, const char *method, const char *cursor)
{
    char *text = zsys_sprintf(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s%s%s}}", method,
        cursor ? "\"cursor\":\"" : "", cursor ? cursor : "", cursor ? "\"" : "");
    const json_t *answer = ask(client, text);

    freen(text);
    return answer;
}

static void
a_cursor_leads_through_one_list_in_one_state(void **state)
{
    AUTO(close_client) client_t client;
    service_options_t options = bench_options;
    const char *cursor = NULL, *first = NULL;

    options.page_max = 1;
    open_client(&client, &options);
    for (size_t i = 0; i < 4; i++) {
        const json_t *result = get(page(&client, "tools/list", cursor), "result");
        assert_int_equal(json_get(result, "tools")->count, 1);
        cursor = json_get_text(result, "nextCursor");
        first = first ? first : cursor;
        assert_int_equal(cursor != NULL, i < 3);
    }
    assert_int_equal(
        json_get_int(get(page(&client, "resources/list", first), "error"), "code", 0),
        RPC_PARAMS);
    assert_non_null(get(page(&client, "tools/list", first), "result"));
    bench_offer(&client.bench, 3, true);
    const json_t *answer;
    do
        answer = page(&client, "tools/list", first);
    while (json_get(answer, "result"));  // until the catalogue is there
    assert_int_equal(json_get_int(json_get(answer, "error"), "code", 0), RPC_PARAMS);
}

static void
a_list_waits_for_every_category(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.is_mute = true;
    say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
    while (!client.bench.hellos)
        ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
    bench_beat(&client.bench);
    bench_offer(&client.bench, 1, false);
    ask(&client, call_read);  // is known already, and does not wait for the others
    bench_offer(&client.bench, 4, true);
    await_lines(&client, 2);
    assert_int_equal(get(line(&client, 1), "result.tools")->count, 4);
}

static void
a_client_hears_that_its_list_is_old(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    initialize(&client, "2025-11-25");
    ask(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    forget_lines(&client);
    bench_offer(&client.bench, ROWS(bench_entries), true);  // the same as before
    bench_offer(&client.bench, 2, true);
    await_lines(&client, 2);
    assert_string_equal(json_get_text(line(&client, 0), "method"),
                        "notifications/tools/list_changed");
    assert_string_equal(json_get_text(line(&client, 1), "method"),
                        "notifications/resources/list_changed");
    assert_int_equal(lines_read(&client), 2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initialize_agrees_on_a_version_whatever_is_asked),
        cmocka_unit_test(nothing_waits_for_a_broker_that_is_not_needed),
        cmocka_unit_test(a_request_in_front_of_initialized_is_served),
        cmocka_unit_test(lists_show_what_a_version_knows),
        cmocka_unit_test(two_servers_list_the_same_bytes),
        cmocka_unit_test(other_lists_answer_and_take_no_cursor),
        cmocka_unit_test(the_profile_limits_what_is_listed_and_called),
        cmocka_unit_test(who_sees_a_part_is_led_to_the_rest),
        cmocka_unit_test(a_cursor_leads_through_one_list_in_one_state),
        cmocka_unit_test(a_list_waits_for_every_category),
        cmocka_unit_test(a_client_hears_that_its_list_is_old),
    };
    client_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
