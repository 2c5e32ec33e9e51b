// SPDX-License-Identifier: Apache-2.0
// A line or body from a client: whatever it is, it becomes messages that can be answered, and each
// of them is of the kind that JSON-RPC 2.0 says; without a broken member, as it was sent.

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "limits.h"
#include "mcp/jsonrpc.h"
#include "mcp/stateless.h"
#include "target.h"

// ---- what the standard says

static bool
is_id(const json_t *id)
{
    if (!id || id->end - id->begin > REQUEST_ID_MAX)
        return false;
    return id->kind == JSON_STRING || (id->kind == JSON_NUMBER && !strpbrk(id->text, ".eE"));
}

static bool
has_nul(const json_t *object)
{
    static const char *const names[] = { "method", "name", "uri" };

    for (const json_t *member = object->first; member; member = member->next) {
        if (strlen(member->key) != member->key_length)
            return true;
        for (size_t i = 0; i < ROWS(names); i++)
            if (!strcmp(member->key, names[i]) && member->kind == JSON_STRING
                && strlen(member->text) != member->length)
                return true;
    }
    return false;
}

static rpc_kind_t
expected_call(const json_t *value)
{
    const json_t *id = json_get(value, "id"), *params = json_get(value, "params");

    if (json_get(value, "method")->kind != JSON_STRING || (id && !is_id(id)))
        return RPC_BROKEN;
    if (!id)
        return RPC_NOTIFICATION;
    if (has_nul(value) || (params && params->kind == JSON_OBJECT && has_nul(params)))
        return RPC_BROKEN;
    return !params || params->kind == JSON_NULL || params->kind == JSON_OBJECT ? RPC_REQUEST
                                                                               : RPC_BROKEN;
}

static rpc_kind_t
expected_kind(const json_t *value)
{
    const char *version = json_get_text(value, "jsonrpc");

    if (!version || strcmp(version, "2.0") != 0)
        return RPC_BROKEN;
    if (json_get(value, "method"))
        return expected_call(value);
    return json_get(value, "result") || json_get(value, "error") ? RPC_RESPONSE : RPC_BROKEN;
}

static bool
claims(const json_t *value)
{
    return json_get(json_get(json_get(value, "params"), "_meta"),
                    STATELESS_META "protocolVersion");
}

// ---- what was read

static void
look(const rpc_message_t *message, const uint8_t *bytes, size_t size)
{
    const char *begin = (const char *) bytes;
    const bool is_call = message->kind == RPC_REQUEST || message->kind == RPC_NOTIFICATION;
    AUTO(buffer_clear) buffer_t answer = { 0 };

    assert(!is_call || message->method);
    assert((message->kind == RPC_REQUEST) <= (message->id != NULL));
    assert(!message->params || message->params->kind == JSON_OBJECT);
    assert(message->id_size <= REQUEST_ID_MAX
           && !memchr(message->id_text, '\n', message->id_size));
    assert(
        !message->id
        || (message->id_text >= begin && message->id_text + message->id_size <= begin + size));
    if (message->kind != RPC_BROKEN)
        return;
    assert(message->code < 0 && *message->text);
    AUTO(arena_destroy) arena_t *arena = arena_new();
    jsonrpc_write_error(&answer, message->id_text, message->id_size, message->code,
                        message->text, NULL);
    const json_t *error = json_parse_text(arena, answer.bytes);
    assert(json_get_int(json_get(error, "error"), "code", 0) == message->code);
    assert(jsonrpc_same_id(json_get(error, "id"), message->id) == (message->id != NULL));
}

static void
compare(const rpc_packet_t *packet, const json_document_t *document, bool with_batches)
{
    const json_t *root = document->root;
    const bool is_batch = root->kind == JSON_ARRAY && root->count && root->count <= BATCH_MAX
                          && with_batches && !document->duplicate;

    assert(packet->is_batch == is_batch);
    if (document->duplicate || (root->kind == JSON_ARRAY && !is_batch)) {
        assert(packet->count == 1 && packet->messages->kind == RPC_BROKEN);
        return;
    }
    const json_t *value = is_batch ? root->first : root;
    for (size_t i = 0; i < packet->count; i++, value = value->next) {
        const rpc_message_t *message = &packet->messages[i];
        const bool is_misplaced =
            is_batch && message->method && !strcmp(message->method, "initialize");
        assert(message->kind == expected_kind(value)
               || (is_misplaced && message->kind == RPC_BROKEN));
        assert(!message->body == (value->kind != JSON_OBJECT));
    }
    assert(!is_batch || packet->count == root->count);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const char *text = (const char *) bytes;
    json_document_t document;
    failure_t why;
    const bool is_json = !json_parse(arena, text, size, &document, &why);

    for (int with_batches = 0; with_batches < 2; with_batches++) {
        rpc_packet_t packet;
        jsonrpc_read(arena, text, size, with_batches, &packet);
        assert(packet.count >= 1 && packet.count <= BATCH_MAX);
        for (size_t i = 0; i < packet.count; i++)
            look(&packet.messages[i], bytes, size);
        if (is_json)
            compare(&packet, &document, with_batches);
        else
            assert(packet.count == 1 && packet.messages->code == RPC_PARSE);
    }
    if (!memmem(text, size, "\\u", 2))  // nobody writes plain letters that way
        assert(stateless_claims(text, size) == (is_json && claims(document.root)));
    return 0;
}
