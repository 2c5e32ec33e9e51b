// SPDX-License-Identifier: Apache-2.0
// A hundred thousand of a kind.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "rest.h"

#include <cmocka.h>  // last: it defines fail()

static rest_t rest;

static int
open_rest(void **state)
{
    static const char many[] =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
        " INSERT INTO scenarios (project_id, name, auth_type, tags, step_count, updated_at)"
        " SELECT 1, 'GET /api/things/' || i || '/parts', 'NONE', '[\"smoke\",\"generated\"]',"
        " 1, 0 FROM n";

    rest_open(&rest);
    rest.token = rest_token(&rest, "viewer");
    store_begin(rest.store);
    store_run(rest.store, "INSERT INTO projects (name, created_at) VALUES ('p', 0)", BIND_NONE);
    assert_int_equal(store_run(rest.store, many, BIND_NONE), 100000);
    store_run(rest.store,
              "INSERT INTO tags SELECT 'api_scenario', id, 'smoke', 0 FROM scenarios",
              BIND_NONE);
    assert_true(store_commit(rest.store));
    return 0;
}

static int
close_rest(void **state)
{
    rest_close(&rest);
    return 0;
}

static int64_t
cpu_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Processor time: what else the machine does is no concern of this test.
static int64_t
ms_of(const char *path)
{
    int64_t from = cpu_ms();

    assert_int_equal(GET(&rest, path), 200);
    int64_t took = cpu_ms() - from;
    print_message("  %s: %d ms, %zu bytes\n", path, (int) took, rest.last->out.size);
    return took;
}

static void
all_names_come_at_once_and_in_time(void **state)
{
    assert_true(ms_of("/api/scenarios?view=names") < 2000);
    const char *text = rest_text(&rest);
    size_t length = strlen(text), count = 0;

    for (const char *c = text; (c = memmem(c, (size_t) (text + length - c), "\"id\":", 5)); c++)
        count++;
    assert_int_equal(count, 100000);
    assert_string_equal(text + length - 2, "]}");
    assert_true(length < (size_t) 16 * 1024 * 1024);
}

static void
pages_and_tags_are_found_in_time(void **state)
{
    assert_true(ms_of("/api/scenarios?cursor=c99900&limit=500") < 1000);
    assert_int_equal(rest_number(&rest, "returned"), 100);
    assert_true(ms_of("/api/scenarios?tags=smoke&limit=10") < 2000);
    assert_int_equal(rest_number(&rest, "total"), 100000);
    assert_true(ms_of("/api/scenarios?name=99999") < 1000);
    assert_int_equal(rest_number(&rest, "total"), 1);
    assert_true(ms_of("/api/tags") < 2000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_names_come_at_once_and_in_time),
        cmocka_unit_test(pages_and_tags_are_found_in_time),
    };
    return cmocka_run_group_tests(tests, open_rest, close_rest);
}
