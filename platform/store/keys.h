// SPDX-License-Identifier: Apache-2.0
// Idempotency keys: the first answer of a write, kept for IDEMPOTENCY_MS.

#ifndef PROOFARC_STORE_KEYS_H
#define PROOFARC_STORE_KEYS_H

#include "store/sqlite.h"

enum { KEYS_DIGEST_SIZE = 32 };

typedef struct {
    bool same;  // the request is the one that was answered
    int code;
    const char *body;  // in the arena
} kept_answer_t;

// Looks up the answer that is kept under (principal, key); false if there is none.
bool keys_find(store_t *store, arena_t *arena, const char *principal, const char *key,
               const unsigned char digest[KEYS_DIGEST_SIZE], int64_t wall_ms,
               kept_answer_t *answer);

// Keeps an answer, inside the transaction of the write.
void keys_keep(store_t *store, const char *principal, const char *key,
               const unsigned char digest[KEYS_DIGEST_SIZE], int code, const char *body,
               int64_t wall_ms);

// Forgets what is older than IDEMPOTENCY_MS.
void keys_sweep(store_t *store, int64_t wall_ms);

#endif
