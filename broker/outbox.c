// SPDX-License-Identifier: Apache-2.0
#include "outbox.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Room for one more item at the end.
static void *
grown(void *items, size_t count, size_t *capacity_p, size_t size)
{
    if (count < *capacity_p)
        return items;
    *capacity_p = *capacity_p ? 2 * *capacity_p : 16;
    items = realloc(items, *capacity_p * size);
    assert(items);
    return items;
}

letter_t *
outbox_letter(outbox_t *self, side_t side, uint64_t route, char type)
{
    self->letters = grown(self->letters, self->count, &self->capacity, sizeof *self->letters);
    letter_t *letter = &self->letters[self->count++];

    *letter = (letter_t){ .side = side, .route = route, .message.type = type };
    return letter;
}

void
outbox_note(outbox_t *self, log_level_t level, const char *event, const char *about,
            const char *text)
{
    size_t size = strlen(about);

    self->notes =
        grown(self->notes, self->notes_count, &self->notes_capacity, sizeof *self->notes);
    note_t *note = &self->notes[self->notes_count++];
    *note = (note_t){ .level = level, .event = event, .text = text };
    memcpy(note->about, about, size < sizeof note->about ? size : sizeof note->about - 1);
}

void
outbox_empty(outbox_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        message_clear(&self->letters[i].message);
    self->count = 0;
    self->notes_count = 0;
}

void
outbox_clear(outbox_t *self)
{
    outbox_empty(self);
    free(self->letters);
    free(self->notes);
    *self = (outbox_t){ 0 };
}
