// SPDX-License-Identifier: Apache-2.0
// What a tool says and asks beside its answer, and what is offered beside tools.
#include "world.h"

// clang-format off
static const struct {
    const char *name, *capabilities, *inputs;
    status_t status;
    const char *body;
} rounds[] = {
    { "ask_name", "{\"elicitation\":{}}", "", INPUT_REQUIRED,
      "{\"inputRequests\":{\"user_name\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who?\"}}}}" },
    { "ask_name", "{\"elicitation\":{\"form\":{}}}", "{\"responses\":{\"other\":{}}}", INPUT_REQUIRED, NULL },
    { "ask_name", "{\"elicitation\":{}}", "{\"responses\":{\"user_name\":null}}", INPUT_REQUIRED, NULL },
    { "ask_name", "{\"elicitation\":{}}", "{\"responses\":{\"user_name\":\"ada\"}}", INPUT_REQUIRED, NULL },
    { "ask_name", "{\"elicitation\":{}}", "no JSON", INPUT_REQUIRED, NULL },
    { "ask_name", "{\"elicitation\":{}}", "{\"responses\":{\"user_name\":{\"content\":{\"name\":\"ada\"}}}}", OK,
      "{\"name\":\"ada\"}" },
    { "ask_name", "{}", "", MISSING_CAPABILITY, "{\"requiredCapabilities\":{\"elicitation\":{}}}" },
    { "ask_name", "", "", MISSING_CAPABILITY, "{\"requiredCapabilities\":{\"elicitation\":{}}}" },
    { "ask_name", "{\"elicitation\":{\"url\":{}}}", "", MISSING_CAPABILITY, NULL },
    { "ask_url", "{\"elicitation\":{}}", "", MISSING_CAPABILITY, NULL },
    { "ask_url", "{\"elicitation\":{\"url\":{}}}", "", INPUT_REQUIRED, NULL },
    { "ask_three", "{\"elicitation\":{},\"roots\":{},\"sampling\":{}}", "", INPUT_REQUIRED,
      "{\"inputRequests\":{\"form\":{\"method\":\"elicitation/create\",\"params\":{}},"
      "\"text\":{\"method\":\"sampling/createMessage\",\"params\":{}},"
      "\"roots\":{\"method\":\"roots/list\",\"params\":{}}}}" },
    { "ask_three", "{\"elicitation\":{},\"roots\":{},\"sampling\":{}}",
      "{\"responses\":{\"form\":{},\"roots\":{}}}", INPUT_REQUIRED,
      "{\"inputRequests\":{\"text\":{\"method\":\"sampling/createMessage\",\"params\":{}}}}" },
    { "ask_three", "{\"elicitation\":{}}", "", MISSING_CAPABILITY,
      "{\"requiredCapabilities\":{\"sampling\":{},\"roots\":{}}}" },
    { "ask_three", "{\"elicitation\":{},\"roots\":{},\"sampling\":{}}",
      "{\"responses\":{\"form\":{},\"roots\":{},\"text\":{}}}", OK, "{\"done\":true}" },
    { "count_rounds", "", "", INPUT_REQUIRED, "{\"state\":\"I\"}" },
    { "count_rounds", "", "{\"state\":\"I\"}", INPUT_REQUIRED, "{\"state\":\"II\"}" },
    { "count_rounds", "", "{\"state\":\"II\"}", OK, "{\"state\":\"II\"}" },
};
// clang-format on

static void
what_a_tool_asks_of_the_client_is_its_answer(void **state)
{
    for (size_t i = 0; i < ROWS(rounds); i++) {
        print_message("  %s %s %s\n", rounds[i].name, rounds[i].capabilities, rounds[i].inputs);
        call_with((call_msg_t){ .name = rounds[i].name,
                                .capabilities = rounds[i].capabilities,
                                .inputs = rounds[i].inputs },
                  "{}");
        answer_t answer = await_answer();
        assert_int_equal(answer.status, rounds[i].status);
        assert_int_equal(answer.outcome, status_outcome(rounds[i].status));
        if (rounds[i].body)
            assert_string_equal(answer.body, rounds[i].body);
    }
}

