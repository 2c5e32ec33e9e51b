// SPDX-License-Identifier: Apache-2.0
// Who is asking: passwords (Argon2id), tokens (JWT, HS256) and the roles they carry.

#ifndef PROOFARC_PLATFORM_AUTH_H
#define PROOFARC_PLATFORM_AUTH_H

#include "exchange.h"

// Hash of a password for the store. Takes tens of milliseconds: never inside a transaction.
const char *auth_hash(arena_t *arena, const char *password);

// True if `password` belongs to `hash`. `hash` NULL or "" (nobody of that name) takes as long.
bool auth_verify(const char *hash, const char *password);

typedef struct {
    const char *text;  // the JWT
    char jti[33];
    int64_t created_at, expires_at;  // wall milliseconds
} token_t;

// Makes a token that is valid for `days`; the caller stores its jti.
void auth_token(const platform_t *platform, arena_t *arena, const char *username,
                const char *role, int64_t wall_ms, int64_t days, token_t *token);

// Tokens whose signature was checked by one thread, by their hash: what they stand for is asked
// of the store each time.
auth_seals_t *auth_seals_new(void);
void auth_seals_destroy(auth_seals_t **self_p);

// The jti of a token that was signed with our key, in the arena; NULL for anything else.
const char *auth_token_jti(const platform_t *platform, arena_t *arena, const char *text);

// Sets x->caller from the Authorization header. UNAUTHORIZED without a live token.
status_t auth_caller(exchange_t *x);

// Checks x->caller against the row. DENIED with what is needed.
status_t auth_allows(exchange_t *x);

// OPEN for a word that is no role.
role_t auth_role(const char *name);

// First start: makes the owner's account (written to the file `credentials`, or taken from it)
// and the agent's token (written to `agent_token`). Either path may be NULL.
exit_code_t auth_first_start(const platform_t *platform, store_t *store,
                             const char *credentials, const char *agent_token, failure_t *why);

#endif
