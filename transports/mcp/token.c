// SPDX-License-Identifier: Apache-2.0
#include "mcp/token.h"

#include <errno.h>
#include <jwt.h>
#include <sodium.h>
#include <string.h>
#include <strings.h>

#include "auto.h"
#include "base64.h"
#include "json.h"
#include "limits.h"

static const char scheme[] = "bearer ";
static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/";

const char *
token_of_header(const char *header)
{
    if (!header || strncasecmp(header, scheme, sizeof scheme - 1) != 0)
        return NULL;
    const char *token = header + sizeof scheme - 1;
    token += strspn(token, " ");
    size_t length = strspn(token, alphabet);
    if (!length || length > TOKEN_MAX)
        return NULL;
    size_t padding = strspn(token + length, "=");
    return token[length + padding] || length + padding > TOKEN_MAX ? NULL : token;
}

static void
drop_jwt(jwt_t **jwt_p)
{
    jwt_free(*jwt_p);
}

// A part that could be taken for two would let one principal pass for another.
static bool
is_plain(const char *part)
{
    for (const char *c = part; c && *c; c++)
        if (*c == '|' || (unsigned char) *c < ' ' || *c == 0x7f)
            return false;
    return part && *part;
}

static const char *
join(arena_t *arena, const char *issuer, const char *subject, const char *role)
{
    if (!is_plain(issuer) || !is_plain(subject) || !is_plain(role))
        return NULL;
    return arena_printf(arena, "%s|%s|%s", issuer, subject, role);
}

// Missing or no number counts as long over.
static bool
is_expired(jwt_t *jwt, int64_t wall_ms)
{
    errno = 0;
    long expires_s = jwt_get_grant_int(jwt, "exp");
    return errno || expires_s <= wall_ms / 1000 - TOKEN_LEEWAY_S;
}

static bool
is_early(jwt_t *jwt, int64_t wall_ms)
{
    errno = 0;
    long from_s = jwt_get_grant_int(jwt, "nbf");
    return !errno && from_s > wall_ms / 1000 + TOKEN_LEEWAY_S;
}

status_t
token_verify(arena_t *arena, const char *token, const unsigned char key[KEY_SIZE],
             int64_t wall_ms, const char **principal_p, failure_t *why)
{
    AUTO(drop_jwt) jwt_t *jwt = NULL;

    if (jwt_decode(&jwt, token, key, KEY_SIZE) || jwt_get_alg(jwt) != JWT_ALG_HS256)
        return fail(why, UNAUTHORIZED, "The token is none of this platform.");
    if (is_expired(jwt, wall_ms) || is_early(jwt, wall_ms))
        return fail(why, UNAUTHORIZED, "The token has expired; log in again.");
    const char *principal = join(arena, jwt_get_grant(jwt, "iss"), jwt_get_grant(jwt, "sub"),
                                 jwt_get_grant(jwt, "role"));
    if (!principal)
        return fail(why, UNAUTHORIZED, "The token does not say who it is for.");
    *principal_p = principal;
    return OK;
}

// What stands between the two dots, decoded; NULL if that is no JSON.
static const json_t *
read_claims(arena_t *arena, const char *token)
{
    const char *begin = strchr(token, '.');
    const char *end = begin ? strchr(begin + 1, '.') : NULL;
    size_t size = 0;

    if (!end || strlen(token) > TOKEN_MAX)
        return NULL;
    size_t length = (size_t) (end - begin) - 1;
    char *text = arena_alloc(arena, length + 1);
    if (!base64_read(BASE64_URL, begin + 1, length, NULL, text, length, &size))
        return NULL;
    return json_parse_text(arena, text);
}

const char *
token_principal(arena_t *arena, const char *token)
{
    const json_t *claims = read_claims(arena, token);
    const char *principal = join(arena, json_get_text(claims, "iss"),
                                 json_get_text(claims, "sub"), json_get_text(claims, "role"));
    unsigned char hash[crypto_hash_sha256_BYTES];
    char text[2 * sizeof hash + 1];

    if (principal)
        return principal;
    crypto_hash_sha256(hash, (const unsigned char *) token, strlen(token));
    sodium_bin2hex(text, sizeof text, hash, sizeof hash);
    return arena_printf(arena, "token|%.32s", text);
}
