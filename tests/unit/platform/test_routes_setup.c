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
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"payments\"}"), 201);
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"auth\"}"), 201);
    return 0;
}

static int
close_rest(void **state)
{
    rest_close(&rest);
    return 0;
}

#define APPLICATION(project, name, more)                                                       \
    "{\"projectId\": " project ", \"name\": \"" name                                           \
    "\", \"appTag\": \"shop\", \"applicationInterfaces\": [\"REST\"]" more "}"

static void
an_application_gets_its_type_from_its_interfaces(void **state)
{
    static const struct {
        const char *interfaces, *type;
    } rows[] = {
        { "[\"WEB_UI\", \"REST\"]", "WEB_APP" }, { "[\"GRAPHQL\"]", "REST_SERVICE" },
        { "[\"MOBILE_UI\"]", "MOBILE_APP" },     { "[\"MESSAGING\"]", "OTHER" },
        { "\"REST\"", "REST_SERVICE" },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        const char *body =
            arena_printf(rest.arena,
                         "{\"projectId\": 1, \"name\": \"a%zu\", \"appTag\": \"t\","
                         " \"applicationInterfaces\": %s}",
                         i, rows[i].interfaces);
        assert_int_equal(POST(&rest, "/api/applications", body), 201);
        assert_string_equal(rest_member(&rest, "applicationType"), rows[i].type);
    }
}

static void
an_application_of_a_known_name_is_linked_instead(void **state)
{
    assert_int_equal(POST(&rest, "/api/applications", APPLICATION("1", "shop", "")), 201);
    assert_non_null(strstr(rest_text(&rest), "\"linkedExisting\":false"));
    assert_int_equal(POST(&rest, "/api/applications", APPLICATION("2", "SHOP", "")), 200);
    assert_non_null(strstr(rest_text(&rest), "\"linkedExisting\":true"));
    assert_non_null(strstr(rest_text(&rest), "\"projectIds\":[1,2]"));
    assert_int_equal(GET(&rest, "/api/projects/2/applications"), 200);
    assert_int_equal(rest_number(&rest, "total"), 1);
    assert_string_equal(rest_member(&rest, "project"), "auth");
}

static void
links_say_whether_they_are_new(void **state)
{
    POST(&rest, "/api/applications", APPLICATION("1", "shop", ""));
    POST(&rest, "/api/environments", "{\"name\": \"dev\", \"authRequirement\": \"PUBLIC\"}");
    static const char *const paths[] = { "/api/applications/1/projects",
                                         "/api/environments/1/projects" };
    for (size_t i = 0; i < ROWS(paths); i++) {
        assert_int_equal(POST(&rest, paths[i], "{\"projectId\": \"2\"}"), 200);
        assert_non_null(strstr(rest_text(&rest), "\"alreadyLinked\":false"));
        assert_int_equal(POST(&rest, paths[i], "{\"projectId\": 2}"), 200);
        assert_non_null(strstr(rest_text(&rest), "\"alreadyLinked\":true"));
    }
}

static void
an_environment_takes_its_privacy_from_the_platform(void **state)
{
    assert_int_equal(POST(&rest, "/api/environments",
                          "{\"name\": \"dev\", \"authRequirement\": \"PUBLIC\","
                          " \"projectId\": 1, \"properties\": {\"tenant\": \"t1\"}}"),
                     201);
    assert_non_null(strstr(rest_text(&rest), "\"allowPrivate\":true"));
    assert_non_null(strstr(rest_text(&rest), "\"properties\":{\"tenant\":\"t1\"}"));
    rest.platform.allow_private = false;
    assert_int_equal(POST(&rest, "/api/environments",
                          "{\"name\": \"prod\", \"authRequirement\": \"PUBLIC\"}"),
                     201);
    assert_non_null(strstr(rest_text(&rest), "\"allowPrivate\":false"));
    assert_int_equal(POST(&rest, "/api/environments",
                          "{\"name\": \"prod\", \"authRequirement\": \"PUBLIC\"}"),
                     409);
    assert_string_equal(rest_error(&rest), "ENVIRONMENT_EXISTS");
}

#define TARGET(name, type, url)                                                                \
    "{\"name\": \"" name "\", \"targetType\": \"" type "\", \"baseUrl\": \"" url "\"}"

