// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "rest.h"

#include <cmocka.h>  // last: it defines fail()

static rest_t rest;

static int
open_rest(void **state)
{
    rest_open(&rest);
    rest.token = rest_token(&rest, "analyst");
    return 0;
}

static int
close_rest(void **state)
{
    rest_close(&rest);
    return 0;
}

#define YAML(more, path)                                                                       \
    "{\"projectId\": 1, \"yamlText\": \"name: s\\n" more                                       \
    "steps:\\n- {name: a, method: GET, path: " path "}\\n\"}"

// A project, an environment 1 that wants a log-in with a target, and scenario 1.
static void
arrange(const char *requirement, const char *scenario)
{
    POST(&rest, "/api/projects", "{\"name\": \"p\"}");
    POST(&rest, "/api/environments",
         arena_printf(rest.arena,
                      "{\"name\": \"dev\", \"projectId\": 1, \"authRequirement\": \"%s\"}",
                      requirement));
    POST(&rest, "/api/environments/1/targets",
         "{\"name\": \"api\", \"targetType\": \"REST_SERVICE\", \"appTag\": \"shop\","
         " \"baseUrl\": \"http://shop.test\"}");
    assert_int_equal(POST(&rest, "/api/scenarios/yaml", scenario), 201);
}

static void
add_login(const char *tag, const char *more)
{
    assert_int_equal(POST(&rest, "/api/environments/1/credentials",
                          arena_printf(rest.arena,
                                       "{\"tag\": \"%s\", \"username\": \"u-%s\","
                                       " \"password\": \"secret-%s\"%s}",
                                       tag, tag, tag, more)),
                     201);
}

static void
switch_off(const char *tag)
{
    PATCH(&rest, arena_printf(rest.arena, "/api/environments/1/credentials/%s", tag),
          "{\"active\": false}");
}

static void
expect_login(const char *body, const char *tag)
{
    assert_int_equal(POST(&rest, "/api/scenarios/1/execute", body), 202);
    const char *used = rest_member(&rest, "credentialTag");
    if (tag)
        assert_string_equal(used, tag);
    else
        assert_null(used);
}

static void
expect_refusal(const char *body, const char *code, const char *part)
{
    assert_int_equal(POST(&rest, "/api/scenarios/1/execute", body), 400);
    assert_string_equal(rest_error(&rest), code);
    assert_non_null(strstr(rest_text(&rest), part));
    assert_int_equal(GET(&rest, "/api/scenarios/executions/1"), 404);  // nothing has run
}

#define HERE       "{\"environmentId\": 1}"
#define NAMED(tag) "{\"environmentId\": 1, \"credentialTag\": \"" tag "\"}"

static void
the_run_wins_over_scenario_over_target_over_default(void **state)
{
    arrange("AUTHENTICATED", YAML("credentialTag: mine\\n", "/a"));
    add_login("run", "");
    add_login("mine", "");
    add_login("target", "");
    add_login("default", ", \"isDefault\": true");
    PUT(&rest, "/api/targets/1/auth",
        "{\"authConfig\": {\"authType\": \"BEARER\", \"credentialTag\": \"target\"}}");
    expect_login(NAMED("run"), "run");
    expect_login(HERE, "mine");
    POST(&rest, "/api/scenarios/yaml",
         "{\"projectId\": 1, \"yamlText\": \"name: t\\nsteps:\\n- {name: a, method: GET,"
         " path: /a}\\n\"}");
    assert_int_equal(POST(&rest, "/api/scenarios/2/execute", HERE), 202);
    assert_string_equal(rest_member(&rest, "credentialTag"), "target");
    PUT(&rest, "/api/targets/1/auth", "{\"authConfig\": {\"authType\": \"BEARER\"}}");
    assert_int_equal(POST(&rest, "/api/scenarios/2/execute", HERE), 202);
    assert_string_equal(rest_member(&rest, "credentialTag"), "default");
}

static void
a_named_log_in_that_is_missing_or_off_is_never_replaced(void **state)
{
    arrange("AUTHENTICATED", YAML("credentialTag: mine\\n", "/a"));
    add_login("default", ", \"isDefault\": true");
    expect_refusal(HERE, "CREDENTIAL_TAG_NOT_FOUND", "there is no log-in");
    expect_refusal(NAMED("none"), "CREDENTIAL_TAG_NOT_FOUND", "none");
    add_login("mine", "");
    switch_off("mine");
    expect_refusal(HERE, "CREDENTIAL_TAG_NOT_FOUND", "DEACTIVATED");
    expect_login(NAMED("default"), "default");
}

static void
several_log_ins_without_a_default_are_ambiguous(void **state)
{
    arrange("AUTHENTICATED", YAML("", "/a"));
    add_login("ada", "");
    expect_login(HERE, "ada");  // the only one there is
    rest_close(&rest);

    open_rest(NULL);
    arrange("AUTHENTICATED", YAML("", "/a"));
    add_login("ada", "");
    add_login("bob", "");
    add_login("off", "");
    switch_off("off");
    expect_refusal(HERE, "CREDENTIAL_AMBIGUOUS", "ada, bob;");
    switch_off("bob");
    expect_login(HERE, "ada");
}

