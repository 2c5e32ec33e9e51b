// SPDX-License-Identifier: Apache-2.0
#include "auth.h"

#include <assert.h>
#include <inttypes.h>
#include <jwt.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "auto.h"
#include "clock.h"
#include "endpoint.h"
#include "limits.h"
#include "routes.h"
#include "store/users.h"

#define ISSUER "proofarc"

enum { SEALS = 64, SEAL_SIZE = 32, JTI_SIZE = 40 };

struct auth_seals {
    struct {
        unsigned char hash[SEAL_SIZE];  // of the token
        char jti[JTI_SIZE];             // "": the row is free
    } rows[SEALS];
};

// 19 MiB and two passes: what OWASP asks for, and eight log-ins at once fit a small machine.
enum {
    HASH_PASSES = 2,
    HASH_MEMORY = 19 * MIB,
    SECOND_MS = 1000,
    DAY_S = 24 * 60 * 60,
    AGENT_DAYS = 365
};

// Of no password at all: an unknown name is checked against it, so that it takes as long.
static const char nobody[] = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
                             "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

const char *
auth_hash(arena_t *arena, const char *password)
{
    char *hash = arena_alloc(arena, crypto_pwhash_STRBYTES);
    int bad = crypto_pwhash_str(hash, password, strlen(password), HASH_PASSES, HASH_MEMORY);

    assert(!bad);  // fails for want of memory alone
    return hash;
}

bool
auth_verify(const char *hash, const char *password)
{
    bool known = hash && *hash;
    int bad = crypto_pwhash_str_verify(known ? hash : nobody, password, strlen(password));

    return known && !bad;
}

role_t
auth_role(const char *name)
{
    static const char *const names[] = { "", "viewer", "analyst", "admin", "agent" };

    for (role_t role = VIEWER; role <= AGENT; role++)
        if (strcmp(names[role], name) == 0)
            return role;
    return OPEN;
}

// ---- tokens

static void
drop_jwt(jwt_t **jwt_p)
{
    jwt_free(*jwt_p);
}

void
auth_token(const platform_t *platform, arena_t *arena, const char *username, const char *role,
           int64_t wall_ms, int64_t days, token_t *token)
{
    AUTO(drop_jwt) jwt_t *jwt = NULL;
    int64_t now_s = wall_ms / SECOND_MS, ends_s = now_s + days * DAY_S;

    endpoint_random_name(token->jti);
    int bad = jwt_new(&jwt);
    bad |= jwt_set_alg(jwt, JWT_ALG_HS256, platform->token_key, KEY_SIZE);
    bad |= jwt_add_grant(jwt, "iss", ISSUER);
    bad |= jwt_add_grant(jwt, "sub", username);
    bad |= jwt_add_grant(jwt, "role", role);
    bad |= jwt_add_grant(jwt, "jti", token->jti);
    bad |= jwt_add_grant_int(jwt, "iat", (long) now_s);
    bad |= jwt_add_grant_int(jwt, "exp", (long) ends_s);
    char *text = bad ? NULL : jwt_encode_str(jwt);
    assert(text);  // fails for want of memory alone
    token->text = arena_strdup(arena, text);
    token->created_at = now_s * SECOND_MS;
    token->expires_at = ends_s * SECOND_MS;
    free(text);
}

const char *
auth_token_jti(const platform_t *platform, arena_t *arena, const char *text)
{
    AUTO(drop_jwt) jwt_t *jwt = NULL;

    if (strlen(text) > TOKEN_MAX || jwt_decode(&jwt, text, platform->token_key, KEY_SIZE))
        return NULL;
    const char *issuer = jwt_get_grant(jwt, "iss");
    if (jwt_get_alg(jwt) != JWT_ALG_HS256 || !issuer || strcmp(issuer, ISSUER) != 0)
        return NULL;
    return arena_strdup(arena, jwt_get_grant(jwt, "jti"));
}

auth_seals_t *
auth_seals_new(void)
{
    auth_seals_t *self = calloc(1, sizeof *self);

    assert(self);
    return self;
}

void
auth_seals_destroy(auth_seals_t **self_p)
{
    free(*self_p);
    *self_p = NULL;
}

// The same as auth_token_jti(), which takes tens of microseconds, for a token of this exchange.
static const char *
look_up_jti(exchange_t *x, const char *text)
{
    unsigned char hash[SEAL_SIZE];

    if (!x->seals)
        return auth_token_jti(x->platform, x->arena, text);
    crypto_generichash(hash, sizeof hash, (const unsigned char *) text, strlen(text), NULL, 0);
    char *known = x->seals->rows[hash[0] % SEALS].jti;
    unsigned char *known_hash = x->seals->rows[hash[0] % SEALS].hash;
    if (*known && memcmp(known_hash, hash, sizeof hash) == 0)
        return arena_strdup(x->arena, known);
    const char *jti = auth_token_jti(x->platform, x->arena, text);
    if (jti && strlen(jti) < JTI_SIZE) {
        memcpy(known_hash, hash, sizeof hash);
        memcpy(known, jti, strlen(jti) + 1);
    }
    return jti;
}

// ---- callers