static void
what_is_said_comes_before_the_answer_and_as_it_is_wanted(void **state)
{
    static const struct {
        const char *level;
        int64_t progress;
        const char *heard;
    } rows[] = {
        { "", 0, "resource trial://note\n" },
        { "no level", 0, "resource trial://note\n" },
        { "debug", 1, "info one\n1/2 half\nerror two\nresource trial://note\n" },
        { "info", 0, "info one\nerror two\nresource trial://note\n" },
        { "notice", 1, "1/2 half\nerror two\nresource trial://note\n" },
        { "critical", 0, "resource trial://note\n" },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        buffer_clear(&world.progress);
        call_with((call_msg_t){ .name = "say_things",
                                .log_level = rows[i].level,
                                .progress = rows[i].progress },
                  "{}");
        assert_int_equal(await_answer().status, OK);
        assert_string_equal(world.progress.bytes, rows[i].heard);
    }
}

static void
blocks_stand_beside_the_body(void **state)
{
    call_tool("show_blocks", "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, OK);
    assert_string_equal(answer.body, "");
    assert_string_equal(
        answer.content,
        "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"resource_link\",\"uri\":"
        "\"trial://note\",\"name\":\"note\",\"mimeType\":\"text/plain\"}]");
    call_tool("fail_late", "{}");
    answer = await_answer();
    assert_int_equal(answer.status, BAD_REQUEST);
    assert_string_equal(answer.content, "");
}

static void
arguments_of_a_row_with_a_schema_arrive_as_they_are(void **state)
{
    call_tool("echo_schema", "{\"a\":\"null\",\"b\":[1]}");
    assert_string_equal(await_answer().body, "{\"a\":\"null\"}");
    call_tool("echo_schema", "");
    assert_string_equal(await_answer().body, "{}");
}

// clang-format off
static const struct {
    const char *kind, *name, *arguments;
    status_t status;
    const char *body, *mime;
    bool is_base64;
} others[] = {
    { "prompt", "greet", "{\"who\":\"ada\"}", OK,
      "{\"description\":\"Greets.\",\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Hello ada\"}}]}", "", false },
    { "prompt", "greet", "{}", BAD_ARGS, NULL, "", false },
    { "prompt", "greet", "", BAD_ARGS, NULL, "", false },
    { "prompt", "greet", "{\"who\":1}", BAD_ARGS, NULL, "", false },
    { "prompt", "greet", "{\"who\":\"ada\",\"how\":[]}", BAD_ARGS, NULL, "", false },
    { "prompt", "greet", "{\"who\"", BAD_ARGS, NULL, "", false },
    { "prompt", "nobody", "{}", NO_TOOL, NULL, "", false },
    { "prompt", "ask_name", "{}", NO_TOOL, NULL, "", false },
    { "resource", "trial://note", "", OK, "a note", "text/plain", false },
    { "resource", "trial://bytes", "", OK, "AAEC", "image/png", true },
    { "resource", "trial://item/7/text", "", OK, "7", "text/plain", false },
    { "resource", "trial://item//text", "", NOT_FOUND, NULL, "", false },
    { "complete", "greet", "{\"argument\":{\"name\":\"who\",\"value\":\"pay\"}}", OK,
      "{\"values\":[\"Payments\",\"payroll\"],\"total\":2,\"hasMore\":false}", "", false },
    { "complete", "greet", "{\"argument\":{\"name\":\"who\",\"value\":\"x\"}}", OK,
      "{\"values\":[],\"total\":0,\"hasMore\":false}", "", false },
    { "complete", "greet", "{\"argument\":{\"name\":\"how\",\"value\":\"\"}}", OK,
      "{\"values\":[],\"total\":0,\"hasMore\":false}", "", false },
    { "complete", "greet", "{\"argument\":{\"name\":\"why\",\"value\":\"\"}}", BAD_ARGS, NULL, "", false },
    { "complete", "greet", "{\"argument\":{\"name\":\"who\"}}", BAD_ARGS, NULL, "", false },
    { "complete", "greet", "", BAD_ARGS, NULL, "", false },
    { "complete", "trial://item/{item_id}/text", "{\"argument\":{\"name\":\"item_id\",\"value\":\"sh\"}}", OK,
      "{\"values\":[\"shop\"],\"total\":1,\"hasMore\":false}", "", false },
    { "complete", "trial://note", "{\"argument\":{\"name\":\"a\",\"value\":\"\"}}", NOT_FOUND, NULL, "", false },
};
// clang-format on

static void
prompts_resources_and_completions_are_answered(void **state)
{
    for (size_t i = 0; i < ROWS(others); i++) {
        print_message("  %s %s %s\n", others[i].kind, others[i].name, others[i].arguments);
        call_with((call_msg_t){ .kind = others[i].kind, .name = others[i].name },
                  others[i].arguments);
        answer_t answer = await_answer();
        assert_int_equal(answer.status, others[i].status);
        assert_string_equal(answer.mime, others[i].mime);
        assert_int_equal(answer.is_base64, others[i].is_base64);
        if (others[i].body)
            assert_string_equal(answer.body, others[i].body);
    }
}

#define TASKS "{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}"
#define STAMPS                                                                                 \
    "\"createdAt\":\"2026-01-01T00:00:00Z\",\"lastUpdatedAt\":\"2026-01-01T00:00:01Z\","       \
    "\"ttlMs\":3600000,\"pollIntervalMs\":1000"

// clang-format off
static const struct {
    const char *kind, *name, *capabilities, *arguments;
    status_t status;
    const char *body, *mime;
} tasks[] = {
    { "tool", "become_task", "{}", "{}", MISSING_CAPABILITY,
      "{\"requiredCapabilities\":" TASKS "}", "" },
    { "tool", "become_task", TASKS, "{}", OK,
      "{\"task\":{\"taskId\":\"become_task.7f\",\"status\":\"working\"," STAMPS "}}", "task" },
    { "task", "become_task.7f", TASKS, "{\"op\":\"get\"}", OK,
      "{\"taskId\":\"become_task.7f\",\"status\":\"completed\"," STAMPS ",\"result\":{\"content\":[{\"type\":"
      "\"text\",\"text\":\"{\\\"done\\\":true}\"}],\"structuredContent\":{\"done\":true}}}", "" },
    { "task", "become_task.7f", TASKS, "{\"op\":\"cancel\"}", OK, "{}", "" },
    { "task", "become_task.8", TASKS, "{\"op\":\"get\"}", NOT_FOUND, NULL, "" },
    { "task", "become_task", TASKS, "{\"op\":\"get\"}", NOT_FOUND, NULL, "" },
    { "task", "ask_name.7f", TASKS, "{\"op\":\"get\"}", NOT_FOUND, NULL, "" },
    { "task", "nobody.7f", TASKS, "{\"op\":\"get\"}", NOT_FOUND, NULL, "" },
    { "task", "", TASKS, "{\"op\":\"get\"}", NOT_FOUND, NULL, "" },
    { "task", "become_task.7f", TASKS, "{\"op\"", BAD_ARGS, NULL, "" },
};
// clang-format on

static void
a_call_may_become_a_task_that_is_asked_for_later(void **state)
{
    for (size_t i = 0; i < ROWS(tasks); i++) {
        print_message("  %s %s %s\n", tasks[i].kind, tasks[i].name, tasks[i].arguments);
        call_with((call_msg_t){ .kind = tasks[i].kind,
                                .name = tasks[i].name,
                                .capabilities = tasks[i].capabilities },
                  tasks[i].arguments);
        answer_t answer = await_answer();
        assert_int_equal(answer.status, tasks[i].status);
        assert_string_equal(answer.mime, tasks[i].mime);
        if (tasks[i].body)
            assert_string_equal(answer.body, tasks[i].body);
    }
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_a_tool_asks_of_the_client_is_its_answer),
        TEST(what_is_said_comes_before_the_answer_and_as_it_is_wanted),
        TEST(blocks_stand_beside_the_body),
        TEST(arguments_of_a_row_with_a_schema_arrive_as_they_are),
        TEST(a_call_may_become_a_task_that_is_asked_for_later),
        TEST(prompts_resources_and_completions_are_answered),
    };
    zsys_init();
    zsys_handler_set(NULL);
    return cmocka_run_group_tests(tests, start_world, stop_world);
}
