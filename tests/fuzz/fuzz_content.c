// SPDX-License-Identifier: Apache-2.0
// A tool's answer, as a client of each version gets it: the first byte says of which version and
// status, the second how often the text behind the first line is repeated; the first line is the
// worker's blocks. Whatever it is, a result is JSON in one line, no larger than a client can take, and
// holds what the tool said.

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "json.h"
#include "limits.h"
#include "mcp/content.h"
#include "target.h"

typedef struct {
    answer_msg_t answer;
    protocol_t protocol;
    const char *body;
    size_t size;
    const json_t *said;  // the body, parsed
} case_t;

// The body is what was given, if that is JSON, else an object that holds it as text, many times.
static void
make_body(arena_t *arena, case_t *self, buffer_t *out, const char *text, size_t size,
          unsigned times)
{
    AUTO(buffer_clear) buffer_t repeated = { 0 };
    json_document_t document;
    failure_t why;
    const size_t big = times > 192 ? times - 192 : 0;
    const size_t wanted = times + big * big * 250;  // up to a little more than RESULT_MAX

    if (!times && !json_parse(arena, text, size, &document, &why)) {
        buffer_add(out, text, size);
        return;
    }
    do
        buffer_add(&repeated, text, size);
    while (size && repeated.size < wanted);
    buffer_text(out, "{\n\"text\":");
    json_write_string(out, repeated.size ? repeated.bytes : "", repeated.size);
    buffer_text(out, "}");
}

// No client gets a kind of block that its version does not know.
static void
look_at_blocks(const json_t *content, protocol_t protocol)
{
    assert(content && content->kind == JSON_ARRAY && content->count);
    for (const json_t *block = content->first; block; block = block->next) {
        const char *type = json_get_text(block, "type");
        assert(!type || protocol >= PROTOCOL_2025_06_18 || strcmp(type, "resource_link") != 0);
        assert(!type || protocol >= PROTOCOL_2025_03_26 || strcmp(type, "audio") != 0);
    }
}

static void
look_at_result(arena_t *arena, const case_t *self, const buffer_t *out)
{
    json_document_t document;
    failure_t why;

    assert(out->size <= RESULT_MAX && !memchr(out->bytes, '\n', out->size));
    status_t status = json_parse(arena, out->bytes, out->size, &document, &why);
    assert(!status);
    const json_t *structure = json_get(document.root, "structuredContent");
    const json_t *content = json_get(document.root, "content");
    const bool is_error = json_get_bool(document.root, "isError", false);
    const bool is_failure = self->answer.status != OK && self->answer.status != NARROWED;
    look_at_blocks(content, self->protocol);
    assert(!is_failure || is_error);
    assert(!structure || protocol_has_structure(self->protocol));
    if (!self->size || is_error != is_failure || (is_failure && self->size > RESULT_MAX / 8))
        return;  // nothing was said, or (perhaps) too much
    assert(!protocol_has_structure(self->protocol) || json_equal(structure, self->said));
    const json_t *text = json_get(content->first, "text");
    assert(text
           && (structure
               || (text->length == self->size && !memcmp(text->text, self->body, self->size))));
}

static void
look_at_resource(arena_t *arena, const case_t *self, const char *uri)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    content_of_resource(&out, uri, &self->answer, self->body, self->size);
    const json_t *contents = json_get(json_parse_text(arena, out.bytes), "contents");
    assert(contents && contents->count == 1 && !memchr(out.bytes, '\n', out.size));
    const json_t *text = json_get(contents->first, self->answer.is_base64 ? "blob" : "text");
    assert(text && text->length == self->size && !memcmp(text->text, self->body, self->size));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const status_t statuses[] = { OK, NARROWED, BAD_ARGS, UNKNOWN };
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(buffer_clear) buffer_t body = { 0 };
    AUTO(buffer_clear) buffer_t out = { 0 };
    const unsigned flags = size > 0 ? bytes[0] : 0, times = size > 1 ? bytes[1] : 0;
    const size_t taken = size < 2 ? size : 2;
    char *line = arena_strndup(arena, (const char *) bytes + taken, size - taken);
    char *end = strchr(line, '\n');
    const char *text = end ? end + 1 : line;
    case_t self = { .protocol = (protocol_t) (flags % PROTOCOL_COUNT),
                    .answer = { .status = statuses[flags >> 3 & 3],
                                .outcome = FAILED,
                                .mime = "",
                                .content = "" } };

    if (end) {
        *end = 0;
        const json_t *blocks = json_parse_text(arena, line);
        if (blocks && blocks->kind == JSON_ARRAY)
            self.answer.content = json_text(arena, blocks);
    }
    self.answer.is_base64 = flags & 128;
    make_body(arena, &self, &body, text, strlen(text), times);
    self.body = body.bytes;
    self.size = flags & 64 ? 0 : body.size;
    self.said = json_parse_text(arena, body.bytes);
    content_of_tool(&out, &self.answer, self.body, self.size, self.protocol);
    look_at_result(arena, &self, &out);
    look_at_resource(arena, &self, line);
    return 0;
}
