// SPDX-License-Identifier: Apache-2.0
#include "mcp/sealed.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "base64.h"
#include "limits.h"

enum {
    NONCE_SIZE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG_SIZE = crypto_aead_xchacha20poly1305_ietf_ABYTES,
    UNTIL_SIZE = 8,
    SEALED_MAX = 512 * KIB,  // of a text that is looked at
};

struct sealer {
    unsigned char key[crypto_aead_xchacha20poly1305_ietf_KEYBYTES];
};

// Not the key of the session ids itself: what is signed with one is nothing to the other.
sealer_t *
sealer_new(const unsigned char key[KEY_SIZE])
{
    static const unsigned char use[] = "sealed texts";
    sealer_t *self = calloc(1, sizeof *self);

    assert(self);
    crypto_generichash(self->key, sizeof self->key, use, sizeof use, key, KEY_SIZE);
    return self;
}

void
sealer_destroy(sealer_t **self_p)
{
    if (!*self_p)
        return;
    sodium_memzero(*self_p, sizeof **self_p);
    free(*self_p);
    *self_p = NULL;
}

static void
put_time(unsigned char bytes[UNTIL_SIZE], int64_t time_ms)
{
    for (int i = 0; i < UNTIL_SIZE; i++)
        bytes[i] = (unsigned char) ((uint64_t) time_ms >> (8 * i));
}

static int64_t
get_time(const unsigned char bytes[UNTIL_SIZE])
{
    uint64_t time_ms = 0;

    for (int i = 0; i < UNTIL_SIZE; i++)
        time_ms |= (uint64_t) bytes[i] << (8 * i);
    return (int64_t) time_ms;
}

void
sealer_seal(const sealer_t *self, const char *purpose, const char *text, size_t size,
            int64_t until_ms, buffer_t *out)
{
    AUTO(buffer_clear) buffer_t plain = { 0 };
    AUTO(buffer_clear) buffer_t sealed = { 0 };
    unsigned char nonce[NONCE_SIZE], until[UNTIL_SIZE];

    put_time(until, until_ms);
    buffer_add(&plain, until, sizeof until);
    buffer_add(&plain, text, size);
    randombytes_buf(nonce, sizeof nonce);
    buffer_add(&sealed, nonce, sizeof nonce);
    buffer_add(&sealed, plain.bytes, plain.size);
    buffer_add(&sealed, nonce, TAG_SIZE);  // room
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        (unsigned char *) sealed.bytes + NONCE_SIZE, NULL, (unsigned char *) plain.bytes,
        plain.size, (const unsigned char *) purpose, strlen(purpose), NULL, nonce, self->key);

    size_t length =
        sodium_base64_encoded_len(sealed.size, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    char *coded = malloc(length);
    assert(coded);
    sodium_bin2base64(coded, length, (unsigned char *) sealed.bytes, sealed.size,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    buffer_text(out, coded);
    free(coded);
}

// The bytes behind the base64, or NULL.
static unsigned char *
decode(const char *sealed, size_t *size_p)
{
    size_t length = strlen(sealed);
    unsigned char *bytes;

    if (length > SEALED_MAX)
        return NULL;
    bytes = malloc(length + 1);
    assert(bytes);
    if (base64_read(BASE64_URL, sealed, length, NULL, bytes, length, size_p)
        && *size_p >= NONCE_SIZE + UNTIL_SIZE + TAG_SIZE)
        return bytes;
    free(bytes);
    return NULL;
}

static void
free_bytes(unsigned char **bytes_p)
{
    free(*bytes_p);
}

bool
sealer_open(const sealer_t *self, const char *purpose, const char *sealed, int64_t now_ms,
            buffer_t *text)
{
    size_t size;
    AUTO(free_bytes) unsigned char *bytes = decode(sealed, &size);
    unsigned long long opened;

    if (!bytes)
        return false;
    unsigned char *box = bytes + NONCE_SIZE;
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(box, &opened, NULL, box, size - NONCE_SIZE,
                                                   (const unsigned char *) purpose,
                                                   strlen(purpose), bytes, self->key))
        return false;
    int64_t until_ms = get_time(box);
    if (until_ms && now_ms >= until_ms)
        return false;
    buffer_add(text, box + UNTIL_SIZE, (size_t) opened - UNTIL_SIZE);
    return true;
}
