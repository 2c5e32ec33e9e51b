// SPDX-License-Identifier: Apache-2.0
#include "mcp/content.h"

#include <string.h>

#include "auto.h"
#include "json.h"
#include "limits.h"

enum { AROUND_MAX = 1024 };  // bytes of a result that are neither copy of the body

static bool
is_failure(int64_t status)
{
    return status != OK && status != NARROWED;
}

void
content_failure(buffer_t *out, status_t status, outcome_t outcome, const char *text)
{
    buffer_printf(out, "{\"error\":{\"code\":\"%s\",\"message\":", status_name(status));
    json_write_string(out, text, strlen(text));
    buffer_printf(out, ",\"outcome\":\"%s\"}}", outcome_name(outcome));
}

// JSON may hold line ends between its tokens; a message over stdio may not.
static void
add_body(buffer_t *out, const char *body, size_t size)
{
    buffer_add(out, body, size);
    char *end = out->bytes + out->size;
    for (char *at = end - size; (at = memchr(at, '\n', (size_t) (end - at))); at++)
        *at = ' ';
}

static void
add_text_block(buffer_t *out, const char *text, size_t size)
{
    buffer_text(out, "{\"type\":\"text\",\"text\":");
    json_write_string(out, text, size);
    buffer_char(out, '}');
}

// The worker's blocks are a JSON array of their own.
static bool
has_blocks(const char *blocks)
{
    size_t length = strlen(blocks);

    return length > 2 && blocks[0] == '[' && blocks[length - 1] == ']';
}

static void
add_extra_blocks(buffer_t *out, const char *blocks)
{
    if (!has_blocks(blocks))
        return;
    if (out->bytes[out->size - 1] != '[')
        buffer_char(out, ',');
    add_body(out, blocks + 1, strlen(blocks) - 2);
}

// clang-format off
static const struct {
    const char *type;
    protocol_t since;
} block_types[] = {
    { "audio",         PROTOCOL_2025_03_26 },
    { "resource_link", PROTOCOL_2025_06_18 },
};
// clang-format on

// What a client sees of a block whose kind it does not know.
static void
make_text(arena_t *arena, json_t *block)
{
    static const char *const others[] = { "data",  "mimeType",    "uri", "name",
                                          "title", "description", "size" };
    const char *uri = json_get_text(block, "uri"), *name = json_get_text(block, "name");
    const char *kind = json_get_text(block, "mimeType");
    const char *text =
        uri ? arena_printf(arena, "%s: %s", name ? name : "A resource", uri)
            : arena_printf(arena,
                           "A sound (%s) that this version of the protocol cannot carry.",
                           kind ? kind : "of unknown kind");

    for (size_t i = 0; i < ROWS(others); i++)
        json_remove(block, others[i]);
    json_set_text(arena, block, "type", "text");
    json_set_text(arena, block, "text", text);
}

// A client that does not know a kind of block refuses the whole result: it gets the block as text.
static const char *
known_blocks(arena_t **arena_p, const char *blocks, protocol_t protocol)
{
    if (protocol >= PROTOCOL_2025_06_18 || !has_blocks(blocks))
        return blocks;
    arena_t *arena = *arena_p = arena_new();
    json_t *array = json_parse_text(arena, blocks);
    if (!array)
        return "";
    for (json_t *block = array->first; block; block = block->next) {
        const char *type = json_get_text(block, "type");
        for (size_t i = 0; type && i < ROWS(block_types); i++) {
            if (strcmp(type, block_types[i].type) != 0 || protocol >= block_types[i].since)
                continue;
            make_text(arena, block);
            break;
        }
    }
    return json_text(arena, array);
}

static void
cut(buffer_t *out, size_t size)
{
    out->size = size;
    out->bytes[size] = '\0';
}

static void
add_result(buffer_t *out, const char *text, size_t text_size, const char *blocks,
           const char *structure, size_t size, bool failed)
{
    buffer_text(out, "{\"content\":[");
    if (text)
        add_text_block(out, text, text_size);
    add_extra_blocks(out, blocks);
    buffer_char(out, ']');
    if (structure) {
        buffer_text(out, ",\"structuredContent\":");
        add_body(out, structure, size);
    }
    if (failed)
        buffer_text(out, ",\"isError\":true");
    buffer_char(out, '}');
}

static void
add_too_large(buffer_t *out, size_t size, bool with_structure)
{
    AUTO(buffer_clear) buffer_t body = { 0 };
    failure_t why;

    fail(
        &why, TOO_LARGE,
        "The answer has %zu bytes, more than a client can take. Ask for less: a smaller limit, "
        "or one item by its id.",
        size);
    content_failure(&body, TOO_LARGE, FAILED, why.text);
    add_result(out, body.bytes, body.size, "", with_structure ? body.bytes : NULL, body.size,
               true);
}

static void
add_structure_only(buffer_t *out, const char *body, size_t size, bool failed)
{
    AUTO(buffer_clear) buffer_t note = { 0 };

    buffer_printf(&note, "The answer has %zu bytes and stands in structuredContent only.",
                  size);
    add_result(out, note.bytes, note.size, "", body, size, failed);
}

void
content_of_tool(buffer_t *out, const answer_msg_t *answer, const char *body, size_t size,
                protocol_t protocol)
{
    AUTO(buffer_clear) buffer_t described = { 0 };
    AUTO(arena_destroy) arena_t *arena = NULL;
    const char *blocks = known_blocks(&arena, answer->content, protocol);
    bool failed = is_failure(answer->status);
    bool with_structure = protocol_has_structure(protocol);
    size_t begin = out->size;

    buffer_room(out, (with_structure ? 2 : 1) * size + AROUND_MAX);
    if (size == 0 && has_blocks(blocks) && strlen(blocks) < RESULT_MAX) {
        add_result(out, NULL, 0, blocks, NULL, 0, failed);
        return;
    }
    if (size == 0) {
        content_failure(&described, (status_t) answer->status, (outcome_t) answer->outcome,
                        status_text((status_t) answer->status));
        body = described.bytes;
        size = described.size;
    }
    if (size <= RESULT_MAX) {
        add_result(out, body, size, blocks, with_structure ? body : NULL, size, failed);
        if (out->size - begin <= RESULT_MAX)
            return;
        cut(out, begin);
        if (with_structure && size + AROUND_MAX <= RESULT_MAX) {
            add_structure_only(out, body, size, failed);
            return;
        }
    }
    add_too_large(out, size, with_structure);
}

void
content_of_resource(buffer_t *out, const char *uri, const answer_msg_t *answer,
                    const char *body, size_t size)
{
    const char *type = *answer->mime ? answer->mime : "application/json";

    buffer_text(out, "{\"contents\":[{\"uri\":");
    json_write_string(out, uri, strlen(uri));
    buffer_text(out, ",\"mimeType\":");
    json_write_string(out, type, strlen(type));
    buffer_text(out, answer->is_base64 ? ",\"blob\":" : ",\"text\":");
    json_write_string(out, body, size);
    buffer_text(out, "}]}");
}

void
content_as_it_is(buffer_t *out, const char *body, size_t size)
{
    if (size)
        add_body(out, body, size);
    else
        buffer_text(out, "{}");
}

const char *
content_message(arena_t *arena, status_t status, const char *body, size_t size)
{
    const json_t *root = json_parse_text(arena, arena_strndup(arena, body, size));
    const char *text = json_get_text(json_get(root, "error"), "message");

    return text ? text : status_text(status);
}
