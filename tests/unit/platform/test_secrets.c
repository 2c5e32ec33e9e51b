// SPDX-License-Identifier: Apache-2.0
// A secret goes to the agent that claims the job, and nowhere else.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "rest.h"
#include "secrets.h"

#include <cmocka.h>  // last: it defines fail()

static rest_t rest;

// Spellings in which a service may echo the secrets that are stored here.
// clang-format off
static const char *const spellings[] = {
    "S3same/\\\"x y", "S3same/\"x y", "S3same\\/\\\"x y", "S3same%2F%22x%20y", "S3same%2f%22x+y",
    "UzNzYW1lLyJ4IHk", "YWRhOlMzc2FtZS8ieCB5", "533373616d652f22782079", "T0k3N-value", "VDBrM04tdmFsdWU",
    "K3y-value-77", "SzN5LXZhbHVlLTc3",
};
// clang-format on

static int
open_rest(void **state)
{
    rest_open(&rest);
    rest.token = rest_token(&rest, "admin");
    POST(&rest, "/api/projects/onboard",
         "{\"projectName\": \"p\", \"applications\": [{\"name\": \"a\","
         " \"appTag\": \"a\", \"applicationInterfaces\": [\"REST\"]}], \"environments\": "
         "[{\"name\": \"dev\","
         " \"authRequirement\": \"AUTHENTICATED\", \"targets\": [{\"name\": \"t\","
         " \"targetType\": \"REST_SERVICE\", \"baseUrl\": \"http://t.test\"}]}]}");
    POST(&rest, "/api/scenarios/yaml",
         "{\"projectId\": 1, \"tags\": [\"smoke\"], \"yamlText\": \"name: s\\nsteps:\\n"
         "- {name: a, method: GET, path: /a}\\n\"}");
    assert_int_equal(POST(&rest, "/api/environments/1/credentials",
                          "{\"tag\": \"default\", \"username\": \"ada\", \"password\":"
                          " \"S3same/\\\"x y\", \"token\": \"T0k3N-value\", \"apiKey\":"
                          " \"K3y-value-77\", \"isDefault\": true}"),
                     201);
    return 0;
}

static int
close_rest(void **state)
{
    rest_close(&rest);
    return 0;
}

static void
assert_clean(const char *bytes, size_t size, const char *where)
{
    for (size_t i = 0; i < ROWS(spellings); i++) {
        const char *found = memmem(bytes, size, spellings[i], strlen(spellings[i]));
        if (found)
            print_message("  %s in %s\n", spellings[i], where);
        assert_null(found);
    }
}

// An agent that echoes everything it was given, in every spelling.
static void
run_with_a_careless_agent(void)
{
    json_t *result = json_object(rest.arena), *steps = json_array(rest.arena);

    POST(&rest, "/api/scenarios/1/execute", "{\"environmentId\": 1}");
    assert_int_equal(rest.last->code, 202);
    POST(&rest, "/api/agent/register",
         "{\"name\": \"a\", \"version\": \"1\", \"engines\": [\"api\"]}");
    const char *agent = rest_member(&rest, "agentId");
    size_t before = rest.heard.size;
    POST(&rest, "/api/agent/jobs/claim",
         arena_printf(rest.arena, "{\"agentId\": \"%s\", \"engines\": [\"api\"]}", agent));
    const char *job = rest_member(&rest, "jobId");
    assert_non_null(strstr(rest_text(&rest), "K3y-value-77"));  // it is for the agent
    rest.heard.size = before;

    for (size_t i = 0; i < ROWS(spellings); i++) {
        json_t *step = json_add(steps, json_object(rest.arena));
        json_set_text(rest.arena, step, "name", "a");
        json_set_text(rest.arena, step, "status", "FAILED");
        json_set_text(rest.arena, step, "error", spellings[i]);
        json_t *request = json_set(rest.arena, step, "request", json_object(rest.arena));
        json_set_text(rest.arena, request, "url",
                      arena_printf(rest.arena, "http://t.test/?p=%s", spellings[i]));
        json_set_text(rest.arena, request, "body", spellings[i]);
        json_t *extracted = json_set(rest.arena, step, "extracted", json_object(rest.arena));
        json_set_text(rest.arena, extracted, "value", spellings[i]);
    }
    json_set_text(rest.arena, result, "status", "FAILED");
    json_set_text(rest.arena, result, "error", spellings[0]);
    json_set(rest.arena, result, "steps", steps);
    assert_int_equal(
        POST(&rest, arena_printf(rest.arena, "/api/agent/jobs/%s/result", job),
             arena_printf(rest.arena, "{\"agentId\": \"%s\", \"attempt\": 1, \"result\": %s}",
                          agent, json_text(rest.arena, result))),
        200);
}

// The path with its variables filled in.
static const char *
example_of(const char *path)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    for (const char *c = path; *c; c++) {
        if (*c != '{') {
            buffer_char(&out, *c);
            continue;
        }
        buffer_text(&out, strncmp(c, "{tag}", 5) == 0 ? "default" : "1");
        c = strchr(c, '}');
    }
    if (strcmp(path, "/api/reports") == 0)
        buffer_text(&out, "?executions=1");
    return arena_strndup(rest.arena, out.bytes, out.size);
}

