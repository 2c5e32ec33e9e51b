// SPDX-License-Identifier: Apache-2.0
#include "mcp/subscribe.h"

#include <string.h>

#include "auto.h"
#include "mcp/follow.h"
#include "mcp/invoke.h"
#include "mcp/service.h"
#include "mcp/shared.h"
#include "mcp/stateless.h"

bool
subscribe_check_uri(request_t *request)
{
    if (json_get_text(request->message->params, "uri"))
        return true;
    request_error(request, RPC_PARAMS, "uri has to be the address of a resource");
    return false;
}

void
subscribe_watch(request_t *request)
{
    service_t *service = request_service(request);
    const peer_t *peer = request_peer(request);
    const char *uri = json_get_text(request->message->params, "uri");

    if (!listeners_watch(service->listeners, peer->session, uri)) {
        request_error(request, RPC_INTERNAL, "This session watches too many resources.");
        return;
    }
    shared_tell(service, peer, request->message);
    request_result(request, "{}");
}

void
subscribe_unwatch(request_t *request)
{
    service_t *service = request_service(request);
    const peer_t *peer = request_peer(request);

    listeners_unwatch(service->listeners, peer->session,
                      json_get_text(request->message->params, "uri"));
    shared_tell(service, peer, request->message);
    request_result(request, "{}");
}

bool
subscribe_check_listen(request_t *request)
{
    const json_t *wanted = json_get(request->message->params, "notifications");

    if (!request_can_notify(request)) {
        request_error(request, RPC_PARAMS, "To listen, accept text/event-stream.");
        return false;
    }
    if (wanted && wanted->kind == JSON_OBJECT)
        return !json_get(wanted, "taskIds") || invoke_has_tasks(request);
    request_error(request, RPC_PARAMS, "notifications has to be an object");
    return false;
}

static void
on_change(const char *bytes, size_t size, void *arg)
{
    const buffer_t notification = { .bytes = (char *) bytes, .size = size };

    request_notify(arg, &notification);
}

// Tasks are none of the lists: what of them is honoured stands behind the others.
static void
follow_tasks(request_t *request, buffer_t *honoured)
{
    const json_t *ids =
        json_get(json_get(request->message->params, "notifications"), "taskIds");

    if (!ids || ids->kind != JSON_ARRAY)
        return;
    honoured->size--;
    buffer_text(honoured, honoured->size > 1 ? ",\"taskIds\":" : "\"taskIds\":");
    request->follow = follow_new(request, ids, honoured);
    buffer_char(honoured, '}');
}

void
subscribe_listen(request_t *request)
{
    AUTO(buffer_clear) buffer_t honoured = { 0 };
    AUTO(buffer_clear) buffer_t out = { 0 };
    const rpc_message_t *message = request->message;

    request->listener = listeners_subscribe(
        request_service(request)->listeners, message->id_text, message->id_size,
        json_get(message->params, "notifications"), on_change, request, &honoured);
    if (!request->listener) {
        request_error(request, RPC_INTERNAL, "Subscription limit reached.");
        return;
    }
    follow_tasks(request, &honoured);
    buffer_printf(
        &out,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\","
        "\"params\":{\"notifications\":%s,\"_meta\":{\"" STATELESS_META
        "subscriptionId\":%.*s}}}",
        honoured.bytes, (int) message->id_size, message->id_text);
    request_notify(request, &out);
}

void
subscribe_finish(request_t *request)
{
    request->result_meta =
        arena_printf(request_arena(request), "\"" STATELESS_META "subscriptionId\":%.*s",
                     (int) request->message->id_size, request->message->id_text);
    request_result(request, "{}");
}