static void
a_default_that_is_off_is_not_replaced_either(void **state)
{
    arrange("AUTHENTICATED", YAML("", "/a"));
    add_login("ada", "");
    add_login("bob", ", \"isDefault\": true");
    switch_off("bob");
    expect_refusal(HERE, "CREDENTIAL_TAG_NOT_FOUND", "DEACTIVATED");
}

static void
public_and_unauthenticated_runs_are_not_refused(void **state)
{
    arrange("PUBLIC", YAML("", "/a"));
    expect_login(HERE, NULL);
    add_login("ada", "");
    add_login("bob", "");
    expect_login(HERE, NULL);
    rest_close(&rest);

    open_rest(NULL);
    arrange("AUTHENTICATED", YAML("", "/a"));
    add_login("ada", "");
    add_login("bob", "");
    expect_login("{\"environmentId\": 1, \"allowUnauthenticated\": true}", NULL);
    expect_login("{\"environmentId\": 1, \"allowUnauthenticated\": true,"
                 " \"credentialTag\": \"ada\"}",
                 NULL);  // it only fills {{username}}
}

static void
a_run_that_needs_a_log_in_is_refused_without_one(void **state)
{
    arrange("AUTHENTICATED", YAML("", "/a"));
    expect_login(HERE, NULL);  // there is no way to log in
    PUT(&rest, "/api/environments/1/auth-endpoint", "{\"loginEndpoint\": \"/login\"}");
    assert_int_equal(POST(&rest, "/api/scenarios/1/execute", HERE), 400);
    assert_string_equal(rest_error(&rest), "CREDENTIAL_TAG_NOT_FOUND");
    rest_close(&rest);

    open_rest(NULL);
    arrange("PUBLIC", YAML("", "'/a/{{ username }}'"));
    expect_refusal(HERE, "CREDENTIAL_TAG_NOT_FOUND", "no log-in that could be used");
}

static void
a_public_application_makes_its_tests_public(void **state)
{
    arrange("AUTHENTICATED", YAML("appTag: shop\\n", "/a"));
    PUT(&rest, "/api/environments/1/auth-endpoint", "{\"loginEndpoint\": \"/login\"}");
    expect_refusal(HERE, "CREDENTIAL_TAG_NOT_FOUND", "no log-in that could be used");
    POST(&rest, "/api/applications",
         "{\"projectId\": 1, \"name\": \"shop\", \"appTag\": \"shop\","
         " \"applicationInterfaces\": [\"REST\"], \"authRequirement\": \"PUBLIC\"}");
    expect_login(HERE, NULL);
}

#define TARGET(name, type, tag, url)                                                           \
    "{\"name\": \"" name "\", \"targetType\": \"" type "\", \"appTag\": \"" tag                \
    "\", \"baseUrl\": \"" url "\"}"

static void
one_target_must_fit(void **state)
{
    static const char path[] = "/api/environments/1/targets";

    arrange("PUBLIC", YAML("appTag: shop\\n", "/a"));
    POST(&rest, path, TARGET("web", "WEB_APP", "shop", "http://web.test"));
    POST(&rest, path, TARGET("other", "REST_SERVICE", "other", "http://other.test"));
    expect_login(HERE, NULL);  // the service comes before the web application
    POST(&rest, path, TARGET("two", "REST_SERVICE", "shop", "http://two.test"));
    assert_int_equal(POST(&rest, "/api/scenarios/1/execute", HERE), 400);
    assert_string_equal(rest_error(&rest), "TARGET_AMBIGUOUS");
    assert_non_null(strstr(rest_text(&rest), "two (http://two.test)"));
}

static void
no_target_is_refused_unless_the_scenario_has_an_address(void **state)
{
    arrange("PUBLIC", YAML("appTag: none\\n", "/a"));
    expect_refusal(HERE, "TARGET_NOT_FOUND", "appTag");
    rest_close(&rest);

    open_rest(NULL);
    arrange("PUBLIC", YAML("baseUrl: http://own.test\\nappTag: none\\n", "/a"));
    expect_login(HERE, NULL);
}

static void
unknown_scenario_and_environment_are_not_found(void **state)
{
    arrange("PUBLIC", YAML("", "/a"));
    assert_int_equal(POST(&rest, "/api/scenarios/9/execute", HERE), 404);
    assert_int_equal(POST(&rest, "/api/scenarios/1/execute", "{\"environmentId\": 9}"), 404);
    assert_int_equal(POST(&rest, "/api/scenarios/1/execute",
                          "{\"environmentId\": 1, \"variables\": {\"a\": []}}"),
                     400);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rest, close_rest)
    const struct CMUnitTest tests[] = {
        TEST(the_run_wins_over_scenario_over_target_over_default),
        TEST(a_named_log_in_that_is_missing_or_off_is_never_replaced),
        TEST(several_log_ins_without_a_default_are_ambiguous),
        TEST(a_default_that_is_off_is_not_replaced_either),
        TEST(public_and_unauthenticated_runs_are_not_refused),
        TEST(a_run_that_needs_a_log_in_is_refused_without_one),
        TEST(a_public_application_makes_its_tests_public),
        TEST(one_target_must_fit),
        TEST(no_target_is_refused_unless_the_scenario_has_an_address),
        TEST(unknown_scenario_and_environment_are_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
