// SPDX-License-Identifier: Apache-2.0
#include "mcp/inquiry.h"

#include <string.h>

#include "auto.h"
#include "clock.h"
#include "mcp/hello.h"
#include "mcp/invoke.h"
#include "mcp/narrow.h"
#include "mcp/service.h"

enum {
    QUESTIONS_MAX = 16,  // of one answer
    QUESTION_ID_SIZE = 48,
};

typedef struct {
    const char *key;
    const char *method;
    const json_t *params;
    char id[QUESTION_ID_SIZE];  // of our request
    bool is_answered;
} question_t;

struct inquiry {
    question_t questions[QUESTIONS_MAX];
    size_t count;
    size_t open;
    json_t *responses;
    inquiry_owner_t owner;
    const char *state;  // NULL: none
    int64_t started_ms;
};

// clang-format off
static const struct {
    const char *method;
    const char *capability;  // that the client has to have declared
    protocol_t since;
} askable[] = {
    { "elicitation/create",     "elicitation", PROTOCOL_2025_06_18 },
    { "sampling/createMessage", "sampling",    PROTOCOL_2024_11_05 },
    { "roots/list",             "roots",       PROTOCOL_2024_11_05 },
};
// clang-format on

static bool
has_capability(const json_t *capabilities, const char *name, const json_t *question)
{
    const json_t *capability = json_get(capabilities, name);
    const char *mode = json_get_text(json_get(question, "params"), "mode");

    if (strcmp(name, "elicitation") != 0)
        return capability;
    return mode && !strcmp(mode, "url") ? json_get(capability, "url") != NULL
                                        : hello_takes_forms(capability);
}

// The capability that is missing, or NULL if the client can be asked.
static const char *
missing_for(const request_t *request, const json_t *capabilities, const json_t *question)
{
    const char *method = json_get_text(question, "method");

    for (size_t i = 0; i < ROWS(askable); i++) {
        if (!method || strcmp(askable[i].method, method) != 0)
            continue;
        if (request->protocol < askable[i].since)
            return askable[i].capability;
        return has_capability(capabilities, askable[i].capability, question)
                   ? NULL
                   : askable[i].capability;
    }
    return "experimental";  // there is no such question
}

// ---- what a repeated call brings

static bool
are_well_formed(const json_t *responses, const json_t *state)
{
    if (state && state->kind != JSON_STRING)
        return false;
    if (responses && responses->kind != JSON_OBJECT)
        return false;
    for (const json_t *item = responses ? responses->first : NULL; item; item = item->next)
        if (item->kind != JSON_OBJECT)
            return false;
    return true;
}

bool
inquiry_read(request_t *request)
{
    const json_t *params = request->message->params;

    if (!protocol_is_stateless(request->protocol)
        || are_well_formed(json_get(params, "inputResponses"),
                           json_get(params, "requestState")))
        return true;
    request_error(request, RPC_PARAMS,
                  "inputResponses has to be an object of results, requestState a string");
    return false;
}

// The state belongs to one caller and one question: what was asked, without what is added to it
// later.
static char *
purpose_of(const request_t *request)
{
    static const char *const added[] = { "_meta", "inputResponses", "requestState" };
    AUTO(buffer_clear) buffer_t out = { 0 };
    arena_t *arena = request_arena(request);
    json_t *params = request->message->params ? json_copy(arena, request->message->params)
                                              : json_object(arena);

    for (size_t i = 0; i < ROWS(added); i++)
        json_remove(params, added[i]);
    buffer_printf(&out, "%s\n%s\n", request->call.principal, request->message->method);
    json_write_canonical(&out, params);
    return arena_strdup(arena, out.bytes);
}

static void
set_inputs(request_t *request, inquiry_owner_t owner, json_t *responses, const char *state)
{
    arena_t *arena = request_arena(request);
    json_t *inputs = json_object(arena);

    if (owner == INQUIRY_OF_OURS && narrow_take(request, state, responses))
        return;
    json_set(arena, inputs, "responses", responses ? responses : json_object(arena));
    if (state)
        json_set_text(arena, inputs, "state", state);
    request->call.inputs = json_text(arena, inputs);
}

