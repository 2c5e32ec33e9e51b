// SPDX-License-Identifier: Apache-2.0
#include "mcp/methods.h"

#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "clock.h"
#include "limits.h"
#include "log.h"
#include "mcp/hello.h"
#include "mcp/invoke.h"
#include "mcp/lists.h"
#include "mcp/service.h"
#include "mcp/stateless.h"
#include "mcp/subscribe.h"

enum { OPEN_MAX = 8192 };  // requests of one process; over it they are refused

enum {
    WITH_INITIALIZE = 1,
    WITHOUT = 2,
    ALWAYS = WITH_INITIALIZE | WITHOUT,
};

enum { LIST_TTL_MS = 60 * 1000 };

// clang-format off
static const method_t methods[] = {
    { "initialize",               WITH_INITIALIZE, NULL,     -1,          0,                       NULL,                   hello_initialize },
    { "server/discover",          WITHOUT,         NULL,     LIST_TTL_MS, 0,                       NULL,                   hello_discover },
    { "ping",                     WITH_INITIALIZE, NULL,     -1,          0,                       NULL,                   hello_ping },
    { "logging/setLevel",         WITH_INITIALIZE, NULL,     -1,          0,                       hello_check_level,      hello_set_level },
    { "tools/list",               ALWAYS,          NULL,     LIST_TTL_MS, NEEDS_LIST,              lists_check_cursor,     lists_send_tools },
    { "tools/call",               ALWAYS,          "name",   -1,          NEEDS_TOOL | NEEDS_CALL, invoke_check_tool,      invoke_tool },
    { "resources/list",           ALWAYS,          NULL,     LIST_TTL_MS, NEEDS_LIST,              lists_check_cursor,     lists_send_resources },
    { "resources/templates/list", ALWAYS,          NULL,     LIST_TTL_MS, NEEDS_LIST,              lists_check_cursor,     lists_send_templates },
    { "resources/read",           ALWAYS,          "uri",    0,           NEEDS_LIST | NEEDS_CALL, invoke_check_resource,  invoke_resource },
    { "resources/subscribe",      WITH_INITIALIZE, NULL,     -1,          0,                       subscribe_check_uri,    subscribe_watch },
    { "resources/unsubscribe",    WITH_INITIALIZE, NULL,     -1,          0,                       subscribe_check_uri,    subscribe_unwatch },
    { "prompts/list",             ALWAYS,          NULL,     LIST_TTL_MS, NEEDS_LIST,              lists_check_cursor,     lists_send_prompts },
    { "prompts/get",              ALWAYS,          "name",   -1,          NEEDS_LIST | NEEDS_CALL, invoke_check_prompt,    invoke_prompt },
    { "completion/complete",      ALWAYS,          NULL,     -1,          NEEDS_LIST | NEEDS_CALL, invoke_check_complete,  invoke_complete },
    { "subscriptions/listen",     WITHOUT,         NULL,     -1,          0,                       subscribe_check_listen, subscribe_listen },
    { "tasks/get",                WITHOUT,         "taskId", -1,          NEEDS_CALL,              invoke_check_task,      invoke_task },
    { "tasks/update",             WITHOUT,         "taskId", -1,          NEEDS_CALL,              invoke_check_task,      invoke_task },
    { "tasks/cancel",             WITHOUT,         "taskId", -1,          NEEDS_CALL,              invoke_check_task,      invoke_task },
};
// clang-format on

// ---- needs

static bool
list_is_there(const request_t *request)
{
    unsigned needs = request->method->needs;

    if (!(needs & (NEEDS_LIST | NEEDS_TOOL)) || request->has_waited)
        return true;
    if (needs & NEEDS_TOOL && invoke_knows_tool(request))
        return true;
    return listing_is_complete(request_service(request)->listing);
}

typedef enum { IS_THERE, WAIT_FOR_IT, IS_REFUSED } need_t;

static need_t
stack_is_there(const request_t *request, failure_t *why)
{
    const service_t *service = request_service(request);

    bool may_come = service->is_local || !link_was_up(service->link);

    if (link_is_up(service->link) && (!service->is_local || access_platform(service->access)))
        return IS_THERE;
    fail(why, BUSY, "The processes that run the tools are not there; try again soon.");
    return may_come && !request->has_waited ? WAIT_FOR_IT : IS_REFUSED;
}

