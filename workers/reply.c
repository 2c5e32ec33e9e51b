// SPDX-License-Identifier: Apache-2.0
#include "reply.h"

#include <assert.h>
#include <string.h>

#include "auto.h"
#include "call_state.h"
#include "fit.h"
#include "limits.h"

static const size_t most = RESULT_MAX - ANSWER_FRAME;

static void
finish(call_t *call, status_t status, outcome_t outcome, const char *json, size_t size)
{
    assert(!call->is_answered);
    call->is_answered = true;
    call->status = status;
    call->outcome = outcome;
    call->answer = json;
    call->answer_size = size;
}

static const char *
how_to_read(const call_t *call)
{
    return call->read_path
               ? arena_printf(call->arena, "GET %s of the platform", call->read_path)
               : "the platform's own interface";
}

static void
reply_object(call_t *call, status_t status, outcome_t outcome, json_t *object)
{
    failure_t why;

    call->content = call->blocks ? json_text(call->arena, call->blocks) : "";
    const size_t left = most - strlen(call->content);
    const char *json = json_text(call->arena, object);
    if (fit_cost(json, strlen(json)) <= left) {
        finish(call, status, outcome, json, strlen(json));
        return;
    }
    if (!fit_result(call->arena, object, left, how_to_read(call))) {
        fail(&why, TOO_LARGE, "the answer is over %d KiB; ask for less, or read it with %s",
             RESULT_MAX / KIB, how_to_read(call));
        reply_failure(call, &why);
        return;
    }
    json = json_text(call->arena, object);
    finish(call, status, outcome, json, strlen(json));
}

static json_t *
pick_one(arena_t *arena, const field_t *field, const json_t *value)
{
    const int kind = field->kind & KIND_MASK;

    if (field->fields && value->kind == JSON_OBJECT)
        return reply_pick(arena, field->fields, value);
    if (kind == TEXT && value->kind == JSON_NUMBER)
        return json_string(arena, value->text);
    return json_copy(arena, value);
}

static json_t *
pick_value(arena_t *arena, const field_t *field, const json_t *value)
{
    // MCP says QUEUED for what waits to be claimed.
    if (!strcmp(field->name, "status") && value->kind == JSON_STRING
        && !strcmp(value->text, "PENDING"))
        return json_string(arena, "QUEUED");
    if (!(field->kind & MANY) || value->kind != JSON_ARRAY)
        return pick_one(arena, field, value);
    json_t *list = json_array(arena);
    for (const json_t *item = value->first; item; item = item->next)
        json_add(list, pick_one(arena, field, item));
    return list;
}

json_t *
reply_pick(arena_t *arena, const field_t *fields, const json_t *value)
{
    json_t *picked = json_object(arena);

    for (const field_t *field = fields; field->name; field++) {
        const json_t *member = json_get(value, field->name);
        if (member && member->kind != JSON_NULL)
            json_set(arena, picked, field->name, pick_value(arena, field, member));
    }
    return picked;
}

// The names that the caller's words were taken for, where the row shows them.
static void
echo_names(call_t *call, json_t *picked)
{
    for (const field_t *field = call->tool->result; field->name; field++) {
        const char *name = json_get_text(json_get(call->resolved, field->name), "name");
        if (name && (field->kind & KIND_MASK) == TEXT && !json_get(picked, field->name))
            json_set_text(call->arena, picked, field->name, name);
    }
}

void
reply_finish(call_t *call, status_t status, outcome_t outcome, const char *json)
{
    finish(call, status, outcome, json, strlen(json));
}

void
reply_json(call_t *call, const json_t *result)
{
    json_t *picked = reply_pick(call->arena, call->tool->result, result);

    echo_names(call, picked);
    reply_object(call, OK, DONE, picked);
}

// Once a write has happened, nothing that fails afterwards may be taken for "nothing happened".
static outcome_t
outcome_of(const call_t *call, const failure_t *why)
{
    bool claims_nothing = why->outcome == FAILED || why->outcome == NOT_SENT;

    return call->writes_done && claims_nothing ? UNKNOWN_OUTCOME : why->outcome;
}

void
reply_error(call_t *call, const failure_t *why, const json_t *errors)
{
    call->content = "";
    json_t *body = json_object(call->arena);
    json_t *error = json_set(call->arena, body, "error", json_object(call->arena));
    const outcome_t outcome = outcome_of(call, why);
    const char *code = *why->code ? why->code : status_name(why->status);

    json_set_text(call->arena, error, "code", code);
    json_set_text(call->arena, error, "message", why->text);
    json_set_text(call->arena, error, "outcome", outcome_name(outcome));
    if (errors && errors->kind == JSON_ARRAY)
        json_set(call->arena, error, "errors", json_copy(call->arena, errors));
    if (!fit_result(call->arena, body, most, "fewer mistakes at once"))
        json_remove(error, "errors");
    const char *json = json_text(call->arena, body);
    finish(call, why->status, outcome, json, strlen(json));
}

void
reply_failure(call_t *call, const failure_t *why)
{
    reply_error(call, why, NULL);
}

void
reply_narrowing(call_t *call, const char *asked, const json_t *narrowing)
{
    call->asked = arena_strdup(call->arena, asked);
    reply_object(call, NARROWED, DONE, json_copy(call->arena, narrowing));
}

void
reply_resource(call_t *call, const json_t *value, const char *mime)
{
    const char *json = json_text(call->arena, value);
    const size_t size = strlen(json);
    failure_t why;

    // A resource is sent once, as text.
    if (fit_cost(json, size) - size > most) {
        fail(&why, TOO_LARGE, "the resource is over %d KiB; read it with %s", RESULT_MAX / KIB,
             how_to_read(call));
        reply_failure(call, &why);
        return;
    }
    call->mime = mime;
    finish(call, OK, DONE, json, size);
}
