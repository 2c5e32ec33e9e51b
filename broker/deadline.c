// SPDX-License-Identifier: Apache-2.0
#include "deadline.h"

#include <assert.h>
#include <stdlib.h>

void
deadlines_clear(deadlines_t *self)
{
    free(self->items);
    *self = (deadlines_t){ 0 };
}

static void
put(deadlines_t *self, size_t place, deadline_t *item)
{
    self->items[place] = item;
    item->place = place;
}

// Moves what stands at `place` towards the front while it falls due before its parent.
static void
rise(deadlines_t *self, size_t place)
{
    deadline_t *item = self->items[place];

    for (; place > 1 && item->due_ms < self->items[place / 2]->due_ms; place /= 2)
        put(self, place, self->items[place / 2]);
    put(self, place, item);
}

static void
sink(deadlines_t *self, size_t place)
{
    deadline_t *item = self->items[place];

    for (size_t child; (child = 2 * place) <= self->count; place = child) {
        if (child < self->count && self->items[child + 1]->due_ms < self->items[child]->due_ms)
            child++;
        if (item->due_ms <= self->items[child]->due_ms)
            break;
        put(self, place, self->items[child]);
    }
    put(self, place, item);
}

static void
append(deadlines_t *self, deadline_t *item)
{
    if (self->count + 1 >= self->capacity) {
        self->capacity = self->capacity ? 2 * self->capacity : 64;
        self->items = realloc(self->items, self->capacity * sizeof *self->items);
        assert(self->items);
    }
    put(self, ++self->count, item);
}

void
deadline_set(deadlines_t *self, deadline_t *item, int64_t due_ms)
{
    item->due_ms = due_ms;
    if (!item->place)
        append(self, item);
    rise(self, item->place);
    sink(self, item->place);
}

void
deadline_remove(deadlines_t *self, deadline_t *item)
{
    size_t place = item->place;

    if (!place)
        return;
    deadline_t *last = self->items[self->count--];
    item->place = 0;
    if (last == item)
        return;
    put(self, place, last);
    rise(self, place);
    sink(self, last->place);
}

void *
deadline_due(const deadlines_t *self, int64_t now_ms)
{
    return self->count && self->items[1]->due_ms <= now_ms ? self->items[1]->owner : NULL;
}
