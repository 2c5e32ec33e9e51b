// SPDX-License-Identifier: Apache-2.0
#include "platform.h"

#include <assert.h>
#include <string.h>

#include "auto.h"
#include "buffer.h"
#include "call_state.h"
#include "reply.h"
#include "rest.h"

enum { SENTENCE_MAX = sizeof((failure_t *) NULL)->text };  // a failure holds no more

static bool
is_write(const char *method)
{
    return strcmp(method, "GET") != 0;
}

// Looked at immediately before each request: a process that was stopped for a while must not
// write for a caller who has been answered long ago.
static status_t
check_may_send(const call_t *call, failure_t *why)
{
    if (call->is_cancelled)
        return fail(why, CANCELLED, "the call was withdrawn");
    if (call_left(call))
        return OK;
    fail(why, TIMEOUT, "the time was up before the platform was asked");
    why->outcome = NOT_SENT;
    return why->status;
}

// The n-th write of a call has a key of its own, the same when the call is repeated.
static const char *
next_key(call_t *call)
{
    call->writes++;
    return *call->message.key
               ? arena_printf(call->arena, "%s-%d", call->message.key, call->writes)
               : NULL;
}

static void
say_how_to_look_it_up(const call_t *call, failure_t *why)
{
    if (*call->message.key)
        fail(why, UNKNOWN,
             "The request was sent and its answer was lost, so it may have happened. Look it "
             "up, "
             "or repeat the call with idempotency_key \"%s\": it is not done twice then.",
             call->message.key);
    else
        fail(
            why, UNKNOWN,
            "The request was sent and its answer was lost, so it may have happened. Look it up "
            "before you repeat the call.");
}

static status_t
exchange(call_t *call, const rest_request_t *request, http_response_t *response, failure_t *why)
{
    const char *body = request->body ? json_text(call->arena, request->body) : NULL;
    http_request_t http = {
        .method = request->method,
        .token = *call->message.token ? call->message.token : NULL,
        .body = body,
        .body_size = body ? strlen(body) : 0,
    };

    assert(call->desk);  // a quick row does no I/O
    http.url = arena_printf(call->arena, "%s%s", call->desk->platform, request->path);
    if (is_write(request->method))
        http.key = next_key(call);
    else
        call->read_path = request->path;
    if (check_may_send(call, why))
        return why->status;
    http.timeout_ms = call_left(call) + 1;
    const status_t status = http_send(call->desk->http, call->arena, &http, response, why);
    if (status == UNKNOWN)
        say_how_to_look_it_up(call, why);
    return status;
}

// The member of the platform's {"error": …}, or of the document around it.
static const json_t *
error_member(const json_t *document, const char *name)
{
    const json_t *member = json_get(json_get(document, "error"), name);

    return member ? member : json_get(document, name);
}

// The parameter that is this member of a body, or NULL.
static const char *
parameter_of(const call_t *call, const char *word, size_t length)
{
    for (const field_t *param = call->tool ? call->tool->params : NULL; param && param->name;
         param++) {
        const char *member = rest_camel(call->arena, param->name);
        if (strlen(member) == length && !memcmp(member, word, length))
            return param->name;
    }
    return NULL;
}

