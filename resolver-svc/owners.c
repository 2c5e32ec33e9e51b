// SPDX-License-Identifier: Apache-2.0
#include "owners.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 64 };

struct owners {
    owner_t **buckets;
    size_t bucket_count;
    size_t count;
    unsigned char key[crypto_shorthash_KEYBYTES];  // so that nobody can make names collide
};

static void *
allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory)
        abort();
    return memory;
}

owners_t *
owners_new(void)
{
    owners_t *self = allocate(1, sizeof *self);

    self->bucket_count = FIRST_BUCKETS;
    self->buckets = allocate(self->bucket_count, sizeof *self->buckets);
    randombytes_buf(self->key, sizeof self->key);
    return self;
}

void
owners_destroy(owners_t **self_p)
{
    owners_t *self = *self_p;

    if (!self)
        return;
    assert(!self->count);
    free(self->buckets);
    free(self);
    *self_p = NULL;
}

static owner_t **
bucket_of(const owners_t *self, const char *principal)
{
    uint64_t hash = 0;

    crypto_shorthash((unsigned char *) &hash, (const unsigned char *) principal,
                     strlen(principal), self->key);
    return &self->buckets[hash % self->bucket_count];
}

static void
grow(owners_t *self)
{
    owner_t **old = self->buckets;
    size_t old_count = self->bucket_count;

    self->bucket_count *= 2;
    self->buckets = allocate(self->bucket_count, sizeof *self->buckets);
    for (size_t i = 0; i < old_count; i++)
        for (owner_t *owner = old[i], *next; owner; owner = next) {
            owner_t **bucket = bucket_of(self, owner->principal);
            next = owner->next;
            owner->next = *bucket;
            *bucket = owner;
        }
    free(old);
}

owner_t *
owners_find(const owners_t *self, const char *principal)
{
    owner_t *owner = *bucket_of(self, principal);

    while (owner && strcmp(owner->principal, principal))
        owner = owner->next;
    return owner;
}

owner_t *
owners_get(owners_t *self, const char *principal)
{
    owner_t *owner = owners_find(self, principal);

    if (owner)
        return owner;
    if (self->count == self->bucket_count)
        grow(self);
    owner = allocate(1, sizeof *owner);
    owner->principal = strdup(principal);
    if (!owner->principal)
        abort();
    ring_init(&owner->scopes);
    owner_t **bucket = bucket_of(self, principal);
    owner->next = *bucket;
    *bucket = owner;
    self->count++;
    return owner;
}

void
owners_drop(owners_t *self, owner_t *owner)
{
    owner_t **place = bucket_of(self, owner->principal);

    while (*place != owner)
        place = &(*place)->next;
    *place = owner->next;
    self->count--;
    free(owner->principal);
    free(owner);
}
