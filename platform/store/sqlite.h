// SPDX-License-Identifier: Apache-2.0
// The one door to SQLite. A store is one connection and belongs to one thread. Statements are
// prepared once per SQL text (a literal: the address is the key) and reused; values are always
// bound. A failing database makes the store "failed" until the next transaction or
// store_failed(): queries then find nothing, so that callers check once, at the end.

#ifndef PROOFARC_STORE_SQLITE_H
#define PROOFARC_STORE_SQLITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"
#include "exits.h"
#include "json.h"

typedef struct store store_t;
typedef struct sqlite3_stmt statement_t;

typedef enum { VALUE_END, VALUE_NULL, VALUE_INT, VALUE_TEXT, VALUE_BLOB } value_kind_t;

typedef struct {
    value_kind_t kind;
    int64_t number;
    const void *bytes;  // must live until the query is over
    size_t size;
} value_t;

// Values for ?1, ?2 … of a statement.
#define BIND(...) ((const value_t[]){ __VA_ARGS__, { VALUE_END } })
#define BIND_NONE ((const value_t[]){ { VALUE_END } })

value_t value_int(int64_t number);
value_t value_id(int64_t id);          // 0 becomes NULL
value_t value_text(const char *text);  // NULL becomes NULL
value_t value_blob(const void *bytes, size_t size);
value_t value_json(arena_t *arena, const json_t *value);  // NULL becomes NULL

// Opens `url` ("sqlite:FILE"), making the file (0600) if it is missing. EXIT_DONE and *store_p,
// or the exit code and `why`.
exit_code_t store_open(const char *url, store_t **store_p, failure_t *why);

// For a loop, which must not wait: from now on a read fails that meets a lock, or that takes
// SQLite more than about `steps` steps (some ten million a second).
void store_hurry(store_t *self, int steps);

void store_close(store_t **self_p);

// Brings the schema up to date, under a lock. EXIT_NEWER_DATABASE if a newer version wrote it.
exit_code_t store_migrate(store_t *self, failure_t *why);

// One writer at a time (BEGIN IMMEDIATE), reads of one moment (BEGIN). False when the store has
// failed.
bool store_begin(store_t *self);
bool store_begin_read(store_t *self);
bool store_commit(store_t *self);
void store_rollback(store_t *self);

// True if a statement failed since the last call or transaction; then `why` says so, and the
// store is fit for use again.
bool store_failed(store_t *self, failure_t *why);

// Reads something small; the store has failed if that is impossible.
void store_ping(store_t *self);

// Runs a query; call store_next() for each row. Ends with the next use of the same SQL.
statement_t *store_query(store_t *self, const char *sql, const value_t *values);
bool store_next(store_t *self, statement_t *statement);
int64_t store_int(statement_t *statement, int column);
const char *store_text(statement_t *statement,
                       int column);  // valid until the next row; or NULL
// Ends a query before its last row.
void store_end(statement_t *statement);

// Runs a statement for its effect; the rows changed.
int64_t store_run(store_t *self, const char *sql, const value_t *values);
// The same for an INSERT: the new row's id, 0 when the store has failed.
int64_t store_insert(store_t *self, const char *sql, const value_t *values);

// First column of the first row, or the fallback.
int64_t store_number(store_t *self, const char *sql, const value_t *values, int64_t fallback);
char *store_string(store_t *self, arena_t *arena, const char *sql, const value_t *values);

// Rows as JSON objects. The columns' names are the members' names; a mark at the end says how
// a value is written: "archived?" true or false, "tags{}" JSON text as it is, "createdAt@" a
// time.
json_t *store_row(store_t *self, arena_t *arena, const char *sql, const value_t *values);
json_t *store_rows(store_t *self, arena_t *arena, const char *sql, const value_t *values);

// The same as text, separated by commas; stops after `most` rows, or after the one that takes them
// over `bytes_max`. Returns the number of rows and sets *last_id_p (if not NULL) to the first column
// of the last one.
int64_t store_write_rows(store_t *self, buffer_t *out, const char *sql, const value_t *values,
                         int64_t most, size_t bytes_max, int64_t *last_id_p);

#endif