static void
a_target_has_one_address_per_type_and_one_name(void **state)
{
    static const char path[] = "/api/environments/1/targets";

    POST(&rest, "/api/environments", "{\"name\": \"dev\", \"authRequirement\": \"PUBLIC\"}");
    assert_int_equal(POST(&rest, path, TARGET("shop", "REST_SERVICE", "HTTP://Shop.test/v1/")),
                     201);
    assert_string_equal(rest_member(&rest, "baseUrl"), "http://shop.test/v1");
    assert_int_equal(POST(&rest, path, TARGET("two", "REST_SERVICE", "http://shop.test/v1")),
                     409);
    assert_string_equal(rest_error(&rest), "DUPLICATE_BASE_URL");
    assert_int_equal(POST(&rest, path, TARGET("SHOP", "WEB_APP", "http://shop.test/x")), 409);
    assert_string_equal(rest_error(&rest), "DUPLICATE_TARGET");
    assert_int_equal(POST(&rest, path, TARGET("web", "WEB_APP", "http://shop.test/v1")), 201);
    assert_int_equal(GET(&rest, "/api/targets?environmentId=1"), 200);
    assert_int_equal(rest_number(&rest, "total"), 2);
    assert_int_equal(GET(&rest, "/api/targets?view=names"), 200);
    assert_non_null(strstr(rest_text(&rest), "\"environmentId\":1"));
}

// clang-format off
static const struct {
    const char *method, *path, *body;
    int code;
    const char *error;
} refused[] = {
    { "POST", "/api/applications", APPLICATION("7", "x", ""), 404, "NOT_FOUND" },
    { "POST", "/api/applications", "{\"projectId\":1,\"name\":\"x\",\"appTag\":\"t\"}",
      400, "MISSING_MEMBER" },
    { "POST", "/api/applications",
      "{\"projectId\":1,\"name\":\"x\",\"appTag\":\"t\",\"applicationInterfaces\":[]}",
      400, "BAD_MEMBER" },
    { "POST", "/api/applications",
      "{\"projectId\":1,\"name\":\"x\",\"appTag\":\"t\",\"applicationInterfaces\":[\"FAX\"]}",
      400, "BAD_MEMBER" },
    { "POST", "/api/applications", APPLICATION("0", "x", ""), 400, "BAD_MEMBER" },
    { "POST", "/api/applications", APPLICATION("\"one\"", "x", ""), 400, "BAD_MEMBER" },
    { "POST", "/api/environments", "{\"name\":\"e\",\"authRequirement\":\"MAYBE\"}",
      400, "BAD_MEMBER" },
    { "POST", "/api/environments",
      "{\"name\":\"e\",\"authRequirement\":\"PUBLIC\",\"properties\":{\"1a\":\"x\"}}",
      400, "BAD_MEMBER" },
    { "POST", "/api/environments",
      "{\"name\":\"e\",\"authRequirement\":\"PUBLIC\",\"properties\":{\"a\":[]}}",
      400, "BAD_MEMBER" },
    { "POST", "/api/environments/1/targets", TARGET("t", "REST_SERVICE", "shop.test"),
      400, "BAD_URL" },
    { "POST", "/api/environments/1/targets", TARGET("t", "REST_SERVICE", "ftp://shop.test"),
      400, "BAD_URL" },
    { "POST", "/api/environments/1/targets", TARGET("t", "REST_SERVICE", "http://"),
      400, "BAD_URL" },
    { "POST", "/api/environments/1/targets", TARGET("t", "REST_SERVICE", "http://u:p@shop.test"),
      400, "BAD_URL" },
    { "POST", "/api/environments/1/targets", TARGET("t", "REST_SERVICE", "http://shop.test/?a=1"),
      400, "BAD_URL" },
    { "POST", "/api/environments/1/targets", TARGET("t", "REST_SERVICE", "http://shop.test/ a"),
      400, "BAD_URL" },
    { "POST", "/api/environments/1/targets", TARGET("t", "FTP_SERVER", "http://shop.test"),
      400, "BAD_MEMBER" },
    { "POST", "/api/environments/8/targets", TARGET("t", "WEB_APP", "http://shop.test"),
      404, "NOT_FOUND" },
    { "PUT", "/api/targets/8/auth", "{\"authConfig\":{\"authType\":\"NONE\"}}",
      404, "NOT_FOUND" },
    { "PUT", "/api/targets/1/auth", "{\"authConfig\":{}}", 400, "MISSING_MEMBER" },
    { "PUT", "/api/targets/1/auth", "{\"authConfig\":{\"authType\":\"MAGIC\"}}",
      400, "BAD_MEMBER" },
    { "PUT", "/api/targets/1/auth", "{\"authConfig\":{\"authType\":\"NONE\",\"x\":1}}",
      400, "UNKNOWN_MEMBER" },
    { "PUT", "/api/environments/1/auth-endpoint", "{}", 400, "MISSING_MEMBER" },
    { "PUT", "/api/environments/1/auth-endpoint", "{\"loginEndpoint\":\"login\"}",
      400, "BAD_MEMBER" },
    { "PUT", "/api/environments/1/auth-endpoint",
      "{\"loginEndpoint\":\"/l\",\"tokenJsonPath\":\"token\"}", 400, "BAD_MEMBER" },
    { "PUT", "/api/environments/1/auth-endpoint",
      "{\"loginEndpoint\":\"/l\",\"authType\":\"HEADER\"}", 400, "BAD_MEMBER" },
    { "POST", "/api/environments/1/credentials", "{\"tag\":\"a\"}", 400, "MISSING_MEMBER" },
    { "POST", "/api/environments/1/credentials", "{\"tag\":\"a\",\"password\":\"x\"}",
      400, "MISSING_MEMBER" },
    { "POST", "/api/environments/1/credentials", "{\"tag\":\"a/b\",\"token\":\"x\"}",
      400, "BAD_MEMBER" },
    { "POST", "/api/environments/1/credentials", "{\"tag\":\"a\",\"secretRef\":\"file:x\"}",
      400, "BAD_MEMBER" },
    { "PATCH", "/api/environments/1/credentials/none", "{\"active\":false}",
      404, "NOT_FOUND" },
};
// clang-format on

