// SPDX-License-Identifier: Apache-2.0
// A run of a scenario as a task of MCP.
#include <string.h>

#include "act/act.h"
#include "auto.h"

// clang-format off
static const struct {
    const char *run, *task;
} statuses[] = {
    { "PENDING",   "working"   },
    { "RUNNING",   "working"   },
    { "CANCELLED", "cancelled" },
};
// clang-format on

// Whatever came of a run that has ended is its result.
static const char *
status_of(const json_t *execution)
{
    const char *status = json_get_text(execution, "status");

    for (size_t i = 0; status && i < ROWS(statuses); i++)
        if (!strcmp(statuses[i].run, status))
            return statuses[i].task;
    return "completed";
}

static json_t *
task_of_run(call_t *call, const json_t *execution)
{
    const char *created = json_get_text(execution, "createdAt");
    const char *started = json_get_text(execution, "startedAt");
    const char *ended = json_get_text(execution, "endedAt");
    const char *job = json_get_text(execution, "jobId");
    const char *id = arena_printf(call_arena(call), "%" PRId64 ".%s",
                                  json_get_int(execution, "id", 0), job ? job : "");

    return task_of(call, id, status_of(execution), created,
                   ended     ? ended
                   : started ? started
                             : created);
}

void
act_reply_as_task(call_t *call, int64_t execution)
{
    json_t *record;

    if (!platform_get_or_reply(call, &record, "/api/scenarios/executions/%" PRId64, execution))
        reply_new_task(call, task_of_run(call, record));
}

static void
reply_unknown(call_t *call)
{
    failure_t why;

    fail(&why, NOT_FOUND, "there is no task of this id");
    reply_failure(call, &why);
}

// The number in the task's id; NULL, and the call has been answered, if it holds none.
static const char *
number_or_reply(call_t *call)
{
    const char *id = call_task(call);
    const size_t digits = strspn(id, "0123456789");

    if (digits && digits <= 18 && id[digits] == '.')
        return arena_strndup(call_arena(call), id, digits);
    reply_unknown(call);
    return NULL;
}

static void
reply_run(call_t *call, json_t *record)
{
    json_t *task = task_of_run(call, record);

    if (!strcmp(json_get_text(task, "status"), "completed"))
        json_set(call_arena(call), task, "result",
                 task_result(call, act_shown(call_arena(call), record), false));
    reply_task(call, task);
}

void
act_on_task(call_t *call)
{
    const char *op = call_text(call, "op");
    const char *number = number_or_reply(call);
    json_t *record, *answer;

    if (!number || platform_get_or_reply(call, &record, "/api/scenarios/executions/%s", number))
        return;
    const char *job = json_get_text(record, "jobId");
    if (!job || strcmp(job, strchr(call_task(call), '.') + 1)) {
        reply_unknown(call);
        return;
    }
    if (!strcmp(op, "get")) {
        reply_run(call, record);
        return;
    }
    if (!strcmp(op, "cancel")
        && platform_send_or_reply(call, &answer, "POST", NULL,
                                  "/api/scenarios/executions/%s/cancel", number))
        return;
    reply_task(call, NULL);
}
