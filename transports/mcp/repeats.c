// SPDX-License-Identifier: Apache-2.0
#include "mcp/repeats.h"

#include <assert.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "limits.h"

typedef struct {
    unsigned char hash[crypto_generichash_BYTES];
    int64_t until_ms;  // 0: free
    char key[REPEAT_KEY_SIZE];
} repeat_t;

struct repeats {
    repeat_t rows[REPEATS_MAX];
    size_t next;
    int64_t last_until_ms;  // nothing is alive behind it
};

repeats_t *
repeats_new(void)
{
    repeats_t *self = calloc(1, sizeof *self);

    assert(self);
    return self;
}

void
repeats_destroy(repeats_t **self_p)
{
    free(*self_p);
    *self_p = NULL;
}

// Lengths stand before the names, so that no two triples run together.
static void
hash_call(const char *principal, const char *tool, const json_t *arguments,
          unsigned char hash[crypto_generichash_BYTES])
{
    AUTO(buffer_clear) buffer_t text = { 0 };

    buffer_printf(&text, "%zu:%s%zu:%s", strlen(principal), principal, strlen(tool), tool);
    if (arguments)
        json_write_canonical(&text, arguments);
    crypto_generichash(hash, crypto_generichash_BYTES, (const unsigned char *) text.bytes,
                       text.size, NULL, 0);
}

void
repeats_add(repeats_t *self, const char *principal, const char *tool, const json_t *arguments,
            const char *key, int64_t now_ms)
{
    repeat_t *row = &self->rows[self->next];

    if (strlen(key) >= sizeof row->key)
        return;
    repeats_settle(self, key);
    hash_call(principal, tool, arguments, row->hash);
    row->until_ms = self->last_until_ms = now_ms + REPEAT_WINDOW_MS;
    snprintf(row->key, sizeof row->key, "%s", key);
    self->next = (self->next + 1) % REPEATS_MAX;
}

const char *
repeats_find(const repeats_t *self, const char *principal, const char *tool,
             const json_t *arguments, int64_t now_ms)
{
    unsigned char hash[crypto_generichash_BYTES];

    if (now_ms >= self->last_until_ms)
        return NULL;  // the usual case costs no hash
    hash_call(principal, tool, arguments, hash);
    for (size_t i = 0; i < REPEATS_MAX; i++) {
        const repeat_t *row = &self->rows[i];
        if (now_ms < row->until_ms && !memcmp(row->hash, hash, sizeof hash))
            return row->key;
    }
    return NULL;
}

void
repeats_settle(repeats_t *self, const char *key)
{
    for (size_t i = 0; i < REPEATS_MAX; i++)
        if (self->rows[i].until_ms && !strcmp(self->rows[i].key, key))
            self->rows[i].until_ms = 0;
}
