// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "rest.h"

#include <cmocka.h>  // last: it defines fail()

static rest_t rest;
static const char *analyst, *agent_token, *agent;

static int
open_rest(void **state)
{
    rest_open(&rest);
    agent_token = rest_token(&rest, "agent");
    rest.token = analyst = rest_token(&rest, "analyst");
    POST(&rest, "/api/projects/onboard",
         "{\"projectName\": \"p\", \"applications\": [{\"name\": \"api\", \"appTag\": \"pets\","
         " \"applicationInterfaces\": [\"REST\"]}], \"environments\": [{\"name\": \"dev\","
         " \"authRequirement\": \"PUBLIC\", \"targets\": [{\"name\": \"t\", \"targetType\":"
         " \"REST_SERVICE\", \"baseUrl\": \"http://pets.test/v1\", \"appTag\": \"pets\"}]}]}");
    assert_int_equal(rest.last->code, 200);
    rest.token = agent_token;
    POST(&rest, "/api/agent/register",
         "{\"name\": \"one\", \"version\": \"1.0.0\", \"engines\": [\"api\"]}");
    agent = rest_member(&rest, "agentId");
    rest.token = analyst;
    return 0;
}

static int
close_rest(void **state)
{
    rest_close(&rest);
    return 0;
}

// ---- an agent

// Claims the job; returns its payload and sets *job_p.
static const json_t *
claim_job(const char **job_p)
{
    rest.token = agent_token;
    assert_int_equal(
        POST(&rest, "/api/agent/jobs/claim",
             arena_printf(rest.arena, "{\"agentId\": \"%s\", \"engines\": [\"api\"]}", agent)),
        200);
    json_t *job = rest_json(&rest);
    assert_string_equal(json_get_text(job, "kind"), "fetch_documents");
    *job_p = json_get_text(job, "jobId");
    return json_get(job, "payload");
}

// Hands in one document for each URL that was asked for: `text` of those that end with `end`.
static void
bring(const char *job, const json_t *payload, const char *end, const char *text)
{
    json_t *body = json_object(rest.arena), *documents = json_array(rest.arena);

    for (const json_t *one = json_get(payload, "urls")->first; one; one = one->next) {
        const char *url = json_get_text(one, "url");
        size_t length = strlen(url), tail = strlen(end);
        bool is_it = length >= tail && strcmp(url + length - tail, end) == 0;
        json_t *document = json_add(documents, json_object(rest.arena));
        json_set_text(rest.arena, document, "url", url);
        json_set_text(rest.arena, document, "finalUrl", url);
        json_set_int(rest.arena, document, "status", is_it ? 200 : 404);
        if (is_it)
            json_set_text(rest.arena, document, "text", text);
    }
    json_set_text(rest.arena, body, "agentId", agent);
    json_set_int(rest.arena, body, "attempt", 1);
    json_t *result = json_set(rest.arena, body, "result", json_object(rest.arena));
    json_set(rest.arena, result, "documents", documents);
    rest.token = agent_token;
    assert_int_equal(POST(&rest, arena_printf(rest.arena, "/api/agent/jobs/%s/result", job),
                          json_text(rest.arena, body)),
                     200);
    rest.token = analyst;
}

// Claims the next job and hands its documents in.
static void
bring_next(const char **job_p, const char *end, const char *text)
{
    const json_t *payload = claim_job(job_p);

    bring(*job_p, payload, end, text);
}

static const char *
job_status(const char *job)
{
    rest.token = analyst;
    assert_int_equal(GET(&rest, arena_printf(rest.arena, "/api/jobs/%s", job)), 200);
    return rest_member(&rest, "status");
}

static const char pets[] =
    "openapi: 3.0.3\ninfo: {title: Pets, version: '1.2'}\npaths:\n"
    "  /pets:\n    get: {operationId: list, responses: {'200': {description: ok}}}\n"
    "  /pets/{id}:\n    get:\n      operationId: one\n      parameters:\n"
    "      - {name: id, in: path, required: true, schema: {type: integer}, example: 1}\n"
    "      responses: {'200': {description: ok}}\n";

#define AT(url) "{\"url\": \"" url "\"}"
#define PETS    "http://pets.test/v1/openapi.yaml"

// ---- tests