// What is sealed: the call's key in a line, then whose state it is, and that, if there is one.
bool
inquiry_open_state(request_t *request)
{
    AUTO(buffer_clear) buffer_t text = { 0 };
    arena_t *arena = request_arena(request);
    const json_t *params = request->message->params;
    const json_t *responses = json_get(params, "inputResponses");
    const char *sealed = json_get_text(params, "requestState");
    const char *state = NULL;
    inquiry_owner_t owner = INQUIRY_OF_TOOL;

    if (!protocol_is_stateless(request->protocol) || request->call.inputs)
        return true;
    if (sealed) {
        if (!sealer_open(request_service(request)->sealer, purpose_of(request), sealed,
                         clock_wall_ms(), &text)
            || !memchr(text.bytes, '\n', text.size)) {
            request_error(request, RPC_PARAMS,
                          "requestState is not that of this call, or too old; begin again "
                          "without it.");
            return false;
        }
        char *end = strchr(text.bytes, '\n');
        *end = '\0';
        request->call.key = *text.bytes ? arena_strdup(arena, text.bytes) : NULL;
        owner = end[1] == INQUIRY_OF_OURS ? INQUIRY_OF_OURS : INQUIRY_OF_TOOL;
        state = end[1] ? arena_strdup(arena, end + 2) : NULL;
    }
    if (sealed || responses)
        set_inputs(request, owner, responses ? json_copy(arena, responses) : NULL, state);
    return true;
}

// ---- without `initialize`: the answer says what is missing

static void
answer_with_questions(request_t *request, const json_t *asked, inquiry_owner_t owner,
                      const char *state)
{
    AUTO(buffer_clear) buffer_t text = { 0 };
    buffer_t *out = request_begin(request);
    const open_call_t *call = &request->call;
    const char *key = call->key ? call->key : call->id;

    buffer_text(out, "{\"inputRequests\":");
    json_write(out, asked);
    if (state || !call->is_read) {
        buffer_printf(&text, "%s\n", owner == INQUIRY_OF_OURS ? "" : key);
        if (state)
            buffer_printf(&text, "%c%s", owner, state);
        buffer_text(out, ",\"requestState\":\"");
        sealer_seal(request_service(request)->sealer, purpose_of(request), text.bytes,
                    text.size, clock_wall_ms() + INQUIRY_MS, out);
        buffer_char(out, '"');
    }
    buffer_char(out, '}');
    request->result_type = "input_required";
    request_end(request);
}

// ---- after `initialize`: requests of ours

static void
send_question(request_t *request, question_t *question)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    service_t *service = request_service(request);

    snprintf(question->id, sizeof question->id, "%.16s-%llu", service->instance,
             (unsigned long long) ++service->questions);
    buffer_printf(&out, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":", question->id);
    json_write_string(&out, question->method, strlen(question->method));
    if (question->params) {
        buffer_text(&out, ",\"params\":");
        json_write(&out, question->params);
    }
    buffer_char(&out, '}');
    request_notify(request, &out);
}

static void
ask_client(request_t *request, const json_t *asked, inquiry_owner_t owner, const char *state)
{
    arena_t *arena = request_arena(request);
    inquiry_t *inquiry = arena_alloc(arena, sizeof *inquiry);

    inquiry->owner = owner;
    inquiry->state = state;
    inquiry->started_ms = clock_now_ms();
    inquiry->responses = json_object(arena);
    for (const json_t *item = asked->first; item; item = item->next)
        inquiry->questions[inquiry->count++] = (question_t){
            .key = item->key,
            .method = json_get_text(item, "method"),
            .params = json_get(item, "params"),
        };
    inquiry->open = inquiry->count;
    if (owner == INQUIRY_OF_OURS && !request->call.is_key_given)
        request->call.key = NULL;  // other arguments make another write
    else if (!request->call.key)
        request->call.key = arena_strdup(arena, request->call.id);
    request->inquiry = inquiry;
    for (size_t i = 0; i < inquiry->count; i++)
        send_question(request, &inquiry->questions[i]);
}

// ---- both

