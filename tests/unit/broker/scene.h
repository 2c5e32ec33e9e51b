// SPDX-License-Identifier: Apache-2.0
// A core with transports and workers played by the test: what they say goes in by name, what
// the core sends is written down and can be asked for.

#ifndef PROOFARC_SCENE_H
#define PROOFARC_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "core.h"
#include "limits.h"

#include <cmocka.h>  // last: it defines fail()

enum { SENT_MAX = 8192 };

// A letter of the core, as far as tests look at it.
typedef struct {
    side_t side;
    uint64_t route;
    char type;
    char id[CALL_ID_MAX + 1];   // of the call; CATALOGUE: of the first entry's name
    int64_t status, outcome;    // ANSWER
    int64_t left_ms;            // CALL
    int64_t version, complete;  // CATALOGUE
    size_t entries;             // CATALOGUE: their number
    bool is_own;                // an answer of the broker itself
    char body[32];
} sent_t;

typedef struct {
    core_t *core;
    outbox_t out;
    int64_t now_ms;
    sent_t sent[SENT_MAX];
    size_t count;
    char notes[1024];  // their events, each followed by a blank
} scene_t;

static inline void
note_catalogue(sent_t *sent, const catalogue_msg_t *catalogue)
{
    entry_msg_t *entries;
    failure_t why;

    sent->version = catalogue->version;
    sent->complete = catalogue->complete;
    assert_int_equal(catalogue_unpack(catalogue->entries, &entries, &sent->entries, &why), OK);
    if (sent->entries)
        snprintf(sent->id, sizeof sent->id, "%s", entries[0].name);
    catalogue_free(&entries, sent->entries);
}

static inline void
note_letter(scene_t *self, const letter_t *letter)
{
    const message_t *message = &letter->message;

    assert_true(self->count < SENT_MAX);
    sent_t *sent = &self->sent[self->count++];
    *sent = (sent_t){ .side = letter->side, .route = letter->route, .type = message->type };
    if (message->type == MSG_catalogue)
        note_catalogue(sent, &message->catalogue);
    // All begin with the id of a call, a session or a reader.
    if (strchr("CAXPLQYDKU", message->type))
        snprintf(sent->id, sizeof sent->id, "%s", message->cancel.id);
    if (message->type == MSG_answer) {
        sent->status = message->answer.status;
        sent->outcome = message->answer.outcome;
        sent->is_own = letter->sentence != NULL;
    }
    if (message->type == MSG_call)
        sent->left_ms = message->call.left_ms;
    if (message->body.handle)
        snprintf(sent->body, sizeof sent->body, "%s", (char *) message->body.handle);
}

static inline void
scene_step(scene_t *self, event_t *event)
{
    core_step(self->core, event, self->now_ms, &self->out);
    for (size_t i = 0; i < self->out.count; i++)
        note_letter(self, &self->out.letters[i]);
    for (size_t i = 0; i < self->out.notes_count; i++) {
        size_t size = strlen(self->notes);
        snprintf(self->notes + size, sizeof self->notes - size, "%s ",
                 self->out.notes[i].event);
    }
    outbox_empty(&self->out);
    message_clear(&event->message);
}

static inline void
scene_open(scene_t *self, const dispatch_limits_t *limits)
{
    static const char *const categories[] = { "explore", "act" };

    memset(self, 0, sizeof *self);
    self->now_ms = 1000000;
    self->core = core_new(&(core_options_t){ .instance = "broker",
                                             .categories = categories,
                                             .categories_count = ROWS(categories),
                                             .seed = 42,
                                             .limits = limits ? *limits : core_limits() },
                          self->now_ms);
}

static inline void
scene_close(scene_t *self)
{
    core_destroy(&self->core);
    outbox_clear(&self->out);
}

// Forgets what was sent so far.
static inline void
scene_forget(scene_t *self)
{
    self->count = 0;
    self->notes[0] = '\0';
}

static inline char *
body_text(const char *text)
{
    return text ? strdup(text) : NULL;
}

// A message arrives, with its own memory as one from a socket.
static inline void
say(scene_t *self, side_t side, uint64_t route, const wire_table_t *table, const void *message,
    const char *body)
{
    event_t event = { .kind = EVENT_MESSAGE, .side = side, .route = route };
    void *bytes;
    size_t size;
    failure_t why;

    wire_encode(table, message, &bytes, &size);
    const char *cursor = bytes;
    assert_int_equal(wire_decode(table, &cursor, cursor + size, &event.message.memory, &why),
                     OK);
    free(bytes);
    event.message.type = table->type;
    event.message.bytes = size + (body ? strlen(body) : 0);
    event.message.body = (body_t){ body_text(body), free };
    scene_step(self, &event);
}

