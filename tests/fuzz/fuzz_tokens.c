// SPDX-License-Identifier: Apache-2.0
// What is signed or sealed: the first byte spoils it, the second is the time, the rest is what a
// token claims, what is sealed, and who has a session. What comes back is what went in, for whom and
// as long as it was meant; and nothing else is taken.

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "json.h"
#include "limits.h"
#include "mcp/sealed.h"
#include "mcp/session.h"
#include "mcp/token.h"
#include "target.h"

enum { NOW_S = 1000000 };

static const unsigned char key[KEY_SIZE] = "not a secret: it is of a test";
static const unsigned char other_key[KEY_SIZE] = "neither is this";

// ---- tokens of the platform (JWT)

static void
add_coded(buffer_t *out, const void *bytes, size_t size)
{
    const size_t room =
        sodium_base64_encoded_len(size, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    char *coded = malloc(room);

    assert(coded);
    buffer_text(out, sodium_bin2base64(coded, room, bytes, size,
                                       sodium_base64_VARIANT_URLSAFE_NO_PADDING));
    free(coded);
}

static void
sign(buffer_t *out, const char *claims, size_t size, const unsigned char with[KEY_SIZE])
{
    static const char head[] = "{\"alg\":\"HS256\"}";
    unsigned char mac[crypto_auth_hmacsha256_BYTES];
    crypto_auth_hmacsha256_state state;

    add_coded(out, head, sizeof head - 1);
    buffer_char(out, '.');
    add_coded(out, claims, size);
    crypto_auth_hmacsha256_init(&state, with, KEY_SIZE);
    crypto_auth_hmacsha256_update(&state, (unsigned char *) out->bytes, out->size);
    crypto_auth_hmacsha256_final(&state, mac);
    buffer_char(out, '.');
    add_coded(out, mac, sizeof mac);
}

// What may not be in a principal, else one could pass for another.
static bool
is_part(const char *text)
{
    for (const char *c = text; c && *c; c++)
        if (*c == '|' || (unsigned char) *c < ' ' || *c == 0x7f)
            return false;
    return text && *text;
}

static bool
is_granted(arena_t *arena, const json_t *claims, const char *principal)
{
    const char *issuer = json_get_text(claims, "iss"), *subject = json_get_text(claims, "sub");
    const char *role = json_get_text(claims, "role");
    int64_t expires_s = json_get_int(claims, "exp", 0);

    return is_part(issuer) && is_part(subject) && is_part(role)
           && expires_s > NOW_S - TOKEN_LEEWAY_S
           && json_get_int(claims, "nbf", 0) <= NOW_S + TOKEN_LEEWAY_S
           && !strcmp(principal, arena_printf(arena, "%s|%s|%s", issuer, subject, role));
}

static void
look_at_token(arena_t *arena, const char *claims, size_t size, unsigned spoil)
{
    AUTO(buffer_clear) buffer_t token = { 0 };
    const char *principal = NULL;
    json_document_t document;
    failure_t why;

    sign(&token, claims, size, spoil & 1 ? other_key : key);
    if (spoil & 2)
        token.bytes[spoil % token.size] ^= 1;
    status_t status = token_verify(arena, token.bytes, key, NOW_S * 1000LL, &principal, &why);
    assert(!status == (principal != NULL) && (!status || why.status == UNAUTHORIZED));
    assert(status || !(spoil & 3));
    if (!json_parse(arena, claims, size, &document, &why) && !status)
        assert(is_granted(arena, document.root, principal));
    const char *name = token_principal(arena, token.bytes);
    assert(*name && (status || !strcmp(name, principal)));
}

// ---- sealed texts

static bool
opens(const sealer_t *sealer, const char *purpose, const char *sealed, int64_t now_ms,
      const char *text, size_t size)
{
    AUTO(buffer_clear) buffer_t opened = { 0 };

    if (!sealer_open(sealer, purpose, sealed, now_ms, &opened))
        return false;
    assert(opened.size == size && (!size || !memcmp(opened.bytes, text, size)));
    return true;
}

static void
look_at_seal(const char *text, size_t size, unsigned spoil, int64_t until_ms)
{
    AUTO(sealer_destroy) sealer_t *ours = sealer_new(key);
    AUTO(sealer_destroy) sealer_t *theirs = sealer_new(other_key);
    AUTO(buffer_clear) buffer_t sealed = { 0 };

    sealer_seal(ours, "this", text, size, until_ms, &sealed);
    assert(opens(ours, "this", sealed.bytes, until_ms - 1, text, size));
    assert(opens(ours, "this", sealed.bytes, until_ms, text, size) == !until_ms);
    assert(!opens(ours, "that", sealed.bytes, 0, text, size));
    assert(!opens(theirs, "this", sealed.bytes, 0, text, size));
    if (spoil) {
        sealed.bytes[size % sealed.size] ^= (char) spoil;
        assert(!opens(ours, "this", sealed.bytes, 0, text, size));
    }
}

// ---- sessions

static void
look_at_session(arena_t *arena, const char *who, size_t size, unsigned spoil, int64_t now_ms)
{
    AUTO(sessions_destroy) sessions_t *sessions = sessions_new(key);
    const char *principal = arena_strndup(arena, who, size);
    const char *other = arena_printf(arena, "%s.", principal);
    const protocol_t protocol = (protocol_t) (spoil % PROTOCOL_COUNT);
    char id[SESSION_ID_SIZE];
    session_t session;

    sessions_issue(sessions, principal, protocol, spoil, now_ms, id);
    bool is_known = sessions_check(sessions, id, principal, now_ms, &session);
    assert(is_known && session.protocol == protocol && session.capabilities == spoil);
    assert(strlen(session.key) == SESSION_KEY_SIZE - 1);
    is_known = sessions_check(sessions, id, other, now_ms, &session)
               || sessions_check(sessions, id, principal, now_ms + SESSION_MS, &session)
               || sessions_check(sessions, principal, principal, now_ms, &session);
    assert(!is_known);
    sessions_end(sessions, session.key, now_ms);
    is_known = sessions_check(sessions, id, principal, now_ms, &session);
    assert(!is_known);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const unsigned spoil = size > 0 ? bytes[0] : 0;
    const int64_t time_ms = size > 1 ? bytes[1] * 1000LL : 0;
    const size_t taken = size < 2 ? size : 2;
    const char *text = (const char *) bytes + taken;

    look_at_token(arena, text, size - taken, spoil);
    look_at_seal(text, size - taken, spoil, time_ms);
    look_at_session(arena, text, size - taken, spoil, time_ms);
    return 0;
}
