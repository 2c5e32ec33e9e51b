// SPDX-License-Identifier: Apache-2.0
#include "mcp/methods.h"

#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "clock.h"
#include "limits.h"
#include "log.h"
#include "mcp/invoke.h"
#include "mcp/service.h"
#include "settings.h"

enum { OPEN_MAX = 8192 };  // requests of one process; over it they are refused

// What has to be there before a method runs.
enum {
    NEEDS_LIST = 1,  // the catalogue is complete
    NEEDS_TOOL = 2,  // or the tool that is called is known already
    NEEDS_CALL = 4,  // a broker, the platform, and a token
};

typedef bool check_fn(request_t *request);
typedef void run_fn(request_t *request);

struct method {
    const char *name;
    unsigned needs;
    check_fn *check;  // of the parameters, before any wait; NULL for none
    run_fn *run;
};

static check_fn has_no_cursor;
static run_fn initialize, ping, list_tools, list_resources, list_templates, list_prompts;

// clang-format off
static const method_t methods[] = {
    { "initialize",               0,                       NULL,                  initialize },
    { "ping",                     0,                       NULL,                  ping },
    { "tools/list",               NEEDS_LIST,              has_no_cursor,         list_tools },
    { "tools/call",               NEEDS_TOOL | NEEDS_CALL, invoke_check_tool,     invoke_tool },
    { "resources/list",           NEEDS_LIST,              has_no_cursor,         list_resources },
    { "resources/templates/list", NEEDS_LIST,              has_no_cursor,         list_templates },
    { "resources/read",           NEEDS_LIST | NEEDS_CALL, invoke_check_resource, invoke_resource },
    { "prompts/list",             NEEDS_LIST,              has_no_cursor,         list_prompts },
};
// clang-format on

static const char instructions[] =
    "Proofarc finds, writes, runs and reports tests of APIs and web pages. Projects, "
    "environments, scenarios and the like are given by name or id. When a name is missing or "
    "fits several, a tool answers with `ask_user` and `candidates`: put that question to the "
    "user and call the tool again with the choice. Runs answer with an execution id; "
    "get_execution_status and summarize_execution tell how they went.";

// ---- initialize, ping

static unsigned
capabilities_of(const json_t *params)
{
    const json_t *given = json_get(params, "capabilities");

    return (json_get(given, "sampling") ? CAPABILITY_SAMPLING : 0u)
           | (json_get(given, "elicitation") ? CAPABILITY_ELICITATION : 0u)
           | (json_get(given, "roots") ? CAPABILITY_ROOTS : 0u);
}

static void
begin_session(request_t *request, protocol_t protocol)
{
    const peer_t *peer = request_peer(request);

    sessions_issue(request_service(request)->sessions, peer->principal ? peer->principal : "",
                   protocol, capabilities_of(request->message->params), clock_wall_ms(),
                   request_new_session(request));
}

static void
initialize(request_t *request)
{
    peer_t *peer = request_peer(request);
    protocol_t protocol = (protocol_t) PROTOCOL_NEWEST;

    if (peer->has_session) {
        request_error(request, RPC_INVALID, "This session is initialized already.");
        return;
    }
    protocol_find(json_get_text(request->message->params, "protocolVersion"), &protocol);
    if (peer->is_lasting) {
        peer->protocol = protocol;
        peer->is_negotiated = true;
    } else {
        begin_session(request, protocol);
    }
    buffer_t *out = request_begin(request);
    buffer_printf(
        out,
        "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{\"listChanged\":true},"
        "\"resources\":{}},\"serverInfo\":{\"name\":\"proofarc-mcp\",%s"
        "\"version\":\"%s\"},\"instructions\":",
        protocol_name(protocol),
        protocol_has_structure(protocol) ? "\"title\":\"Proofarc\"," : "", proofarc_version());
    json_write_string(out, instructions, sizeof instructions - 1);
    buffer_char(out, '}');
    request_end(request);
}

static void
ping(request_t *request)
{
    request_result(request, "{}");
}

// ---- lists

// Lists come whole, so that no cursor is one of ours.
static bool
has_no_cursor(request_t *request)
{
    const json_t *cursor = json_get(request->message->params, "cursor");

    if (!cursor || cursor->kind == JSON_NULL)
        return true;
    request_error(request, RPC_PARAMS, "There is no such cursor; leave it out for the list.");
    return false;
}

