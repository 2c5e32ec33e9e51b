// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auto.h"
#include "rest.h"
#include "store/listing.h"
#include "store/migration.h"
#include "store/sqlite.h"

#include <cmocka.h>  // last: it defines fail()

static char dir[32], file[64], url[80];
static arena_t *arena;

static int
make_dir(void **state)
{
    snprintf(dir, sizeof dir, "/tmp/store-XXXXXX");
    assert_non_null(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/db", dir);
    snprintf(url, sizeof url, "sqlite:%s", file);
    arena = arena_new();
    return 0;
}

static int
drop_dir(void **state)
{
    arena_destroy(&arena);
    rest_remove(dir);
    return 0;
}

static void
write_file(const char *bytes, size_t size)
{
    FILE *out = fopen(file, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
}

static void
an_empty_file_gets_the_newest_schema_once(void **state)
{
    failure_t why;
    struct stat made;
    int newest = 0;

    for (const migration_t *step = migrations; step->number; step++)
        assert_int_equal(step->number, ++newest);  // no gap
    for (int i = 0; i < 2; i++) {
        AUTO(store_close) store_t *store = NULL;
        assert_int_equal(store_open(url, &store, &why), EXIT_DONE);
        assert_int_equal(store_migrate(store, &why), EXIT_DONE);
        assert_int_equal(store_number(store, "PRAGMA user_version", BIND_NONE, -1), newest);
        assert_int_equal(store_number(store, "SELECT count(*) FROM projects", BIND_NONE, -1),
                         0);
    }
    assert_int_equal(stat(file, &made), 0);
    assert_int_equal(made.st_mode & 0777, 0600);
}

static void
a_database_of_a_newer_version_is_refused(void **state)
{
    AUTO(store_close) store_t *store = NULL;
    failure_t why;

    assert_int_equal(store_open(url, &store, &why), EXIT_DONE);
    assert_int_equal(store_migrate(store, &why), EXIT_DONE);
    store_run(store, "PRAGMA user_version = 9999", BIND_NONE);
    assert_int_equal(store_migrate(store, &why), EXIT_NEWER_DATABASE);
    assert_non_null(strstr(why.text, "newer version (schema 9999"));
}

static void
a_database_of_another_program_is_left_alone(void **state)
{
    AUTO(store_close) store_t *store = NULL;
    failure_t why;

    assert_int_equal(store_open(url, &store, &why), EXIT_DONE);
    store_run(store, "PRAGMA journal_mode = DELETE", BIND_NONE);
    store_run(store, "CREATE TABLE mine (a)", BIND_NONE);
    store_close(&store);
    struct stat before, after;
    assert_int_equal(stat(file, &before), 0);
    assert_int_equal(store_open(url, &store, &why), EXIT_BROKEN);
    assert_non_null(strstr(why.text, "another program"));
    assert_null(store);
    assert_int_equal(stat(file, &after), 0);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
}

static void
what_is_no_database_is_refused_with_a_clear_line(void **state)
{
    AUTO(store_close) store_t *store = NULL;
    failure_t why;
    char garbage[4096];

    memset(garbage, 'x', sizeof garbage);
    write_file(garbage, sizeof garbage);
    assert_int_equal(store_open(url, &store, &why), EXIT_BROKEN);
    assert_non_null(strstr(why.text, "is not a database"));
    assert_int_equal(store_open("sqlite:/nonexistent/dir/db", &store, &why), EXIT_DATA_DIR);
    assert_non_null(strstr(why.text, "/nonexistent/dir/db"));
    assert_int_equal(store_open("postgresql://x", &store, &why), EXIT_USAGE);
    assert_int_equal(store_open("sqlite:", &store, &why), EXIT_USAGE);
    assert_null(store);
}

static void
rows_become_json_by_the_marks_of_their_columns(void **state)
{
    AUTO(store_close) store_t *store = NULL;
    failure_t why;

    assert_int_equal(store_open(url, &store, &why), EXIT_DONE);
    json_t *row = store_row(store, arena,
                            "SELECT 1 AS id, 'a\"b' AS name, 0 AS \"off?\", 7 AS \"on?\","
                            " '[1,{}]' AS \"list{}\", NULL AS \"none{}\", 0 AS \"at@\","
                            " 9223372036854775807 AS big, 1.5 AS part",
                            BIND_NONE);
    assert_string_equal(json_text(arena, row),
                        "{\"id\":1,\"name\":\"a\\\"b\",\"off\":false,\"on\":true,"
                        "\"list\":[1,{}],\"none\":null,\"at\":\"1970-01-01T00:00:00.000Z\","
                        "\"big\":9223372036854775807,\"part\":1.5}");
    assert_null(store_row(store, arena, "SELECT 1 WHERE 0", BIND_NONE));
}

static void
values_are_bound_and_never_become_sql(void **state)
{
    AUTO(store_close) store_t *store = NULL;
    failure_t why;
    static const char *const evil[] = { "'; DROP TABLE projects; --", "%_\\", "\"", "a\nb" };

    assert_int_equal(store_open(url, &store, &why), EXIT_DONE);
    assert_int_equal(store_migrate(store, &why), EXIT_DONE);
    for (size_t i = 0; i < ROWS(evil); i++) {
        store_insert(store, "INSERT INTO projects (name, created_at) VALUES (?1, 0)",
                     BIND(value_text(evil[i])));
        char *kept = store_string(store, arena, "SELECT name FROM projects WHERE name = ?1",
                                  BIND(value_text(evil[i])));
        assert_string_equal(kept, evil[i]);
    }
    assert_false(store_failed(store, &why));
}

static void
a_failed_statement_is_told_once_and_undone(void **state)
{
    AUTO(store_close) store_t *store = NULL;
    failure_t why = { 0 };

    assert_int_equal(store_open(url, &store, &why), EXIT_DONE);
    assert_int_equal(store_migrate(store, &why), EXIT_DONE);
    assert_true(store_begin(store));
    static const char insert[] = "INSERT INTO projects (name, created_at) VALUES ('a', 0)";
    assert_true(store_insert(store, insert, BIND_NONE) > 0);
    assert_int_equal(store_insert(store, insert, BIND_NONE), 0);           // the name is taken
    assert_int_equal(store_number(store, "SELECT 7", BIND_NONE, -1), -1);  // nothing after it
    assert_false(store_commit(store));
    store_rollback(store);
    assert_true(store_failed(store, &why));
    assert_int_equal(why.status, BUSY);
    assert_string_equal(why.code, "STORE_FAILED");
    assert_false(store_failed(store, &why));
    assert_int_equal(store_number(store, "SELECT count(*) FROM projects", BIND_NONE, -1), 0);
}

// Waits for the time that a writer waits, which is five seconds.
static void
a_database_that_another_holds_is_left_as_it_is(void **state)
{
    AUTO(store_close) store_t *store = NULL;
    AUTO(store_close) store_t *other = NULL;
    failure_t why;

    assert_int_equal(store_open(url, &store, &why), EXIT_DONE);
    assert_int_equal(store_migrate(store, &why), EXIT_DONE);
    assert_int_equal(store_open(url, &other, &why), EXIT_DONE);
    static const char count[] = "SELECT count(*) FROM projects";
    static const char insert[] = "INSERT INTO projects (name, created_at) VALUES ('a', 0)";
    assert_true(store_begin(other));

    assert_false(store_begin(store));
    assert_int_equal(store_insert(store, insert, BIND_NONE), 0);
    assert_false(store_commit(store));
    store_rollback(store);
    assert_true(store_failed(store, &why));
    assert_int_equal(why.status, BUSY);
    assert_string_equal(why.text, "somebody else is using the database; try again");
    assert_int_equal(store_number(store, count, BIND_NONE, -1), 0);  // reading goes on

    store_rollback(other);
    assert_true(store_begin(store));
    assert_true(store_insert(store, insert, BIND_NONE) > 0);
    assert_true(store_commit(store));
    assert_int_equal(store_number(other, count, BIND_NONE, -1), 1);
}

static void
foreign_keys_hold(void **state)
{
    AUTO(store_close) store_t *store = NULL;
    failure_t why;

    assert_int_equal(store_open(url, &store, &why), EXIT_DONE);
    assert_int_equal(store_migrate(store, &why), EXIT_DONE);
    store_run(store, "INSERT INTO project_environments VALUES (1, 1)", BIND_NONE);
    assert_true(store_failed(store, &why));
}

static void
cursors_are_ours_or_none(void **state)
{
    static const struct {
        const char *cursor;
        int64_t after;
    } rows[] = {
        { "c12", 12 }, { "c0", 0 },   { "12", -1 }, { "c", -1 },
        { "c1x", -1 }, { "c-1", -1 }, { "", -1 },   { "c9999999999999999999", -1 },
    };

    for (size_t i = 0; i < ROWS(rows); i++)
        assert_int_equal(listing_after(rows[i].cursor), rows[i].after);
}

#define COUNT_TO                                                                               \
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)"             \
    " SELECT count(*) FROM n"

// What is counted is one read, not all runs of its statement.
static void
a_read_in_a_hurry_fails_when_it_takes_long(void **state)
{
    AUTO(store_close) store_t *store = NULL;
    static const char sql[] = COUNT_TO;
    failure_t why;

    assert_int_equal(store_open(url, &store, &why), EXIT_DONE);
    assert_int_equal(store_number(store, sql, BIND(value_int(100000)), 0), 100000);
    store_hurry(store, 10 * 1000);
    for (int i = 0; i < 30; i++) {
        assert_true(store_begin_read(store));
        assert_int_equal(store_number(store, sql, BIND(value_int(100)), 0), 100);
        assert_true(store_commit(store));
    }
    assert_true(store_begin_read(store));
    assert_int_equal(store_number(store, sql, BIND(value_int(100000)), 0), 0);
    assert_true(store_failed(store, &why));
    store_rollback(store);
    assert_true(store_begin_read(store));
    assert_int_equal(store_number(store, sql, BIND(value_int(100)), 0), 100);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, drop_dir)
    const struct CMUnitTest tests[] = {
        TEST(an_empty_file_gets_the_newest_schema_once),
        TEST(a_database_of_a_newer_version_is_refused),
        TEST(a_database_of_another_program_is_left_alone),
        TEST(what_is_no_database_is_refused_with_a_clear_line),
        TEST(rows_become_json_by_the_marks_of_their_columns),
        TEST(values_are_bound_and_never_become_sql),
        TEST(a_failed_statement_is_told_once_and_undone),
        TEST(a_database_that_another_holds_is_left_as_it_is),
        TEST(foreign_keys_hold),
        TEST(cursors_are_ours_or_none),
        TEST(a_read_in_a_hurry_fails_when_it_takes_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
