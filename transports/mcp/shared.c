// SPDX-License-Identifier: Apache-2.0
#include "mcp/shared.h"

#include <string.h>

#include "auto.h"
#include "limits.h"
#include "mcp/hello.h"
#include "mcp/inquiry.h"
#include "mcp/methods.h"
#include "mcp/service.h"

enum { SAID_MAX = MIB };  // bytes of a message that is passed on

void
shared_tell(service_t *service, const peer_t *peer, const rpc_message_t *message)
{
    AUTO(buffer_clear) buffer_t text = { 0 };

    if (peer->is_lasting || !*peer->session || !message->body)
        return;
    json_write(&text, message->body);
    const said_msg_t said = {
        .session = peer->session,
        .principal = peer->principal ? peer->principal : "",
        .text = text.bytes,
    };
    if (text.size <= SAID_MAX)
        link_tell(service->link, &said_wire, &said);
}

static void
take_level(service_t *service, const char *session, const json_t *params)
{
    const char *level = hello_level(json_get_text(params, "level"));

    if (level)
        service_set_level(service, session, level);
}

static void
take_watch(service_t *service, const char *session, const json_t *params)
{
    const char *uri = json_get_text(params, "uri");

    if (uri)
        listeners_watch(service->listeners, session, uri);
}

static void
take_unwatch(service_t *service, const char *session, const json_t *params)
{
    const char *uri = json_get_text(params, "uri");

    if (uri)
        listeners_unwatch(service->listeners, session, uri);
}

// clang-format off
static const struct {
    const char *method;
    void (*take)(service_t *service, const char *session, const json_t *params);
} settings[] = {
    { "logging/setLevel",      take_level },
    { "resources/subscribe",   take_watch },
    { "resources/unsubscribe", take_unwatch },
};
// clang-format on

static void
take_message(service_t *service, const peer_t *peer, const rpc_message_t *message)
{
    if (message->kind == RPC_RESPONSE)
        inquiry_take(service, peer, message);
    else if (message->kind == RPC_NOTIFICATION)
        methods_notice(service, peer, message);
    for (size_t i = 0; i < ROWS(settings); i++)
        if (message->kind == RPC_REQUEST && !strcmp(message->method, settings[i].method))
            settings[i].take(service, peer->session, message->params);
}

void
shared_take(service_t *service, const said_msg_t *said)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    rpc_packet_t packet;
    const peer_t peer = {
        .session = said->session,
        .principal = *said->principal ? said->principal : NULL,
    };

    jsonrpc_read(arena, said->text, strlen(said->text), false, &packet);
    take_message(service, &peer, packet.messages);
}