static void
send_list(request_t *request, list_t list)
{
    service_t *service = request_service(request);

    if (!listing_is_known(service->listing) && !listing_is_complete(service->listing)) {
        request_error(request, RPC_INTERNAL,
                      "The processes that offer the tools are not there; try again soon.");
        return;
    }
    const buffer_t *result =
        listing_result(service->listing, list, request_peer(request)->protocol);
    buffer_add(request_begin(request), result->bytes, result->size);
    request_end(request);
}

static void
list_tools(request_t *request)
{
    request_service(request)->list_was_read = true;
    send_list(request, LIST_TOOLS);
}

static void
list_resources(request_t *request)
{
    send_list(request, LIST_RESOURCES);
}

static void
list_templates(request_t *request)
{
    send_list(request, LIST_TEMPLATES);
}

static void
list_prompts(request_t *request)
{
    send_list(request, LIST_PROMPTS);
}

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
    if (need == WAIT_FOR_IT)
        service_park(service, request);
    else if (need == IS_REFUSED)
        invoke_fail(request, why.status, NOT_SENT, why.text);
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
    static const char reason[] = "The server is about to end; call it again.";

    if (request->method->needs & NEEDS_CALL)
        invoke_fail(request, BUSY, NOT_SENT, reason);
    else
        request_error(request, RPC_INTERNAL, reason);
}

// ---- the table in use

static const method_t *
find(const char *name)
{
    for (size_t i = 0; i < ROWS(methods); i++)
        if (!strcmp(methods[i].name, name))
            return &methods[i];
    return NULL;
}

// A request of the protocol without `initialize` says its version in each request. Clients look
// with server/discover whether it is served, and fall back when there is no such method.
static bool
claims_other_version(const request_t *request)
{
    const json_t *meta = json_get(request->message->params, "_meta");
    const json_t *claim = json_get(meta, "io.modelcontextprotocol/protocolVersion");
    protocol_t protocol;

    return claim && !protocol_find(json_get_text(meta, claim->key), &protocol)
           && strcmp(request->message->method, "server/discover") != 0;
}

static void
refuse_version(request_t *request)
{
    AUTO(buffer_clear) buffer_t data = { 0 };
    const json_t *claim = json_get(json_get(request->message->params, "_meta"),
                                   "io.modelcontextprotocol/protocolVersion");

    buffer_text(&data, "{\"supported\":[");
    for (int i = PROTOCOL_NEWEST; i >= 0; i--)
        buffer_printf(&data, "%s\"%s\"", i == PROTOCOL_NEWEST ? "" : ",",
                      protocol_name((protocol_t) i));
    buffer_text(&data, "],\"requested\":");
    json_write(&data, claim);
    buffer_char(&data, '}');
    request_error_with(request, RPC_VERSION,
                       "This protocol version is not served; begin with "
                       "initialize.",
                       data.bytes);
}

void
methods_start(request_t *request)
{
    const char *name = request->message->method;
    failure_t why;

    if (claims_other_version(request)) {
        refuse_version(request);
        return;
    }
    request->method = find(name);
    if (!request->method) {
        fail(&why, NO_TOOL, "There is no method \"%.100s\".", name);
        request_error(request, RPC_METHOD, why.text);
    } else if (request_service(request)->open > OPEN_MAX) {
        request_error(request, RPC_INTERNAL, "Too many requests are open; wait for answers.");
    } else if (!request->method->check || request->method->check(request)) {
        attempt(request);
    }
}

// ---- notifications

static bool
is_same_text(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

static bool
is_of_peer(const request_t *request, const peer_t *peer)
{
    const peer_t *other = request_peer(request);

    return is_same_text(other->principal, peer->principal)
           && is_same_text(other->session, peer->session);
}

// The request with that id of the same client. Clients without a session cannot be told from each
// other when they use the same ids: then it is nobody's.
static request_t *
find_request(const service_t *service, const peer_t *peer, const json_t *id)
{
    request_t *found = NULL;

    for (request_t *request = service->requests; request; request = request->next) {
        if (!is_of_peer(request, peer) || !jsonrpc_same_id(request->message->id, id))
            continue;
        if (found)
            return NULL;
        found = request;
    }
    return found;
}

static void
cancel(service_t *service, const peer_t *peer, const json_t *params)
{
    request_t *request = find_request(service, peer, json_get(params, "requestId"));

    if (!request)
        return;  // answered already, or none of this client's
    if (request->call.serial) {
        invoke_abandoned(request);
        link_cancel(service->link, &request->call);
    }
    service->cancelled++;
    request_drop(request);
}

void
methods_notice(service_t *service, const peer_t *peer, const rpc_message_t *message)
{
    if (!strcmp(message->method, "notifications/cancelled"))
        cancel(service, peer, message->params);
}
