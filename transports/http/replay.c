// SPDX-License-Identifier: Apache-2.0
#include "http/replay.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "buffer.h"

enum { NAME_SIZE = 9, SESSION_SIZE = 40 };

struct replay {
    replays_t *owner;
    bool is_used, is_ended;
    int64_t ended_ms;
    char session[SESSION_SIZE];
    uint64_t stream;                     // its number
    buffer_t events[REPLAY_EVENTS_MAX];  // a ring by the number of the event
    uint64_t first, next;                // numbers of those that are kept
    size_t bytes;
    replay_send_fn *send;  // to who has come back, or NULL
    void *arg;
};

struct replays {
    char name[NAME_SIZE];
    uint64_t issued;
    replay_t streams[REPLAYS_MAX];
};

replays_t *
replays_new(const char *instance)
{
    replays_t *self = calloc(1, sizeof *self);

    assert(self);
    snprintf(self->name, sizeof self->name, "%.8s", instance);
    return self;
}

static void
forget(replay_t *stream)
{
    for (size_t i = 0; i < REPLAY_EVENTS_MAX; i++)
        buffer_clear(&stream->events[i]);
    *stream = (replay_t){ 0 };
}

void
replays_destroy(replays_t **self_p)
{
    if (!*self_p)
        return;
    for (size_t i = 0; i < REPLAYS_MAX; i++)
        forget(&(*self_p)->streams[i]);
    free(*self_p);
    *self_p = NULL;
}

// A free place; else that of the stream that has been over for longest.
static replay_t *
find_place(replays_t *self)
{
    replay_t *oldest = NULL;

    for (size_t i = 0; i < REPLAYS_MAX; i++) {
        replay_t *stream = &self->streams[i];
        if (!stream->is_used)
            return stream;
        if (stream->is_ended && (!oldest || stream->ended_ms < oldest->ended_ms))
            oldest = stream;
    }
    if (oldest)
        forget(oldest);
    return oldest;
}

static void
forget_old(replays_t *self, int64_t now_ms)
{
    for (size_t i = 0; i < REPLAYS_MAX; i++)
        if (self->streams[i].is_ended && now_ms - self->streams[i].ended_ms >= REPLAY_MS)
            forget(&self->streams[i]);
}

replay_t *
replays_begin(replays_t *self, const char *session, int64_t now_ms)
{
    forget_old(self, now_ms);
    replay_t *stream = find_place(self);
    if (!stream || strlen(session) >= SESSION_SIZE)
        return NULL;
    *stream = (replay_t){ .owner = self, .is_used = true, .stream = ++self->issued };
    snprintf(stream->session, sizeof stream->session, "%s", session);
    return stream;
}

static void
drop_first(replay_t *self)
{
    buffer_t *event = &self->events[self->first++ % REPLAY_EVENTS_MAX];

    self->bytes -= event->size;
    buffer_clear(event);
}

static void
write_id(const replay_t *self, uint64_t number, char id[REPLAY_ID_SIZE])
{
    snprintf(id, REPLAY_ID_SIZE, "%s-%" PRIx64 "-%" PRIx64, self->owner->name, self->stream,
             number);
}

void
replay_add(replay_t *self, const char *bytes, size_t size, char id[REPLAY_ID_SIZE])
{
    while (self->first < self->next
           && (self->next - self->first == REPLAY_EVENTS_MAX
               || self->bytes + size > REPLAY_BYTES_MAX))
        drop_first(self);
    buffer_add(&self->events[self->next % REPLAY_EVENTS_MAX], bytes, size);
    self->bytes += size;
    write_id(self, self->next++, id);
    if (self->send)
        self->send(id, bytes, size, self->arg);
}

void
replay_end(replay_t *self, int64_t now_ms)
{
    replay_send_fn *send = self->send;

    self->is_ended = true;
    self->ended_ms = now_ms;
    self->send = NULL;
    if (send)
        send(NULL, NULL, 0, self->arg);
}

// The number of the event in an id of this stream; false for any other text.
static bool
read_id(const replay_t *self, const char *id, uint64_t *number_p)
{
    char same[REPLAY_ID_SIZE];
    const char *last = strrchr(id, '-');

    if (!last)
        return false;
    *number_p = strtoull(last + 1, NULL, 16);
    write_id(self, *number_p, same);
    return !strcmp(id, same) && *number_p < self->next;
}

static void
send_rest(replay_t *self, uint64_t after)
{
    char id[REPLAY_ID_SIZE];

    for (uint64_t i = after + 1 > self->first ? after + 1 : self->first; i < self->next; i++) {
        const buffer_t *event = &self->events[i % REPLAY_EVENTS_MAX];
        write_id(self, i, id);
        self->send(id, event->size ? event->bytes : "", event->size, self->arg);
    }
}

// The stream that the id is of, or NULL.
static const replay_t *
find(const replays_t *self, const char *session, const char *id, uint64_t *number_p)
{
    for (size_t i = 0; i < REPLAYS_MAX; i++) {
        const replay_t *stream = &self->streams[i];
        if (stream->is_used && !strcmp(stream->session, session)
            && read_id(stream, id, number_p))
            return stream;
    }
    return NULL;
}

bool
replays_knows(const replays_t *self, const char *session, const char *id)
{
    uint64_t number;

    return find(self, session, id, &number);
}

// As write_id() does it.
bool
replays_is_foreign(const replays_t *self, const char *id)
{
    static const char hex[] = "0123456789abcdef";
    size_t name = strspn(id, hex);

    if (name != NAME_SIZE - 1 || id[name] != '-' || !strncmp(id, self->name, name))
        return false;
    const char *stream = id + name + 1;
    size_t size = strspn(stream, hex);
    return size && stream[size] == '-' && stream[size + 1]
           && !stream[size + 1 + strspn(stream + size + 1, hex)] && strlen(id) < REPLAY_ID_SIZE;
}

bool
replays_resume(replays_t *self, const char *session, const char *id, int64_t now_ms,
               replay_send_fn *send, void *arg)
{
    uint64_t number;

    forget_old(self, now_ms);
    const replay_t *found = find(self, session, id, &number);
    if (!found)
        return false;
    replay_t *stream = &self->streams[found - self->streams];
    if (stream->send)
        stream->send(NULL, NULL, 0, stream->arg);  // who came back earlier
    stream->send = send;
    stream->arg = arg;
    send_rest(stream, number);
    if (stream->is_ended)
        replay_end(stream, stream->ended_ms);
    return true;
}

void
replays_leave(replays_t *self, const void *arg)
{
    for (size_t i = 0; i < REPLAYS_MAX; i++)
        if (self->streams[i].arg == arg)
            self->streams[i].send = NULL;
}