static void
no_answer_of_any_route_holds_a_secret(void **state)
{
    size_t count = 0;

    run_with_a_careless_agent();
    for (size_t t = 0; route_tables[t]; t++)
        for (const route_t *row = route_tables[t]; row->method; row++) {
            if (strcmp(row->method, "GET") != 0)
                continue;
            assert_int_equal(GET(&rest, example_of(row->path)), 200);
            count++;
        }
    assert_true(count > 25);
    PATCH(&rest, "/api/environments/1/credentials/default", "{\"active\": true}");
    POST(&rest, "/api/environments/1/credentials",
         "{\"tag\": \"default\", \"token\": \"T0k3N-value\"}");
    POST(&rest, "/api/environments/1/credentials",
         "{\"tag\": \"x\", \"token\": \"T0k3N-value\", \"K3y-value-77\": 1}");
    rest.heard.size -= rest.last->out.size + 1;  // the caller's own unknown member is named
    assert_clean(rest.heard.bytes, rest.heard.size, "the answers");
}

static void
no_secret_stands_in_the_database(void **state)
{
    static const char *const files[] = { "db", "db-wal" };

    run_with_a_careless_agent();
    for (size_t i = 0; i < ROWS(files); i++) {
        FILE *in = fopen(arena_printf(rest.arena, "%s/%s", rest.dir, files[i]), "rb");
        AUTO(buffer_clear) buffer_t all = { 0 };
        char bytes[65536];
        assert_non_null(in);
        for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;)
            buffer_add(&all, bytes, n);
        fclose(in);
        assert_clean(all.bytes ? all.bytes : "", all.size, files[i]);
    }
}

static void
a_moved_secret_ends_the_run_instead_of_another_ones_log_in(void **state)
{
    POST(&rest, "/api/environments/1/credentials", "{\"tag\": \"other\", \"token\": \"zzzz\"}");
    store_run(rest.store,
              "UPDATE credentials SET sealed = (SELECT sealed FROM credentials WHERE id = 2)"
              " WHERE id = 1",
              BIND_NONE);
    POST(&rest, "/api/scenarios/1/execute", "{\"environmentId\": 1}");
    POST(&rest, "/api/agent/register",
         "{\"name\": \"a\", \"version\": \"1\", \"engines\": [\"api\"]}");
    const char *agent = rest_member(&rest, "agentId");
    assert_int_equal(
        POST(&rest, "/api/agent/jobs/claim",
             arena_printf(rest.arena, "{\"agentId\": \"%s\", \"engines\": [\"api\"]}", agent)),
        204);
    GET(&rest, "/api/scenarios/executions/1");
    assert_string_equal(rest_member(&rest, "status"), "ERROR");
    assert_non_null(strstr(rest_member(&rest, "error"), "vault key"));
}

static void
another_vault_key_is_noticed_at_the_start(void **state)
{
    assert_true(secrets_are_readable(&rest.platform, rest.store));
    rest.platform.vault.key[0] ^= 1;
    assert_false(secrets_are_readable(&rest.platform, rest.store));
}

static void
many_log_ins_are_masked_all(void **state)
{
    for (int i = 0; i < 40; i++)
        assert_int_equal(
            POST(&rest, "/api/environments/1/credentials",
                 arena_printf(rest.arena, "{\"tag\": \"t%d\", \"token\": \"many-%d-secrets\"}",
                              i, i)),
            201);
    POST(&rest, "/api/scenarios/1/execute", "{\"environmentId\": 1}");
    POST(&rest, "/api/agent/register",
         "{\"name\": \"a\", \"version\": \"1\", \"engines\": [\"api\"]}");
    const char *agent = rest_member(&rest, "agentId");
    POST(&rest, "/api/agent/jobs/claim",
         arena_printf(rest.arena, "{\"agentId\": \"%s\", \"engines\": [\"api\"]}", agent));
    AUTO(buffer_clear) buffer_t echo = { 0 };
    for (int i = 0; i < 40; i++)
        buffer_printf(&echo, "many-%d-secrets ", i);
    assert_int_equal(
        POST(&rest,
             arena_printf(rest.arena, "/api/agent/jobs/%s/result", rest_member(&rest, "jobId")),
             arena_printf(rest.arena,
                          "{\"agentId\": \"%s\", \"attempt\": 1, \"result\": {\"status\":"
                          " \"FAILED\", \"error\": \"%s\", \"steps\": []}}",
                          agent, echo.bytes)),
        200);
    GET(&rest, "/api/scenarios/executions/1");
    assert_null(strstr(rest_text(&rest), "secrets"));
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rest, close_rest)
    const struct CMUnitTest tests[] = {
        TEST(no_answer_of_any_route_holds_a_secret),
        TEST(no_secret_stands_in_the_database),
        TEST(a_moved_secret_ends_the_run_instead_of_another_ones_log_in),
        TEST(another_vault_key_is_noticed_at_the_start),
        TEST(many_log_ins_are_masked_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
