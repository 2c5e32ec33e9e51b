// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "auto.h"
#include "store/migration.h"

enum {
    STATEMENTS_MAX = 512,         // slots of the cache; a power of two
    BUSY_MS = 5000,               // how long a writer waits for another
    STEPS_AT_ONCE = 1000,         // of a hurried read between two looks at its limit
    APPLICATION_ID = 0x50524641,  // "PRFA": says that the file is ours
};

struct store {
    sqlite3 *db;
    int failed;  // result code of the first statement that failed, or SQLITE_OK
    char reason[200];
    int looks, looks_max;  // at a hurried read, and how many it may have
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } cache[STATEMENTS_MAX];
    size_t cached;
};

static void
store_note(store_t *self, int code)
{
    if (self->failed != SQLITE_OK)
        return;
    self->failed = code;
    snprintf(self->reason, sizeof self->reason, "%s", sqlite3_errmsg(self->db));
}

static bool
store_exec(store_t *self, const char *sql)
{
    int code = sqlite3_exec(self->db, sql, NULL, NULL, NULL);
    if (code != SQLITE_OK)
        store_note(self, code);
    return code == SQLITE_OK;
}

// A database that was made here is for its owner alone, whatever the umask.
static exit_code_t
open_file(const char *file, sqlite3 **db_p, failure_t *why)
{
    mode_t before = umask(077);
    int code = sqlite3_open_v2(
        file, db_p, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    umask(before);
    if (code == SQLITE_OK)
        return EXIT_DONE;
    fail(why, BACKEND, "cannot open the database %s: %s", file, sqlite3_errstr(code));
    return EXIT_DATA_DIR;
}

static bool
is_foreign(store_t *self)
{
    return store_number(self, "PRAGMA application_id", BIND_NONE, 0) != APPLICATION_ID
           && store_number(self, "SELECT count(*) FROM sqlite_schema", BIND_NONE, 0) > 0;
}

// Looks before it changes anything: the file may be somebody else's.
static exit_code_t
prepare(store_t *self, const char *file, failure_t *why)
{
    sqlite3_busy_timeout(self->db, BUSY_MS);
    sqlite3_extended_result_codes(self->db, 1);
    if (is_foreign(self)) {
        fail(why, BACKEND, "%s belongs to another program; name another file", file);
        return EXIT_BROKEN;
    }
    if (self->failed == SQLITE_OK && store_exec(self, "PRAGMA foreign_keys = ON")
        && store_exec(self, "PRAGMA journal_mode = WAL")
        && store_exec(self, "PRAGMA synchronous = NORMAL")
        && store_exec(self, "PRAGMA temp_store = MEMORY"))  // the disk may be read-only
        return EXIT_DONE;
    int reason = self->failed & 0xff;
    fail(why, BACKEND, "%s is %s: %s", file,
         reason == SQLITE_NOTADB ? "not a database" : "not usable as database", self->reason);
    return reason == SQLITE_NOTADB || reason == SQLITE_CORRUPT ? EXIT_BROKEN : EXIT_DATA_DIR;
}

exit_code_t
store_open(const char *url, store_t **store_p, failure_t *why)
{
    if (strncmp(url, "sqlite:", 7) != 0 || !url[7]) {
        fail(why, BAD_ARGS, "the database must be given as sqlite:FILE, not \"%s\"", url);
        return EXIT_USAGE;
    }
    store_t *self = calloc(1, sizeof *self);
    assert(self);
    exit_code_t code = open_file(url + 7, &self->db, why);
    if (!code)
        code = prepare(self, url + 7, why);
    if (code) {
        store_close(&self);
        return code;
    }
    *store_p = self;
    return EXIT_DONE;
}

// SQLite counts the steps of a statement over all its runs: we count ours.
static int
on_progress(void *arg)
{
    store_t *self = arg;

    return ++self->looks > self->looks_max;
}

void
store_hurry(store_t *self, int steps)
{
    self->looks_max = steps / STEPS_AT_ONCE;
    sqlite3_busy_timeout(self->db, 0);
    sqlite3_progress_handler(self->db, STEPS_AT_ONCE, on_progress, self);
}

void
store_close(store_t **self_p)
{
    store_t *self = *self_p;

    if (!self)
        return;
    for (size_t i = 0; i < STATEMENTS_MAX; i++)
        sqlite3_finalize(self->cache[i].statement);
    sqlite3_close(self->db);
    free(self);
    *self_p = NULL;
}

// ---- schema

static exit_code_t
refuse_schema(store_t *self, failure_t *why)
{
    int newest = 0;

    for (const migration_t *step = migrations; step->number; step++)
        newest = step->number;
    int64_t version = store_number(self, "PRAGMA user_version", BIND_NONE, 0);
    if (version > newest) {
        fail(why, BACKEND,
             "the database was written by a newer version (schema %d, this program knows %d); "
             "use that version or another database",
             (int) version, newest);
        return EXIT_NEWER_DATABASE;
    }
    return EXIT_DONE;
}

static bool
apply(store_t *self, const migration_t *step)
{
    char *pragma = sqlite3_mprintf("PRAGMA user_version = %d; PRAGMA application_id = %d",
                                   step->number, APPLICATION_ID);
    bool done = store_exec(self, step->sql) && store_exec(self, pragma);

    sqlite3_free(pragma);
    return done;
}

exit_code_t
store_migrate(store_t *self, failure_t *why)
{
    exit_code_t code = EXIT_DONE;

    if (store_exec(self, "BEGIN EXCLUSIVE")) {
        code = refuse_schema(self, why);
        int64_t version = store_number(self, "PRAGMA user_version", BIND_NONE, 0);
        for (const migration_t *step = migrations; !code && step->number; step++)
            if (step->number > version && !apply(self, step))
                break;
        if (!code && self->failed == SQLITE_OK)
            store_exec(self, "COMMIT");
        else
            sqlite3_exec(self->db, "ROLLBACK", NULL, NULL, NULL);
    }
    if (self->failed != SQLITE_OK) {
        fail(why, BACKEND, "cannot bring the database up to date: %s", self->reason);
        return EXIT_BROKEN;
    }
    return code;
}

// ---- transactions

bool
store_begin(store_t *self)
{
    self->failed = SQLITE_OK;
    store_run(self, "BEGIN IMMEDIATE", BIND_NONE);
    return self->failed == SQLITE_OK;
}

bool
store_begin_read(store_t *self)
{
    self->failed = SQLITE_OK;
    self->looks = 0;
    store_run(self, "BEGIN", BIND_NONE);
    return self->failed == SQLITE_OK;
}

bool
store_commit(store_t *self)
{
    if (self->failed == SQLITE_OK)
        store_run(self, "COMMIT", BIND_NONE);
    return self->failed == SQLITE_OK;
}

void
store_rollback(store_t *self)
{
    if (!sqlite3_get_autocommit(self->db))
        sqlite3_exec(self->db, "ROLLBACK", NULL, NULL, NULL);
}

// What to do about what failed, where that is known.
static const char *
advice_for(int code)
{
    static const struct {
        int code;
        const char *advice;
    } rows[] = {
        { SQLITE_BUSY, "somebody else is using the database; try again" },
        { SQLITE_FULL, "the disk of the database is full; make room on it and try again" },
        { SQLITE_READONLY, "the database cannot be written; give its files and their folder to "
                           "the platform's user, and try again" },
    };

    for (size_t i = 0; i < ROWS(rows); i++)
        if ((code & 0xff) == rows[i].code)
            return rows[i].advice;
    return NULL;
}

bool
store_failed(store_t *self, failure_t *why)
{
    if (self->failed == SQLITE_OK)
        return false;
    const char *advice = advice_for(self->failed);
    if (advice)
        fail_coded(why, BUSY, "STORE_FAILED", "%s", advice);
    else
        fail_coded(why, BUSY, "STORE_FAILED",
                   "the database cannot be used just now: %s; try again", self->reason);
    self->failed = SQLITE_OK;
    return true;
}

void
store_ping(store_t *self)
{
    store_number(self, "SELECT count(*) FROM sqlite_schema", BIND_NONE, 0);
}

// ---- statements

// SQL texts are literals, so that their address names them.
static sqlite3_stmt *
prepared(store_t *self, const char *sql)
{
    size_t i = ((uintptr_t) sql * 0x9e3779b97f4a7c15u >> 32) % STATEMENTS_MAX;

    while (self->cache[i].sql && self->cache[i].sql != sql)
        i = (i + 1) % STATEMENTS_MAX;
    if (self->cache[i].sql)
        return self->cache[i].statement;
    sqlite3_stmt *statement = NULL;
    int code =
        sqlite3_prepare_v3(self->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    if (code != SQLITE_OK) {
        store_note(self, code);
        return NULL;
    }
    self->cached++;
    assert(self->cached < STATEMENTS_MAX);
    self->cache[i].sql = sql;
    self->cache[i].statement = statement;
    return statement;
}

static void
bind(sqlite3_stmt *statement, int at, const value_t *value)
{
    switch (value->kind) {
    case VALUE_END:
    case VALUE_NULL:
        sqlite3_bind_null(statement, at);
        break;
    case VALUE_INT:
        sqlite3_bind_int64(statement, at, value->number);
        break;
    case VALUE_TEXT:
        sqlite3_bind_text64(statement, at, value->bytes, value->size, SQLITE_STATIC,
                            SQLITE_UTF8);
        break;
    case VALUE_BLOB:
        sqlite3_bind_blob64(statement, at, value->bytes, value->size, SQLITE_STATIC);
        break;
    }
}

statement_t *
store_query(store_t *self, const char *sql, const value_t *values)
{
    sqlite3_stmt *statement = prepared(self, sql);

    if (!statement)
        return NULL;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    for (int i = 0; values[i].kind != VALUE_END; i++)
        bind(statement, i + 1, &values[i]);
    return statement;
}

bool
store_next(store_t *self, statement_t *statement)
{
    int code = statement && self->failed == SQLITE_OK ? sqlite3_step(statement) : SQLITE_DONE;

    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        store_note(self, code);
    if (statement)
        sqlite3_reset(statement);
    return false;
}

void
store_end(statement_t *statement)
{
    sqlite3_reset(statement);
}

int64_t
store_run(store_t *self, const char *sql, const value_t *values)
{
    statement_t *statement = store_query(self, sql, values);

    while (store_next(self, statement))
        ;  // rows of a statement that is run for its effect are of no interest
    return self->failed == SQLITE_OK ? sqlite3_changes64(self->db) : 0;
}

int64_t
store_insert(store_t *self, const char *sql, const value_t *values)
{
    store_run(self, sql, values);
    return self->failed == SQLITE_OK ? sqlite3_last_insert_rowid(self->db) : 0;
}
