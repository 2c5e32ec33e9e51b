// SPDX-License-Identifier: Apache-2.0
#include "names.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(crypto_shorthash_KEYBYTES == 16 && crypto_shorthash_BYTES == 8, "names_t.key");

enum { HEADS_MIN = 8 };

static uint32_t *
head_of(const names_t *self, const char *folded)
{
    uint64_t hash;

    crypto_shorthash((unsigned char *) &hash, (const unsigned char *) folded, strlen(folded),
                     self->key);
    return &self->heads[hash & (self->head_count - 1)];
}

static void
make_room(names_t *self, size_t count)
{
    if (count <= self->capacity)
        return;
    self->capacity = count + count / 4;
    self->next = realloc(self->next, self->capacity * sizeof *self->next);
    if (!self->next)
        abort();
}

// One head for each entity, or two.
static void
make_heads(names_t *self, size_t count)
{
    size_t wanted = HEADS_MIN;

    while (wanted < count)
        wanted *= 2;
    free(self->heads);
    self->head_count = wanted;
    self->heads = calloc(wanted, sizeof *self->heads);
    if (!self->heads)
        abort();
}

// From the last to the first, so that each list has the order of the entities.
void
names_build(names_t *self, const entity_t *entities, size_t count)
{
    assert(count < UINT32_MAX);
    if (!self->heads)
        crypto_shorthash_keygen(self->key);
    make_heads(self, count);
    self->capacity = 0;
    make_room(self, count);
    self->count = count;
    for (size_t i = count; i-- > 0;) {
        uint32_t *head = head_of(self, entities[i].folded);
        self->next[i] = *head;
        *head = (uint32_t) i + 1;
    }
}

void
names_add(names_t *self, const entity_t *entities, size_t count)
{
    if (count > self->head_count) {
        names_build(self, entities, count);
        return;
    }
    assert(self->count + 1 == count);
    make_room(self, count);
    self->count = count;
    uint32_t *place = head_of(self, entities[count - 1].folded);
    while (*place)
        place = &self->next[*place - 1];
    *place = (uint32_t) count;
    self->next[count - 1] = 0;
}

void
names_clear(names_t *self)
{
    free(self->heads);
    free(self->next);
    *self = (names_t){ .head_count = 0 };
}

size_t
names_size(const names_t *self)
{
    return self->head_count * sizeof *self->heads + self->capacity * sizeof *self->next;
}

const entity_t *
names_find(const names_t *self, const entity_t *entities, const char *folded,
           const entity_t *after)
{
    if (!self->count)
        return NULL;
    uint32_t at = after ? self->next[after - entities] : *head_of(self, folded);
    while (at && strcmp(entities[at - 1].folded, folded))
        at = self->next[at - 1];
    return at ? &entities[at - 1] : NULL;
}
