// SPDX-License-Identifier: Apache-2.0
#include "call_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "ask.h"
#include "clock.h"
#include "complete.h"
#include "limits.h"
#include "platform.h"
#include "reply.h"
#include "uri_template.h"

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

call_t *
call_new(arenas_t *arenas, call_msg_t *message, const void *body, size_t size)
{
    call_t *self = calloc(1, sizeof *self);

    assert(self);
    self->message = *message;
    *message = (call_msg_t){ 0 };
    self->arenas = arenas;
    self->arena = arenas_take(arenas);
    self->body = arena_strndup(self->arena, size ? body : "", size);
    self->body_size = size;
    self->began_ms = clock_now_ms();
    self->deadline_ms = self->began_ms + self->message.left_ms - MARGIN_MS;
    self->asked = self->mime = self->content = "";
    return self;
}

void
call_destroy(call_t **self_p)
{
    call_t *self = *self_p;

    if (!self)
        return;
    call_msg_clear(&self->message);
    arenas_give(self->arenas, &self->arena);
    free(self->waited);
    free(self);
    *self_p = NULL;
}

int64_t
call_left(const call_t *self)
{
    const int64_t left_ms = self->deadline_ms - clock_now_ms();

    return left_ms > 0 ? left_ms : 0;
}

static bool
has_wait(const tool_t *tool)
{
    for (const field_t *param = tool->params; param->name; param++)
        if (!strcmp(param->name, "wait"))
            return true;
    return false;
}

int64_t
call_budget(const tool_t *tool)
{
    if (tool->budget_ms)
        return tool->budget_ms;
    if (has_wait(tool))
        return WAIT_CALL_MS;
    return tool->effect == EXECUTES ? QUEUE_CALL_MS : CALL_MS;
}

// What queues has the time to wait only if it was told to.
static void
limit_time(call_t *self)
{
    int64_t budget_ms = call_budget(self->tool);

    if (!self->tool->budget_ms && has_wait(self->tool) && !call_flag(self, "wait"))
        budget_ms = self->tool->effect == EXECUTES ? QUEUE_CALL_MS : CALL_MS;
    self->deadline_ms = least(self->deadline_ms, self->began_ms + budget_ms - MARGIN_MS);
}

static status_t
read_body(call_t *self, json_t **root_p, failure_t *why)
{
    json_document_t document = { 0 };

    *root_p = NULL;
    if (self->body_size && json_parse(self->arena, self->body, self->body_size, &document, why))
        return why->status;
    if (document.duplicate)
        return fail(why, BAD_ARGS, "the arguments have two members of the same name");
    if (document.nul)
        return fail(why, BAD_ARGS, "the arguments hold U+0000, which no text may");
    *root_p = document.root;
    return OK;
}

static status_t
read_arguments(call_t *self, failure_t *why)
{
    json_t *given;

    if (read_body(self, &given, why))
        return why->status;
    if (!self->tool->input_schema)
        return arguments_check(self->arena, self->tool, given, &self->arguments, why);
    self->arguments = given;
    return OK;
}

static void
run_rest(call_t *self)
{
    rest_request_t request;
    failure_t why;
    json_t *answer;

    if (rest_map(self->arena, self->tool, self->arguments, self->resolved, &request, &why)) {
        reply_failure(self, &why);
        return;
    }
    if (platform_request_or_reply(self, &request, &answer))
        return;
    if (self->tool->touches)
        call_touched(self, self->tool->touches, answer);
    reply_json(self, answer);
}

static void
run_template(call_t *self)
{
    const char *value =
        uri_template_value(self->arena, self->template->uri, self->message.name);
    rest_request_t request;
    failure_t why;
    json_t *answer;

    assert(value);  // that is how it was found
    if (self->template->run) {
        self->arguments = json_object(self->arena);
        json_set_text(self->arena, self->arguments,
                      uri_template_variable(self->arena, self->template->uri), value);
        self->template->run(self);
        return;
    }
    if (rest_map_template(self->arena, self->template, value, &request, &why))
        reply_failure(self, &why);
    else if (!platform_request_or_reply(self, &request, &answer))
        reply_resource(self, answer, self->template->mime);
}

static status_t
read_prompt_arguments(call_t *self, failure_t *why)
{
    json_t *given;

    if (read_body(self, &given, why))
        return why->status;
    for (const argument_t *row = self->prompt->arguments; row->name; row++) {
        const json_t *value = json_get(given, row->name);
        if (row->must && !value)
            return fail(why, BAD_ARGS, "%s is missing: %s", row->name, row->about);
        if (value && value->kind != JSON_STRING)
            return fail(why, BAD_ARGS, "%s: expected text", row->name);
    }
    self->arguments = given;
    return OK;
}

static void
run_prompt(call_t *self)
{
    failure_t why;

    if (read_prompt_arguments(self, &why))
        reply_failure(self, &why);
    else
        self->prompt->run(self);
}

