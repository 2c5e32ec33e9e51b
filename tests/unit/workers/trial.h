// SPDX-License-Identifier: Apache-2.0
// A category that exists in tests alone, and what the platform answers to it.

#ifndef PROOFARC_TRIAL_H
#define PROOFARC_TRIAL_H

#include <czmq.h>

#include "auto.h"
#include "call_state.h"
#include "category.h"
#include "fake_platform.h"
#include "talk.h"

static tool_fn write_late, write_after_gate, wait_for_run, answer_quickly;

// clang-format off
static const field_t thing_fields[] = { { "id", NUMBER, "Id." }, { "name", TEXT, "Name." }, { 0 } };

static const tool_t tools[] = {
    {
        .name = "list_things", .title = "List", .about = "Lists.", .effect = READS, .profile = CORE,
        .rest = "GET /api/projects/{project}/things",
        .params = { { "project", PROJECT | MUST, "Where." }, { "name_part", TEXT, "Part." } },
        .result = { { "things", OBJECT | MANY, "All.", .fields = thing_fields },
                    { "project", TEXT, "Where." } },
    },
    {
        .name = "create_thing", .title = "Create", .about = "Creates.", .effect = WRITES, .profile = CORE,
        .rest = "POST /api/things", .touches = "scenario",
        .params = { { "name", TEXT | MUST, "Name." } },
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "lose_thing", .title = "Lose", .about = "Loses.", .effect = WRITES, .profile = CORE,
        .rest = "POST /api/lost",
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "refuse_thing", .title = "Refuse", .about = "Refuses.", .effect = WRITES, .profile = CORE,
        .rest = "POST /api/refused",
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "be_unknown", .title = "Unknown", .about = "Unknown.", .effect = READS, .profile = CORE,
        .rest = "GET /api/unauthorized",
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "read_garbage", .title = "Garbage", .about = "Garbage.", .effect = READS, .profile = CORE,
        .rest = "GET /api/garbage",
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "write_late", .title = "Late", .about = "Late.", .effect = WRITES, .profile = CORE,
        .run = write_late,
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "write_after_gate", .title = "Gate", .about = "Gate.", .effect = WRITES, .profile = CORE,
        .run = write_after_gate,
        .result = { { "id", NUMBER, "Id." } },
    },
    {
        .name = "run_thing", .title = "Run", .about = "Runs.", .effect = EXECUTES, .profile = CORE,
        .run = wait_for_run,
        .params = { { "run", NUMBER | MUST, "Which." }, { "wait", FLAG, "Wait." } },
        .result = { { "status", TEXT, "Status." }, { "timedOut", FLAG, "Whether." } },
    },
    {
        .name = "answer_quickly", .title = "Quick", .about = "Quick.", .effect = READS, .profile = CORE,
        .quick = true, .run = answer_quickly,
        .result = { { "who", TEXT, "Who." } },
    },
    {
        .name = "write_at_gate", .title = "Gate", .about = "Gate.", .effect = WRITES, .profile = CORE,
        .rest = "POST /api/gate",
        .result = { { "id", NUMBER, "Id." } },
    },
    { 0 }
};

static const template_t templates[] = {
    { "proofarc://thing/{thing_id}", "thing", "Thing", "A thing.", "application/json",
      "GET /api/things/{thing_id}" },
    { "trial://item/{item_id}/text", "item", "Item", "An item.", "text/plain", .run = read_item,
      .completes = "project" },
    { 0 }
};

