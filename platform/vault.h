// SPDX-License-Identifier: Apache-2.0
// Secrets at rest: XChaCha20-Poly1305 under a key that stands outside the database. A sealed
// value is bound to its place (e.g. "credential/12"): moved to another row it does not open.

#ifndef PROOFARC_PLATFORM_VAULT_H
#define PROOFARC_PLATFORM_VAULT_H

#include "arena.h"
#include "keyfile.h"

typedef struct {
    unsigned char key[KEY_SIZE];
} vault_t;

// Loads the key of `path`, made when the file is missing. EXIT_DONE, or EXIT_KEY and `why`.
exit_code_t vault_open(const char *path, vault_t *self, failure_t *why);

// Seals `size` bytes into fresh bytes in the arena.
void *vault_seal(const vault_t *self, arena_t *arena, const char *place, const void *plain,
                 size_t size, size_t *sealed_size_p);

// Opens them: a copy in the arena that ends with NUL. BACKEND when the key or the place is
// another one or a bit has changed.
status_t vault_unseal(const vault_t *self, arena_t *arena, const char *place,
                      const void *sealed, size_t size, char **plain_p, failure_t *why);

#endif