static need_t
token_is_there(const request_t *request, failure_t *why)
{
    const service_t *service = request_service(request);
    const char *token, *principal;

    if (!service->logs_in)
        return IS_THERE;
    switch (access_own(service->access, &token, &principal, why)) {
    case ACCESS_GRANTED:
        return IS_THERE;
    case ACCESS_REFUSED:
        return IS_REFUSED;
    case ACCESS_WAIT:
    case ACCESS_DOWN:
        break;
    }
    return request->has_waited ? IS_REFUSED : WAIT_FOR_IT;
}

static void
refuse(request_t *request, status_t status, const char *sentence)
{
    if (request->method->needs & NEEDS_CALL)
        invoke_fail(request, status, NOT_SENT, sentence);
    else
        request_error(request, RPC_INTERNAL, sentence);
}

static void
attempt(request_t *request)
{
    service_t *service = request_service(request);
    failure_t why = { 0 };
    need_t need = list_is_there(request) ? IS_THERE : WAIT_FOR_IT;

    if (need == IS_THERE && request->method->needs & NEEDS_CALL) {
        need = stack_is_there(request, &why);
        if (need == IS_THERE)
            need = token_is_there(request, &why);
    }
    if (need != IS_THERE && *service->trouble)
        refuse(request, BACKEND, service->trouble);
    else if (need == WAIT_FOR_IT)
        service_park(service, request);
    else if (need == IS_REFUSED)
        refuse(request, why.status, why.text);
    else
        request->method->run(request);
}

void
methods_retry(request_t *request)
{
    request->has_waited |= clock_now_ms() - request->started_ms >= CATALOGUE_MS;
    attempt(request);
}

void
methods_give_up(request_t *request)
{
    refuse(request, BUSY, "The server is about to end; call it again.");
}

// ---- the table in use

static const method_t *
find_named(const char *name)
{
    for (size_t i = 0; i < ROWS(methods); i++)
        if (!strcmp(methods[i].name, name))
            return &methods[i];
    return NULL;
}

static const method_t *
find(const char *name, protocol_t protocol)
{
    unsigned era = protocol_is_stateless(protocol) ? WITHOUT : WITH_INITIALIZE;
    const method_t *method = find_named(name);

    return method && method->eras & era ? method : NULL;
}

bool
methods_is_stateless_only(const char *name)
{
    const method_t *method = find_named(name);

    return method && method->eras == WITHOUT;
}

void
methods_start(request_t *request)
{
    const char *name = request->message->method;
    failure_t why;

    if (!stateless_admit(request))
        return;
    request->method = find(name, request->protocol);
    bool is_stateless = protocol_is_stateless(request->protocol);
    const char *named_by = request->method ? request->method->named_by : NULL;
    if (is_stateless && !stateless_check_headers(request, named_by))
        return;
    if (!request->method) {
        fail(&why, NO_TOOL, "There is no method \"%.100s\" in protocol version %s.", name,
             protocol_name(request->protocol));
        request_error(request, RPC_METHOD, why.text);
    } else if (request_service(request)->open > OPEN_MAX) {
        request_error(request, RPC_INTERNAL, "Too many requests are open; wait for answers.");
    } else if (!request->method->check || request->method->check(request)) {
        attempt(request);
    }
}

// ---- notifications

// The request with that id of the same client. Clients without a session cannot be told from each
// other when they use the same ids: then it is nobody's.
static request_t *
find_request(const service_t *service, const peer_t *peer, const json_t *id)
{
    request_t *found = NULL;

    for (request_t *request = service->requests; request; request = request->next) {
        if (!request_is_of(request, peer) || !jsonrpc_same_id(request->message->id, id))
            continue;
        if (found)
            return NULL;
        found = request;
    }
    return found;
}

void
methods_withdraw(request_t *request)
{
    service_t *service = request_service(request);

    if (request->call.serial) {
        invoke_abandoned(request);
        link_cancel(service->link, &request->call);
    }
    service->cancelled++;
    request_drop(request);
}

// False: it is answered already, or none of this client's, or at another transport.
static bool
cancel(service_t *service, const peer_t *peer, const json_t *params)
{
    request_t *request = find_request(service, peer, json_get(params, "requestId"));

    if (!request)
        return false;
    methods_withdraw(request);
    return true;
}

bool
methods_notice(service_t *service, const peer_t *peer, const rpc_message_t *message)
{
    if (!strcmp(message->method, "notifications/cancelled"))
        return cancel(service, peer, message->params);
    return true;
}
