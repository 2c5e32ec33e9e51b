// SPDX-License-Identifier: Apache-2.0
#include "spread.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"

enum { TEXTS_MAX = 3 };

// Where the texts of a message of this type are. Their number.
static size_t
texts_of(message_t *message, const char **texts[TEXTS_MAX])
{
    switch (message->type) {
    case MSG_ended:
        texts[0] = (const char **) &message->ended.session;
        return 1;
    case MSG_changed:
        texts[0] = (const char **) &message->changed.kind;
        texts[1] = (const char **) &message->changed.uri;
        return 2;
    case MSG_said:
        texts[0] = (const char **) &message->said.session;
        texts[1] = (const char **) &message->said.principal;
        texts[2] = (const char **) &message->said.text;
        return 3;
    case MSG_seek:
        texts[0] = (const char **) &message->seek.session;
        texts[1] = (const char **) &message->seek.id;
        texts[2] = (const char **) &message->seek.reader;
        return 3;
    case MSG_piece:
        texts[0] = (const char **) &message->piece.reader;
        texts[1] = (const char **) &message->piece.id;
        texts[2] = (const char **) &message->piece.text;
        return 3;
    default:
        return 0;
    }
}

// No body: none of these has one.
static void
copy_message(message_t *to, const message_t *from)
{
    const char **copies[TEXTS_MAX], **texts[TEXTS_MAX];
    message_t source = *from;
    size_t count = texts_of(&source, texts), size = 1;

    for (size_t i = 0; i < count; i++)
        size += strlen(*texts[i]) + 1;
    char *end = malloc(size);
    assert(end);
    *to = source;
    to->body = (body_t){ 0 };
    to->memory = end;
    texts_of(to, copies);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(*texts[i]) + 1;
        *copies[i] = memcpy(end, *texts[i], length);
        end += length;
    }
}

void
spread(outbox_t *out, const peers_t *transports, const peer_t *from, const message_t *message)
{
    for (size_t i = 0; i < transports->count; i++) {
        const peer_t *peer = transports->items[i];
        if (peer == from || peer->is_refused)
            continue;
        letter_t *letter = outbox_letter(out, TRANSPORTS, peer->route, message->type);
        copy_message(&letter->message, message);
    }
}