static void
a_document_is_looked_for_where_services_put_it(void **state)
{
    const char *job;

    assert_int_equal(
        POST(&rest, "/api/specs/detect", "{\"baseUrl\": \"http://pets.test/v1/\"}"), 202);
    const json_t *payload = claim_job(&job);
    assert_true(json_get_bool(payload, "firstOnly", false));
    assert_true(json_get(payload, "urls")->count <= 64);
    bring(job, payload, "pets.test/openapi.json", pets);  // below the host, not the base URL
    assert_string_equal(job_status(job), "COMPLETED");
    const json_t *result = json_get(rest_json(&rest), "result");
    assert_true(json_get_bool(result, "found", false));
    assert_string_equal(json_get_text(result, "url"), "http://pets.test/openapi.json");
    assert_string_equal(json_get_text(result, "title"), "Pets");
    assert_int_equal(json_get_int(result, "operations", 0), 2);
    const json_t *first = json_get(result, "tried")->first;
    assert_int_equal(json_get_int(first, "status", 0), 404);
}

static void
a_service_without_a_document_and_one_that_is_down_differ(void **state)
{
    const char *job;

    POST(&rest, "/api/specs/detect", "{\"baseUrl\": \"http://pets.test\"}");
    const json_t *payload = claim_job(&job);
    bring(job, payload, "/openapi.json", "<html>openapi</html>");
    assert_string_equal(job_status(job), "COMPLETED");
    assert_false(json_get_bool(json_get(rest_json(&rest), "result"), "found", true));
    assert_non_null(strstr(rest_text(&rest), "HTML"));

    POST(&rest, "/api/specs/detect", "{\"baseUrl\": \"http://pets.test\"}");
    claim_job(&job);
    POST(&rest, arena_printf(rest.arena, "/api/agent/jobs/%s/result", job),
         arena_printf(rest.arena,
                      "{\"agentId\": \"%s\", \"attempt\": 1, \"result\": {\"documents\": [{"
                      "\"url\": \"http://pets.test/x\", \"error\": \"connection refused\"}]}}",
                      agent));
    assert_string_equal(job_status(job), "ERROR");
    assert_non_null(strstr(rest_text(&rest), "{\"code\":\"UNREACHABLE\",\"message\":"
                                             "\"connection refused\"}"));
}

static void
a_document_is_read_page_by_page(void **state)
{
    const char *job;

    assert_int_equal(POST(&rest, "/api/specs/parse", "{\"url\": \"" PETS "\", \"limit\": 1}"),
                     202);
    bring_next(&job, "openapi.yaml", pets);
    assert_string_equal(job_status(job), "COMPLETED");
    const json_t *result = json_get(rest_json(&rest), "result");
    assert_int_equal(json_get_int(result, "returned", 0), 1);
    assert_int_equal(json_get_int(result, "total", 0), 2);
    const char *cursor = json_get_text(result, "nextCursor");
    assert_non_null(cursor);

    json_t *body = json_object(rest.arena);
    json_set_text(rest.arena, body, "content", pets);
    json_set_text(rest.arena, body, "cursor", cursor);
    assert_int_equal(POST(&rest, "/api/specs/parse", json_text(rest.arena, body)), 200);
    assert_int_equal(rest_number(&rest, "returned"), 1);
    assert_null(rest_member(&rest, "nextCursor"));
    const json_t *endpoint = json_get(rest_json(&rest), "endpoints")->first;
    assert_string_equal(json_get_text(endpoint, "path"), "/pets/{id}");
}

static void
files_that_a_document_refers_to_are_fetched_in_another_round(void **state)
{
    static const char root[] = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths:\n"
                               "  /pets:\n    $ref: 'paths/pets.yaml'\n";
    static const char part[] =
        "get: {operationId: list, responses: {'200': {description: ok}}}\n";
    const char *job;

    POST(&rest, "/api/specs/parse", AT(PETS));
    bring_next(&job, "openapi.yaml", root);
    assert_string_equal(job_status(job), "PENDING");
    const json_t *payload = claim_job(&job);
    assert_string_equal(json_get_text(json_get(payload, "urls")->first, "url"),
                        "http://pets.test/v1/paths/pets.yaml");
    bring(job, payload, "pets.yaml", part);
    assert_string_equal(job_status(job), "COMPLETED");
    assert_int_equal(json_get_int(json_get(rest_json(&rest), "result"), "total", 0), 1);
}

static void
a_file_that_cannot_be_had_is_a_warning(void **state)
{
    static const char root[] = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths:\n"
                               "  /pets:\n    $ref: 'gone.yaml'\n"
                               "  /ok:\n    get: {responses: {'200': {description: ok}}}\n";
    const char *job;

    POST(&rest, "/api/specs/parse", AT(PETS));
    bring_next(&job, "openapi.yaml", root);
    bring_next(&job, "nothing", "");
    assert_string_equal(job_status(job), "COMPLETED");
    const json_t *result = json_get(rest_json(&rest), "result");
    assert_int_equal(json_get_int(result, "total", 0), 1);
    assert_true(json_get(result, "warnings")->count > 0);
    assert_non_null(strstr(rest_text(&rest), "gone.yaml"));
}