static void
bad_parts_of_a_setup_are_refused(void **state)
{
    POST(&rest, "/api/environments", "{\"name\": \"dev\", \"authRequirement\": \"PUBLIC\"}");
    POST(&rest, "/api/environments/1/targets", TARGET("one", "WEB_APP", "http://one.test"));
    for (size_t i = 0; i < ROWS(refused); i++) {
        print_message("  %s %s %s\n", refused[i].method, refused[i].path, refused[i].body);
        assert_int_equal(rest_send(&rest, refused[i].method, refused[i].path, refused[i].body),
                         refused[i].code);
        assert_string_equal(rest_error(&rest), refused[i].error);
    }
}

static void
a_log_in_is_listed_without_its_secret(void **state)
{
    static const char path[] = "/api/environments/1/credentials";

    POST(&rest, "/api/environments",
         "{\"name\": \"dev\", \"authRequirement\": \"AUTHENTICATED\"}");
    assert_int_equal(POST(&rest, path,
                          "{\"tag\": \"ada\", \"username\": \"ada\", \"password\": \"hush\","
                          " \"apiKey\": \"hush2\", \"isDefault\": true}"),
                     201);
    assert_non_null(strstr(rest_text(&rest), "\"kinds\":[\"password\",\"apiKey\"]"));
    assert_int_equal(POST(&rest, path, "{\"tag\": \"ADA\", \"token\": \"hush3\"}"), 409);
    assert_string_equal(rest_error(&rest), "CREDENTIAL_EXISTS");
    assert_int_equal(
        POST(&rest, path,
             "{\"tag\": \"bob\", \"secretRef\": \"env:BOB\", \"isDefault\": true}"),
        201);
    assert_int_equal(GET(&rest, path), 200);
    assert_string_equal(rest_text(&rest),
                        "{\"environment\":\"dev\",\"credentials\":["
                        "{\"tag\":\"ada\",\"kinds\":[\"password\",\"apiKey\"],"
                        "\"username\":\"ada\",\"isDefault\":false,\"active\":true},"
                        "{\"tag\":\"bob\",\"kinds\":[\"token\"],\"username\":null,"
                        "\"isDefault\":true,\"active\":true}],\"total\":2,\"returned\":2}");
    assert_int_equal(PATCH(&rest, "/api/environments/1/credentials/ada", "{\"active\": false}"),
                     200);
    assert_non_null(strstr(rest_text(&rest), "\"active\":false"));
    assert_null(strstr(rest.heard.bytes, "hush"));
}

