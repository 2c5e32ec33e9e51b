// SPDX-License-Identifier: Apache-2.0
// A line or body from a client: whatever it is, it becomes messages that can be answered.

#include <assert.h>
#include <string.h>

#include "auto.h"
#include "mcp/jsonrpc.h"
#include "target.h"

static void
look(const rpc_message_t *message, const uint8_t *bytes, size_t size)
{
    const char *begin = (const char *) bytes;

    if (message->kind == RPC_REQUEST || message->kind == RPC_NOTIFICATION)
        assert(message->method);
    if (message->kind == RPC_BROKEN)
        assert(message->code < 0 && *message->text);
    if (message->id_text && strcmp(message->id_text, "null"))
        assert(message->id_text >= begin
               && message->id_text + message->id_size <= begin + size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    for (int with_batches = 0; with_batches < 2; with_batches++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        rpc_packet_t packet;

        jsonrpc_read(arena, (const char *) bytes, size, with_batches, &packet);
        assert(packet.count >= 1 && packet.count <= BATCH_MAX + 1);
        for (size_t i = 0; i < packet.count; i++)
            look(&packet.messages[i], bytes, size);
    }
    return 0;
}