// The platform names members of bodies (secretRef); who called a tool knows its parameters
// (secret_ref). What is quoted, or stands within something else, is left as it is.
static const char *
in_words_of_tool(const call_t *call, const char *message)
{
    static const char letters[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    AUTO(buffer_clear) buffer_t out = { 0 };
    bool is_quoted = false;

    buffer_text(&out, "");
    for (const char *at = message; *at && out.size < SENTENCE_MAX;) {
        const size_t length = strspn(at, letters);
        const bool is_inside = is_quoted || (at > message && strchr(".$/{", at[-1]));
        const char *name = length && !is_inside ? parameter_of(call, at, length) : NULL;
        is_quoted ^= *at == '"';
        if (name)
            buffer_text(&out, name);
        else
            buffer_add(&out, at, length ? length : 1);
        at += length ? length : 1;
    }
    return arena_strdup(call->arena, out.bytes);
}

static void
explain(const call_t *call, failure_t *why, const json_t *document, bool was_write, long code)
{
    const json_t *error = json_get(document, "error");
    const char *name = json_get_text(error, "code");
    const char *message = json_get_text(error, "message");
    const status_t status = status_from_http(code);

    if (message)
        fail_coded(why, status ? status : BACKEND, name ? name : "", "%s",
                   in_words_of_tool(call, message));
    else
        fail(why, status ? status : BACKEND, "the platform answered HTTP %ld", code);
    // Something between us and the platform may have broken off what was under way.
    if (was_write && code >= 500 && code != 501 && code != 503)
        why->outcome = UNKNOWN_OUTCOME;
}

// When to come again: seconds, or a date (RFC 9110, section 10.2.3). Anything else says nothing.
static void
add_hint(failure_t *why, const char *retry_after)
{
    static const char marks[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789,: ";
    const size_t length = strlen(retry_after);
    const size_t end = strlen(why->text);
    const bool is_date = length == strlen("Fri, 31 Dec 1999 23:59:59 GMT");

    if (length && length < 8 && strspn(retry_after, "0123456789") == length)
        snprintf(why->text + end, sizeof why->text - end, "; come again in %s s", retry_after);
    else if (is_date && strspn(retry_after, marks) == length)
        snprintf(why->text + end, sizeof why->text - end, "; come again after %s", retry_after);
}

void
platform_reply_refusal(call_t *call, const char *path, bool was_write, long code,
                       const char *body, const char *retry_after)
{
    const json_t *document = json_parse_text(call->arena, body);
    failure_t why;

    explain(call, &why, document, was_write, code);
    if (retry_after)
        add_hint(&why, retry_after);
    if (code == 404
        && refs_reply_gone(call, path, json_get_text(json_get(document, "error"), "code")))
        return;
    reply_error(call, &why, error_member(document, "errors"));
}

static status_t
read_answer(call_t *call, const rest_request_t *request, const http_response_t *response,
            json_t **answer_p, failure_t *why)
{
    json_t *answer = response->size ? json_parse_text(call->arena, response->body)
                                    : json_object(call->arena);

    if (!answer || answer->kind != JSON_OBJECT) {
        fail(why, BACKEND, "the platform's answer to %s %s is not JSON, or no object",
             request->method, request->path);
        return why->status;
    }
    *answer_p = answer;
    return OK;
}

int
platform_request_or_reply(call_t *call, const rest_request_t *request, json_t **answer_p)
{
    const bool writes = is_write(request->method);
    http_response_t response;
    failure_t why = { 0 };

    if (exchange(call, request, &response, &why)) {
        reply_failure(call, &why);
        return -1;
    }
    if (response.code / 100 != 2) {
        platform_reply_refusal(call, request->path, writes, response.code, response.body,
                               response.retry_after);
        return -1;
    }
    call->writes_done += writes;
    if (read_answer(call, request, &response, answer_p, &why)) {
        reply_failure(call, &why);
        return -1;
    }
    return 0;
}

platform_knows_t
platform_knows(call_t *call, int kind, const char *id)
{
    static const char *const collections[] = {
        [PROJECT] = "projects",   [ENVIRONMENT] = "environments",
        [SCENARIO] = "scenarios", [APPLICATION] = "applications",
        [TARGET] = NULL,
    };
    const char *collection = collections[kind & KIND_MASK];
    rest_request_t request = { .method = "GET" };
    http_response_t response;
    failure_t why = { 0 };

    if (!collection)
        return PLATFORM_TELLS_NOT;
    request.path = arena_printf(call->arena, "/api/%s/%s", collection, id);
    if (exchange(call, &request, &response, &why))
        return PLATFORM_TELLS_NOT;
    if (response.code == 404)
        return PLATFORM_KNOWS_NOT;
    return response.code / 100 == 2 ? PLATFORM_KNOWS : PLATFORM_TELLS_NOT;
}

int
platform_get_or_reply(call_t *call, json_t **answer_p, const char *path, ...)
{
    rest_request_t request = { .method = "GET" };
    va_list args;

    va_start(args, path);
    request.path = arena_vprintf(call->arena, path, args);
    va_end(args);
    return platform_request_or_reply(call, &request, answer_p);
}

int
platform_send_or_reply(call_t *call, json_t **answer_p, const char *method, const json_t *body,
                       const char *path, ...)
{
    rest_request_t request = { .method = method, .body = body };
    va_list args;

    va_start(args, path);
    request.path = arena_vprintf(call->arena, path, args);
    va_end(args);
    return platform_request_or_reply(call, &request, answer_p);
}

json_t *
platform_peek(call_t *call, const char *path, ...)
{
    rest_request_t request = { .method = "GET" };
    http_response_t response;
    failure_t why = { 0 };
    json_t *answer = NULL;
    va_list args;

    va_start(args, path);
    request.path = arena_vprintf(call->arena, path, args);
    va_end(args);
    if (exchange(call, &request, &response, &why) || response.code / 100 != 2
        || read_answer(call, &request, &response, &answer, &why))
        return NULL;
    return answer;
}
