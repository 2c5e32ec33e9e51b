// SPDX-License-Identifier: Apache-2.0
#include "mcp/follow.h"

#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "clock.h"
#include "mcp/invoke.h"
#include "mcp/service.h"
#include "mcp/stateless.h"
#include "mcp/subscribe.h"

typedef struct {
    char *id;
    char status[16];
} task_t;

struct follow {
    request_t *request;
    task_t tasks[FOLLOWED_MAX];
    size_t count;
    size_t turn;      // index of the one that is looked at, or is next
    int64_t next_ms;  // when
    arena_t *arena;   // of one look
};

static const char *const finals[] = { "completed", "failed", "cancelled" };

follow_t *
follow_new(request_t *request, const json_t *ids, buffer_t *honoured)
{
    follow_t *self = calloc(1, sizeof *self);

    assert(self);
    self->request = request;
    buffer_char(honoured, '[');
    for (const json_t *id = ids->first; id && self->count < FOLLOWED_MAX; id = id->next) {
        if (id->kind != JSON_STRING || !id->length || id->length > FOLLOWED_ID_MAX)
            continue;
        buffer_text(honoured, self->count ? "," : "");
        json_write_string(honoured, id->text, id->length);
        task_t *task = &self->tasks[self->count++];
        *task = (task_t){ .id = strdup(id->text), .status = "working" };
    }
    buffer_char(honoured, ']');
    return self;
}

void
follow_destroy(follow_t **self_p)
{
    follow_t *self = *self_p;

    if (!self)
        return;
    if (self->request->call.serial)
        link_cancel(request_service(self->request)->link, &self->request->call);
    for (size_t i = 0; i < self->count; i++)
        free(self->tasks[i].id);
    arena_destroy(&self->arena);
    free(self);
    *self_p = NULL;
}

void
follow_tick(follow_t *self, int64_t now_ms)
{
    const int64_t share_ms = self->count ? FOLLOW_EVERY_MS / (int64_t) self->count : 0;

    if (!self->count || self->request->call.serial || now_ms < self->next_ms)
        return;
    self->next_ms = now_ms + (share_ms > FOLLOW_LEAST_MS ? share_ms : FOLLOW_LEAST_MS);
    self->turn = (self->turn + 1) % self->count;
    arena_destroy(&self->arena);
    self->arena = arena_new();
    invoke_look_at_task(self->request, self->arena, self->tasks[self->turn].id);
}

// There is nothing more to hear of it.
static void
forget(follow_t *self, size_t index)
{
    free(self->tasks[index].id);
    self->tasks[index] = self->tasks[--self->count];
}

static bool
is_final(const char *status)
{
    for (size_t i = 0; i < ROWS(finals); i++)
        if (!strcmp(status, finals[i]))
            return true;
    return false;
}

static void
tell(const follow_t *self, json_t *task)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    const rpc_message_t *message = self->request->message;
    const char *json = json_text(self->arena, task);

    buffer_printf(&out,
                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks\",\"params\":%.*s,"
                  "\"_meta\":{\"" STATELESS_META "subscriptionId\":%.*s}}}",
                  (int) strlen(json) - 1, json, (int) message->id_size, message->id_text);
    request_notify(self->request, &out);
}

static void
compare(follow_t *self, const char *body, size_t size)
{
    task_t *task = &self->tasks[self->turn];
    json_t *now = json_parse_text(self->arena, arena_strndup(self->arena, body, size));
    const char *status = json_get_text(now, "status");

    if (!status || strlen(status) >= sizeof task->status || !strcmp(status, task->status))
        return;
    strncpy(task->status, status, sizeof task->status - 1);
    bool is_over = is_final(status);
    tell(self, now);
    if (is_over)
        forget(self, self->turn);
}

void
follow_answer(follow_t *self, const answer_msg_t *answer, const char *body, size_t size)
{
    service_t *service = request_service(self->request);

    if (answer->status == OK)
        compare(self, body, size);
    else if (answer->status == NOT_FOUND)
        forget(self, self->turn);
    else if (answer->status == UNAUTHORIZED && service->logs_in)
        access_forget_own(service->access, self->request->call.token);
    else if (answer->status == UNAUTHORIZED)
        subscribe_finish(self->request);
}