static status_t
refuse(exchange_t *x, const char *reason)
{
    return fail_coded(&x->why, UNAUTHORIZED, "UNAUTHORIZED", "%s; log in at /api/auth/login",
                      reason);
}

status_t
auth_caller(exchange_t *x)
{
    static const char scheme[] = "Bearer ";
    const char *header = x->authorization;

    if (!header)
        return refuse(x, "there is no bearer token");
    if (strncasecmp(header, scheme, sizeof scheme - 1) != 0)
        return refuse(x, "the Authorization header is no bearer token");
    const char *text = header + sizeof scheme - 1;
    const char *jti = look_up_jti(x, text + strspn(text, " "));
    user_holder_t holder;
    if (!jti || !users_of_token(x->store, x->arena, jti, &holder))
        return refuse(x, "the token is not known here or has been deleted");
    if (holder.expires_at <= x->wall_ms)
        return refuse(x, "the token has expired");
    if (!holder.is_active)
        return refuse(x, "the account has been switched off");
    x->caller = (caller_t){
        .user_id = holder.user_id,
        .username = holder.username,
        .role_name = holder.role,
        .role = auth_role(holder.role),
        .expires_at = holder.expires_at,
        .principal = arena_printf(x->arena, ISSUER "|%s|%s", holder.username, holder.role),
    };
    return OK;
}

status_t
auth_allows(exchange_t *x)
{
    role_t least = x->route->least, role = x->caller.role;

    if (least == AGENT ? role == AGENT || role == ADMIN : role != AGENT && role >= least)
        return OK;
    static const char *const needed[] = { "", "a viewer", "an analyst", "an admin",
                                          "an agent" };
    return fail_coded(&x->why, DENIED, "FORBIDDEN", "this needs %s; the token's role is %s",
                      needed[least], x->caller.role_name);
}

// ---- first start

// The pair in the file, or a fresh one that is written to it.
static exit_code_t
owner_pair(arena_t *arena, const char *path, const char **username_p, const char **password_p,
           failure_t *why)
{
    char *text = NULL, password[33];
    exit_code_t code = keyfile_read(path, &text, why);

    if (code)
        return code;
    if (text) {
        const json_t *pair = json_parse_text(arena, text);
        sodium_memzero(text, strlen(text));
        free(text);
        *username_p = json_get_text(pair, "username");
        *password_p = json_get_text(pair, "password");
        if (*username_p && **username_p && *password_p && **password_p)
            return EXIT_DONE;
        fail(why, BAD_ARGS, "%s must hold {\"username\", \"password\"}", path);
        return EXIT_KEY;
    }
    endpoint_random_name(password);
    json_t *pair = json_object(arena);
    json_set_text(arena, pair, "username", *username_p = "owner");
    json_set_text(arena, pair, "password", *password_p = arena_strdup(arena, password));
    return keyfile_write(path, arena_printf(arena, "%s\n", json_text(arena, pair)), why);
}

static exit_code_t
make_owner(store_t *store, arena_t *arena, const char *path, int64_t wall_ms, failure_t *why)
{
    const char *username = NULL, *password = NULL;
    bool was_there = false;
    char *text = NULL;
    exit_code_t code = keyfile_read(path, &text, why);

    if (code)
        return code;
    was_there = text;
    free(text);
    code = owner_pair(arena, path, &username, &password, why);
    if (code)
        return code;
    if (was_there && users_find(store, arena, username))
        return EXIT_DONE;  // an owner may have changed the password since: not ours to undo
    users_put(store, username, auth_hash(arena, password), "admin", wall_ms);
    return EXIT_DONE;
}

static exit_code_t
make_agent(const platform_t *platform, store_t *store, arena_t *arena, const char *path,
           int64_t wall_ms, failure_t *why)
{
    static const char name[] = "agent";
    char *text = NULL;
    exit_code_t code = keyfile_read(path, &text, why);

    if (code)
        return code;
    const char *jti = text ? auth_token_jti(platform, arena, text) : NULL;
    free(text);
    user_holder_t holder;
    if (jti && users_of_token(store, arena, jti, &holder)
        && holder.expires_at - wall_ms > (int64_t) TOKEN_DAYS * DAY_S * SECOND_MS)
        return EXIT_DONE;
    token_t token;
    auth_token(platform, arena, name, "agent", wall_ms, AGENT_DAYS, &token);
    int64_t user = users_agent(store, wall_ms);
    users_add_token(store, &(user_token_t){ token.jti, user, name, "agent", token.created_at,
                                            token.expires_at });
    return keyfile_write(path, arena_printf(arena, "%s\n", token.text), why);
}

exit_code_t
auth_first_start(const platform_t *platform, store_t *store, const char *credentials,
                 const char *agent_token, failure_t *why)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    int64_t wall_ms = clock_wall_ms();
    exit_code_t code = EXIT_DONE;

    if (credentials)
        code = make_owner(store, arena, credentials, wall_ms, why);
    if (!code && agent_token)
        code = make_agent(platform, store, arena, agent_token, wall_ms, why);
    if (!code && store_failed(store, why))
        code = EXIT_BROKEN;
    return code;
}
