// SPDX-License-Identifier: Apache-2.0
#include "mcp/outcome.h"

#include <string.h>

#include "auto.h"
#include "clock.h"
#include "mcp/content.h"
#include "mcp/hello.h"
#include "mcp/inquiry.h"
#include "mcp/invoke.h"
#include "mcp/methods.h"
#include "mcp/narrow.h"
#include "mcp/service.h"

enum { PROGRESS_EVERY_MS = 1000 };  // on average, once the first few are out

static bool
is_kind(const request_t *request, const char *kind)
{
    return !strcmp(request->call.kind, kind);
}

// ---- failures

void
outcome_no_resource(request_t *request)
{
    AUTO(buffer_clear) buffer_t data = { 0 };
    bool is_stateless = protocol_is_stateless(request->protocol);
    failure_t why;

    fail(&why, NOT_FOUND,
         "There is no resource \"%.100s\"; resources/list and resources/templates/list name "
         "all.",
         request->call.name);
    buffer_text(&data, "{\"uri\":");
    json_write_string(&data, request->call.name, strlen(request->call.name));
    buffer_char(&data, '}');
    request_error_with(request, is_stateless ? RPC_PARAMS : RPC_NOT_FOUND, why.text,
                       data.bytes);
}

static void
answer_tool(request_t *request, const answer_msg_t *answer, const char *body, size_t size)
{
    content_of_tool(request_begin(request), answer, body, size, request->protocol);
    request_end(request);
}

void
invoke_fail(request_t *request, status_t status, outcome_t outcome, const char *text)
{
    AUTO(buffer_clear) buffer_t body = { 0 };
    const answer_msg_t answer = { .status = status, .outcome = outcome, .content = "" };

    request_service(request)->ended[status]++;
    if (!is_kind(request, "tool")) {
        request_error(request, RPC_INTERNAL, text);
        return;
    }
    content_failure(&body, status, outcome, text);
    answer_tool(request, &answer, body.bytes, body.size);
}

void
invoke_lacks(request_t *request, const char *needed)
{
    failure_t why;

    if (protocol_is_stateless(request->protocol)) {
        request_error_with(request, RPC_CAPABILITY,
                           "The client did not declare a capability that this needs.", needed);
        return;
    }
    fail(&why, MISSING_CAPABILITY, "The client did not declare what this needs: %.140s",
         needed);
    invoke_fail(request, MISSING_CAPABILITY, FAILED, why.text);
}

