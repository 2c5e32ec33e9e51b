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
    POST(&rest, "/api/projects", "{\"name\": \"q\"}");
    POST(&rest, "/api/environments",
         "{\"name\": \"dev\", \"authRequirement\": \"PUBLIC\", \"properties\":"
         " {\"tenant\": \"t1\"}}");
    return 0;
}

static int
close_rest(void **state)
{
    rest_close(&rest);
    return 0;
}

#define STEP "steps:\n- {name: a, method: GET, path: /a}\n"

static int
send_yaml(const char *method, const char *path, const char *yaml, const char *more)
{
    json_t *text = json_string(rest.arena, yaml);

    return rest_send(
        &rest, method, path,
        arena_printf(rest.arena, "{\"yamlText\": %s%s}", json_text(rest.arena, text), more));
}

#define CREATE(yaml, more) send_yaml("POST", "/api/scenarios/yaml", yaml, more)
#define CHANGE(yaml, more) send_yaml("PUT", "/api/scenarios/1/yaml", yaml, more)

static void
a_scenario_is_kept_with_what_its_yaml_says(void **state)
{
    assert_int_equal(CREATE("# mine\nname: s\ndescription: why\nappTag: shop\n"
                            "credentialTag: ada\ntags: [a, b]\n" STEP,
                            ", \"projectId\": 1, \"tags\": [\"b\", \"c\"]"),
                     201);
    assert_non_null(strstr(rest_text(&rest), "\"tags\":[\"a\",\"b\",\"c\"]"));
    assert_string_equal(rest_member(&rest, "description"), "why");
    assert_string_equal(rest_member(&rest, "appTag"), "shop");
    assert_string_equal(rest_member(&rest, "authType"), "CREDENTIAL");
    assert_string_equal(rest_member(&rest, "project"), "p");
    assert_int_equal(rest_number(&rest, "stepCount"), 1);
    assert_int_equal(rest_number(&rest, "version"), 1);
    assert_int_equal(GET(&rest, "/api/scenarios/1/yaml"), 200);
    assert_non_null(strstr(rest_member(&rest, "yamlText"), "# mine"));  // as it was written
}

static void
a_name_is_unique_in_its_project(void **state)
{
    assert_int_equal(CREATE("name: s\n" STEP, ", \"projectId\": 1"), 201);
    assert_int_equal(CREATE("name: S\n" STEP, ", \"projectId\": 1"), 409);
    assert_string_equal(rest_error(&rest), "SCENARIO_EXISTS");
    assert_int_equal(CREATE("name: s\n" STEP, ", \"projectId\": 2"), 201);
    assert_int_equal(CREATE("name: t\n" STEP, ", \"projectId\": 1"), 201);
    assert_int_equal(send_yaml("PUT", "/api/scenarios/3/yaml", "name: s\n" STEP, ""), 409);
    assert_int_equal(CREATE("name: s\n" STEP, ", \"projectId\": 9"), 404);
}

static void
a_bad_scenario_is_refused_with_all_its_errors(void **state)
{
    assert_int_equal(
        CREATE("name: s\ncolour: red\nsteps:\n- {name: a, method: FETCH, path: a}\n",
               ", \"projectId\": 1"),
        400);
    assert_string_equal(rest_error(&rest), "INVALID_SCENARIO");
    const json_t *error = json_get(rest_json(&rest), "error");
    assert_true(json_get(error, "errors")->count >= 2);
    assert_int_equal(json_get_int(json_get(error, "errors")->first, "line", 0), 2);
    assert_non_null(json_get_text(error, "message"));
    assert_int_equal(CREATE("", ", \"projectId\": 1"), 400);
    GET(&rest, "/api/scenarios");
    assert_int_equal(rest_number(&rest, "total"), 0);
}

static void
a_check_keeps_nothing_and_knows_the_properties(void **state)
{
    static const char yaml[] =
        "name: s\nsteps:\n- {name: a, method: GET, path: '/{{tenant}}'}\n";

    assert_int_equal(
        send_yaml("POST", "/api/scenarios/validate", yaml, ", \"environmentId\": 1"), 200);
    assert_true(json_get_bool(rest_json(&rest), "valid", false));
    assert_int_equal(json_get(rest_json(&rest), "warnings")->count, 0);
    assert_int_equal(send_yaml("POST", "/api/scenarios/validate", "name: s\nsteps: []\n", ""),
                     200);
    assert_false(json_get_bool(rest_json(&rest), "valid", true));
    assert_int_equal(
        send_yaml("POST", "/api/scenarios/validate", yaml, ", \"environmentId\": 9"), 404);
    GET(&rest, "/api/scenarios");
    assert_int_equal(rest_number(&rest, "total"), 0);
}

