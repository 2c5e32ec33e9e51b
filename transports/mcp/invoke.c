// SPDX-License-Identifier: Apache-2.0
#include "mcp/invoke.h"

#include <string.h>

#include "auto.h"
#include "clock.h"
#include "limits.h"
#include "mcp/content.h"
#include "mcp/service.h"

enum {
    GIVEN_KEY_MAX = 180,       // the platform's 200, less what the workers add
    PROGRESS_EVERY_MS = 1000,  // at most one to the client in that time
};

static const char no_arguments[] = "{}";

static bool
is_tool(const request_t *request)
{
    return !strcmp(request->call.kind, "tool");
}

static const json_t *
arguments_of(const request_t *request)
{
    const json_t *arguments = json_get(request->message->params, "arguments");

    return arguments && arguments->kind == JSON_OBJECT ? arguments : NULL;
}

// Strings and integers only; the token goes back as it came.
static void
read_progress_token(request_t *request)
{
    const json_t *token =
        json_get(json_get(request->message->params, "_meta"), "progressToken");
    int64_t number;

    if (!token || !request_can_notify(request))
        return;
    if (token->kind != JSON_STRING && !json_int(token, &number))
        return;
    request->progress_token = request_source(request, token, &request->progress_token_size);
    request->call.wants_progress = true;
}

bool
invoke_check_tool(request_t *request)
{
    const json_t *params = request->message->params;
    const json_t *arguments = json_get(params, "arguments");
    open_call_t *call = &request->call;

    call->kind = "tool";
    call->name = json_get_text(params, "name");
    if (!call->name) {
        request_error(request, RPC_PARAMS, "name has to be the name of a tool");
        return false;
    }
    if (arguments && arguments->kind != JSON_OBJECT && arguments->kind != JSON_NULL) {
        request_error(request, RPC_PARAMS, "arguments has to be an object");
        return false;
    }
    call->body = no_arguments;
    call->body_size = sizeof no_arguments - 1;
    if (arguments && arguments->kind == JSON_OBJECT)
        call->body = request_source(request, arguments, &call->body_size);
    read_progress_token(request);
    return true;
}

bool
invoke_check_resource(request_t *request)
{
    open_call_t *call = &request->call;

    call->kind = "resource";
    call->name = json_get_text(request->message->params, "uri");
    call->body = no_arguments;
    call->body_size = sizeof no_arguments - 1;
    if (call->name)
        return true;
    request_error(request, RPC_PARAMS, "uri has to be the address of a resource");
    return false;
}

bool
invoke_knows_tool(const request_t *request)
{
    return listing_tool(request_service(request)->listing, request->call.name);
}

static bool
is_usable_key(const char *key)
{
    if (!key || !*key || strlen(key) > GIVEN_KEY_MAX)
        return false;
    for (const char *c = key; *c; c++)
        if (*c <= ' ' || *c > '~')
            return false;
    return true;
}

// The client's own key; else that of an equal write whose outcome is unknown; else the call's id.
// A key that is no good is left to the worker, which says so.
static void
choose_key(request_t *request)
{
    service_t *service = request_service(request);
    const json_t *arguments = arguments_of(request);
    const char *given = json_get_text(arguments, "idempotency_key");
    open_call_t *call = &request->call;

    if (call->is_read)
        return;
    call->is_key_given = is_usable_key(given);
    call->key = call->is_key_given ? given
                                   : repeats_find(service->repeats, call->principal, call->name,
                                                  arguments, clock_now_ms());
    call->key = arena_strdup(request_arena(request), call->key);
}

// Whose call it is: the caller's, or that of the process's own user.
static void
fill_caller(request_t *request)
{
    service_t *service = request_service(request);
    const peer_t *peer = request_peer(request);
    open_call_t *call = &request->call;
    const char *token = peer->token, *principal = peer->principal;
    failure_t why;

    if (service->logs_in && access_own(service->access, &token, &principal, &why))
        token = principal = "";
    call->token = arena_strdup(request_arena(request), token);
    call->principal = arena_strdup(request_arena(request), principal);
    call->session = peer->session;
    call->profile = service->profile;
}

static void
send_call(request_t *request, const entry_msg_t *entry)
{
    service_t *service = request_service(request);
    open_call_t *call = &request->call;

    fill_caller(request);
    call->is_read = !strcmp(entry->effect, "reads");
    call->budget_ms = entry->budget_ms > 0 ? entry->budget_ms : CALL_MS;
    choose_key(request);
    status_t status = link_call(service->link, call);
    if (status == BUSY && service->is_local && !request->has_waited)
        service_park(service, request);
    else if (status)
        invoke_fail(request, status, NOT_SENT,
                    "No process is free to take the call; repeat it in a second.");
}

void
invoke_tool(request_t *request)
{
    const entry_msg_t *entry =
        listing_tool(request_service(request)->listing, request->call.name);
    failure_t why;

    if (entry) {
        send_call(request, entry);
        return;
    }
    fail(&why, NO_TOOL, "There is no tool \"%.100s\"; tools/list names all.",
         request->call.name);
    request_error(request, RPC_PARAMS, why.text);
}

