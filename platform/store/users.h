// SPDX-License-Identifier: Apache-2.0
// Accounts, their tokens and missed log-ins.

#ifndef PROOFARC_STORE_USERS_H
#define PROOFARC_STORE_USERS_H

#include "store/sqlite.h"

typedef struct {
    const char *jti;
    int64_t user_id;
    const char *name;  // NULL for that of a log-in
    const char *role;
    int64_t created_at, expires_at;
} user_token_t;

// Whose token it is; texts are in the arena.
typedef struct {
    int64_t user_id;
    const char *username;
    const char *role;    // of the token
    int64_t expires_at;  // wall milliseconds
    bool is_active;      // the account
} user_holder_t;

// False if there is no such token.
bool users_of_token(store_t *store, arena_t *arena, const char *jti, user_holder_t *holder);

// {id, username, role, active}, or NULL.
json_t *users_find(store_t *store, arena_t *arena, const char *username);
json_t *users_get(store_t *store, arena_t *arena, int64_t id);
json_t *users_all(store_t *store, arena_t *arena);

// Hash of an active account's password, or NULL.
const char *users_hash(store_t *store, arena_t *arena, const char *username);

// Makes the account, or gives an existing one this password and role and switches it on.
void users_put(store_t *store, const char *username, const char *hash, const char *role,
               int64_t wall_ms);

// The account of agents, which cannot log in; made when missing. Its id.
int64_t users_agent(store_t *store, int64_t wall_ms);

// Changes what is given (NULL, or -1 for `active`, leaves as it is). A new role or password,
// and being switched off, end the account's tokens.
void users_change(store_t *store, int64_t id, int active, const char *role, const char *hash);

// Number of active admins but this one.
int64_t users_other_admins(store_t *store, int64_t id);

int64_t users_add_token(store_t *store, const user_token_t *token);
json_t *users_token(store_t *store, arena_t *arena, int64_t id);
json_t *users_tokens(store_t *store, arena_t *arena);
bool users_delete_token(store_t *store, int64_t id);

// Missed log-ins of a name since `since_ms`.
int64_t users_misses(store_t *store, const char *username, int64_t since_ms);
void users_add_miss(store_t *store, const char *username, int64_t wall_ms);

// Forgets expired tokens and misses before `before_ms`.
void users_sweep(store_t *store, int64_t wall_ms, int64_t before_ms);

#endif