// Which kind of name the argument takes; NULL for none that is known.
static status_t
find_argument(const call_t *self, const char *name, const char **completes_p, failure_t *why)
{
    *completes_p = NULL;
    if (self->template) {
        if (!strcmp(uri_template_variable(self->arena, self->template->uri), name))
            *completes_p = self->template->completes;
        return OK;
    }
    for (const argument_t *row = self->prompt->arguments; row->name; row++)
        if (!strcmp(row->name, name)) {
            *completes_p = row->completes;
            return OK;
        }
    return fail(why, BAD_ARGS, "%s has no argument %.60s", self->prompt->name, name);
}

static void
run_completion(call_t *self)
{
    const char *completes;
    json_t *given;
    failure_t why;

    if (read_body(self, &given, &why)) {
        reply_failure(self, &why);
        return;
    }
    const char *name = json_get_text(json_get(given, "argument"), "name");
    const char *value = json_get_text(json_get(given, "argument"), "value");
    if (!name || !value)
        fail(&why, BAD_ARGS, "argument needs a name and a value, both text");
    else if (!find_argument(self, name, &completes, &why)) {
        complete_reply(self, completes, value);
        return;
    }
    reply_failure(self, &why);
}

static void
run_task(call_t *self)
{
    failure_t why;

    if (read_body(self, &self->arguments, &why))
        reply_failure(self, &why);
    else
        self->tool->task(self);
}

static void
run_tool(call_t *self)
{
    failure_t why;

    if (read_arguments(self, &why)) {
        reply_failure(self, &why);
        return;
    }
    limit_time(self);
    if (refs_settle_or_reply(self))
        return;
    if (self->tool->rest)
        run_rest(self);
    else
        self->tool->run(self);
}

// The run was started, so that no answer about it is no reason to start it again.
static void
finish_wait(call_t *self)
{
    json_t *answer = self->waited ? json_parse_text(self->arena, self->waited) : NULL;
    failure_t why;

    if (self->waited_code / 100 == 2 && answer && answer->kind == JSON_OBJECT) {
        if (!self->timed_out)
            self->writes_done = 0;  // the run has ended and says itself what became of it
        self->finish(self, answer, self->timed_out);
    } else if (self->waited_code) {
        platform_reply_refusal(self, self->wait_path, false, self->waited_code, self->waited,
                               NULL);
    } else {
        fail(&why, BACKEND,
             "it was started, but the platform did not answer while waiting; "
             "look it up at %s",
             self->wait_path);
        reply_failure(self, &why);
    }
}

void
call_work(call_t *self, desk_t *desk)
{
    self->desk = desk;
    if (self->finish)
        finish_wait(self);
    else if (self->is_of_task)
        run_task(self);
    else if (self->is_completion)
        run_completion(self);
    else if (self->prompt)
        run_prompt(self);
    else if (self->template)
        run_template(self);
    else if (self->resource)
        self->resource->run(self);
    else
        run_tool(self);
    if (!self->is_answered && !self->wait_path)
        ask_reply(self);
    self->desk = NULL;
    assert(self->is_answered || self->wait_path);
}

arena_t *
call_arena(const call_t *call)
{
    return call->arena;
}

const json_t *
call_argument(const call_t *call, const char *name)
{
    return json_get(call->arguments, name);
}

const char *
call_text(const call_t *call, const char *name)
{
    return json_get_text(call->arguments, name);
}

int64_t
call_number(const call_t *call, const char *name, int64_t fallback)
{
    return json_get_int(call->arguments, name, fallback);
}

bool
call_flag(const call_t *call, const char *name)
{
    return json_get_bool(call->arguments, name, false);
}

int64_t
call_id(const call_t *call, const char *name)
{
    return json_get_int(json_get(call->resolved, name), "id", 0);
}

const char *
call_name(const call_t *call, const char *name)
{
    return json_get_text(json_get(call->resolved, name), "name");
}

const json_t *
call_tags(const call_t *call)
{
    return call->tags ? call->tags : call_argument(call, "tags");
}

const char *
call_principal(const call_t *call)
{
    return call->message.principal;
}

const char *
call_profile(const call_t *call)
{
    return call->message.profile;
}

void
reply_when_done(call_t *call, finish_fn *finish, const char *path, ...)
{
    va_list args;

    assert(!call->finish && !call->is_answered);
    va_start(args, path);
    call->wait_path = arena_vprintf(call->arena, path, args);
    va_end(args);
    call->finish = finish;
}

// A dry run returns no entity: there is nothing to patch then.
void
call_touched(call_t *call, const char *kind, const json_t *entity)
{
    static const field_t patched[] = {
        { "id", NUMBER },
        { "name", TEXT },
        { "projectIds", NUMBER | MANY },
        { "tags", TEXT | MANY },
        { "historyTags", TEXT | MANY },
        { "environmentId", NUMBER },
        { 0 },
    };

    if (json_get(entity, "id"))
        refs_forget(call, kind, reply_pick(call->arena, patched, entity));
}
