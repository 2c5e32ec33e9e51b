// SPDX-License-Identifier: Apache-2.0
// What the core wants sent and logged after one step.

#ifndef PROOFARC_OUTBOX_H
#define PROOFARC_OUTBOX_H

#include "log.h"
#include "message.h"

typedef enum { TRANSPORTS, WORKERS } side_t;

typedef struct {
    side_t side;
    uint64_t route;     // of the connection, the shell's own number
    message_t message;  // a CALL and a CATALOGUE are borrowed from the core until its next step
    const char *sentence;  // an ANSWER of the broker's own: the failure that its body tells
} letter_t;

// A line for the log.
typedef struct {
    log_level_t level;
    const char *event;  // constant
    const char *text;   // constant
    char about[64];     // instance, host, category or call
} note_t;

typedef struct {
    letter_t *letters;
    size_t count, capacity;
    note_t *notes;
    size_t notes_count, notes_capacity;
} outbox_t;

// Adds a letter without contents; valid until the next is added.
letter_t *outbox_letter(outbox_t *self, side_t side, uint64_t route, char type);

// `about` is cut if it is too long.
void outbox_note(outbox_t *self, log_level_t level, const char *event, const char *about,
                 const char *text);

// Empties it and keeps its room, or frees that too.
void outbox_empty(outbox_t *self);
void outbox_clear(outbox_t *self);

#endif
