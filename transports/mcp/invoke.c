// SPDX-License-Identifier: Apache-2.0
#include "mcp/invoke.h"

#include <string.h>

#include "auto.h"
#include "clock.h"
#include "limits.h"
#include "mcp/inquiry.h"
#include "mcp/methods.h"
#include "mcp/outcome.h"
#include "mcp/router.h"
#include "mcp/service.h"
#include "mcp/stateless.h"

enum { GIVEN_KEY_MAX = 180 };  // the platform's 200, less what the workers add

static const char no_arguments[] = "{}";

// ---- parameters

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

// What every call has. Not tools alone: they are reads unless their entry says otherwise.
static void
fill_call(request_t *request, const char *kind)
{
    open_call_t *call = &request->call;

    call->kind = kind;
    call->body = no_arguments;
    call->body_size = sizeof no_arguments - 1;
    call->is_read = true;
    call->budget_ms = CALL_MS;
    call->capabilities = request->capabilities;
    call->log_level = request_can_notify(request) ? request->log_level : "";
    read_progress_token(request);
}

static bool
check_name(request_t *request, const char *kind, const char *named_by, const char *wrong)
{
    fill_call(request, kind);
    request->call.name = json_get_text(request->message->params, named_by);
    if (request->call.name)
        return inquiry_read(request);
    request_error(request, RPC_PARAMS, wrong);
    return false;
}

static bool
check_arguments(request_t *request)
{
    const json_t *arguments = json_get(request->message->params, "arguments");

    if (!arguments || arguments->kind == JSON_NULL)
        return true;
    if (arguments->kind != JSON_OBJECT) {
        request_error(request, RPC_PARAMS, "arguments has to be an object");
        return false;
    }
    request->arguments = arguments;
    return true;
}

static void
use_arguments(request_t *request)
{
    open_call_t *call = &request->call;

    if (request->arguments)
        call->body = request_source(request, request->arguments, &call->body_size);
}

static const entry_msg_t *
tool_of(const request_t *request)
{
    const listing_t *listing = request_service(request)->listing;
    const view_t *view = request_peer(request)->view;

    return request->call.is_routed ? listing_allowed(listing, view, request->call.name)
                                   : listing_tool(listing, view, request->call.name);
}

bool
invoke_check_tool(request_t *request)
{
    if (!check_name(request, "tool", "name", "name has to be the name of a tool")
        || !check_arguments(request))
        return false;
    if (router_is(request, request->call.name) && router_calls(request->call.name)
        && !router_redirect(request))
        return false;
    use_arguments(request);
    return true;
}

bool
invoke_check_resource(request_t *request)
{
    return check_name(request, "resource", "uri", "uri has to be the address of a resource");
}

bool
invoke_check_prompt(request_t *request)
{
    if (!check_name(request, "prompt", "name", "name has to be the name of a prompt")
        || !check_arguments(request))
        return false;
    use_arguments(request);
    return true;
}

// The body that a completion goes out with: what is completed, and what is known already.
static void
write_completion(request_t *request)
{
    arena_t *arena = request_arena(request);
    const json_t *params = request->message->params;
    json_t *body = json_object(arena);

    json_set(arena, body, "argument", json_copy(arena, json_get(params, "argument")));
    if (json_get(params, "context"))
        json_set(arena, body, "context", json_copy(arena, json_get(params, "context")));
    request->call.body = json_text(arena, body);
    request->call.body_size = strlen(request->call.body);
}

bool
invoke_check_complete(request_t *request)
{
    const json_t *params = request->message->params;
    const json_t *ref = json_get(params, "ref"), *argument = json_get(params, "argument");
    const char *type = json_get_text(ref, "type");
    const char *name = NULL;

    if (type && !strcmp(type, "ref/prompt"))
        name = json_get_text(ref, "name");
    else if (type && !strcmp(type, "ref/resource"))
        name = json_get_text(ref, "uri");
    if (!name || !json_get_text(argument, "name") || !json_get_text(argument, "value")) {
        request_error(request, RPC_PARAMS,
                      "ref has to name a prompt or a resource template, argument a name and a "
                      "value");
        return false;
    }
    fill_call(request, "complete");
    request->call.name = name;
    write_completion(request);
    return true;
}

bool
invoke_has_tasks(request_t *request)
{
    const json_t *capabilities = json_parse_text(request_arena(request), request->capabilities);

    if (json_get(json_get(capabilities, "extensions"), STATELESS_TASKS))
        return true;
    request_error_with(
        request, RPC_CAPABILITY, "Tasks are for clients that declare the extension.",
        "{\"requiredCapabilities\":{\"extensions\":{\"" STATELESS_TASKS "\":{}}}}");
    return false;
}

// {"op": "get"} and so on: the last word of the method.
bool
invoke_check_task(request_t *request)
{
    arena_t *arena = request_arena(request);
    const json_t *responses = json_get(request->message->params, "inputResponses");
    json_t *body = json_object(arena);

    if (!invoke_has_tasks(request))
        return false;
    if (!check_name(request, "task", "taskId", "taskId has to be the id of a task"))
        return false;
    json_set_text(arena, body, "op", strchr(request->method->name, '/') + 1);
    if (responses)
        json_set(arena, body, "responses", json_copy(arena, responses));
    request->call.body = json_text(arena, body);
    request->call.body_size = strlen(request->call.body);
    return true;
}

