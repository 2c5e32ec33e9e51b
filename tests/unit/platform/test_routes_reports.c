// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "limits.h"
#include "rest.h"

#include <cmocka.h>  // last: it defines fail()

static rest_t rest;

static int
open_rest(void **state)
{
    rest_open(&rest);
    rest.token = rest_token(&rest, "analyst");
    POST(&rest, "/api/projects", "{\"name\": \"p\"}");
    POST(&rest, "/api/environments", "{\"name\": \"dev\", \"authRequirement\": \"PUBLIC\"}");
    POST(&rest, "/api/environments/1/targets",
         "{\"name\": \"t\", \"targetType\": \"REST_SERVICE\", \"baseUrl\": \"http://t.test\"}");
    POST(&rest, "/api/scenarios/yaml",
         "{\"projectId\": 1, \"yamlText\": \"name: Pets <b>\\nsteps:\\n"
         "- {name: a, method: GET, path: /a}\\n\"}");
    for (int i = 0; i < 2; i++)
        POST(&rest, "/api/scenarios/1/execute", "{\"environmentId\": 1}");
    assert_int_equal(rest.last->code, 202);
    return 0;
}

static int
close_rest(void **state)
{
    rest_close(&rest);
    return 0;
}

static void
runs_become_one_page_for_people(void **state)
{
    static const char *const paths[] = {
        "/api/scenarios/executions/1/report",
        "/api/reports?executions=1",
        "/api/reports?executions=1,2&title=Nightly%20%3Cscript%3E",
    };

    for (size_t i = 0; i < ROWS(paths); i++) {
        assert_int_equal(GET(&rest, paths[i]), 200);
        assert_string_equal(rest.last->content_type, "text/html; charset=utf-8");
        assert_non_null(strstr(rest_text(&rest), "Pets &lt;b&gt;"));
        assert_null(strstr(rest_text(&rest), "<script>"));
    }
    assert_non_null(strstr(rest_text(&rest), "Nightly"));
}

static void
a_run_becomes_a_few_lines(void **state)
{
    assert_int_equal(GET(&rest, "/api/scenarios/executions/1/summary"), 200);
    assert_int_equal(rest_number(&rest, "executionId"), 1);
    assert_string_equal(rest_member(&rest, "status"), "PENDING");
    assert_non_null(strstr(rest_member(&rest, "text"), "Pets <b>"));
}

static void
reports_of_nothing_are_refused_as_json(void **state)
{
    static const struct {
        const char *path;
        int code;
    } rows[] = {
        { "/api/reports", 400 },
        { "/api/reports?executions=", 400 },
        { "/api/reports?executions=1,x", 400 },
        { "/api/reports?executions=1,9", 404 },
        { "/api/scenarios/executions/9/report", 404 },
        { "/api/scenarios/executions/9/summary", 404 },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        print_message("  %s\n", rows[i].path);
        assert_int_equal(GET(&rest, rows[i].path), rows[i].code);
        assert_string_equal(rest.last->content_type, "application/json");
        assert_true(rest_error(&rest)[0] != '\0');
    }
}

static void
a_report_has_a_limit(void **state)
{
    static const char fill[] =
        "UPDATE executions SET steps = '[' || printf('%*s', ?1 - 2, '') || ']' WHERE id = ?2";

    store_run(rest.store, fill, BIND(value_int(32 * MIB), value_int(1)));
    store_run(rest.store, fill, BIND(value_int(32 * MIB), value_int(2)));
    assert_int_equal(GET(&rest, "/api/reports?executions=1,2"), 200);
    store_run(rest.store, fill, BIND(value_int(32 * MIB + 1), value_int(2)));
    assert_int_equal(GET(&rest, "/api/reports?executions=1,2"), 413);
    assert_int_equal(GET(&rest, "/api/reports?executions=2"), 200);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rest, close_rest)
    const struct CMUnitTest tests[] = {
        TEST(runs_become_one_page_for_people),
        TEST(a_run_becomes_a_few_lines),
        TEST(reports_of_nothing_are_refused_as_json),
        TEST(a_report_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
