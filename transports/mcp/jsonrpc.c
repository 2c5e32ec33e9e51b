// SPDX-License-Identifier: Apache-2.0
#include "mcp/jsonrpc.h"

#include <string.h>

#include "limits.h"

static const char no_id[] = "null";

static void
mark_broken(rpc_message_t *message, int code, const char *text)
{
    message->kind = RPC_BROKEN;
    message->code = code;
    message->text = text;
}

// Integers only, by their spelling: 1.0 and 1e3 are numbers that nobody uses as a name.
static bool
is_integer(const json_t *value)
{
    if (value->kind != JSON_NUMBER)
        return false;
    const char *digits = value->text + (*value->text == '-');
    return strspn(digits, "0123456789") == strlen(digits);
}

static bool
is_usable_id(const json_t *id)
{
    if (id->end - id->begin > REQUEST_ID_MAX)
        return false;
    return id->kind == JSON_STRING || is_integer(id);
}

static bool
has_nul(const char *text, size_t length)
{
    return text && memchr(text, 0, length);
}

// Names that a layer further down would see shortened.
static bool
has_nul_in_names(const json_t *object)
{
    for (const json_t *member = object ? object->first : NULL; member; member = member->next) {
        if (has_nul(member->key, member->key_length))
            return true;
        if (member->kind != JSON_STRING || !has_nul(member->text, member->length))
            continue;
        if (!strcmp(member->key, "method") || !strcmp(member->key, "name")
            || !strcmp(member->key, "uri"))
            return true;
    }
    return false;
}

static void
read_id(const json_t *object, const char *bytes, rpc_message_t *message)
{
    const json_t *id = json_get(object, "id");

    if (!id || !is_usable_id(id))
        return;
    message->id = id;
    message->id_text = bytes + id->begin;
    message->id_size = id->end - id->begin;
}

// What is wrong with a notification is never said: it has no answer.
static void
read_params(const json_t *object, rpc_message_t *message)
{
    const json_t *params = json_get(object, "params");

    if (!params || params->kind == JSON_NULL)
        return;
    if (message->kind == RPC_NOTIFICATION) {
        if (params->kind == JSON_OBJECT && !has_nul_in_names(params))
            message->params = params;
    } else if (params->kind != JSON_OBJECT)
        mark_broken(message, RPC_PARAMS, "params has to be an object");
    else if (has_nul_in_names(params))
        mark_broken(message, RPC_PARAMS, "a name in params holds a NUL character");
    else
        message->params = params;
}

// The rules that a request and a notification share.
static void
read_call(const json_t *object, rpc_message_t *message)
{
    const json_t *method = json_get(object, "method");

    if (method->kind != JSON_STRING) {
        mark_broken(message, RPC_INVALID, "method has to be a string");
        return;
    }
    if (json_get(object, "id") && !message->id) {
        mark_broken(message, RPC_INVALID,
                    "id has to be a string or an integer, of 1 KiB at most");
        return;
    }
    message->kind = message->id ? RPC_REQUEST : RPC_NOTIFICATION;
    message->method = method->text;
    if (!has_nul_in_names(object))
        read_params(object, message);
    else if (message->kind == RPC_REQUEST)
        mark_broken(message, RPC_PARAMS, "a name holds a NUL character");
    else
        message->method = "";
}

static void
read_message(const json_t *value, const char *bytes, rpc_message_t *message)
{
    *message = (rpc_message_t){ .id_text = no_id, .id_size = sizeof no_id - 1 };
    if (value->kind != JSON_OBJECT) {
        mark_broken(message, RPC_INVALID, "a message has to be an object");
        return;
    }
    message->body = value;
    read_id(value, bytes, message);

    const char *version = json_get_text(value, "jsonrpc");
    if (!version || strcmp(version, "2.0") != 0)
        mark_broken(message, RPC_INVALID, "jsonrpc has to be \"2.0\"");
    else if (json_get(value, "method"))
        read_call(value, message);
    else if (json_get(value, "result") || json_get(value, "error"))
        message->kind = RPC_RESPONSE;
    else
        mark_broken(message, RPC_INVALID, "method is missing");
}

static void
read_batch(arena_t *arena, const json_t *array, const char *bytes, rpc_packet_t *packet)
{
    packet->is_batch = true;
    packet->messages = arena_alloc(arena, array->count * sizeof *packet->messages);
    for (const json_t *value = array->first; value; value = value->next) {
        rpc_message_t *message = &packet->messages[packet->count++];
        read_message(value, bytes, message);
        if (message->method && !strcmp(message->method, "initialize"))
            mark_broken(message, RPC_INVALID, "initialize may not stand in a batch");
    }
}

static void
refuse_all(rpc_packet_t *packet, int code, const char *text)
{
    *packet->messages = (rpc_message_t){ .id_text = no_id, .id_size = sizeof no_id - 1 };
    mark_broken(packet->messages, code, text);
}

static const char *
what_is_wrong(const json_document_t *document, bool with_batches)
{
    const json_t *root = document->root;

    if (document->duplicate)
        return "a member name stands twice in one object";
    if (root->kind != JSON_ARRAY)
        return NULL;
    if (root->count == 0)
        return "an empty array is no message";
    if (!with_batches)
        return "arrays of messages are taken in protocol version 2025-03-26 only";
    return root->count > BATCH_MAX ? "an array may hold 100 messages" : NULL;
}

void
jsonrpc_read(arena_t *arena, const char *bytes, size_t size, bool with_batches,
             rpc_packet_t *packet)
{
    json_document_t document;
    failure_t why;

    *packet =
        (rpc_packet_t){ .messages = arena_alloc(arena, sizeof(rpc_message_t)), .count = 1 };
    if (json_parse_within(arena, bytes, size, INPUT_VALUES_MAX, &document, &why)) {
        refuse_all(packet, RPC_PARSE, arena_strdup(arena, why.text));
        return;
    }
    const char *wrong = what_is_wrong(&document, with_batches);
    if (wrong) {
        refuse_all(packet, RPC_INVALID, wrong);
        if (document.root->kind == JSON_OBJECT)
            read_id(document.root, bytes, packet->messages);
        return;
    }
    if (document.root->kind != JSON_ARRAY) {
        read_message(document.root, bytes, packet->messages);
        return;
    }
    packet->count = 0;
    read_batch(arena, document.root, bytes, packet);
}

bool
jsonrpc_same_id(const json_t *a, const json_t *b)
{
    return a && b && a->kind == b->kind && a->text && b->text && a->length == b->length
           && !memcmp(a->text, b->text, a->length);
}

void
jsonrpc_write_error(buffer_t *out, const char *id, size_t id_size, int code, const char *text,
                    const char *data)
{
    buffer_text(out, "{\"jsonrpc\":\"2.0\"");
    if (id_size) {
        buffer_text(out, ",\"id\":");
        buffer_add(out, id, id_size);
    }
    buffer_printf(out, ",\"error\":{\"code\":%d,\"message\":", code);
    json_write_string(out, text, strlen(text));
    if (data) {
        buffer_text(out, ",\"data\":");
        buffer_text(out, data);
    }
    buffer_text(out, "}}");
}