bool
invoke_knows_tool(const request_t *request)
{
    return tool_of(request) || router_is(request, request->call.name);
}

// ---- sending

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
    const json_t *arguments = request->arguments;
    const char *given = json_get_text(arguments, "idempotency_key");
    open_call_t *call = &request->call;

    if (call->is_read || call->key)
        return;
    call->is_key_given = is_usable_key(given);
    call->key = call->is_key_given ? given
                                   : repeats_find(service->repeats, call->principal, call->name,
                                                  arguments, clock_now_ms());
    call->key = arena_strdup(request_arena(request), call->key);
}

// Whose call it is: the caller's, or that of the process's own user.
static void
fill_caller(request_t *request, arena_t *arena)
{
    service_t *service = request_service(request);
    const peer_t *peer = request_peer(request);
    open_call_t *call = &request->call;
    const char *token = peer->token, *principal = peer->principal;
    const view_t *view = peer->view;
    failure_t why;

    if (service->logs_in && access_own(service->access, &token, &principal, &why))
        token = principal = "";
    call->token = arena_strdup(arena, token);
    call->principal = arena_strdup(arena, principal);
    call->session = peer->session;
    call->profile = view && view->profile ? view->profile : service->profile;
}

static void
send_call(request_t *request)
{
    service_t *service = request_service(request);
    open_call_t *call = &request->call;

    status_t status = link_call(service->link, call);
    if (status == BUSY && service->is_local && !request->has_waited)
        service_park(service, request);
    else if (status)
        invoke_fail(request, status, NOT_SENT,
                    "No process is free to take the call; repeat it in a second.");
}

static void
begin_call(request_t *request)
{
    fill_caller(request, request_arena(request));
    if (!inquiry_open_state(request))
        return;
    choose_key(request);
    send_call(request);
}

void
invoke_again(request_t *request)
{
    request->call.is_repeated = false;
    send_call(request);
}

// Whoever sees a part of the tools is told of the way to the rest, for the list names it nowhere.
static void
refuse_tool(request_t *request)
{
    const bool is_part =
        listing_hides(request_service(request)->listing, request_peer(request)->view);
    failure_t why;

    fail(&why, NO_TOOL, "There is no tool \"%.100s\"%s", request->call.name,
         request->call.is_routed ? "; search_tools finds those that there are."
         : is_part ? " in this list; search_tools finds the others, and call_tool calls them."
                   : "; tools/list names all.");
    request_error(request, RPC_PARAMS, why.text);
}

void
invoke_tool(request_t *request)
{
    const entry_msg_t *entry = tool_of(request);

    if (!entry && router_is(request, request->call.name)) {
        router_run(request);
        return;
    }
    if (!entry) {
        refuse_tool(request);
        return;
    }
    if (protocol_is_stateless(request->protocol)
        && !stateless_check_arguments(request, entry->json))
        return;
    request->call.is_read = !strcmp(entry->effect, "reads");
    if (entry->budget_ms > 0)
        request->call.budget_ms = entry->budget_ms;
    begin_call(request);
}

void
invoke_resource(request_t *request)
{
    const entry_msg_t *entry =
        listing_resource(request_service(request)->listing, request->call.name);

    if (!entry) {
        outcome_no_resource(request);
        return;
    }
    if (entry->budget_ms > 0)
        request->call.budget_ms = entry->budget_ms;
    begin_call(request);
}

// The name of an argument that is required and not there, or NULL.
static const char *
missing_argument(request_t *request, const entry_msg_t *entry)
{
    const json_t *known =
        json_get(json_parse_text(request_arena(request), entry->json), "arguments");

    for (const json_t *item = known ? known->first : NULL; item; item = item->next) {
        const char *name = json_get_text(item, "name");
        if (name && json_get_bool(item, "required", false)
            && !json_get_text(request->arguments, name))
            return name;
    }
    return NULL;
}

void
invoke_prompt(request_t *request)
{
    const entry_msg_t *entry =
        listing_entry(request_service(request)->listing, "prompt", request->call.name);
    failure_t why;

    const char *missing = entry ? missing_argument(request, entry) : NULL;
    if (!entry)
        fail(&why, BAD_ARGS, "There is no prompt \"%.100s\"; prompts/list names all.",
             request->call.name);
    else if (missing)
        fail(&why, BAD_ARGS, "The prompt needs the argument %.100s, a text.", missing);
    if (!entry || missing) {
        request_error(request, RPC_PARAMS, why.text);
        return;
    }
    begin_call(request);
}

void
invoke_complete(request_t *request)
{
    const listing_t *listing = request_service(request)->listing;
    const char *name = request->call.name;

    if (listing_entry(listing, "prompt", name) || listing_entry(listing, "template", name)
        || listing_resource(listing, name))
        begin_call(request);
    else
        request_error(request, RPC_PARAMS,
                      "There is no such prompt or resource template; prompts/list and "
                      "resources/templates/list name all.");
}

void
invoke_task(request_t *request)
{
    begin_call(request);
}

void
invoke_look_at_task(request_t *request, arena_t *arena, const char *id)
{
    static const char get[] = "{\"op\":\"get\"}";

    request->call = (open_call_t){
        .kind = "task",
        .name = id,
        .body = get,
        .body_size = sizeof get - 1,
        .is_read = true,
        .budget_ms = CALL_MS,
        .capabilities = request->capabilities,
        .log_level = "",
    };
    fill_caller(request, arena);
    link_call(request_service(request)->link, &request->call);
}