void
invoke_succeed(request_t *request, const char *json)
{
    const answer_msg_t answer = { .status = OK, .outcome = DONE, .content = "" };

    answer_tool(request, &answer, json, strlen(json));
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
        repeats_add(repeats, call->principal, call->name, request->arguments,
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

// ---- answers

static void
answer_resource(request_t *request, const answer_msg_t *answer, const char *body, size_t size)
{
    content_of_resource(request_begin(request), request->call.name, answer, body, size);
    request_end(request);
}

// A body that is the result itself.
static void
answer_as_it_is(request_t *request, const answer_msg_t *answer, const char *body, size_t size)
{
    content_as_it_is(request_begin(request), body, size);
    request_end(request);
}

static void
answer_completion(request_t *request, const answer_msg_t *answer, const char *body, size_t size)
{
    buffer_t *out = request_begin(request);

    buffer_text(out, "{\"completion\":");
    content_as_it_is(out, body, size);
    buffer_char(out, '}');
    request_end(request);
}

static void
answer_task(request_t *request, const answer_msg_t *answer, const char *body, size_t size)
{
    if (strcmp(request->method->name, "tasks/get") != 0)
        request_result(request, "{}");
    else
        answer_as_it_is(request, answer, body, size);
}

// The tool goes on by itself; what the client gets is the task, and not its result.
static void
answer_new_task(request_t *request, const char *body, size_t size)
{
    arena_t *arena = request_arena(request);
    const json_t *root = json_parse_text(arena, arena_strndup(arena, body, size));
    const json_t *task = json_get(root, "task");

    if (!task || task->kind != JSON_OBJECT) {
        invoke_fail(request, BACKEND, UNKNOWN_OUTCOME,
                    "The tool began a task that cannot be read.");
        return;
    }
    request->result_type = "task";
    request_result(request, json_text(arena, task));
}

// clang-format off
static const struct {
    const char *kind;
    void (*answer)(request_t *request, const answer_msg_t *answer, const char *body, size_t size);
} kinds[] = {
    { "tool",     answer_tool },
    { "resource", answer_resource },
    { "prompt",   answer_as_it_is },
    { "complete", answer_completion },
    { "task",     answer_task },
};
// clang-format on

static bool
is_success(status_t status)
{
    return status == OK || status == NARROWED;
}

static void
answer_lack(request_t *request, const char *body, size_t size)
{
    AUTO(buffer_clear) buffer_t lack = { 0 };

    if (size)
        content_as_it_is(&lack, body, size);
    invoke_lacks(request, size ? lack.bytes : "{\"requiredCapabilities\":{}}");
}

// Failures of what is no tool, and of a tool where the protocol has an error for it.
static void
answer_error(request_t *request, status_t status, const char *body, size_t size)
{
    arena_t *arena = request_arena(request);
    const char *text = content_message(arena, status, body, size);
    bool is_params =
        status == BAD_ARGS || status == NO_TOOL || status == BAD_REQUEST || status == NOT_FOUND;

    if (status == MISSING_CAPABILITY)
        answer_lack(request, body, size);
    else if (is_kind(request, "resource") && (status == NOT_FOUND || status == NO_TOOL))
        outcome_no_resource(request);
    else
        request_error(request, is_params ? RPC_PARAMS : RPC_INTERNAL, text);
}

static void
answer_call(request_t *request, const answer_msg_t *answer, const char *body, size_t size)
{
    status_t status = (status_t) answer->status;
    bool is_tool = is_kind(request, "tool");

    if (status == INPUT_REQUIRED) {
        inquiry_start(request, body, size);
        return;
    }
    if (is_tool && status == NARROWED && narrow_ask(request, answer, body, size))
        return;
    if (is_tool ? status_rpc(status) != 0 : !is_success(status)) {
        answer_error(request, status, body, size);
        return;
    }
    if (is_tool && !strcmp(answer->mime, "task") && protocol_is_stateless(request->protocol)) {
        answer_new_task(request, body, size);
        return;
    }
    size_t i = 0;
    while (!is_kind(request, kinds[i].kind))
        i++;
    kinds[i].answer(request, answer, body, size);
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
        if (!request_has_begun(request)) {
            request_unauthorized(request,
                                 content_message(request_arena(request), status, body, size));
            return;
        }
    }
    answer_call(request, answer, body, size);
}

// ---- before the answer

// A few may follow each other closely; then it is one in a second.
static bool
may_pass(request_t *request, int64_t now_ms)
{
    if (now_ms - request->progress_ms >= PROGRESS_EVERY_MS)
        return true;
    if (!request->progress_credit)
        return false;
    request->progress_credit--;
    return true;
}

void
invoke_log(request_t *request, const log_msg_t *log)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    if (!request_can_notify(request) || !hello_passes(log->level, request->log_level))
        return;
    buffer_printf(&out,
                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
                  "{\"level\":\"%s\",\"logger\":",
                  log->level);
    json_write_string(&out, request->call.name, strlen(request->call.name));
    buffer_text(&out, ",\"data\":");
    json_write_string(&out, log->text, strlen(log->text));
    buffer_text(&out, "}}");
    request_notify(request, &out);
}

void
invoke_progress(request_t *request, const progress_msg_t *progress)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    int64_t now_ms = clock_now_ms();

    if (!request->progress_token || progress->done <= request->progress_done
        || !may_pass(request, now_ms))
        return;
    request->progress_done = progress->done;
    request->progress_ms = now_ms;
    buffer_text(&out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                      "{\"progressToken\":");
    buffer_add(&out, request->progress_token, request->progress_token_size);
    buffer_printf(&out, ",\"progress\":%lld", (long long) progress->done);
    if (progress->total > 0)
        buffer_printf(&out, ",\"total\":%lld", (long long) progress->total);
    if (*progress->text && protocol_has_annotations(request->protocol)) {
        buffer_text(&out, ",\"message\":");
        json_write_string(&out, progress->text, strlen(progress->text));
    }
    buffer_text(&out, "}}");
    request_notify(request, &out);
}
