// SPDX-License-Identifier: Apache-2.0
#include "store/users.h"

#define USER "SELECT id, username, role, active AS \"active?\" FROM users"
#define TOKEN                                                                                  \
    "SELECT t.id, t.name, t.role, u.username, t.created_at AS \"createdAt@\","                 \
    " t.expires_at AS \"expiresAt@\" FROM tokens t JOIN users u ON u.id = t.user_id"

bool
users_of_token(store_t *store, arena_t *arena, const char *jti, user_holder_t *holder)
{
    statement_t *row =
        store_query(store,
                    "SELECT u.id, u.username, t.role, t.expires_at, u.active"
                    " FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.jti = ?1",
                    BIND(value_text(jti)));

    if (!store_next(store, row))
        return false;
    *holder = (user_holder_t){
        .user_id = store_int(row, 0),
        .username = arena_strdup(arena, store_text(row, 1)),
        .role = arena_strdup(arena, store_text(row, 2)),
        .expires_at = store_int(row, 3),
        .is_active = store_int(row, 4),
    };
    store_end(row);
    return true;
}

json_t *
users_find(store_t *store, arena_t *arena, const char *username)
{
    return store_row(store, arena, USER " WHERE username = ?1", BIND(value_text(username)));
}

json_t *
users_get(store_t *store, arena_t *arena, int64_t id)
{
    return store_row(store, arena, USER " WHERE id = ?1", BIND(value_int(id)));
}

json_t *
users_all(store_t *store, arena_t *arena)
{
    return store_rows(store, arena, USER " ORDER BY id", BIND_NONE);
}

const char *
users_hash(store_t *store, arena_t *arena, const char *username)
{
    return store_string(store, arena,
                        "SELECT password_hash FROM users WHERE username = ?1 AND active = 1",
                        BIND(value_text(username)));
}

void
users_put(store_t *store, const char *username, const char *hash, const char *role,
          int64_t wall_ms)
{
    store_run(
        store,
        "INSERT INTO users (username, password_hash, role, created_at)"
        " VALUES (?1, ?2, ?3, ?4) ON CONFLICT (username) DO UPDATE"
        " SET password_hash = ?2, role = ?3, active = 1",
        BIND(value_text(username), value_text(hash), value_text(role), value_int(wall_ms)));
}

int64_t
users_agent(store_t *store, int64_t wall_ms)
{
    store_run(store,
              "INSERT INTO users (username, password_hash, role, created_at)"
              " VALUES ('agent', '', 'agent', ?1) ON CONFLICT (username) DO NOTHING",
              BIND(value_int(wall_ms)));
    return store_number(store, "SELECT id FROM users WHERE username = 'agent'", BIND_NONE, 0);
}

void
users_change(store_t *store, int64_t id, int active, const char *role, const char *hash)
{
    store_run(store,
              "UPDATE users SET active = coalesce(?2, active), role = coalesce(?3, role),"
              " password_hash = coalesce(?4, password_hash) WHERE id = ?1",
              BIND(value_int(id), active < 0 ? value_text(NULL) : value_int(active),
                   value_text(role), value_text(hash)));
    if (active == 0 || role || hash)
        store_run(store, "DELETE FROM tokens WHERE user_id = ?1", BIND(value_int(id)));
}

int64_t
users_other_admins(store_t *store, int64_t id)
{
    return store_number(store,
                        "SELECT count(*) FROM users WHERE role = 'admin' AND active = 1"
                        " AND id <> ?1",
                        BIND(value_int(id)), 0);
}

int64_t
users_add_token(store_t *store, const user_token_t *token)
{
    return store_insert(store,
                        "INSERT INTO tokens (jti, user_id, name, role, created_at, expires_at)"
                        " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                        BIND(value_text(token->jti), value_int(token->user_id),
                             value_text(token->name), value_text(token->role),
                             value_int(token->created_at), value_int(token->expires_at)));
}

json_t *
users_token(store_t *store, arena_t *arena, int64_t id)
{
    return store_row(store, arena, TOKEN " WHERE t.id = ?1", BIND(value_int(id)));
}

json_t *
users_tokens(store_t *store, arena_t *arena)
{
    return store_rows(store, arena, TOKEN " WHERE t.name IS NOT NULL ORDER BY t.id", BIND_NONE);
}

bool
users_delete_token(store_t *store, int64_t id)
{
    return store_run(store, "DELETE FROM tokens WHERE id = ?1", BIND(value_int(id))) > 0;
}

int64_t
users_misses(store_t *store, const char *username, int64_t since_ms)
{
    return store_number(store,
                        "SELECT count(*) FROM login_misses WHERE username = ?1 AND at > ?2",
                        BIND(value_text(username), value_int(since_ms)), 0);
}

void
users_add_miss(store_t *store, const char *username, int64_t wall_ms)
{
    store_run(store, "INSERT INTO login_misses (username, at) VALUES (?1, ?2)",
              BIND(value_text(username), value_int(wall_ms)));
}

void
users_sweep(store_t *store, int64_t wall_ms, int64_t before_ms)
{
    store_run(store, "DELETE FROM tokens WHERE expires_at < ?1", BIND(value_int(wall_ms)));
    store_run(store, "DELETE FROM login_misses WHERE at < ?1", BIND(value_int(before_ms)));
}
