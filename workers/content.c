// SPDX-License-Identifier: Apache-2.0
// Blocks of MCP content, and the answers that are made of them.
#include <string.h>

#include "auto.h"
#include "call_state.h"
#include "fit.h"
#include "limits.h"
#include "reply.h"

void
call_add_block(call_t *call, json_t *block)
{
    if (!call->blocks)
        call->blocks = json_array(call->arena);
    json_add(call->blocks, block);
}

static json_t *
block_of(call_t *call, const char *type)
{
    json_t *block = json_object(call->arena);

    json_set_text(call->arena, block, "type", type);
    return block;
}

json_t *
block_of_text(call_t *call, const char *text)
{
    json_t *block = block_of(call, "text");

    json_set_text(call->arena, block, "text", text);
    return block;
}

static json_t *
block_of_bytes(call_t *call, const char *type, const char *mime, const char *base64)
{
    json_t *block = block_of(call, type);

    json_set_text(call->arena, block, "data", base64);
    json_set_text(call->arena, block, "mimeType", mime);
    return block;
}

json_t *
block_of_image(call_t *call, const char *mime, const char *base64)
{
    return block_of_bytes(call, "image", mime, base64);
}

json_t *
block_of_audio(call_t *call, const char *mime, const char *base64)
{
    return block_of_bytes(call, "audio", mime, base64);
}

json_t *
block_of_resource(call_t *call, const char *uri, const char *mime, const char *text)
{
    json_t *block = block_of(call, "resource");
    json_t *resource = json_set(call->arena, block, "resource", json_object(call->arena));

    json_set_text(call->arena, resource, "uri", uri);
    json_set_text(call->arena, resource, "mimeType", mime);
    json_set_text(call->arena, resource, "text", text);
    return block;
}

json_t *
block_of_link(call_t *call, const char *uri, const char *name, const char *mime)
{
    json_t *block = block_of(call, "resource_link");

    json_set_text(call->arena, block, "uri", uri);
    json_set_text(call->arena, block, "name", name);
    json_set_text(call->arena, block, "mimeType", mime);
    return block;
}

// Answers TOO_LARGE instead when it is.
static void
finish_within(call_t *call, const char *json, size_t size)
{
    failure_t why;

    if (size <= RESULT_MAX - ANSWER_FRAME) {
        reply_finish(call, OK, DONE, json);
        return;
    }
    call->content = "";
    fail(&why, TOO_LARGE, "the answer is over %d KiB; ask for less", RESULT_MAX / KIB);
    reply_failure(call, &why);
}

void
reply_blocks(call_t *call)
{
    assert(call->tool && call->tool->plain && call->blocks);
    call->content = json_text(call->arena, call->blocks);
    finish_within(call, "", strlen(call->content));
}

void
reply_messages(call_t *call, const json_t *messages)
{
    json_t *body = json_object(call->arena);

    assert(call->prompt);
    json_set_text(call->arena, body, "description", call->prompt->about);
    json_set(call->arena, body, "messages", json_copy(call->arena, messages));
    const char *json = json_text(call->arena, body);
    finish_within(call, json, strlen(json));
}

void
reply_prompt(call_t *call, const char *text)
{
    json_t *messages = json_array(call->arena);
    json_t *message = json_add(messages, json_object(call->arena));

    json_set_text(call->arena, message, "role", "user");
    json_set(call->arena, message, "content", block_of_text(call, text));
    reply_messages(call, messages);
}

static const char *
mime_of(const call_t *call)
{
    return call->resource ? call->resource->mime : call->template->mime;
}

void
reply_text(call_t *call, const char *text)
{
    const size_t size = strlen(text);

    call->mime = mime_of(call);
    finish_within(call, text, fit_cost(text, size) - size);
}

void
reply_base64(call_t *call, const char *base64)
{
    call->mime = mime_of(call);
    call->is_base64 = true;
    finish_within(call, base64, strlen(base64));
}