static void
a_change_keeps_what_the_new_yaml_does_not_name(void **state)
{
    CREATE("name: s\nappTag: shop\ncredentialTag: ada\ntags: [a]\n" STEP,
           ", \"projectId\": 1, \"environmentId\": 1");
    assert_int_equal(CHANGE("name: renamed\nsteps:\n- {name: a, method: GET, path: /a}\n"
                            "- {name: b, method: GET, path: /b}\n",
                            ""),
                     200);
    assert_int_equal(rest_number(&rest, "id"), 1);
    assert_int_equal(rest_number(&rest, "version"), 2);
    assert_int_equal(rest_number(&rest, "stepCount"), 2);
    assert_string_equal(rest_member(&rest, "name"), "renamed");
    assert_string_equal(rest_member(&rest, "appTag"), "shop");
    assert_string_equal(rest_member(&rest, "credentialTag"), "ada");
    assert_int_equal(rest_number(&rest, "environmentId"), 1);
    assert_non_null(strstr(rest_text(&rest), "\"tags\":[\"a\"]"));
    CHANGE("name: renamed\ncredentialTag: bob\ntags: [z]\n" STEP, "");
    assert_string_equal(rest_member(&rest, "credentialTag"), "bob");
    assert_non_null(strstr(rest_text(&rest), "\"tags\":[\"z\"]"));
    assert_int_equal(GET(&rest, "/api/scenarios?tags=a"), 200);
    assert_int_equal(rest_number(&rest, "total"), 0);
}

static void
a_change_of_another_version_is_refused(void **state)
{
    CREATE("name: s\n" STEP, ", \"projectId\": 1");
    assert_int_equal(CHANGE("name: s\n" STEP, ", \"expectedVersion\": 1"), 200);
    assert_int_equal(CHANGE("name: s\n" STEP, ", \"expectedVersion\": 1"), 409);
    assert_string_equal(rest_error(&rest), "VERSION_CHANGED");
    assert_int_equal(send_yaml("PUT", "/api/scenarios/9/yaml", "name: s\n" STEP, ""), 404);
}

static void
a_scenario_of_json_is_the_same_as_one_of_yaml(void **state)
{
    assert_int_equal(POST(&rest, "/api/scenarios",
                          "{\"name\": \"s\", \"projectId\": 1, \"tags\": \"a,b\","
                          " \"authConfig\": {\"credentialTag\": \"ada\"}, \"steps\": [{"
                          "\"name\": \"a\", \"method\": \"GET\", \"path\": \"/a\","
                          " \"expect\": [200]}]}"),
                     201);
    assert_string_equal(rest_member(&rest, "credentialTag"), "ada");
    assert_non_null(strstr(rest_text(&rest), "\"tags\":[\"a\",\"b\"]"));
    GET(&rest, "/api/scenarios/1/yaml");
    const char *yaml = rest_member(&rest, "yamlText");
    assert_int_equal(send_yaml("POST", "/api/scenarios/validate", yaml, ""), 200);
    assert_true(json_get_bool(rest_json(&rest), "valid", false));
    assert_int_equal(POST(&rest, "/api/scenarios",
                          "{\"name\": \"t\", \"projectId\": 1, \"steps\": [{\"name\": \"a\","
                          " \"method\": \"GET\", \"path\": \"/a\", \"colour\": 1}]}"),
                     400);
    assert_string_equal(rest_error(&rest), "INVALID_SCENARIO");
    assert_int_equal(POST(&rest, "/api/scenarios",
                          "{\"name\": \"t\", \"projectId\": 1, \"steps\": [], \"authConfig\":"
                          " {\"password\": \"x\"}}"),
                     400);
}

static void
yaml_has_its_limit(void **state)
{
    char *yaml = arena_alloc(rest.arena, YAML_MAX + 2);
    static const char start[] = "name: s\n" STEP "# ";

    memset(yaml, 'x', YAML_MAX + 1);
    memcpy(yaml, start, sizeof start - 1);
    yaml[YAML_MAX + 1] = '\0';
    assert_int_equal(CREATE(yaml, ", \"projectId\": 1"), 400);
    yaml[YAML_MAX] = '\0';
    assert_int_equal(CREATE(yaml, ", \"projectId\": 1"), 201);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rest, close_rest)
    const struct CMUnitTest tests[] = {
        TEST(a_scenario_is_kept_with_what_its_yaml_says),
        TEST(a_name_is_unique_in_its_project),
        TEST(a_bad_scenario_is_refused_with_all_its_errors),
        TEST(a_check_keeps_nothing_and_knows_the_properties),
        TEST(a_change_keeps_what_the_new_yaml_does_not_name),
        TEST(a_change_of_another_version_is_refused),
        TEST(a_scenario_of_json_is_the_same_as_one_of_yaml),
        TEST(yaml_has_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