// Leaves the questions that the client can answer. False: there are none, and the request has been
// answered.
static bool
keep_askable(request_t *request, json_t *asked)
{
    AUTO(buffer_clear) buffer_t needed = { 0 };
    arena_t *arena = request_arena(request);
    const json_t *capabilities = json_parse_text(arena, request->capabilities);

    buffer_text(&needed, "{\"requiredCapabilities\":{");
    for (const json_t *item = asked->first, *next; item; item = next) {
        next = item->next;
        const char *missing = missing_for(request, capabilities, item);
        if (!missing)
            continue;
        if (!strstr(needed.bytes, missing))
            buffer_printf(&needed, "%s\"%s\":{}",
                          needed.bytes[needed.size - 1] == '{' ? "" : ",", missing);
        json_remove(asked, item->key);
    }
    buffer_text(&needed, "}}");
    if (asked->first)
        return true;
    invoke_lacks(request, needed.bytes);
    return false;
}

void
inquiry_start(request_t *request, const char *body, size_t size)
{
    arena_t *arena = request_arena(request);
    json_t *root = json_parse_text(arena, arena_strndup(arena, body, size));
    json_t *asked = (json_t *) json_get(root, "inputRequests");
    const char *state = json_get_text(root, "state");
    bool is_stateless = protocol_is_stateless(request->protocol);

    if (!asked)
        asked = json_object(arena);
    if (asked->kind != JSON_OBJECT || asked->count > QUESTIONS_MAX
        || (!asked->count && !(is_stateless && state))) {
        invoke_fail(request, BACKEND, FAILED,
                    "The tool asked in a way that cannot be passed on.");
        return;
    }
    if (!asked->count || keep_askable(request, asked))
        inquiry_put(request, asked, INQUIRY_OF_TOOL, state);
}

void
inquiry_put(request_t *request, const json_t *asked, inquiry_owner_t owner, const char *state)
{
    if (protocol_is_stateless(request->protocol))
        answer_with_questions(request, asked, owner, state);
    else if (request_service(request)->is_ending)
        inquiry_end(request);
    else if (request_can_notify(request))
        ask_client(request, asked, owner, state);
    else
        invoke_fail(request, MISSING_CAPABILITY, FAILED,
                    "The tool has to ask something, and this client takes no requests: it has "
                    "to accept text/event-stream.");
}

static void
finish(request_t *request)
{
    inquiry_t *inquiry = request->inquiry;

    request->inquiry = NULL;
    set_inputs(request, inquiry->owner, inquiry->responses, inquiry->state);
    invoke_again(request);
}

// A client that cannot or does not want to answer has declined.
static void
take_answer(request_t *request, question_t *question, const json_t *message)
{
    inquiry_t *inquiry = request->inquiry;
    arena_t *arena = request_arena(request);
    const json_t *result = json_get(message, "result");

    question->is_answered = true;
    inquiry->open--;
    if (result && result->kind == JSON_OBJECT) {
        json_set(arena, inquiry->responses, question->key, json_copy(arena, result));
    } else if (!strcmp(question->method, "elicitation/create")) {
        json_t *cancel = json_object(arena);
        json_set_text(arena, cancel, "action", "cancel");
        json_set(arena, inquiry->responses, question->key, cancel);
    } else {
        request->inquiry = NULL;
        invoke_fail(request, DENIED, FAILED, "The client answered the question with an error.");
        return;
    }
    if (!inquiry->open)
        finish(request);
}

static question_t *
find_question(const request_t *request, const json_t *id)
{
    inquiry_t *inquiry = request->inquiry;

    for (size_t i = 0; i < inquiry->count; i++)
        if (!inquiry->questions[i].is_answered && !strcmp(inquiry->questions[i].id, id->text))
            return &inquiry->questions[i];
    return NULL;
}

bool
inquiry_take(service_t *service, const peer_t *peer, const rpc_message_t *message)
{
    if (!message->id || message->id->kind != JSON_STRING)
        return false;
    for (request_t *request = service->requests; request; request = request->next) {
        question_t *question = NULL;
        if (request->inquiry && request_is_of(request, peer))
            question = find_question(request, message->id);
        if (!question)
            continue;
        take_answer(request, question, message->body);
        return true;
    }
    return false;
}

void
inquiry_end(request_t *request)
{
    request->inquiry = NULL;
    invoke_fail(request, CANCELLED, CANCELLED_OUTCOME,
                "The tool has to ask something, and the connection is about to end.");
}

bool
inquiry_is_overdue(const request_t *request, int64_t now_ms)
{
    return request->inquiry && now_ms - request->inquiry->started_ms >= INQUIRY_MS;
}