static void
the_way_to_log_in_is_kept_with_the_environment(void **state)
{
    POST(&rest, "/api/environments",
         "{\"name\": \"dev\", \"authRequirement\": \"AUTHENTICATED\"}");
    assert_int_equal(PUT(&rest, "/api/environments/1/auth-endpoint",
                         "{\"loginEndpoint\": \"/login\", \"tokenJsonPath\": \"$.token\"}"),
                     200);
    assert_non_null(strstr(rest_text(&rest), "\"authEndpoint\":{\"loginEndpoint\":\"/login\","
                                             "\"tokenJsonPath\":\"$.token\","
                                             "\"authType\":\"BEARER\"}"));
}

#define ONBOARD(dry)                                                                           \
    "{\"projectName\": \"shop\", \"dryRun\": " dry ", \"applications\": [{\"name\": \"api\","  \
    " \"appTag\": \"shop\", \"applicationInterfaces\": [\"REST\"]}], \"environments\": ["      \
    "{\"name\": \"dev\", \"authRequirement\": \"PUBLIC\", \"targets\": [{\"name\": \"api\","   \
    " \"targetType\": \"REST_SERVICE\", \"baseUrl\": \"http://shop.test\"}]}]}"

static void
a_whole_project_is_made_in_one_call(void **state)
{
    assert_int_equal(POST(&rest, "/api/projects/onboard", ONBOARD("true")), 200);
    assert_non_null(strstr(rest_text(&rest), "\"projectId\":null"));
    assert_non_null(strstr(rest_text(&rest), "{\"kind\":\"target\",\"name\":\"api\"}"));
    GET(&rest, "/api/projects");
    assert_int_equal(rest_number(&rest, "total"), 2);  // nothing was kept of the rehearsal
    assert_int_equal(POST(&rest, "/api/projects/onboard", ONBOARD("false")), 200);
    assert_int_equal(rest_number(&rest, "projectId"), 3);
    assert_int_equal(json_get(rest_json(&rest), "created")->count, 4);
    assert_true(json_get_bool(rest_json(&rest), "setupComplete", false));
    assert_int_equal(POST(&rest, "/api/projects/onboard", ONBOARD("false")), 200);
    assert_int_equal(json_get(rest_json(&rest), "created")->count, 0);
    assert_int_equal(json_get(rest_json(&rest), "linkedExisting")->count, 4);
}

static void
a_project_can_be_made_without_anything_in_it(void **state)
{
    assert_int_equal(POST(&rest, "/api/projects/onboard", "{\"projectName\": \"bare\"}"), 200);
    assert_int_equal(json_get(rest_json(&rest), "created")->count, 1);
    assert_false(json_get_bool(rest_json(&rest), "setupComplete", true));
}

static void
onboarding_is_all_or_nothing(void **state)
{
    assert_int_equal(
        POST(&rest, "/api/projects/onboard",
             "{\"projectName\": \"shop\", \"applications\": [], \"environments\": [{\"name\":"
             " \"dev\", \"authRequirement\": \"PUBLIC\", \"targets\": [{\"name\": \"a\","
             " \"targetType\": \"WEB_APP\", \"baseUrl\": \"nowhere\"}]}]}"),
        400);
    GET(&rest, "/api/projects");
    assert_int_equal(rest_number(&rest, "total"), 2);
    GET(&rest, "/api/environments");
    assert_int_equal(rest_number(&rest, "total"), 0);
}