static const route_t routes[] = {
    { "GET /api/info", 200, "{\"remembersKeys\":true}" },
    { "GET /api/projects/3/things", 200,
      "{\"things\":[{\"id\":1,\"name\":\"a\",\"secret\":\"x\",\"note\":null}],\"total\":1}" },
    { "GET /api/projects/999/things", 404,
      "{\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"there is no project with the id 999\"}}" },
    { "GET /api/projects/999", 404, "{\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"no\"}}" },
    { "GET /api/projects/998/things", 404,
      "{\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"the project has no things\"}}" },
    { "GET /api/projects/998", 200, "{\"id\":998}" },
    { "GET /api/projects/997/things", 404,
      "{\"error\":{\"code\":\"PROJECT_NOT_FOUND\",\"message\":\"no project has the id 997\"}}" },
    { "GET /api/projects/996/things", 404,
      "{\"error\":{\"code\":\"THING_NOT_FOUND\",\"message\":\"no thing\"}}" },
    { "GET /api/projects/995/things", 429, "{}", .retry_after = "30" },
    { "GET /api/projects/995/things", 503, "{\"error\":{\"code\":\"BUSY\",\"message\":\"too much\"}}",
      .retry_after = "Fri, 31 Dec 2027 23:59:59 GMT" },
    { "GET /api/projects/995/things", 429, "{}", .retry_after = "soon, <b>very</b> soon" },
    { "GET /api/projects/995/things", 503, "{}" },
    { "POST /api/things", 201, "{\"id\":7,\"name\":\"n\",\"projectIds\":[1],\"password\":\"p\"}" },
    { "GET /api/things/12", 200, "{\"id\":12,\"anything\":null}" },
    { "GET /api/projects", 200,
      "{\"items\":[{\"id\":1,\"name\":\"Payments\"},{\"id\":2,\"name\":\"shop\"},"
      "{\"id\":3,\"name\":\"payroll\"},{\"id\":4,\"name\":\"payroll\"}]}" },
    { "POST /api/lost", 0, "" },
    { "POST /api/refused", 409, "{\"error\":{\"code\":\"DUPLICATE_THING\",\"message\":\"it is there\","
                                "\"errors\":[{\"line\":3}]}}" },
    { "GET /api/unauthorized", 401, "{\"error\":{\"code\":\"UNAUTHORIZED\",\"message\":\"log in\"}}" },
    { "GET /api/garbage", 200, "<html>" },
    { "GET /api/gate", 200, "{}", .at_gate = true },
    { "POST /api/gate", 201, "{\"id\":8}", .at_gate = true },
    { "POST /api/runs/5", 202, "{\"id\":5}" },
    { "GET /api/runs/5", 200, "{\"status\":\"PENDING\",\"totalSteps\":3,\"passedSteps\":0,\"failedSteps\":0}" },
    { "GET /api/runs/5", 503, "{}" },
    { "GET /api/runs/5", 200, "{\"status\":\"RUNNING\",\"totalSteps\":3,\"passedSteps\":1,\"failedSteps\":1}" },
    { "GET /api/runs/5", 200, "{\"status\":\"COMPLETED\",\"totalSteps\":3,\"passedSteps\":2,\"failedSteps\":1}" },
    { "POST /api/runs/6", 202, "{\"id\":6}" },
    { "GET /api/runs/6", 200, "{\"status\":\"PENDING\"}" },
    { "POST /api/runs/9", 202, "{\"id\":9}" },
    { "GET /api/runs/9", 0, "" },
    { "POST /api/runs/8", 202, "{\"id\":8}" },
    { "GET /api/runs/8", 403, "{\"error\":{\"code\":\"DENIED\",\"message\":\"not yours\"}}" },
    { 0 }
};
// clang-format on

static const tool_t *const tables[] = { tools, talk_tools, NULL };
static const category_t category = { "trial", tables, templates, talk_resources, talk_prompts };
static const category_t *const categories[] = { &category, NULL };

static void
write_late(call_t *call)
{
    json_t *answer;

    while (call_left(call))
        zclock_sleep(1);
    if (!platform_send_or_reply(call, &answer, "POST", NULL, "/api/things"))
        reply_json(call, answer);
}

static void
write_after_gate(call_t *call)
{
    json_t *answer;

    if (platform_get_or_reply(call, &answer, "/api/gate"))
        return;
    if (!platform_send_or_reply(call, &answer, "POST", NULL, "/api/things"))
        reply_json(call, answer);
}

static void
run_has_ended(call_t *call, json_t *answer, bool timed_out)
{
    json_set_bool(call_arena(call), answer, "timedOut", timed_out);
    reply_json(call, answer);
}

static void
wait_for_run(call_t *call)
{
    const int64_t run = call_number(call, "run", 0);
    json_t *answer;

    if (platform_send_or_reply(call, &answer, "POST", NULL, "/api/runs/%" PRId64, run))
        return;
    reply_when_done(call, run_has_ended, "/api/runs/%" PRId64, run);
}

static void
answer_quickly(call_t *call)
{
    json_t *result = json_object(call_arena(call));

    json_set_text(call_arena(call), result, "who", call_principal(call));
    reply_json(call, result);
}

#endif
