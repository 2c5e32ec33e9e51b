// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "formats/scenario.h"

#include <cmocka.h>

static arena_t *arena;

static int
setup(void **state)
{
    arena = arena_new();
    return 0;
}

static int
teardown(void **state)
{
    arena_destroy(&arena);
    return 0;
}

static json_t *
scenario(const char *yaml)
{
    scenario_result_t result;

    scenario_parse(arena, yaml, strlen(yaml), NULL, &result);
    assert_non_null(result.scenario);
    return result.scenario;
}

static void
assert_json(const json_t *value, const char *want)
{
    const json_t *wanted = json_parse_text(arena, want);

    assert_non_null(wanted);
    if (!value || !json_equal(value, wanted))
        fail_msg("is %s\nnot %s", value ? json_text(arena, value) : "nothing", want);
}

static void
every_member_of_the_payload_is_filled(void **state)
{
    scenario_run_t run = {
        .execution_id = 12,
        .scenario = scenario("name: n\nsteps: [{method: GET, path: /a}]\n"),
        .base_url = "http://127.0.0.1:1",
    };

    assert_json(scenario_job(arena, &run),
                "{\"executionId\":12,\"name\":\"n\",\"baseUrl\":\"http://127.0.0.1:1\","
                "\"allowPrivate\":false,\"stopOnFailure\":false,\"variables\":{\"baseUrl\":"
                "\"http://127.0.0.1:1\"},"
                "\"secrets\":{},\"secretRefs\":{},\"login\":null,\"authorization\":null,"
                "\"hooks\":{\"before\":[]},"
                "\"steps\":[{\"name\":\"GET "
                "/a\",\"method\":\"GET\",\"path\":\"/a\",\"headers\":{},\"query\":{},"
                "\"body\":{\"kind\":\"none\"},\"expect\":[\"2xx\"],\"asserts\":[],\"extract\":{"
                "},\"always\":false,"
                "\"timeoutMs\":30000,\"followRedirects\":true,\"retry\":{\"max\":0,\"delayMs\":"
                "0},\"charset\":null}]}");
}

static void
what_a_step_says_is_taken_over(void **state)
{
    scenario_run_t run = {
        .scenario = scenario("name: n\nhooks: {before: [{script: 'id:uuid'}]}\nsteps:\n"
                             "- {method: POST, path: /a, body: {a: 1}, expect: 201, extract: "
                             "{x: $.x}, always: true,\n"
                             "   timeout: 5s, followRedirects: false, retry: {max: 2, delay: "
                             "10ms}, charset: gb2312,\n"
                             "   query: {q: [a, b]}, headers: {X: y}, assert: [{time: 1s}]}\n"),
        .allow_private = true,
        .stop_on_failure = true,
    };
    const json_t *job = scenario_job(arena, &run);

    assert_json(
        json_get(job, "steps"),
        "[{\"name\":\"POST /a\",\"method\":\"POST\",\"path\":\"/a\",\"headers\":{\"X\":\"y\"},"
        "\"query\":{\"q\":[\"a\",\"b\"]},\"body\":{\"kind\":\"json\",\"json\":{\"a\":1}},"
        "\"expect\":[201],"
        "\"asserts\":[{\"time\":true,\"op\":\"lessThan\",\"value\":1000}],\"extract\":{\"x\":"
        "\"$.x\"},"
        "\"always\":true,\"timeoutMs\":5000,\"followRedirects\":false,\"retry\":{\"max\":2,"
        "\"delayMs\":10},"
        "\"charset\":\"gb2312\"}]");
    assert_json(json_get(job, "hooks"),
                "{\"before\":[{\"name\":\"id\",\"generator\":\"uuid\",\"arguments\":[]}]}");
    assert_true(json_get_bool(job, "allowPrivate", false));
    assert_true(json_get_bool(job, "stopOnFailure", false));
}

static void
variables_of_the_run_win_and_everything_is_text(void **state)
{
    scenario_run_t run = {
        .scenario = scenario("name: n\nbaseUrl: '{{baseUrl}}/{{tenant}}/{{later}}'\nsteps: "
                             "[{method: GET, path: /a}]\n"),
        .base_url = "http://h",
        .properties = json_parse_text(
            arena, "{\"tenant\":\"old\",\"n\":1.50,\"flag\":true,\"list\":[1],\"none\":null}"),
        .variables = json_parse_text(arena, "{\"tenant\":\"new\"}"),
    };
    const json_t *job = scenario_job(arena, &run);

    assert_json(json_get(job, "variables"),
                "{\"baseUrl\":\"http://"
                "h\",\"tenant\":\"new\",\"n\":\"1.50\",\"flag\":\"true\",\"list\":\"[1]\"}");
    assert_string_equal(json_get_text(job, "baseUrl"), "http://h/new/{{later}}");
}

