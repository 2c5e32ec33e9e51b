// SPDX-License-Identifier: Apache-2.0
// Streams of events: each byte 0xfe begins an event, the byte behind it says what it has beside its
// data. A reader made after the standard finds the same events in the stream, and nothing else.

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "http/sse.h"
#include "target.h"

enum {
    MARK = 0xfe,
    WITH_NAME = 1,
    WITH_ID = 2,
    WITH_RETRY = 4,
    WITH_COMMENT = 8,
    ID_SIZE = 24
};

// ---- the reader (WHATWG HTML, 9.2.6)

typedef struct {
    const char *at, *end;
    char name[32], id[32];
    int retry_ms;
    buffer_t data;
} reader_t;

// Keeps what the reader has of memory for the next event.
static void
begin_event(reader_t *self)
{
    *self->name = 0;
    self->data.size = 0;
}

static bool
read_line(reader_t *self, const char **line_p, size_t *size_p)
{
    const char *at = self->at;

    while (at < self->end && *at != '\n' && *at != '\r')
        at++;
    if (at == self->end)
        return false;
    *line_p = self->at;
    *size_p = (size_t) (at - self->at);
    at += *at == '\r' && at + 1 < self->end && at[1] == '\n' ? 2 : 1;
    self->at = at;
    return true;
}

static bool
is_named(const char *line, size_t size, const char *name)
{
    return strlen(name) == size && !memcmp(line, name, size);
}

static void
take_field(reader_t *self, const char *line, size_t size)
{
    const char *colon = memchr(line, ':', size);
    const size_t name_size = colon ? (size_t) (colon - line) : size;
    const char *value = colon ? colon + 1 : line + size;
    size_t value_size = size - (size_t) (value - line);

    if (value_size && *value == ' ') {
        value++;
        value_size--;
    }
    if (is_named(line, name_size, "data")) {
        buffer_add(&self->data, value, value_size);
        buffer_char(&self->data, '\n');
    } else if (is_named(line, name_size, "event")) {
        snprintf(self->name, sizeof self->name, "%.*s", (int) value_size, value);
    } else if (is_named(line, name_size, "id")) {
        snprintf(self->id, sizeof self->id, "%.*s", (int) value_size, value);
    } else if (is_named(line, name_size, "retry")) {
        self->retry_ms = (int) strtol(value, NULL, 10);  // ends with the line
    } else {
        assert(!name_size);  // a comment: nothing else is ever written
    }
}

// The next event; false behind the last one, where nothing may be left.
static bool
read_event(reader_t *self)
{
    const char *line;
    size_t size;

    begin_event(self);
    while (read_line(self, &line, &size)) {
        if (size) {
            take_field(self, line, size);
        } else if (self->data.size) {
            self->data.size--;  // the last LF
            return true;
        } else {
            begin_event(self);
        }
    }
    assert(self->at == self->end && !self->data.size);
    return false;
}

// ---- the events

typedef struct {
    const char *at, *end;
    int index;
} input_t;

// True and *event filled unless there is no more. `id` is what its id is written to.
static bool
take_event(input_t *self, sse_event_t *event, char id[ID_SIZE], unsigned *flags_p)
{
    if (self->at == self->end)
        return false;
    *flags_p = (unsigned char) *self->at++;
    const char *end =
        self->at < self->end ? memchr(self->at, MARK, (size_t) (self->end - self->at)) : NULL;
    if (!end)
        end = self->end;
    snprintf(id, ID_SIZE, "a-%x-%d", *flags_p, self->index++);
    *event = (sse_event_t){
        .name = *flags_p & WITH_NAME ? "message" : NULL,
        .id = *flags_p & WITH_ID ? id : NULL,
        .retry_ms = *flags_p & WITH_RETRY ? 1000 + self->index : 0,
        .data = self->at,
        .size = (size_t) (end - self->at),
    };
    self->at = end < self->end ? end + 1 : end;
    return true;
}

static void
normalise(const sse_event_t *event, buffer_t *out)
{
    buffer_text(out, "");
    for (size_t i = 0; i < event->size; i++) {
        bool is_cr = event->data[i] == '\r';
        if (is_cr && i + 1 < event->size && event->data[i + 1] == '\n')
            continue;
        buffer_char(out, is_cr ? '\n' : event->data[i]);
    }
}

static void
compare(reader_t *reader, const sse_event_t *event)
{
    AUTO(buffer_clear) buffer_t wanted = { 0 };

    normalise(event, &wanted);
    bool is_there = read_event(reader);
    assert(is_there);
    assert(!strcmp(reader->name, event->name ? event->name : ""));
    assert(!event->id || !strcmp(reader->id, event->id));
    assert(!event->retry_ms || reader->retry_ms == event->retry_ms);
    assert(reader->data.size == wanted.size
           && !memcmp(reader->data.bytes, wanted.bytes, wanted.size));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(buffer_clear) buffer_t stream = { 0 };
    const input_t input = { (const char *) bytes, (const char *) bytes + size, 0 };
    input_t writing = input, reading = input;
    reader_t reader = { 0 };
    sse_event_t event;
    char id[ID_SIZE];
    unsigned flags;

    buffer_text(&stream, "");
    while (take_event(&writing, &event, id, &flags)) {
        if (flags & WITH_COMMENT)
            sse_comment(&stream);
        sse_write(&stream, &event);
    }
    reader.at = stream.bytes;
    reader.end = stream.bytes + stream.size;
    while (take_event(&reading, &event, id, &flags))
        compare(&reader, &event);
    bool has_more = read_event(&reader);
    assert(!has_more);
    buffer_clear(&reader.data);
    return 0;
}