static inline void
happen(scene_t *self, event_kind_t kind, side_t side, uint64_t route, const char *id)
{
    event_t event = { .kind = kind, .side = side, .route = route };

    snprintf(event.id, sizeof event.id, "%s", id);
    scene_step(self, &event);
}

static inline void
tick(scene_t *self)
{
    happen(self, EVENT_TICK, TRANSPORTS, 0, "");
}

static inline void
beat_from(scene_t *self, side_t side, uint64_t route, const char *instance, int64_t credit,
          bool keeps_keys)
{
    say(self, side, route, &beat_wire,
        &(beat_msg_t){ .instance = instance, .credit = credit, .keeps_keys = keeps_keys },
        NULL);
}

static inline void
hello(scene_t *self, uint64_t route, const char *instance)
{
    say(self, TRANSPORTS, route, &hello_wire,
        &(hello_msg_t){ .protocol = WIRE_PROTOCOL, .instance = instance }, NULL);
}

// A worker offers these entries.
static inline void
ready_with(scene_t *self, uint64_t route, const char *instance, const char *host,
           int64_t credit, const entry_msg_t *entries, size_t count)
{
    void *bytes;
    size_t size;

    catalogue_pack(entries, count, &bytes, &size);
    say(self, WORKERS, route, &ready_wire,
        &(ready_msg_t){ .protocol = WIRE_PROTOCOL,
                        .instance = instance,
                        .host = host,
                        .credit = credit,
                        .entries = { bytes, size } },
        NULL);
    free(bytes);
}

static const entry_msg_t explore_entries[] = {
    { .kind = "tool", .category = "explore", .name = "look", .effect = "reads" },
    { .kind = "tool", .category = "explore", .name = "write", .effect = "writes" },
    { .kind = "tool", .category = "explore", .name = "glance", .effect = "reads", .quick = 1 },
};
static const entry_msg_t act_entries[] = {
    { .kind = "tool", .category = "act", .name = "run", .effect = "executes" },
};

static inline void
ready(scene_t *self, uint64_t route, const char *instance, int64_t credit)
{
    ready_with(self, route, instance, instance, credit, explore_entries, ROWS(explore_entries));
}

static inline void
call_of(scene_t *self, uint64_t route, const char *id, const char *tool, const char *principal,
        int64_t left_ms)
{
    say(self, TRANSPORTS, route, &call_wire,
        &(call_msg_t){ .id = id,
                       .kind = "tool",
                       .name = tool,
                       .principal = principal,
                       .left_ms = left_ms,
                       .key = strcmp(tool, "write") ? "" : "key" },
        "{}");
}

static inline void
call(scene_t *self, uint64_t route, const char *id, const char *tool)
{
    call_of(self, route, id, tool, "ann", 10000);
}

static inline void
answer(scene_t *self, uint64_t route, const char *id)
{
    say(self, WORKERS, route, &answer_wire, &(answer_msg_t){ .id = id, .status = OK },
        "{\"done\":1}");
}

static inline void
cancel(scene_t *self, uint64_t route, const char *id)
{
    say(self, TRANSPORTS, route, &cancel_wire, &(cancel_msg_t){ .id = id }, NULL);
}

// How many letters of this type went to the peer; `id` NULL counts all.
static inline size_t
sent_count(const scene_t *self, side_t side, uint64_t route, char type, const char *id)
{
    size_t count = 0;

    for (size_t i = 0; i < self->count; i++) {
        const sent_t *sent = &self->sent[i];
        count += sent->side == side && sent->route == route && sent->type == type
                 && (!id || !strcmp(sent->id, id));
    }
    return count;
}

// The last such letter; there must be one.
static inline const sent_t *
sent_last(const scene_t *self, side_t side, uint64_t route, char type, const char *id)
{
    for (size_t i = self->count; i-- > 0;) {
        const sent_t *sent = &self->sent[i];
        if (sent->side == side && sent->route == route && sent->type == type
            && (!id || !strcmp(sent->id, id)))
            return sent;
    }
    fail_msg("no %c %s was sent to %d/%d", type, id ? id : "", side, (int) route);
    return NULL;
}

// The call was answered once, by the broker itself, like this.
static inline void
assert_told(const scene_t *self, uint64_t route, const char *id, status_t status,
            outcome_t outcome)
{
    const sent_t *sent = sent_last(self, TRANSPORTS, route, MSG_answer, id);

    assert_int_equal(sent_count(self, TRANSPORTS, route, MSG_answer, id), 1);
    assert_true(sent->is_own);
    assert_string_equal(status_name(sent->status), status_name(status));
    assert_string_equal(outcome_name(sent->outcome), outcome_name(outcome));
}

static inline void
assert_not_told(const scene_t *self, uint64_t route, const char *id)
{
    assert_int_equal(sent_count(self, TRANSPORTS, route, MSG_answer, id), 0);
}

#endif
