// SPDX-License-Identifier: Apache-2.0
#include "store/credentials.h"

#include <sqlite3.h>

#define CREDENTIAL                                                                             \
    "c.tag, c.kinds AS \"kinds{}\", c.username, c.is_default AS \"isDefault?\","               \
    " c.active AS \"active?\""

json_t *
credentials_list(store_t *store, arena_t *arena, int64_t environment)
{
    return store_rows(store, arena,
                      "SELECT " CREDENTIAL " FROM credentials c WHERE c.environment_id = ?1"
                      " ORDER BY c.id",
                      BIND(value_int(environment)));
}

json_t *
credentials_get(store_t *store, arena_t *arena, int64_t environment, const char *tag)
{
    return store_row(store, arena,
                     "SELECT " CREDENTIAL ", c.environment_id AS environmentId,"
                     " e.name AS environment FROM credentials c"
                     " JOIN environments e ON e.id = c.environment_id"
                     " WHERE c.environment_id = ?1 AND c.tag = ?2",
                     BIND(value_int(environment), value_text(tag)));
}

json_t *
credentials_of(store_t *store, arena_t *arena, int64_t environment)
{
    return store_rows(store, arena,
                      "SELECT c.id, " CREDENTIAL " FROM credentials c"
                      " WHERE c.environment_id = ?1 ORDER BY c.id",
                      BIND(value_int(environment)));
}

int64_t
credentials_add(store_t *store, arena_t *arena, const credential_t *credential)
{
    if (credential->is_default)
        store_run(store, "UPDATE credentials SET is_default = 0 WHERE environment_id = ?1",
                  BIND(value_int(credential->environment)));
    return store_insert(
        store,
        "INSERT INTO credentials (environment_id, tag, kinds, username,"
        " secret_ref, is_default, sealed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, x'')",
        BIND(value_int(credential->environment), value_text(credential->tag),
             value_json(arena, credential->kinds), value_text(credential->username),
             value_text(credential->secret_ref), value_int(credential->is_default)));
}

void
credentials_seal(store_t *store, int64_t id, const void *sealed, size_t size)
{
    store_run(store, "UPDATE credentials SET sealed = ?2 WHERE id = ?1",
              BIND(value_int(id), value_blob(sealed, size)));
}

void
credentials_set_active(store_t *store, int64_t environment, const char *tag, bool active)
{
    store_run(store,
              "UPDATE credentials SET active = ?3 WHERE environment_id = ?1 AND tag = ?2",
              BIND(value_int(environment), value_text(tag), value_int(active)));
}

int64_t
credentials_newest(store_t *store)
{
    return store_number(store, "SELECT max(id) FROM credentials", BIND_NONE, 0);
}

static void
each_sealed(store_t *store, arena_t *arena, statement_t *rows, credential_fn *each, void *arg)
{
    while (store_next(store, rows)) {
        json_t *credential = json_object(arena);
        json_set_int(arena, credential, "id", store_int(rows, 0));
        json_set_int(arena, credential, "environmentId", store_int(rows, 1));
        json_set_text(arena, credential, "username", store_text(rows, 2));
        json_set_text(arena, credential, "secretRef", store_text(rows, 3));
        const void *sealed = sqlite3_column_blob(rows, 4);
        each(credential, sealed, (size_t) sqlite3_column_bytes(rows, 4), arg);
    }
}

#define SEALED "SELECT id, environment_id, username, secret_ref, sealed FROM credentials"

void
credentials_sealed(store_t *store, arena_t *arena, int64_t id, credential_fn *each, void *arg)
{
    each_sealed(store, arena, store_query(store, SEALED " WHERE id = ?1", BIND(value_int(id))),
                each, arg);
}

void
credentials_sealed_of(store_t *store, arena_t *arena, int64_t environment, credential_fn *each,
                      void *arg)
{
    each_sealed(store, arena,
                store_query(store, SEALED " WHERE environment_id = ?1 ORDER BY id",
                            BIND(value_int(environment))),
                each, arg);
}
