// SPDX-License-Identifier: Apache-2.0
#include "encoding.h"

#include <stdlib.h>
#include <strings.h>
#include <zlib.h>

#include "auto.h"

enum {
    CHUNK = 16 * 1024,
    WRAPPED = 32 + MAX_WBITS,  // gzip or zlib, by its head
    BARE = -MAX_WBITS,         // what some servers mean by deflate
};

typedef struct {
    z_stream stream;
    buffer_t out;
    size_t max;
    bool is_over;
} inflation_t;

static void
inflation_clear(inflation_t *self)
{
    inflateEnd(&self->stream);
    buffer_clear(&self->out);
}

static void
keep(inflation_t *self, const Bytef *bytes, size_t size)
{
    size_t room = self->max - self->out.size;

    self->is_over = size > room;
    buffer_add(&self->out, bytes, size < room ? size : room);
}

// Z_STREAM_END when all of it was read, or as much as there is room for; else what is wrong.
static int
run(inflation_t *self)
{
    Bytef chunk[CHUNK];
    int rc = Z_OK;

    while (rc == Z_OK && !self->is_over) {
        self->stream.next_out = chunk;
        self->stream.avail_out = sizeof chunk;
        rc = inflate(&self->stream, Z_NO_FLUSH);
        keep(self, chunk, sizeof chunk - self->stream.avail_out);
        // gzip may be several pieces, one behind the other (RFC 1952, 2.2)
        if (rc == Z_STREAM_END && self->stream.avail_in > 1 && *self->stream.next_in == 0x1f)
            rc = inflateReset(&self->stream);
    }
    return self->is_over ? Z_STREAM_END : rc;
}

static bool
decode(arena_t *arena, const exchange_answer_t *answer, int window, size_t max,
       content_t *content)
{
    AUTO(inflation_clear) inflation_t inflation = { .max = max };

    inflation.stream.next_in = (Bytef *) answer->body;  // zlib does not write to it
    inflation.stream.avail_in = (uInt) answer->size;
    if (inflateInit2(&inflation.stream, window) != Z_OK)
        abort();  // out of memory
    int rc = run(&inflation);
    if (rc != Z_STREAM_END && !(answer->is_truncated && rc == Z_BUF_ERROR))
        return false;
    const buffer_t *out = &inflation.out;
    content->bytes = arena_strndup(arena, out->size ? out->bytes : "", out->size);
    content->size = out->size;
    content->is_truncated = answer->is_truncated || inflation.is_over;
    return true;
}

static bool
is_word(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (!strcasecmp(text, *words))
            return true;
    return false;
}

void
encoding_undo(arena_t *arena, const exchange_answer_t *answer, size_t max, content_t *content)
{
    static const char *const nothing[] = { "", "identity", "none", "utf-8", "utf8", NULL };
    static const char *const packed[] = { "gzip", "x-gzip", "deflate", NULL };
    const char *encoding = exchange_header(answer->headers, "Content-Encoding");

    *content = (content_t){ answer->body, answer->size, answer->is_truncated };
    if (!encoding || !answer->size)
        return;
    if (is_word(encoding, nothing))
        content->warning = arena_printf(
            arena, "Content-Encoding: %s is no encoding; the body is read as it came",
            encoding);
    else if (!is_word(encoding, packed))
        content->warning = arena_printf(
            arena, "Content-Encoding %s is not undone; the body is read as it came", encoding);
    else if (!decode(arena, answer, WRAPPED, max, content)
             && (strcasecmp(encoding, "deflate") != 0
                 || !decode(arena, answer, BARE, max, content)))
        content->problem =
            arena_printf(arena, "not %s data, although Content-Encoding says so", encoding);
}