// clang-format off
static const struct {
    const char *why;
    const char *auth_type;
    const char *endpoint;
    const char *username, *password, *token, *api_key, *refs;
    bool anonymous;
    const char *login;
    const char *authorization;
} logins[] = {
    { "a password and a log-in", NULL, "{\"loginEndpoint\":\"/login\"}", "u", "p", NULL, NULL, NULL, false,
      "{\"url\":\"http://h/api/login\",\"method\":\"POST\",\"body\":{\"username\":\"{{username}}\",\"password\":\"{{password}}\"},"
      "\"authType\":\"BEARER\",\"tokenJsonPath\":null,\"headerName\":null}", "null" },
    { "every part of the log-in is taken", NULL,
      "{\"loginEndpoint\":\"https://id/x\",\"method\":\"PUT\",\"body\":{\"u\":\"{{username}}\"},\"authType\":\"HEADER\","
      "\"tokenJsonPath\":\"$.t\",\"headerName\":\"X-T\"}", "u", "p", NULL, NULL, NULL, false,
      "{\"url\":\"https://id/x\",\"method\":\"PUT\",\"body\":{\"u\":\"{{username}}\"},\"authType\":\"HEADER\","
      "\"tokenJsonPath\":\"$.t\",\"headerName\":\"X-T\"}", "null" },
    { "a password the agent knows", NULL, "{\"loginEndpoint\":\"login\"}", "u", NULL, NULL, NULL, "{\"password\":\"env:P\"}", false,
      "{\"url\":\"http://h/api/login\",\"method\":\"POST\",\"body\":{\"username\":\"{{username}}\",\"password\":\"{{password}}\"},"
      "\"authType\":\"BEARER\",\"tokenJsonPath\":null,\"headerName\":null}", "null" },
    { "a password and no log-in", NULL, NULL, "u", "p", NULL, NULL, NULL, false, "null", "null" },
    { "Basic by the target", "BASIC", "{\"loginEndpoint\":\"/login\"}", "u", "p", NULL, NULL, NULL, false, "null",
      "{\"type\":\"BASIC\",\"headerName\":null}" },
    { "a token", NULL, "{\"loginEndpoint\":\"/login\"}", NULL, NULL, "t", NULL, NULL, false, "null",
      "{\"type\":\"BEARER\",\"headerName\":null}" },
    { "a token in a header", "HEADER", "{\"headerName\":\"X-T\"}", NULL, NULL, "t", NULL, NULL, false, "null",
      "{\"type\":\"HEADER\",\"headerName\":\"X-T\"}" },
    { "a key", NULL, NULL, NULL, NULL, NULL, "k", NULL, false, "null", "{\"type\":\"HEADER\",\"headerName\":\"X-API-Key\"}" },
    { "none by the target", "NONE", "{\"loginEndpoint\":\"/login\"}", "u", "p", "t", "k", NULL, false, "null", "null" },
    { "nobody logs in", NULL, "{\"loginEndpoint\":\"/login\"}", "u", "p", "t", "k", NULL, true, "null", "null" },
};
// clang-format on

static void
the_login_follows_credential_target_and_environment(void **state)
{
    for (size_t i = 0; i < ROWS(logins); i++) {
        scenario_run_t run = {
            .scenario = scenario("name: n\nsteps: [{method: GET, path: /a}]\n"),
            .base_url = "http://h/api/",
            .authenticated = !logins[i].anonymous,
            .auth_type = logins[i].auth_type,
            .auth_endpoint =
                logins[i].endpoint ? json_parse_text(arena, logins[i].endpoint) : NULL,
            .username = logins[i].username,
            .password = logins[i].password,
            .token = logins[i].token,
            .api_key = logins[i].api_key,
            .secret_refs = logins[i].refs ? json_parse_text(arena, logins[i].refs) : NULL,
        };
        const json_t *job = scenario_job(arena, &run);
        print_message("  %s\n", logins[i].why);
        assert_json(json_get(job, "login"), logins[i].login);
        assert_json(json_get(job, "authorization"), logins[i].authorization);
        assert_int_equal(json_get(json_get(job, "secrets"), "password") != NULL,
                         logins[i].password != NULL);
    }
}

static void
a_scenario_that_sends_the_key_itself_gets_no_header_for_it(void **state)
{
    scenario_run_t run = {
        .scenario =
            scenario("name: n\nsteps: [{method: GET, path: /a, query: {key: '{{apiKey}}'}}]\n"),
        .base_url = "http://h",
        .authenticated = true,
        .api_key = "k",
    };
    const json_t *job = scenario_job(arena, &run);

    assert_json(json_get(job, "authorization"), "null");
    assert_json(json_get(job, "secrets"), "{\"apiKey\":\"k\"}");
}

static void
text_is_sent_as_plain_text_unless_said_otherwise(void **state)
{
    scenario_run_t run = {
        .scenario = scenario("name: n\nsteps:\n- {method: POST, path: /a, body: x}\n"
                             "- {method: POST, path: /a, body: x, contentType: a/b}\n"),
    };
    const json_t *steps = json_get(scenario_job(arena, &run), "steps");

    assert_json(
        json_get(steps->first, "body"),
        "{\"kind\":\"text\",\"text\":\"x\",\"contentType\":\"text/plain; charset=utf-8\"}");
    assert_json(json_get(steps->last, "body"),
                "{\"kind\":\"text\",\"text\":\"x\",\"contentType\":\"a/b\"}");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_member_of_the_payload_is_filled, setup, teardown),
        cmocka_unit_test_setup_teardown(what_a_step_says_is_taken_over, setup, teardown),
        cmocka_unit_test_setup_teardown(variables_of_the_run_win_and_everything_is_text, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_login_follows_credential_target_and_environment,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(text_is_sent_as_plain_text_unless_said_otherwise, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            a_scenario_that_sends_the_key_itself_gets_no_header_for_it, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
