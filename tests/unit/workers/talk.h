// SPDX-License-Identifier: Apache-2.0
// Rows of the trial category that ask the client, say things and answer with blocks.

#ifndef PROOFARC_TALK_H
#define PROOFARC_TALK_H

#include "call.h"
#include "category.h"

static tool_fn ask_name, ask_three, ask_url, count_rounds, say_things, show_blocks, fail_late,
    echo_schema, become_task, look_at_task, greet, read_note, read_bytes, read_item;

// clang-format off
static const tool_t talk_tools[] = {
    {
        .name = "ask_name", .title = "Ask", .about = "Asks.", .effect = READS, .profile = CORE,
        .run = ask_name, .result = { { "name", TEXT, "Name." } },
    },
    {
        .name = "ask_three", .title = "Ask", .about = "Asks.", .effect = READS, .profile = CORE,
        .run = ask_three, .result = { { "done", FLAG, "Done." } },
    },
    {
        .name = "ask_url", .title = "Ask", .about = "Asks.", .effect = READS, .profile = CORE,
        .run = ask_url, .result = { { "done", FLAG, "Done." } },
    },
    {
        .name = "count_rounds", .title = "Count", .about = "Counts.", .effect = READS, .profile = CORE,
        .run = count_rounds, .result = { { "state", TEXT, "State." } },
    },
    {
        .name = "say_things", .title = "Say", .about = "Says.", .effect = READS, .profile = CORE,
        .run = say_things, .result = { { "done", FLAG, "Done." } },
    },
    {
        .name = "show_blocks", .title = "Show", .about = "Shows.", .effect = READS, .profile = CORE,
        .plain = true, .run = show_blocks,
    },
    {
        .name = "fail_late", .title = "Fail", .about = "Fails.", .effect = READS, .profile = CORE,
        .plain = true, .run = fail_late,
    },
    {
        .name = "echo_schema", .title = "Echo", .about = "Echoes.", .effect = READS, .profile = CORE,
        .run = echo_schema, .result = { { "a", ANY, "A." } },
        .input_schema = "{\"$schema\":\"x\",\"type\":\"object\",\"if\":{\"required\":[\"a\"]}}",
    },
    {
        .name = "become_task", .title = "Task", .about = "Is a task.", .effect = READS, .profile = CORE,
        .run = become_task, .task = look_at_task, .result = { { "done", FLAG, "Done." } },
    },
    { 0 }
};

static const resource_t talk_resources[] = {
    { "trial://note", "note", "Note", "A note.", "text/plain", read_note },
    { "trial://bytes", "bytes", "Bytes", "Some bytes.", "image/png", read_bytes },
    { 0 }
};

static const prompt_t talk_prompts[] = {
    {
        .name = "greet", .title = "Greet", .about = "Greets.", .run = greet,
        .arguments = { { "who", "Whom.", true, "project" }, { "how", "How." } },
    },
    { 0 }
};
// clang-format on

static json_t *
said(call_t *call, const char *member, const json_t *response)
{
    json_t *result = json_object(call_arena(call));

    json_set_text(call_arena(call), result, member,
                  json_get_text(json_get(response, "content"), member));
    return result;
}

static void
ask_name(call_t *call)
{
    const json_t *params = json_parse_text(call_arena(call), "{\"message\":\"Who?\"}");
    const json_t *response = call_ask(call, "user_name", "elicitation/create", params);

    if (response)
        reply_json(call, said(call, "name", response));
}

static void
reply_done(call_t *call)
{
    json_t *result = json_object(call_arena(call));

    json_set_bool(call_arena(call), result, "done", true);
    reply_json(call, result);
}

static void
ask_three(call_t *call)
{
    const json_t *form = call_ask(call, "form", "elicitation/create", NULL);
    const json_t *text = call_ask(call, "text", "sampling/createMessage", NULL);
    const json_t *roots = call_ask(call, "roots", "roots/list", NULL);

    if (form && text && roots)
        reply_done(call);
}

static void
ask_url(call_t *call)
{
    const json_t *params = json_parse_text(call_arena(call), "{\"mode\":\"url\"}");

    if (call_ask(call, "url", "elicitation/create", params))
        reply_done(call);
}

static void
count_rounds(call_t *call)
{
    const char *state = call_state(call);
    json_t *result = json_object(call_arena(call));

    if (!state || strlen(state) < 2) {
        call_set_state(call, state ? "II" : "I");
        return;
    }
    json_set_text(call_arena(call), result, "state", state);
    reply_json(call, result);
}

static void
say_things(call_t *call)
{
    call_log(call, "info", "one");
    call_progress(call, 1, 2, "half");
    call_log(call, "error", "two");
    call_changed(call, "resource", "trial://note");
    reply_done(call);
}

static void
show_blocks(call_t *call)
{
    call_add_block(call, block_of_text(call, "a"));
    call_add_block(call, block_of_link(call, "trial://note", "note", "text/plain"));
    reply_blocks(call);
}

static void
fail_late(call_t *call)
{
    failure_t why;

    call_add_block(call, block_of_text(call, "a"));
    fail(&why, BAD_REQUEST, "it came back changed");
    reply_failure(call, &why);
}

static void
echo_schema(call_t *call)
{
    json_t *result = json_object(call_arena(call));
    const json_t *a = call_argument(call, "a");

    if (a)
        json_set(call_arena(call), result, "a", json_copy(call_arena(call), a));
    reply_json(call, result);
}

static json_t *
one_task(call_t *call, const char *status)
{
    return task_of(call, "7f", status, "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z");
}

static void
become_task(call_t *call)
{
    if (call_client_has_tasks(call))
        reply_new_task(call, one_task(call, "working"));
    else
        reply_needs_tasks(call);
}

static void
look_at_task(call_t *call)
{
    failure_t why;

    if (strcmp(call_task(call), "7f")) {
        fail(&why, NOT_FOUND, "there is no such task");
        reply_failure(call, &why);
        return;
    }
    if (strcmp(call_text(call, "op"), "get")) {
        reply_task(call, NULL);
        return;
    }
    json_t *task = one_task(call, "completed");
    json_t *value = json_parse_text(call_arena(call), "{\"done\":true,\"secret\":1}");
    json_set(call_arena(call), task, "result", task_result(call, value, false));
    reply_task(call, task);
}

static void
greet(call_t *call)
{
    reply_prompt(call, arena_printf(call_arena(call), "Hello %s", call_text(call, "who")));
}

static void
read_note(call_t *call)
{
    reply_text(call, "a note");
}

static void
read_bytes(call_t *call)
{
    reply_base64(call, "AAEC");
}

static void
read_item(call_t *call)
{
    reply_text(call, call_text(call, "item_id"));
}

#endif
