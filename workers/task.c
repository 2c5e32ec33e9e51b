// SPDX-License-Identifier: Apache-2.0
// Tasks: a call that answers at once with an id, and what is done with that id later. The task
// itself lives wherever the row keeps it, never here.
#include <string.h>

#include "auto.h"
#include "call_state.h"
#include "limits.h"
#include "reply.h"

#define EXTENSION "io.modelcontextprotocol/tasks"

// How often a client need look, and how long it is told that a task is kept.
enum { LOOK_MS = 1000, KEPT_MS = 60 * 60 * 1000 };

bool
call_client_has_tasks(const call_t *call)
{
    const json_t *declared = json_parse_text(call->arena, call->message.capabilities);

    return json_get(json_get(declared, "extensions"), EXTENSION);
}

void
reply_needs_tasks(call_t *call)
{
    reply_finish(call, MISSING_CAPABILITY, FAILED,
                 "{\"requiredCapabilities\":{\"extensions\":{\"" EXTENSION "\":{}}}}");
}

const char *
call_task(const call_t *call)
{
    const char *dot = call->is_of_task ? strchr(call->message.name, '.') : NULL;

    return dot ? dot + 1 : "";
}

json_t *
task_of(call_t *call, const char *id, const char *status, const char *created,
        const char *updated)
{
    json_t *task = json_object(call->arena);

    json_set_text(call->arena, task, "taskId",
                  arena_printf(call->arena, "%s.%s", call->tool->name, id));
    json_set_text(call->arena, task, "status", status);
    json_set_text(call->arena, task, "createdAt", created);
    json_set_text(call->arena, task, "lastUpdatedAt", updated);
    json_set_int(call->arena, task, "ttlMs", KEPT_MS);
    json_set_int(call->arena, task, "pollIntervalMs", LOOK_MS);
    return task;
}

json_t *
task_result(call_t *call, const json_t *value, bool failed)
{
    json_t *result = json_object(call->arena);
    json_t *blocks = json_set(call->arena, result, "content", json_array(call->arena));
    json_t *picked = NULL;

    if (!call->tool->plain)
        picked = reply_pick(call->arena, call->tool->result, value);
    json_add(blocks,
             block_of_text(call, picked ? json_text(call->arena, picked) : value->text));
    if (picked)
        json_set(call->arena, result, "structuredContent", picked);
    if (failed)
        json_set_bool(call->arena, result, "isError", true);
    return result;
}

void
reply_new_task(call_t *call, json_t *task)
{
    json_t *body = json_object(call->arena);

    json_set(call->arena, body, "task", task);
    call->mime = "task";
    reply_finish(call, OK, DONE, json_text(call->arena, body));
}

void
reply_task(call_t *call, const json_t *task)
{
    failure_t why;
    const char *json = task ? json_text(call->arena, task) : "{}";

    if (strlen(json) <= RESULT_MAX - ANSWER_FRAME) {
        reply_finish(call, OK, DONE, json);
        return;
    }
    fail(&why, TOO_LARGE, "the task's result is over %d KiB", RESULT_MAX / KIB);
    reply_failure(call, &why);
}
