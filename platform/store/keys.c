// SPDX-License-Identifier: Apache-2.0
#include "store/keys.h"

#include <string.h>

#include "limits.h"

bool
keys_find(store_t *store, arena_t *arena, const char *principal, const char *key,
          const unsigned char digest[KEYS_DIGEST_SIZE], int64_t wall_ms, kept_answer_t *answer)
{
    json_t *row = store_row(store, arena,
                            "SELECT request = ?3 AS \"same?\", status, body FROM idempotency"
                            " WHERE principal = ?1 AND key = ?2 AND at > ?4",
                            BIND(value_text(principal), value_text(key),
                                 value_blob(digest, KEYS_DIGEST_SIZE),
                                 value_int(wall_ms - IDEMPOTENCY_MS)));

    if (!row)
        return false;
    answer->same = json_get_bool(row, "same", false);
    answer->code = (int) json_get_int(row, "status", 0);
    answer->body = json_get_text(row, "body");
    return true;
}

void
keys_keep(store_t *store, const char *principal, const char *key,
          const unsigned char digest[KEYS_DIGEST_SIZE], int code, const char *body,
          int64_t wall_ms)
{
    store_run(store,
              "INSERT OR REPLACE INTO idempotency (principal, key, request, status, body, at)"
              " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
              BIND(value_text(principal), value_text(key), value_blob(digest, KEYS_DIGEST_SIZE),
                   value_int(code), value_text(body), value_int(wall_ms)));
}

void
keys_sweep(store_t *store, int64_t wall_ms)
{
    store_run(store, "DELETE FROM idempotency WHERE at <= ?1",
              BIND(value_int(wall_ms - IDEMPOTENCY_MS)));
}
