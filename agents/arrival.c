// SPDX-License-Identifier: Apache-2.0
#include "arrival.h"

#include <stdio.h>
#include <string.h>

arrival_t
arrival_begin(arena_t *arena, size_t body_max)
{
    return (arrival_t){ .arena = arena, .headers = json_array(arena), .body_max = body_max };
}

void
arrival_clear(arrival_t *self)
{
    buffer_clear(&self->body);
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// A line that begins with a blank continues the one before (obs-fold, RFC 9112, 5.2).
static void
continue_header(arrival_t *self, const char *line, size_t size)
{
    json_t *value = self->headers->last ? self->headers->last->last : NULL;

    while (size && is_blank(*line))
        line++, size--;
    if (!value || !size)
        return;
    char *joined = arena_printf(self->arena, "%s %.*s", value->text, (int) size, line);
    value->text = joined;
    value->length = strlen(joined);
}

static void
add_header(arrival_t *self, const char *line, size_t size)
{
    const char *colon = memchr(line, ':', size);
    const char *end = line + size;

    if (!colon)
        return;
    const char *value = colon + 1;
    while (value < end && is_blank(*value))
        value++;
    json_t *pair = json_add(self->headers, json_array(self->arena));
    json_add(pair, json_string_sized(self->arena, line, (size_t) (colon - line)));
    json_add(pair, json_string_sized(self->arena, value, (size_t) (end - value)));
}

// A status line: what came before it was an interim answer.
static void
begin_answer(arrival_t *self, const char *line, size_t size)
{
    size_t word = 0;

    while (word < size && word < sizeof self->version - 1 && !is_blank(line[word]))
        word++;
    snprintf(self->version, sizeof self->version, "%.*s", (int) word, line);
    self->headers = json_array(self->arena);
}

size_t
arrival_header(char *line, size_t one, size_t size, void *arrival)
{
    arrival_t *self = arrival;
    size_t length = size;

    while (length && (is_blank(line[length - 1]) || strchr("\r\n", line[length - 1])))
        length--;
    self->head_size += size;
    if (length >= 5 && !memcmp(line, "HTTP/", 5))
        begin_answer(self, line, length);
    else if (length && is_blank(*line))
        continue_header(self, line, length);
    else if (length)
        add_header(self, line, length);
    self->is_head_over =
        self->head_size > ARRIVAL_HEAD_MAX || self->headers->count > ARRIVAL_HEADERS_MAX;
    return self->is_head_over ? 0 : size;
}

size_t
arrival_body(char *bytes, size_t one, size_t size, void *arrival)
{
    arrival_t *self = arrival;
    size_t room = self->body_max - self->body.size;

    buffer_add(&self->body, bytes, size < room ? size : room);
    if (size <= room)
        return size;
    self->is_truncated = true;
    return 0;  // nobody looks at the rest
}