static void
setup_status_names_what_is_missing(void **state)
{
    assert_int_equal(GET(&rest, "/api/projects/1/setup-status"), 200);
    assert_non_null(strstr(rest_text(&rest), "\"missing\":[\"application\",\"applicationType\","
                                             "\"environment\",\"target\"]"));
    POST(&rest, "/api/applications", APPLICATION("1", "shop", ""));
    POST(&rest, "/api/environments",
         "{\"name\": \"dev\", \"authRequirement\": \"AUTHENTICATED\", \"projectId\": 1}");
    POST(&rest, "/api/environments/1/targets", TARGET("t", "WEB_APP", "http://shop.test"));
    assert_int_equal(GET(&rest, "/api/projects/1/setup-status"), 200);
    assert_non_null(strstr(rest_text(&rest), "\"missing\":[\"login\"]"));
    POST(&rest, "/api/environments/1/credentials", "{\"tag\": \"a\", \"token\": \"xyz\"}");
    GET(&rest, "/api/projects/1/setup-status");
    assert_true(json_get_bool(rest_json(&rest), "setupComplete", false));
    POST(&rest, "/api/environments/1/credentials", "{\"tag\": \"b\", \"token\": \"xyz\"}");
    GET(&rest, "/api/projects/1/setup-status");  // two, and none is the default
    assert_false(json_get_bool(rest_json(&rest), "setupComplete", true));
}

static void
records_are_kept_filtered_and_named(void **state)
{
    static const char *const made[][2] = {
        { "/api/ui-tests", "{\"name\": \"form\", \"projectId\": 1, \"driver\": \"PLAYWRIGHT\","
                           " \"tags\": \"smoke,form\"}" },
        { "/api/ui-tests", "{\"name\": \"form\", \"projectId\": 2, \"tags\": [\"slow\"]}" },
        { "/api/ui-test-suites", "{\"name\": \"all\", \"projectId\": 1, \"tests\": [1, 2]}" },
        { "/api/pipelines", "{\"name\": \"nightly\", \"projectId\": 1, \"stages\": [{}]}" },
    };
    static const struct {
        const char *path;
        int total;
    } lists[] = {
        { "/api/ui-tests", 2 },
        { "/api/ui-tests?projectId=2", 1 },
        { "/api/ui-tests?tags=smoke", 1 },
        { "/api/ui-tests?tags=smoke,slow", 2 },
        { "/api/ui-tests?driver=PLAYWRIGHT", 1 },
        { "/api/ui-tests?name=OR", 2 },
        { "/api/ui-test-suites", 1 },
        { "/api/pipelines?name=day", 0 },
        { "/api/tags", 3 },
        { "/api/tags?projectId=2", 1 },
        { "/api/tags?kind=api_scenario", 0 },
    };

    for (size_t i = 0; i < ROWS(made); i++)
        assert_int_equal(POST(&rest, made[i][0], made[i][1]), 201);
    assert_int_equal(POST(&rest, made[0][0], made[0][1]), 409);
    assert_int_equal(POST(&rest, "/api/ui-test-suites",
                          "{\"name\": \"x\", \"projectId\": 1, \"tests\": [9]}"),
                     404);
    for (size_t i = 0; i < ROWS(lists); i++) {
        print_message("  %s\n", lists[i].path);
        assert_int_equal(GET(&rest, lists[i].path), 200);
        assert_int_equal(rest_number(&rest, "total"), lists[i].total);
    }
    GET(&rest, "/api/ui-tests?view=names");
    assert_non_null(strstr(rest_text(&rest), "{\"id\":1,\"name\":\"form\",\"projectIds\":[1],"
                                             "\"tags\":[\"smoke\",\"form\"],"
                                             "\"historyTags\":[]}"));
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rest, close_rest)
    const struct CMUnitTest tests[] = {
        TEST(an_application_gets_its_type_from_its_interfaces),
        TEST(an_application_of_a_known_name_is_linked_instead),
        TEST(links_say_whether_they_are_new),
        TEST(an_environment_takes_its_privacy_from_the_platform),
        TEST(a_target_has_one_address_per_type_and_one_name),
        TEST(bad_parts_of_a_setup_are_refused),
        TEST(a_log_in_is_listed_without_its_secret),
        TEST(the_way_to_log_in_is_kept_with_the_environment),
        TEST(a_whole_project_is_made_in_one_call),
        TEST(a_project_can_be_made_without_anything_in_it),
        TEST(onboarding_is_all_or_nothing),
        TEST(setup_status_names_what_is_missing),
        TEST(records_are_kept_filtered_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
