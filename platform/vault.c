// SPDX-License-Identifier: Apache-2.0
#include "vault.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#define NONCE crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define MAC   crypto_aead_xchacha20poly1305_ietf_ABYTES

_Static_assert(crypto_aead_xchacha20poly1305_ietf_KEYBYTES == KEY_SIZE, "the key fits");

exit_code_t
vault_open(const char *path, vault_t *self, failure_t *why)
{
    return keyfile_load(path, true, self->key, why);
}

void *
vault_seal(const vault_t *self, arena_t *arena, const char *place, const void *plain,
           size_t size, size_t *sealed_size_p)
{
    unsigned char *sealed = arena_alloc(arena, NONCE + size + MAC);
    unsigned long long length;

    randombytes_buf(sealed, NONCE);
    crypto_aead_xchacha20poly1305_ietf_encrypt(sealed + NONCE, &length, plain, size,
                                               (const unsigned char *) place, strlen(place),
                                               NULL, sealed, self->key);
    assert(length == size + MAC);
    *sealed_size_p = NONCE + size + MAC;
    return sealed;
}

status_t
vault_unseal(const vault_t *self, arena_t *arena, const char *place, const void *sealed,
             size_t size, char **plain_p, failure_t *why)
{
    const unsigned char *bytes = sealed;

    if (size < NONCE + MAC)
        return fail_coded(why, BACKEND, "VAULT_SEALED", "a secret in the database is damaged");
    char *plain = arena_alloc(arena, size - NONCE - MAC + 1);  // zeroed: ends with NUL
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(
            (unsigned char *) plain, NULL, NULL, bytes + NONCE, size - NONCE,
            (const unsigned char *) place, strlen(place), bytes, self->key))
        return fail_coded(why, BACKEND, "VAULT_SEALED",
                          "a secret cannot be opened: the vault key is not the one it was "
                          "sealed with; store the credential again");
    *plain_p = plain;
    return OK;
}
