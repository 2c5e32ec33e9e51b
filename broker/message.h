// SPDX-License-Identifier: Apache-2.0
// Messages inside the broker: the envelope as a struct, the body as something that is passed
// on and never opened.

#ifndef PROOFARC_MESSAGE_H
#define PROOFARC_MESSAGE_H

#include "messages.h"

// A body belongs to whoever holds one with `free`; without it, it is borrowed.
typedef struct {
    void *handle;  // the shell's own; NULL for an empty body
    void (*free)(void *handle);
} body_t;

// Frees a body that is owned; leaves an empty one.
void body_clear(body_t *self);

typedef struct {
    char type;  // MSG_…; 0: nothing
    union {
        void *memory;  // first member of every message; NULL: the texts are borrowed
        ready_msg_t ready;
        hello_msg_t hello;
        catalogue_msg_t catalogue;
        call_msg_t call;
        progress_msg_t progress;
        log_msg_t log;
        answer_msg_t answer;
        changed_msg_t changed;
        cancel_msg_t cancel;
        beat_msg_t beat;
        bye_msg_t bye;
        ended_msg_t ended;
        said_msg_t said;
        seek_msg_t seek;
        piece_msg_t piece;
    };
    body_t body;
    size_t bytes;  // of the whole message as it came
} message_t;

// Frees what is owned; leaves nothing behind.
void message_clear(message_t *self);

#endif