static void
what_is_no_document_ends_in_a_clear_error(void **state)
{
    static const struct {
        const char *end, *text, *code;
    } rows[] = {
        { "openapi.yaml", "<html></html>", "NO_OPENAPI_DOCUMENT" },
        { "openapi.yaml", "{\"a\": 1}", "NO_OPENAPI_DOCUMENT" },
        { "elsewhere", "", "DOCUMENT_NOT_FETCHED" },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        const char *job;
        POST(&rest, "/api/specs/parse", AT(PETS));
        bring_next(&job, rows[i].end, rows[i].text);
        assert_string_equal(job_status(job), "ERROR");
        assert_string_equal(json_get_text(json_get(rest_json(&rest), "error"), "code"),
                            rows[i].code);
    }
}

#define IMPORT(more)                                                                           \
    "{\"projectId\": 1, \"environmentId\": 1, \"url\": \"" PETS                                \
    "\", \"tags\": [\"smoke\"]" more "}"

static const json_t *
imported(const char *body, const char *document)
{
    const char *job;

    assert_int_equal(POST(&rest, "/api/specs/import", body), 202);
    bring_next(&job, "openapi.yaml", document);
    assert_string_equal(job_status(job), "COMPLETED");
    return json_get(rest_json(&rest), "result");
}

static void
an_import_makes_a_scenario_of_each_operation_once(void **state)
{
    const json_t *result = imported(IMPORT(", \"dryRun\": true"), pets);

    assert_int_equal(json_get(result, "created")->count, 2);
    assert_int_equal(json_get(json_get(result, "created")->first, "id")->kind, JSON_NULL);
    GET(&rest, "/api/scenarios");
    assert_int_equal(rest_number(&rest, "total"), 0);

    result = imported(IMPORT(""), pets);
    assert_int_equal(json_get(result, "created")->count, 2);
    GET(&rest, "/api/scenarios?tags=smoke");
    assert_int_equal(rest_number(&rest, "total"), 2);
    const json_t *scenario = json_get(rest_json(&rest), "scenarios")->first;
    assert_string_equal(json_get_text(scenario, "name"), "GET /pets");
    assert_string_equal(json_get_text(scenario, "appTag"), "pets");  // that of the target

    result = imported(IMPORT(""), pets);
    assert_int_equal(json_get(result, "unchanged")->count, 2);
    assert_int_equal(json_get(result, "created")->count, 0);
}

static void
an_operation_of_another_application_gets_a_name_of_its_own(void **state)
{
    const char *const again[] = { IMPORT(""), IMPORT(", \"appTag\": \"shop\"") };

    POST(&rest, "/api/environments/1/targets",
         "{\"name\": \"s\", \"targetType\": \"REST_SERVICE\", \"baseUrl\":"
         " \"http://shop.test\", \"appTag\": \"shop\"}");
    assert_int_equal(rest.last->code, 201);
    imported(again[0], pets);
    const json_t *result = imported(again[1], pets);
    const json_t *created = json_get(result, "created");
    assert_int_equal(created->count, 2);
    assert_int_equal(json_get(result, "updated")->count, 0);
    assert_string_equal(json_get_text(created->first, "name"), "shop GET /pets");
    GET(&rest, "/api/scenarios/1");
    assert_string_equal(rest_member(&rest, "appTag"), "pets");
    GET(&rest, "/api/scenarios/3/yaml");
    assert_non_null(strstr(rest_member(&rest, "yamlText"), "name: shop GET /pets\n"));

    for (size_t i = 0; i < ROWS(again); i++)
        assert_int_equal(json_get(imported(again[i], pets), "unchanged")->count, 2);
}

// Names of scenarios are one whatever their case; paths are not.
static void
paths_that_differ_in_case_alone_do_not_take_turns(void **state)
{
    static const char twins[] = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths:\n"
                                "  /pets:\n    get: {responses: {'200': {description: ok}}}\n"
                                "  /Pets:\n    get: {responses: {'200': {description: ok}}}\n";

    for (int i = 0; i < 2; i++) {
        const json_t *result = imported(IMPORT(""), twins);
        assert_int_equal(json_get(result, i ? "unchanged" : "created")->count, 1);
        assert_int_equal(json_get(result, "updated")->count, 0);
        const json_t *warning = json_get(result, "warnings")->last;
        assert_non_null(strstr(json_get_text(warning, "message"),
                               "GET /Pets: the project has \"GET /pets\""));
    }
}