static void
answer_not_found(request_t *request)
{
    AUTO(buffer_clear) buffer_t data = { 0 };

    buffer_text(&data, "{\"uri\":");
    json_write_string(&data, request->call.name, strlen(request->call.name));
    buffer_char(&data, '}');
    request_error_with(request, RPC_NOT_FOUND, "There is no such resource.", data.bytes);
}

void
invoke_resource(request_t *request)
{
    const entry_msg_t *entry =
        listing_resource(request_service(request)->listing, request->call.name);
    entry_msg_t as_read;

    if (!entry) {
        answer_not_found(request);
        return;
    }
    as_read = *entry;
    as_read.effect = "reads";
    send_call(request, &as_read);
}

void
invoke_fail(request_t *request, status_t status, outcome_t outcome, const char *text)
{
    AUTO(buffer_clear) buffer_t body = { 0 };
    const answer_msg_t answer = { .status = status, .outcome = outcome, .content = "" };

    request_service(request)->ended[status]++;
    if (!is_tool(request)) {
        request_error(request, RPC_INTERNAL, text);
        return;
    }
    content_failure(&body, status, outcome, text);
    content_of_tool(request_begin(request), &answer, body.bytes, body.size,
                    request_peer(request)->protocol);
    request_end(request);
}

// Remembers a write that the client cannot know the outcome of, and forgets it once it can.
static void
settle_repeat(request_t *request, outcome_t outcome)
{
    repeats_t *repeats = request_service(request)->repeats;
    const open_call_t *call = &request->call;
    bool is_unknown =
        outcome == UNKNOWN_OUTCOME || (outcome == DONE && request_is_abandoned(request));

    if (call->is_read || call->is_key_given)
        return;
    if (is_unknown)
        repeats_add(repeats, call->principal, call->name, arguments_of(request),
                    call->key ? call->key : call->id, clock_now_ms());
    else if (call->key || request_is_abandoned(request))
        repeats_settle(repeats, call->key ? call->key : call->id);
}

void
invoke_abandoned(request_t *request)
{
    settle_repeat(request, UNKNOWN_OUTCOME);
}

// True if the request goes on: our own token had grown old, and a new one is being fetched.
static bool
log_in_again(request_t *request)
{
    service_t *service = request_service(request);

    if (!service->logs_in || request->has_asked_anew)
        return false;
    access_forget_own(service->access, request->call.token);
    request->has_asked_anew = true;
    request->call.is_repeated = false;
    return true;
}

static void
answer_resource(request_t *request, const answer_msg_t *answer, const char *body, size_t size)
{
    status_t status = (status_t) answer->status;

    if (status == NOT_FOUND || status == NO_TOOL) {
        answer_not_found(request);
    } else if (status != OK) {
        request_error(request, status == BAD_ARGS ? RPC_PARAMS : RPC_INTERNAL,
                      content_message(request_arena(request), status, body, size));
    } else {
        content_of_resource(request_begin(request), request->call.name, answer->mime, body,
                            size);
        request_end(request);
    }
}

static void
answer_tool(request_t *request, const answer_msg_t *answer, const char *body, size_t size)
{
    status_t status = (status_t) answer->status;
    int code = status_rpc(status);

    if (code) {
        request_error(request, code,
                      content_message(request_arena(request), status, body, size));
        return;
    }
    content_of_tool(request_begin(request), answer, body, size,
                    request_peer(request)->protocol);
    request_end(request);
}

void
invoke_answer(request_t *request, const answer_msg_t *answer, const char *body, size_t size)
{
    service_t *service = request_service(request);
    const peer_t *peer = request_peer(request);
    status_t status = (status_t) answer->status;

    if (status == UNAUTHORIZED && log_in_again(request)) {
        service_park(service, request);
        service_retry(service);
        return;
    }
    service->ended[status]++;
    settle_repeat(request, (outcome_t) answer->outcome);
    if (status == UNAUTHORIZED && !service->logs_in && !peer->is_lasting) {
        access_forget(service->access, peer->token);
        request_unauthorized(request,
                             content_message(request_arena(request), status, body, size));
    } else if (is_tool(request)) {
        answer_tool(request, answer, body, size);
    } else {
        answer_resource(request, answer, body, size);
    }
}

void
invoke_progress(request_t *request, const progress_msg_t *progress)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    int64_t now_ms = clock_now_ms();

    if (!request->progress_token || progress->done <= request->progress_done
        || now_ms - request->progress_ms < PROGRESS_EVERY_MS)
        return;
    request->progress_done = progress->done;
    request->progress_ms = now_ms;
    buffer_text(&out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                      "{\"progressToken\":");
    buffer_add(&out, request->progress_token, request->progress_token_size);
    buffer_printf(&out, ",\"progress\":%lld", (long long) progress->done);
    if (progress->total > 0)
        buffer_printf(&out, ",\"total\":%lld", (long long) progress->total);
    if (*progress->text && protocol_has_annotations(request_peer(request)->protocol)) {
        buffer_text(&out, ",\"message\":");
        json_write_string(&out, progress->text, strlen(progress->text));
    }
    buffer_text(&out, "}}");
    request_notify(request, &out);
}
