// SPDX-License-Identifier: Apache-2.0
// A worker runtime for tests of tools: arguments by the row, references as the test settles
// them, and a platform that plays a script. Include in the one source of a test program.

#ifndef PROOFARC_FAKE_CALL_H
#define PROOFARC_FAKE_CALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arguments.h"
#include "call.h"
#include "categories.h"

#include <cmocka.h>
#undef fail  // of cmocka; ours is meant

// One exchange with the platform: "POST /api/x" with its body, and the JSON it answers; NULL
// makes a peek fail and answers the call otherwise.
typedef struct {
    const char *request, *body, *answer;
} exchange_t;

enum { EXCHANGES_MAX = 12 };

struct call {
    arena_t *arena;
    const tool_t *tool;
    json_t *arguments;
    const json_t *resolved;  // {"project": {"id", "name"}}
    const exchange_t *script;
    size_t played;
    buffer_t touched;  // "kind:id " of each
    char *reply;       // canonical JSON, or "status: text"
    size_t replies;
    bool has_tasks;    // the client declared them
    const char *task;  // what stands behind the dot of the task's id
    json_t *blocks;    // URIs of the links that stand beside the reply, or NULL
    finish_fn *finish;
    char *awaited;  // path of reply_when_done
};

static void
match_name(const category_t *category, const tool_t *tool, void *arg)
{
    const tool_t **found_p = arg;

    if (!strcmp(tool->name, (*found_p)->name))
        *found_p = tool;
}

static const tool_t *
find_tool(const char *name)
{
    const tool_t wanted = { .name = name };
    const tool_t *found = &wanted;

    each_tool(match_name, &found);
    return found == &wanted ? NULL : found;
}

static char *
canonical(arena_t *arena, const json_t *value)
{
    buffer_t out = { 0 };

    json_write_canonical(&out, value);
    char *text = arena_strdup(arena, out.bytes);
    buffer_clear(&out);
    return text;
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
    const json_t *spelled = json_get(call->resolved, "tags");

    return spelled ? spelled : call_argument(call, "tags");
}

const char *
call_principal(const call_t *call)
{
    return "proofarc|mary|jane|analyst";
}

const char *
call_profile(const call_t *call)
{
    return "wide";
}

static json_t *
play(call_t *call, const char *method, const json_t *body, const char *path)
{
    const exchange_t *next = &call->script[call->played++];
    char *request = arena_printf(call->arena, "%s %s", method, path);

    assert_string_equal(request, next->request ? next->request : "(the script has ended)");
    assert_true(!body == !next->body);
    if (body)
        assert_string_equal(canonical(call->arena, body),
                            canonical(call->arena, json_parse_text(call->arena, next->body)));
    return next->answer ? json_parse_text(call->arena, next->answer) : NULL;
}

static int
answer_or_refuse(call_t *call, json_t *answer, json_t **answer_p)
{
    failure_t why = { 0 };

    if (answer) {
        *answer_p = answer;
        return 0;
    }
    fail(&why, BACKEND, "the platform refused");
    reply_failure(call, &why);
    return -1;
}

int
platform_get_or_reply(call_t *call, json_t **answer_p, const char *path, ...)
{
    va_list args;

    va_start(args, path);
    json_t *answer = play(call, "GET", NULL, arena_vprintf(call->arena, path, args));
    va_end(args);
    return answer_or_refuse(call, answer, answer_p);
}

int
platform_send_or_reply(call_t *call, json_t **answer_p, const char *method, const json_t *body,
                       const char *path, ...)
{
    va_list args;

    va_start(args, path);
    json_t *answer = play(call, method, body, arena_vprintf(call->arena, path, args));
    va_end(args);
    return answer_or_refuse(call, answer, answer_p);
}

json_t *
platform_peek(call_t *call, const char *path, ...)
{
    va_list args;

    va_start(args, path);
    json_t *answer = play(call, "GET", NULL, arena_vprintf(call->arena, path, args));
    va_end(args);
    return answer;
}

static json_t *declared(arena_t *arena, const json_t *value, const field_t *fields);

static json_t *
declared_value(arena_t *arena, const field_t *field, const json_t *value)
{
    if (field->fields && value->kind == JSON_OBJECT)
        return declared(arena, value, field->fields);
    if ((field->kind & KIND_MASK) == TEXT && value->kind == JSON_NUMBER)
        return json_string(arena, value->text);
    if (!strcmp(field->name, "status") && value->text && !strcmp(value->text, "PENDING"))
        return json_string(arena, "QUEUED");
    return json_copy(arena, value);
}

// As the runtime does: members that the row does not declare, and nulls, are left out; numbers
// become text where text is declared; PENDING is QUEUED.
static json_t *
declared(arena_t *arena, const json_t *value, const field_t *fields)
{
    json_t *kept = json_object(arena);

    for (const field_t *field = fields; field->name; field++) {
        const json_t *member = json_get(value, field->name);
        if (!member || member->kind == JSON_NULL)
            continue;
        if (!(field->kind & MANY) || member->kind != JSON_ARRAY) {
            json_set(arena, kept, field->name, declared_value(arena, field, member));
            continue;
        }
        json_t *list = json_set(arena, kept, field->name, json_array(arena));
        for (const json_t *item = member->first; item; item = item->next)
            json_add(list, declared_value(arena, field, item));
    }
    return kept;
}

void
reply_json(call_t *call, const json_t *result)
{
    call->replies++;
    call->reply = canonical(call->arena, declared(call->arena, result, call->tool->result));
}

void
reply_prompt(call_t *call, const char *text)
{
    call->reply = arena_strdup(call->arena, text);
    call->replies++;
}

bool
call_client_has_tasks(const call_t *call)
{
    return call->has_tasks;
}

const char *
call_task(const call_t *call)
{
    return call->task;
}

json_t *
task_of(call_t *call, const char *id, const char *status, const char *created,
        const char *updated)
{
    json_t *task = json_object(call->arena);

    json_set_text(call->arena, task, "id", id);
    json_set_text(call->arena, task, "status", status);
    json_set_text(call->arena, task, "updated", updated);
    return task;
}

json_t *
task_result(call_t *call, const json_t *value, bool failed)
{
    return json_copy(call->arena, value);
}

void
reply_task(call_t *call, const json_t *task)
{
    call->reply = task ? canonical(call->arena, task) : "acknowledged";
    call->replies++;
}

void
reply_new_task(call_t *call, json_t *task)
{
    reply_task(call, task);
}

void
call_add_block(call_t *call, json_t *block)
{
    if (!call->blocks)
        call->blocks = json_array(call->arena);
    json_add(call->blocks, block);
}

json_t *
block_of_link(call_t *call, const char *uri, const char *name, const char *mime)
{
    return json_string(call->arena, uri);
}

void
reply_failure(call_t *call, const failure_t *why)
{
    call->replies++;
    call->reply = arena_printf(call->arena, "%s: %s", status_name(why->status), why->text);
}

void
reply_when_done(call_t *call, finish_fn *finish, const char *path, ...)
{
    va_list args;

    va_start(args, path);
    call->awaited = arena_vprintf(call->arena, path, args);
    va_end(args);
    call->finish = finish;
}

void
call_touched(call_t *call, const char *kind, const json_t *entity)
{
    buffer_printf(&call->touched, "%s:%lld ", kind, (long long) json_get_int(entity, "id", 0));
}

#endif
