// SPDX-License-Identifier: Apache-2.0
#include "mcp/session.h"

#include <czmq.h>
#include <sodium.h>

#include "auto.h"
#include "base64.h"
#include "limits.h"

enum {
    FORMAT = 1,
    CLOCK_SKEW_MS = 60 * 1000,
    KNOWN = 1024,          // ids that are remembered as genuine
    PRINCIPAL_KNOWN = 128  // bytes of a principal for that, with its NUL
};

// The id is this, in URL-safe base64; all integers in network order.
typedef struct {
    uint8_t format;
    uint8_t protocol;
    uint8_t capabilities[2];
    uint8_t birth_s[4];
    uint8_t principal[16];  // keyed hash of it
    uint8_t random[16];
    uint8_t mac[32];  // over all of the above
} token_t;

// One that has ended, in a ring: the oldest gives way.
typedef struct {
    char key[SESSION_KEY_SIZE];
    int64_t until_ms;
} ended_t;

// An id whose signature and principal were found right: only its age and its end are looked at
// again. Which place it has follows from the id; a later one takes it.
typedef struct {
    char id[SESSION_ID_SIZE];
    char principal[PRINCIPAL_KNOWN];
    token_t token;
} known_t;

struct sessions {
    unsigned char key[KEY_SIZE];
    known_t known[KNOWN];
    zhashx_t *index;  // key of an ended session → its ended_t
    ended_t *ring;
    size_t next;
};

sessions_t *
sessions_new(const unsigned char key[KEY_SIZE])
{
    sessions_t *self = calloc(1, sizeof *self);

    assert(self);
    memcpy(self->key, key, KEY_SIZE);
    self->index = zhashx_new();
    self->ring = calloc(SESSIONS_MAX, sizeof *self->ring);
    assert(self->ring);
    return self;
}

void
sessions_destroy(sessions_t **self_p)
{
    sessions_t *self = *self_p;

    if (!self)
        return;
    zhashx_destroy(&self->index);
    free(self->ring);
    sodium_memzero(self, sizeof *self);
    free(self);
    *self_p = NULL;
}

static void
hash_principal(const sessions_t *self, const char *principal, uint8_t hash[16])
{
    crypto_generichash(hash, 16, (const unsigned char *) principal, strlen(principal),
                       self->key, KEY_SIZE);
}

static void
sign(const sessions_t *self, const token_t *token, uint8_t mac[32])
{
    crypto_generichash(mac, 32, (const unsigned char *) token, offsetof(token_t, mac),
                       self->key, KEY_SIZE);
}

static void
put_number(uint8_t *bytes, size_t size, uint64_t number)
{
    for (size_t i = size; i > 0; i--, number >>= 8)
        bytes[i - 1] = (uint8_t) number;
}

static uint64_t
get_number(const uint8_t *bytes, size_t size)
{
    uint64_t number = 0;

    for (size_t i = 0; i < size; i++)
        number = number << 8 | bytes[i];
    return number;
}

void
sessions_issue(const sessions_t *self, const char *principal, protocol_t protocol,
               unsigned capabilities, int64_t wall_ms, char id[SESSION_ID_SIZE])
{
    token_t token = { .format = FORMAT, .protocol = (uint8_t) protocol };

    put_number(token.capabilities, sizeof token.capabilities, capabilities);
    put_number(token.birth_s, sizeof token.birth_s, (uint64_t) wall_ms / 1000);
    hash_principal(self, principal, token.principal);
    randombytes_buf(token.random, sizeof token.random);
    sign(self, &token, token.mac);
    sodium_bin2base64(id, SESSION_ID_SIZE, (const unsigned char *) &token, sizeof token,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static bool
decode(const sessions_t *self, const char *id, token_t *token)
{
    uint8_t mac[sizeof token->mac];
    size_t size = 0;

    if (!base64_read(BASE64_URL, id, strlen(id), NULL, token, sizeof *token, &size)
        || size != sizeof *token)
        return false;
    sign(self, token, mac);
    return sodium_memcmp(mac, token->mac, sizeof mac) == 0 && token->format == FORMAT
           && token->protocol < PROTOCOL_COUNT;
}

static known_t *
place_of(sessions_t *self, const char *id)
{
    // from the 33rd character on they are random
    return &self->known[((unsigned char) id[40] * 61 + (unsigned char) id[41]) % KNOWN];
}

static void
remember(known_t *known, const char *id, const char *principal, const token_t *token)
{
    const size_t length = strlen(principal);

    if (length >= sizeof known->principal)
        return;
    memcpy(known->id, id, sizeof known->id);
    memcpy(known->principal, principal, length + 1);
    known->token = *token;
}

// True if the id was issued with our key to this principal, whenever that was.
static bool
is_genuine(sessions_t *self, const char *id, const char *principal, token_t *token)
{
    uint8_t hash[sizeof token->principal];

    if (strlen(id) != SESSION_ID_SIZE - 1)
        return false;
    known_t *known = place_of(self, id);
    if (sodium_memcmp(known->id, id, SESSION_ID_SIZE) == 0
        && strcmp(known->principal, principal) == 0) {
        *token = known->token;
        return true;
    }
    if (!decode(self, id, token))
        return false;
    hash_principal(self, principal, hash);
    if (sodium_memcmp(hash, token->principal, sizeof hash) != 0)
        return false;
    remember(known, id, principal, token);
    return true;
}

static bool
is_alive(const token_t *token, int64_t wall_ms)
{
    int64_t birth_ms = (int64_t) get_number(token->birth_s, sizeof token->birth_s) * 1000;

    return wall_ms >= birth_ms - CLOCK_SKEW_MS && wall_ms < birth_ms + SESSION_MS;
}

static bool
has_ended(sessions_t *self, const char *key, int64_t wall_ms)
{
    const ended_t *ended = zhashx_lookup(self->index, key);

    return ended && wall_ms < ended->until_ms;
}

bool
sessions_check(sessions_t *self, const char *id, const char *principal, int64_t wall_ms,
               session_t *session)
{
    token_t token;
    char key[SESSION_KEY_SIZE];

    if (!is_genuine(self, id, principal, &token) || !is_alive(&token, wall_ms))
        return false;
    sodium_bin2hex(key, sizeof key, token.random, sizeof token.random);
    if (has_ended(self, key, wall_ms))
        return false;
    *session = (session_t){ .protocol = (protocol_t) token.protocol };
    session->capabilities =
        (unsigned) get_number(token.capabilities, sizeof token.capabilities);
    memcpy(session->key, key, sizeof key);
    return true;
}

void
sessions_end(sessions_t *self, const char *key, int64_t wall_ms)
{
    ended_t *ended = &self->ring[self->next];

    if (strlen(key) != SESSION_KEY_SIZE - 1 || zhashx_lookup(self->index, key))
        return;
    if (*ended->key)
        zhashx_delete(self->index, ended->key);
    memcpy(ended->key, key, SESSION_KEY_SIZE);
    ended->until_ms = wall_ms + SESSION_MS;
    zhashx_insert(self->index, ended->key, ended);
    self->next = (self->next + 1) % SESSIONS_MAX;
}

size_t
sessions_ended(const sessions_t *self)
{
    return zhashx_size(self->index);
}