static void
an_operation_that_changed_becomes_the_next_version(void **state)
{
    static const char changed[] =
        "openapi: 3.0.3\ninfo: {title: Pets, version: '2'}\npaths:\n"
        "  /pets:\n    get: {operationId: list, responses: {'204': {description: ok}}}\n";

    imported(IMPORT(""), pets);
    const json_t *result = imported(IMPORT(""), changed);
    assert_int_equal(json_get(result, "updated")->count, 1);
    GET(&rest, "/api/scenarios/1");
    assert_int_equal(rest_number(&rest, "version"), 2);
    GET(&rest, "/api/scenarios/1/yaml?version=1");
    assert_int_equal(rest_number(&rest, "version"), 1);
    assert_int_equal(GET(&rest, "/api/scenarios/1/yaml?version=3"), 404);
}

static void
what_was_edited_by_hand_stays(void **state)
{
    static const char changed[] =
        "openapi: 3.0.3\ninfo: {title: Pets, version: '2'}\npaths:\n"
        "  /pets:\n    get: {operationId: list, responses: {'204': {description: ok}}}\n";

    imported(IMPORT(""), pets);
    PUT(&rest, "/api/scenarios/1/yaml",
        "{\"yamlText\": \"name: GET /pets\\nsteps: [{name: mine, method: GET, path: "
        "/pets}]\"}");
    const json_t *result = imported(IMPORT(""), changed);
    assert_int_equal(json_get(result, "updated")->count, 0);
    assert_int_equal(json_get(result, "kept")->count, 1);
    assert_string_equal(json_get_text(json_get(result, "kept")->first, "name"), "GET /pets");
    GET(&rest, "/api/scenarios/1/yaml");
    assert_int_equal(rest_number(&rest, "version"), 2);
    assert_non_null(strstr(rest_member(&rest, "yamlText"), "mine"));
}

// clang-format off
static const struct {
    const char *path, *body;
    int code;
    const char *error;
} refused[] = {
    { "/api/specs/detect", "{\"baseUrl\": \"pets.test\"}",               400, "BAD_MEMBER" },
    { "/api/specs/detect", "{\"baseUrl\": \"file:///etc/passwd\"}",      400, "BAD_MEMBER" },
    { "/api/specs/detect", "{\"baseUrl\": \"http://pets.test\", \"environmentId\": 9}",
      404, "NOT_FOUND" },
    { "/api/specs/parse",  "{}",                                         400, "MISSING_MEMBER" },
    { "/api/specs/parse",  "{\"url\": \"" PETS "\", \"content\": \"x\"}", 400, "MISSING_MEMBER" },
    { "/api/specs/parse",  "{\"content\": \"hello\"}",                   400, "NO_OPENAPI_DOCUMENT" },
    { "/api/specs/parse",  "{\"content\": \"x\", \"cursor\": \"7\"}",    400, "BAD_MEMBER" },
    { "/api/specs/import", "{\"projectId\": 9, \"environmentId\": 1, \"url\": \"" PETS "\"}",
      404, "NOT_FOUND" },
    { "/api/specs/import", IMPORT(", \"credentialTag\": \"none\""),
      400, "CREDENTIAL_TAG_NOT_FOUND" },
};
// clang-format on

static void
bad_requests_queue_nothing(void **state)
{
    for (size_t i = 0; i < ROWS(refused); i++) {
        print_message("  %s %s\n", refused[i].path, refused[i].body);
        assert_int_equal(POST(&rest, refused[i].path, refused[i].body), refused[i].code);
        assert_string_equal(rest_error(&rest), refused[i].error);
    }
    assert_int_equal(GET(&rest, "/api/jobs/1"), 404);
    assert_int_equal(GET(&rest, "/api/jobs/nothing"), 404);
}

static void
a_job_is_found_by_its_number_too(void **state)
{
    POST(&rest, "/api/specs/parse", AT(PETS));
    const char *id = rest_member(&rest, "jobId");
    assert_int_equal(GET(&rest, "/api/jobs/1"), 200);
    assert_string_equal(rest_member(&rest, "jobId"), id);
    assert_int_equal(GET(&rest, "/api/jobs/1?waitMs=10"), 0);  // waits
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rest, close_rest)
    const struct CMUnitTest tests[] = {
        TEST(a_document_is_looked_for_where_services_put_it),
        TEST(a_service_without_a_document_and_one_that_is_down_differ),
        TEST(a_document_is_read_page_by_page),
        TEST(files_that_a_document_refers_to_are_fetched_in_another_round),
        TEST(a_file_that_cannot_be_had_is_a_warning),
        TEST(what_is_no_document_ends_in_a_clear_error),
        TEST(an_import_makes_a_scenario_of_each_operation_once),
        TEST(an_operation_of_another_application_gets_a_name_of_its_own),
        TEST(paths_that_differ_in_case_alone_do_not_take_turns),
        TEST(an_operation_that_changed_becomes_the_next_version),
        TEST(what_was_edited_by_hand_stays),
        TEST(bad_requests_queue_nothing),
        TEST(a_job_is_found_by_its_number_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
