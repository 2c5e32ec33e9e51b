// SPDX-License-Identifier: Apache-2.0
#include "ask.h"

#include <string.h>

#include "auto.h"
#include "call_state.h"
#include "reply.h"

// What the client has to have declared for a method.
// clang-format off
static const struct {
    const char *method, *capability;
} needs[] = {
    { "elicitation/create",     "elicitation" },
    { "sampling/createMessage", "sampling"    },
    { "roots/list",             "roots"       },
};
// clang-format on

// NULL if there is none; both are short.
static const json_t *
capability(const call_t *call, const char *name)
{
    return json_get(json_parse_text(call->arena, call->message.capabilities), name);
}

static const json_t *
input(const call_t *call, const char *name)
{
    return json_get(json_parse_text(call->arena, call->message.inputs), name);
}

bool
call_client_can(const call_t *call, const char *name)
{
    const json_t *declared = capability(call, name);

    return declared && declared->kind == JSON_OBJECT;
}

const char *
call_state(const call_t *call)
{
    const json_t *state = input(call, "state");

    return state && state->kind == JSON_STRING ? state->text : NULL;
}

void
call_set_state(call_t *call, const char *state)
{
    call->state = arena_strdup(call->arena, state);
}

static const char *
need_of(const char *method)
{
    for (size_t i = 0; i < ROWS(needs); i++)
        if (!strcmp(needs[i].method, method))
            return needs[i].capability;
    assert(!"a client is asked for nothing else");
    return "";
}

// A form is asked of clients that declare forms, or nothing more than elicitation.
static bool
can_elicit(const call_t *call, const json_t *params)
{
    const json_t *declared = capability(call, "elicitation");
    const char *mode = json_get_text(params, "mode");
    const bool is_url = mode && !strcmp(mode, "url");

    if (is_url)
        return json_get(declared, "url");
    return call_client_can(call, "elicitation")
           && (!declared->count || json_get(declared, "form"));
}

static bool
can_answer(const call_t *call, const char *need, const json_t *params)
{
    return strcmp(need, "elicitation") ? call_client_can(call, need) : can_elicit(call, params);
}

const json_t *
call_ask(call_t *call, const char *key, const char *method, const json_t *params)
{
    arena_t *arena = call->arena;
    const char *need = need_of(method);
    const json_t *response = json_get(input(call, "responses"), key);

    if (response && response->kind == JSON_OBJECT)
        return response;
    if (!can_answer(call, need, params)) {
        if (!call->lacking)
            call->lacking = json_object(arena);
        json_set(arena, call->lacking, need, json_object(arena));
        return NULL;
    }
    if (!call->asked_inputs)
        call->asked_inputs = json_object(arena);
    json_t *request = json_set(arena, call->asked_inputs, key, json_object(arena));
    json_set_text(arena, request, "method", method);
    json_set(arena, request, "params", params ? json_copy(arena, params) : json_object(arena));
    return NULL;
}

static void
reply_lacking(call_t *call)
{
    json_t *body = json_object(call->arena);

    json_set(call->arena, body, "requiredCapabilities", call->lacking);
    reply_finish(call, MISSING_CAPABILITY, FAILED, json_text(call->arena, body));
}

void
ask_reply(call_t *call)
{
    arena_t *arena = call->arena;
    json_t *body = json_object(arena);

    if (call->lacking) {
        reply_lacking(call);
        return;
    }
    if (!call->asked_inputs && !call->state)
        return;
    if (call->asked_inputs)
        json_set(arena, body, "inputRequests", call->asked_inputs);
    if (call->state)
        json_set_text(arena, body, "state", call->state);
    reply_finish(call, INPUT_REQUIRED, DONE, json_text(arena, body));
}
