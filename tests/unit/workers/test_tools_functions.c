// SPDX-License-Identifier: Apache-2.0
// What the functions among the tools ask of the platform and what they make of its answers.

#include "fake_call.h"

#include "auto.h"
#include "limits.h"

typedef struct {
    const char *tool, *arguments, *resolved;
    exchange_t script[EXCHANGES_MAX];
    const char *awaited;  // path of reply_when_done, or NULL
    const char *job;      // what it answers last
    bool timed_out;
    const char *touched;  // "" when nothing is patched into the snapshots
    const char *reply;    // JSON, or "status: text"
} row_t;

#define STAGING  "\"environment\": {\"id\": 12, \"name\": \"staging\"}"
#define PAYMENTS "\"project\": {\"id\": 1, \"name\": \"payments\"}"
#define LOGIN    "\"scenario\": {\"id\": 204, \"name\": \"Login flow\"}"

// clang-format off
static const row_t rows[] = {
    // run_by_tag: the shape of the contract page
    { "run_by_tag", "{\"tags\": [\"smoke\"]}", "{" STAGING ", " PAYMENTS "}",
      { { "POST /api/scenarios/run-by-tag",
          "{\"tags\": [\"smoke\"], \"environmentId\": 12, \"projectId\": 1, \"dryRun\": false}",
          "{\"dryRun\": false, \"queued\": [{\"kind\": \"api_scenario\", \"id\": 204, \"name\": \"Login flow\", "
          "\"executionId\": 9007199254740993, \"status\": \"PENDING\"}], \"skipped\": []}" } },
      .touched = "",
      .reply = "{\"dry_run\": false, \"tags\": [\"smoke\"], \"environment\": \"staging\", \"project\": \"payments\", "
               "\"queued\": [{\"kind\": \"api_scenario\", \"id\": 204, \"name\": \"Login flow\", "
               "\"executionId\": \"9007199254740993\", \"status\": \"QUEUED\"}], \"skipped\": []}" },
    // the platform takes tags literally: it gets them as the tests spell them
    { "run_by_tag", "{\"tags\": [\"SMOKE\"]}", "{" STAGING ", " PAYMENTS ", \"tags\": [\"smoke\", \"Smoke\"]}",
      { { "POST /api/scenarios/run-by-tag",
          "{\"tags\": [\"smoke\", \"Smoke\"], \"environmentId\": 12, \"projectId\": 1, \"dryRun\": false}",
          "{\"dryRun\": false, \"queued\": [], \"skipped\": []}" },
        { "GET /api/scenarios?projectId=1&tags=smoke,Smoke&limit=500", NULL, NULL } },
      .touched = "",
      .reply = "{\"dry_run\": false, \"tags\": [\"SMOKE\"], \"environment\": \"staging\", \"project\": \"payments\", "
               "\"queued\": [], \"skipped\": []}" },
    // the run gives all the tags to scenarios that were found by their past runs
    { "run_by_tag", "{\"tags\": \"a&b,c\"}", "{" STAGING ", " PAYMENTS "}",
      { { "POST /api/scenarios/run-by-tag",
          "{\"tags\": [\"a&b\", \"c\"], \"environmentId\": 12, \"projectId\": 1, \"dryRun\": false}",
          "{\"dryRun\": false, \"queued\": [], \"skipped\": []}" },
        { "GET /api/scenarios?projectId=1&tags=a%26b,c&limit=500", NULL,
          "{\"scenarios\": [{\"id\": 1, \"match_source\": \"static_tags\"}, {\"id\": 2, \"match_source\": \"execution_history\"}], "
          "\"nextCursor\": \"x/\"}" },
        { "GET /api/scenarios?projectId=1&tags=a%26b,c&limit=500&cursor=x%2F", NULL,
          "{\"scenarios\": [{\"id\": 3, \"match_source\": \"execution_history\"}]}" } },
      .touched = "scenario:2 scenario:3 ",
      .reply = "{\"dry_run\": false, \"tags\": [\"a&b\", \"c\"], \"environment\": \"staging\", \"project\": \"payments\", "
               "\"queued\": [], \"skipped\": []}" },
    // dry run: by kind, with a note
    { "run_by_tag", "{\"tags\": \"smoke\", \"dry_run\": true, \"kinds\": [\"ui\", \"api_scenario\"], \"credential_tag\": \"admin\", \"max_parallel\": \"2\"}",
      "{" STAGING ", " PAYMENTS "}",
      { { "POST /api/scenarios/run-by-tag",
          "{\"tags\": [\"smoke\"], \"environmentId\": 12, \"projectId\": 1, \"dryRun\": true, "
          "\"kinds\": [\"ui_test\", \"api_scenario\"], \"credentialTag\": \"admin\", \"maxParallel\": 2}",
          "{\"dryRun\": true, \"wouldQueue\": [{\"kind\": \"ui_test\", \"id\": 7, \"name\": \"Title\"}, "
          "{\"kind\": \"api_scenario\", \"id\": 204, \"name\": \"Login flow\"}], "
          "\"skipped\": [{\"kind\": \"ui_test\", \"id\": 8, \"name\": \"Old\", \"reason\": \"no engine\"}]}" } },
      .touched = "",
      .reply = "{\"dry_run\": true, \"tags\": [\"smoke\"], \"environment\": \"staging\", \"project\": \"payments\", "
               "\"would_queue\": {\"api_scenarios\": [{\"id\": 204, \"name\": \"Login flow\"}], "
               "\"ui_tests\": [{\"id\": 7, \"name\": \"Title\"}]}, "
               "\"skipped\": [{\"kind\": \"ui_test\", \"id\": 8, \"name\": \"Old\", \"reason\": \"no engine\"}], "
               "\"note\": \"Nothing was queued. Call again without dry_run to run these tests.\"}" },
    // ids that no snapshot knows: their names are read
    { "run_by_tag", "{\"tags\": [\"smoke\"]}", "{\"environment\": {\"id\": 12}, \"project\": {\"id\": 1}}",
      { { "GET /api/environments/12", NULL, "{\"id\": 12, \"name\": \"staging\"}" },
        { "GET /api/projects/1", NULL, "{\"id\": 1, \"name\": \"payments\"}" },
        { "POST /api/scenarios/run-by-tag",
          "{\"tags\": [\"smoke\"], \"environmentId\": 12, \"projectId\": 1, \"dryRun\": false}",
          "{\"queued\": [], \"skipped\": []}" } },
      .touched = "",
      .reply = "{\"dry_run\": false, \"tags\": [\"smoke\"], \"environment\": \"staging\", \"project\": \"payments\", "
               "\"queued\": [], \"skipped\": []}" },
    { "run_by_tag", "{\"tags\": [\"smoke\"]}", "{\"environment\": {\"id\": 99}, " PAYMENTS "}",
      { { "GET /api/environments/99", NULL, NULL } },
      .touched = "", .reply = "backend: the platform refused" },
    // an answer without lists is no reason to fall over
    { "run_by_tag", "{\"tags\": [\"smoke\"]}", "{" STAGING ", " PAYMENTS "}",
      { { "POST /api/scenarios/run-by-tag",
          "{\"tags\": [\"smoke\"], \"environmentId\": 12, \"projectId\": 1, \"dryRun\": false}",
          "{\"queued\": 3, \"skipped\": null}" } },
      .touched = "",
      .reply = "{\"dry_run\": false, \"tags\": [\"smoke\"], \"environment\": \"staging\", \"project\": \"payments\", "
               "\"queued\": [], \"skipped\": []}" },

    // execute_scenario
    { "execute_scenario", "{\"tags\": \"ci,nightly\", \"stop_on_failure\": \"false\", \"variables\": {\"a\": 1}}",
      "{" LOGIN ", " STAGING "}",
      { { "POST /api/scenarios/204/execute",
          "{\"environmentId\": 12, \"tags\": [\"ci\", \"nightly\"], \"stopOnFailure\": false, \"variables\": {\"a\": 1}}",
          "{\"id\": 1724, \"scenario\": \"Login flow\", \"status\": \"PENDING\", \"outcome\": null, \"error\": null}" },
        { "GET /api/scenarios/204", NULL, "{\"id\": 204, \"name\": \"Login flow\", \"tags\": [], \"historyTags\": [\"ci\", \"nightly\"]}" } },
      .touched = "scenario:204 ",
      .reply = "{\"executionId\": \"1724\", \"id\": 1724, \"scenario\": \"Login flow\", \"status\": \"QUEUED\"}" },
    { "execute_scenario", "{\"wait\": true, \"summarize\": true}", "{" LOGIN ", " STAGING "}",
      { { "POST /api/scenarios/204/execute", "{\"environmentId\": 12}", "{\"id\": 1724, \"status\": \"PENDING\"}" },
        { "GET /api/scenarios/executions/1724/summary", NULL, "{\"text\": \"1/2 passed\"}" } },
      .awaited = "/api/scenarios/executions/1724",
      .job = "{\"id\": 1724, \"status\": \"ERROR\", \"outcome\": \"ERROR\", \"error\": \"host not found\"}",
      .touched = "",
      .reply = "{\"executionId\": \"1724\", \"id\": 1724, \"status\": \"ERROR\", \"outcome\": \"ERROR\", "
               "\"errorMessage\": \"host not found\", \"summary\": \"1/2 passed\"}" },
    // the run happened, whatever becomes of its summary
    { "execute_scenario", "{\"wait\": true, \"summarize\": true}", "{" LOGIN ", " STAGING "}",
      { { "POST /api/scenarios/204/execute", "{\"environmentId\": 12}", "{\"id\": 1724, \"status\": \"PENDING\"}" },
        { "GET /api/scenarios/executions/1724/summary", NULL, NULL } },
      .awaited = "/api/scenarios/executions/1724",
      .job = "{\"id\": 1724, \"status\": \"COMPLETED\", \"outcome\": \"PASSED\"}",
      .touched = "",
      .reply = "{\"executionId\": \"1724\", \"id\": 1724, \"status\": \"COMPLETED\", \"outcome\": \"PASSED\"}" },
    { "execute_scenario", "{\"wait\": true}", "{" LOGIN ", " STAGING "}",
      { { "POST /api/scenarios/204/execute", "{\"environmentId\": 12}", "{\"id\": 1724, \"status\": \"PENDING\"}" } },
      .awaited = "/api/scenarios/executions/1724",
      .job = "{\"id\": 1724, \"status\": \"RUNNING\"}", .timed_out = true,
      .touched = "",
      .reply = "{\"executionId\": \"1724\", \"id\": 1724, \"status\": \"RUNNING\", \"timedOut\": true}" },
    { "execute_scenario", "{\"summarize\": true}", "{" LOGIN ", " STAGING "}", { { 0 } },
      .touched = "", .reply = "bad_args: summarize needs wait=true; or call summarize_execution afterwards" },
    { "execute_scenario", "{\"dry_run\": true}", "{" LOGIN ", " STAGING "}",
      { { "GET /api/scenarios/204", NULL, "{\"id\": 204, \"name\": \"Login flow\", \"project\": \"payments\"}" } },
      .touched = "",
      .reply = "{\"dry_run\": true, \"scenarioId\": 204, \"scenario\": \"Login flow\", \"environmentId\": 12, "
               "\"project\": \"payments\", "
               "\"note\": \"Nothing was run. Call again without dry_run to run it.\"}" },

    // get_execution_status, summarize_execution
    { "get_execution_status", "{\"execution_id\": 1724}", "{}",
      { { "GET /api/scenarios/executions/1724", NULL,
          "{\"id\": 1724, \"status\": \"FAILED\", \"outcome\": \"FAILED\", \"error\": null, \"steps\": [{\"index\": 0, "
          "\"name\": \"get\", \"status\": \"FAILED\", \"request\": {\"method\": \"GET\", \"url\": \"http://x/\", \"headers\": []}, "
          "\"response\": {\"status\": 500, \"body\": \"oops\"}, \"checks\": [{\"check\": \"status\", \"passed\": false, "
          "\"expected\": [200], \"actual\": 500, \"message\": \"expected status 200\"}], \"error\": null}]}" } },
      .touched = "",
      .reply = "{\"executionId\": \"1724\", \"kind\": \"api_scenario\", \"status\": \"FAILED\", \"outcome\": \"FAILED\", "
               "\"steps\": [{\"index\": 0, \"name\": \"get\", \"status\": \"FAILED\", \"method\": \"GET\", \"url\": \"http://x/\", "
               "\"statusCode\": 500, \"checks\": [{\"check\": \"status\", \"passed\": false, \"expected\": [200], "
               "\"actual\": 500, \"message\": \"expected status 200\"}], \"responseBody\": \"oops\"}]}" },
    // the body of a step that passed is nobody's business here
    { "get_execution_status", "{\"execution_id\": \" 7 \", \"kind\": \"api_scenario\"}", "{}",
      { { "GET /api/scenarios/executions/7", NULL,
          "{\"status\": \"PENDING\", \"error\": \"no agent\", \"steps\": [{\"status\": \"PASSED\", \"response\": {\"body\": \"x\"}}]}" } },
      .touched = "",
      .reply = "{\"executionId\": \"7\", \"kind\": \"api_scenario\", \"status\": \"QUEUED\", \"errorMessage\": \"no agent\", "
               "\"steps\": [{\"status\": \"PASSED\"}]}" },
    { "get_execution_status", "{\"execution_id\": \"3b-9f\", \"kind\": \"import_job\"}", "{}",
      { { "GET /api/jobs/3b-9f", NULL,
          "{\"jobId\": \"3b-9f\", \"kind\": \"import\", \"status\": \"PENDING\", \"progress\": {\"done\": 1, \"total\": 3, "
          "\"text\": \"fetching\"}, \"error\": {\"code\": \"X\", \"message\": \"gone\"}, \"result\": null}" } },
      .touched = "",
      .reply = "{\"executionId\": \"3b-9f\", \"kind\": \"import_job\", \"status\": \"QUEUED\", \"errorMessage\": \"gone\", "
               "\"progress\": {\"done\": 1, \"total\": 3, \"text\": \"fetching\"}}" },
    { "summarize_execution", "{\"execution_id\": \"1724\"}", "{}",
      { { "GET /api/scenarios/executions/1724/summary", NULL,
          "{\"executionId\": 1724, \"status\": \"PENDING\", \"outcome\": null, \"text\": \"Execution 1724 · PENDING\\n0/1 passed\"}" } },
      .touched = "",
      .reply = "{\"executionId\": \"1724\", \"status\": \"QUEUED\", \"summary\": \"Execution 1724 · QUEUED\\n0/1 passed\"}" },
    { "summarize_execution", "{\"execution_id\": \"3b\", \"kind\": \"import_job\"}", "{}",
      { { "GET /api/jobs/3b", NULL, "{\"status\": \"COMPLETED\", \"progress\": {\"text\": \"\"}}" } },
      .touched = "", .reply = "{\"executionId\": \"3b\", \"status\": \"COMPLETED\", \"summary\": \"Job 3b · COMPLETED\"}" },
    { "summarize_execution", "{\"execution_id\": \"3b\", \"kind\": \"import_job\"}", "{}",
      { { "GET /api/jobs/3b", NULL, "{\"status\": \"ERROR\", \"error\": {\"message\": \"not found\"}}" } },
      .touched = "", .reply = "{\"executionId\": \"3b\", \"status\": \"ERROR\", \"summary\": \"Job 3b · ERROR\\nnot found\"}" },
    // the job of a run has no verdict
    { "get_execution_status", "{\"execution_id\": \"7\", \"kind\": \"ui_job\"}", "{}",
      { { "GET /api/jobs/7", NULL, "{\"kind\": \"api_scenario\", \"status\": \"COMPLETED\"}" } },
      .touched = "", .reply = "bad_args: kind: 7 is the run of an API scenario; leave kind out" },
    { "summarize_execution", "{\"execution_id\": \"7\", \"kind\": \"import_job\"}", "{}",
      { { "GET /api/jobs/7", NULL, "{\"kind\": \"api_scenario\", \"status\": \"COMPLETED\"}" } },
      .touched = "", .reply = "bad_args: kind: 7 is the run of an API scenario; leave kind out" },

    // documents
    { "detect_api_spec", "{\"base_url\": \"http://x\"}", "{}",
      { { "POST /api/specs/detect", "{\"baseUrl\": \"http://x\"}", "{\"jobId\": \"a-1\", \"status\": \"PENDING\"}" } },
      .awaited = "/api/jobs/a-1", .job = "{\"status\": \"COMPLETED\", \"result\": {\"found\": false, \"url\": null, \"tried\": []}}",
      .touched = "", .reply = "{\"found\": false, \"tried\": []}" },
    { "detect_api_spec", "{\"base_url\": \"http://x\"}", "{}",
      { { "POST /api/specs/detect", "{\"baseUrl\": \"http://x\"}", "{\"jobId\": \"a-1\", \"status\": \"PENDING\"}" } },
      .awaited = "/api/jobs/a-1", .job = "{\"status\": \"ERROR\", \"error\": {\"code\": \"UNREACHABLE\", \"message\": \"no such host\"}}",
      .touched = "", .reply = "backend: no such host" },
    { "detect_api_spec", "{\"base_url\": \"http://x\"}", "{}",
      { { "POST /api/specs/detect", "{\"baseUrl\": \"http://x\"}", "{\"jobId\": \"a-1\", \"status\": \"PENDING\"}" } },
      .awaited = "/api/jobs/a-1", .job = "{\"status\": \"RUNNING\"}", .timed_out = true,
      .touched = "", .reply = "timeout: the document has not come yet; call again, or give its content" },
    { "parse_swagger", "{\"content\": \"openapi: 3.0.0\", \"path_globs\": \"/a/**\", \"limit\": 2}", "{}",
      { { "POST /api/specs/parse", "{\"content\": \"openapi: 3.0.0\", \"pathGlobs\": [\"/a/**\"], \"limit\": 2}",
          "{\"title\": \"T\", \"endpoints\": [], \"total\": 0, \"returned\": 0}" } },
      .touched = "", .reply = "{\"title\": \"T\", \"endpoints\": [], \"total\": 0, \"returned\": 0}" },
    { "parse_swagger", "{\"url\": \"http://x\", \"cursor\": \" \"}", "{}",
      { { "POST /api/specs/parse", "{\"url\": \"http://x\"}", "{\"jobId\": \"a-1\", \"status\": \"PENDING\"}" } },
      .awaited = "/api/jobs/a-1", .job = "{\"status\": \"COMPLETED\", \"result\": {\"title\": \"T\"}}",
      .touched = "", .reply = "{\"title\": \"T\"}" },
    { "parse_swagger", "{}", "{}", { { 0 } },
      .touched = "", .reply = "bad_args: parse_swagger needs either url or content" },
    { "parse_swagger", "{\"url\": \"http://x\", \"content\": \"{}\"}", "{}", { { 0 } },
      .touched = "", .reply = "bad_args: parse_swagger needs either url or content" },

    // imports: those that changed are patched into the snapshots, over all pages
    { "create_scenario_from_swagger", "{\"url\": \"http://x/openapi.json\", \"tags\": [\"smoke\"]}", "{" STAGING ", " PAYMENTS "}",
      { { "POST /api/specs/import",
          "{\"projectId\": 1, \"environmentId\": 12, \"url\": \"http://x/openapi.json\", \"tags\": [\"smoke\"]}",
          "{\"jobId\": \"a-1\", \"status\": \"PENDING\"}" },
        { "GET /api/scenarios?projectId=1&limit=500", NULL,
          "{\"scenarios\": [{\"id\": 1}, {\"id\": 2}], \"nextCursor\": \"a b\"}" },
        { "GET /api/scenarios?projectId=1&limit=500&cursor=a%20b", NULL, "{\"scenarios\": [{\"id\": 3}]}" } },
      .awaited = "/api/jobs/a-1",
      .job = "{\"status\": \"COMPLETED\", \"result\": {\"dryRun\": false, \"created\": [{\"id\": 3, \"name\": \"c\"}], "
             "\"updated\": [{\"id\": 1, \"name\": \"a\"}], \"unchanged\": [{\"id\": 2, \"name\": \"b\"}], \"total\": 3, \"warnings\": []}}",
      .touched = "scenario:1 scenario:3 ",
      .reply = "{\"dryRun\": false, \"created\": [{\"id\": 3, \"name\": \"c\"}], \"updated\": [{\"id\": 1, \"name\": \"a\"}], "
               "\"unchanged\": [{\"id\": 2, \"name\": \"b\"}], \"total\": 3, \"warnings\": []}" },
    { "create_scenario_from_swagger", "{\"url\": \"http://x/openapi.json\", \"dry_run\": true}", "{" STAGING ", " PAYMENTS "}",
      { { "POST /api/specs/import",
          "{\"projectId\": 1, \"environmentId\": 12, \"url\": \"http://x/openapi.json\", \"dryRun\": true}",
          "{\"jobId\": \"a-1\", \"status\": \"PENDING\"}" } },
      .awaited = "/api/jobs/a-1",
      .job = "{\"status\": \"COMPLETED\", \"result\": {\"dryRun\": true, \"created\": [{\"name\": \"c\"}], \"total\": 1}}",
      .touched = "", .reply = "{\"dryRun\": true, \"created\": [{\"name\": \"c\"}], \"total\": 1}" },
    { "create_scenario_from_swagger", "{\"url\": \"http://x/openapi.json\"}", "{" STAGING ", " PAYMENTS "}",
      { { "POST /api/specs/import", "{\"projectId\": 1, \"environmentId\": 12, \"url\": \"http://x/openapi.json\"}",
          "{\"jobId\": \"a-1\", \"status\": \"PENDING\"}" } },
      .awaited = "/api/jobs/a-1", .job = "{\"jobId\": \"a-1\", \"status\": \"RUNNING\"}", .timed_out = true,
      .touched = "",
      .reply = "timeout: the import goes on; call get_execution_status with execution_id \"a-1\" and kind \"import_job\"" },

    // YAML: the project only helps to settle the name
    { "update_api_scenario_from_yaml", "{\"yaml_text\": \"name: x\", \"expected_version\": \"3\"}",
      "{" LOGIN ", " PAYMENTS ", " STAGING "}",
      { { "PUT /api/scenarios/204/yaml", "{\"yamlText\": \"name: x\", \"environmentId\": 12, \"expectedVersion\": 3}",
          "{\"id\": 204, \"name\": \"x\", \"version\": 4}" } },
      .touched = "scenario:204 ", .reply = "{\"id\": 204, \"name\": \"x\", \"version\": 4}" },
    { "get_scenario_yaml", "{}", "{" LOGIN ", " PAYMENTS "}",
      { { "GET /api/scenarios/204/yaml", NULL, "{\"id\": 204, \"name\": \"x\", \"version\": 4, \"yamlText\": \"name: x\"}" } },
      .touched = "", .reply = "{\"id\": 204, \"name\": \"x\", \"version\": 4, \"yamlText\": \"name: x\"}" },
    { "get_scenario_yaml", "{\"version\": 2}", "{" LOGIN "}",
      { { "GET /api/scenarios/204/yaml?version=2", NULL, NULL } },
      .touched = "", .reply = "backend: the platform refused" },

    // lists whose tools have no cursor
    { "list_environments", "{}", "{" PAYMENTS "}",
      { { "GET /api/environments?limit=500&projectId=1", NULL,
          "{\"environments\": [{\"id\": 12, \"name\": \"staging\", \"authEndpoint\": null}], \"total\": 1, \"returned\": 1}" } },
      .touched = "", .reply = "{\"environments\": [{\"id\": 12, \"name\": \"staging\"}], \"total\": 1, \"returned\": 1}" },
    { "list_project_applications", "{}", "{" PAYMENTS "}",
      { { "GET /api/projects/1/applications?limit=500", NULL,
          "{\"project\": \"payments\", \"applications\": [], \"total\": 0, \"returned\": 0}" } },
      .touched = "", .reply = "{\"project\": \"payments\", \"applications\": [], \"total\": 0, \"returned\": 0}" },
    { "find_ui_test_suites", "{\"name\": \"a&b=c\"}", "{}",
      { { "GET /api/ui-test-suites?limit=500&name=a%26b%3Dc", NULL, "{\"uiTestSuites\": [], \"total\": 0, \"returned\": 0}" } },
      .touched = "", .reply = "{\"uiTestSuites\": [], \"total\": 0, \"returned\": 0}" },
    { "list_pipelines", "{\"project\": null}", "{}",
      { { "GET /api/pipelines?limit=500", NULL, "{\"pipelines\": [], \"total\": 0, \"returned\": 0}" } },
      .touched = "", .reply = "{\"pipelines\": [], \"total\": 0, \"returned\": 0}" },

    // links change what belongs to a project
    { "link_application_to_project", "{}", "{\"application\": {\"id\": 4, \"name\": \"shop\"}, " PAYMENTS "}",
      { { "POST /api/applications/4/projects", "{\"projectId\": 1}", "{\"applicationId\": 4, \"linked\": true, \"alreadyLinked\": false}" },
        { "GET /api/applications/4", NULL, "{\"id\": 4, \"projectIds\": [1, 2]}" } },
      .touched = "application:4 ", .reply = "{\"applicationId\": 4, \"linked\": true, \"alreadyLinked\": false}" },
    { "link_application_to_project", "{}", "{\"application\": {\"id\": 4, \"name\": \"shop\"}, " PAYMENTS "}",
      { { "POST /api/applications/4/projects", "{\"projectId\": 1}", "{\"linked\": true}" },
        { "GET /api/applications/4", NULL, NULL } },
      .touched = "", .reply = "{\"linked\": true}" },
    { "link_environment", "{}", "{" STAGING ", " PAYMENTS "}",
      { { "POST /api/environments/12/projects", "{\"projectId\": 1}", "{\"linked\": true}" },
        { "GET /api/environments/12", NULL, "{\"id\": 12}" },
        { "GET /api/targets?environmentId=12&limit=500", NULL, "{\"targets\": [{\"id\": 5}, {\"id\": 6}]}" } },
      .touched = "environment:12 target:5 target:6 ", .reply = "{\"linked\": true}" },
    { "create_environment", "{\"name\": \"dev\", \"auth_requirement\": \"public\"}", "{}",
      { { "POST /api/environments", "{\"name\": \"dev\", \"authRequirement\": \"PUBLIC\"}",
          "{\"id\": 11, \"name\": \"dev\", \"linkedExisting\": false}" } },
      .touched = "environment:11 ", .reply = "{\"id\": 11, \"name\": \"dev\", \"linkedExisting\": false}" },
    { "create_environment", "{\"name\": \"dev\", \"auth_requirement\": \"PUBLIC\"}", "{" PAYMENTS "}",
      { { "POST /api/environments", "{\"name\": \"dev\", \"authRequirement\": \"PUBLIC\", \"projectId\": 1}",
          "{\"id\": 11, \"name\": \"dev\", \"linkedExisting\": true}" },
        { "GET /api/targets?environmentId=11&limit=500", NULL, "{\"targets\": [{\"id\": 5}]}" } },
      .touched = "environment:11 target:5 ", .reply = "{\"id\": 11, \"name\": \"dev\", \"linkedExisting\": true}" },
    { "onboard_project", "{\"project_name\": \"p\", \"applications\": [], \"environments\": []}", "{}",
      { { "POST /api/projects/onboard", "{\"projectName\": \"p\", \"applications\": [], \"environments\": [], \"dryRun\": false}",
          "{\"projectId\": 3, \"project\": \"p\", \"dryRun\": false}" },
        { "GET /api/projects/3", NULL, "{\"id\": 3}" },
        { "GET /api/applications?projectId=3&limit=500", NULL, "{\"applications\": [{\"id\": 4}]}" },
        { "GET /api/environments?projectId=3&limit=500", NULL, NULL },
        { "GET /api/targets?projectId=3&limit=500", NULL, "{\"targets\": [{\"id\": 5}]}" } },
      .touched = "project:3 application:4 target:5 ", .reply = "{\"projectId\": 3, \"project\": \"p\", \"dryRun\": false}" },
    { "onboard_project", "{\"project_name\": \"p\", \"applications\": [], \"environments\": [], \"dry_run\": true}", "{}",
      { { "POST /api/projects/onboard", "{\"projectName\": \"p\", \"applications\": [], \"environments\": [], \"dryRun\": true}",
          "{\"project\": \"p\", \"dryRun\": true}" } },
      .touched = "", .reply = "{\"project\": \"p\", \"dryRun\": true}" },
};
// clang-format on

// Leaves the call in *call; the arena is the caller's.
static void
run(arena_t *arena, const row_t *row, call_t *call)
{
    failure_t why = { 0 };

    *call = (call_t){ .arena = arena, .tool = find_tool(row->tool), .script = row->script };
    assert_non_null(call->tool);
    call->resolved = json_parse_text(arena, row->resolved);
    const json_t *given = json_parse_text(arena, row->arguments);
    assert_non_null(given);
    arguments_check(arena, call->tool, given, &call->arguments, &why);
    assert_string_equal(why.text, "");
    call->tool->run(call);
    if (!row->awaited) {
        assert_null(call->awaited);
        return;
    }
    assert_int_equal(call->replies, 0);
    assert_string_equal(call->awaited, row->awaited);
    call->finish(call, json_parse_text(arena, row->job), row->timed_out);
}

static void
tools_ask_and_answer_as_their_contract_says(void **state)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const row_t *row = &rows[i];
        call_t call;

        print_message("  %s %s\n", row->tool, row->arguments);
        run(arena, row, &call);
        assert_int_equal(call.replies, 1);
        assert_null(row->script[call.played].request);
        assert_string_equal(call.touched.size ? call.touched.bytes : "", row->touched);
        buffer_clear(&call.touched);
        const json_t *expected = json_parse_text(arena, row->reply);
        assert_string_equal(call.reply, expected ? canonical(arena, expected) : row->reply);
    }
    (void) state;
}

#define RUN_PATH  "/api/scenarios/executions/1724"
#define RUN(more) "{\"id\": 1724, \"jobId\": \"ab-cd\", \"createdAt\": \"t1\", " more "}"

// clang-format off
static const struct {
    const char *op, *task;
    exchange_t script[4];
    const char *reply;
} on_tasks[] = {
    { "get", "1724.ab-cd", { { "GET " RUN_PATH, NULL, RUN("\"status\": \"PENDING\"") } },
      "{\"id\": \"1724.ab-cd\", \"status\": \"working\", \"updated\": \"t1\"}" },
    { "get", "1724.ab-cd", { { "GET " RUN_PATH, NULL, RUN("\"startedAt\": \"t2\", \"status\": \"RUNNING\"") } },
      "{\"id\": \"1724.ab-cd\", \"status\": \"working\", \"updated\": \"t2\"}" },
    { "get", "1724.ab-cd", { { "GET " RUN_PATH, NULL, RUN("\"endedAt\": \"t3\", \"status\": \"CANCELLED\"") } },
      "{\"id\": \"1724.ab-cd\", \"status\": \"cancelled\", \"updated\": \"t3\"}" },
    { "get", "1724.ab-cd", { { "GET " RUN_PATH, NULL, RUN("\"endedAt\": \"t3\", \"status\": \"FAILED\", \"error\": \"no\"") } },
      "{\"id\": \"1724.ab-cd\", \"status\": \"completed\", \"updated\": \"t3\", \"result\": "
      RUN("\"endedAt\": \"t3\", \"status\": \"FAILED\", \"errorMessage\": \"no\", \"executionId\": \"1724\"") "}" },
    { "update", "1724.ab-cd", { { "GET " RUN_PATH, NULL, RUN("\"status\": \"RUNNING\"") } }, "acknowledged" },
    { "cancel", "1724.ab-cd", { { "GET " RUN_PATH, NULL, RUN("\"status\": \"RUNNING\"") },
                                { "POST " RUN_PATH "/cancel", NULL, "{\"status\": \"CANCELLED\"}" } }, "acknowledged" },
    { "get", "1724.ab-ce", { { "GET " RUN_PATH, NULL, RUN("\"status\": \"RUNNING\"") } }, "not_found: there is no task of this id" },
    { "get", "1724.", { { "GET " RUN_PATH, NULL, RUN("\"status\": \"RUNNING\"") } }, "not_found: there is no task of this id" },
    { "cancel", "1724", { { NULL } }, "not_found: there is no task of this id" },
    { "get", "", { { NULL } }, "not_found: there is no task of this id" },
    { "get", "../x.ab-cd", { { NULL } }, "not_found: there is no task of this id" },
    { "get", "1111111111111111111.ab-cd", { { NULL } }, "not_found: there is no task of this id" },
};
// clang-format on

static void
a_run_is_a_task_whose_id_is_the_platforms(void **state)
{
    for (size_t i = 0; i < sizeof on_tasks / sizeof *on_tasks; i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        call_t call = { .arena = arena, .task = on_tasks[i].task };

        print_message("  %s %s\n", on_tasks[i].op, on_tasks[i].task);
        call.tool = find_tool("execute_scenario");
        call.script = on_tasks[i].script;
        call.arguments = json_object(arena);
        json_set_text(arena, call.arguments, "op", on_tasks[i].op);
        call.tool->task(&call);
        assert_int_equal(call.replies, 1);
        assert_null(on_tasks[i].script[call.played].request);
        const json_t *expected = json_parse_text(arena, on_tasks[i].reply);
        assert_string_equal(call.reply,
                            expected ? canonical(arena, expected) : on_tasks[i].reply);
    }
}

static void
a_run_that_is_waited_for_becomes_a_task_if_the_client_has_them(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const exchange_t script[] = {
        { "POST /api/scenarios/204/execute", "{\"environmentId\": 12}",
          RUN("\"status\": \"PENDING\"") },
        { "GET " RUN_PATH, NULL, RUN("\"status\": \"PENDING\"") },
        { NULL },
    };
    call_t call = { .arena = arena, .has_tasks = true, .script = script };

    call.resolved = json_parse_text(arena, "{" STAGING ", " LOGIN "}");
    call.arguments = json_parse_text(arena, "{\"wait\": true}");
    find_tool("execute_scenario")->run(&call);
    assert_int_equal(call.replies, 1);
    assert_null(call.awaited);
    assert_string_equal(call.reply,
                        "{\"id\":\"1724.ab-cd\",\"status\":\"working\",\"updated\":\"t1\"}");
}

static const row_t *
row_of(const char *tool, bool dry_run)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].tool, tool)
            && dry_run == (strstr(rows[i].arguments, "dry_run") != NULL))
            return &rows[i];
    assert_true(false);  // the rows above have one of each
    return NULL;
}

static void
what_was_started_is_linked_to(void **state)
{
    static const struct {
        const char *tool;
        bool dry_run;
        const char *links;
    } expected[] = {
        { "execute_scenario", false, "[\"proofarc://execution/1724\"]" },
        { "execute_scenario", true, NULL },
        { "run_by_tag", false, "[\"proofarc://execution/9007199254740993\"]" },
        { "run_by_tag", true, NULL },
    };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        call_t call;

        run(arena, row_of(expected[i].tool, expected[i].dry_run), &call);
        buffer_clear(&call.touched);
        if (expected[i].links)
            assert_string_equal(json_text(arena, call.blocks), expected[i].links);
        else
            assert_null(call.blocks);
    }
}

// clang-format off
static const struct {
    const char *given, *kind;
} no_ids[] = {
    { "\"server-name\"", "api_scenario" }, { "0", "api_scenario" },       { "\"007\"", "api_scenario" },
    { "-5", "api_scenario" },              { "1.5", "api_scenario" },     { "\"12 13\"", "api_scenario" },
    { "\"../projects\"", "api_scenario" }, { "\"1?x\"", "api_scenario" }, { "\"99999999999999999999\"", "api_scenario" },
    { "\"a/b\"", "import_job" },           { "\"..\"", "ui_job" },        { "\"x y/z\"", "import_job" },
    { "\"?\"", "import_job" },
};
// clang-format on

static void
text_that_is_no_execution_id_is_refused_and_nothing_is_asked(void **state)
{
    static const char *const tools[] = { "get_execution_status", "summarize_execution" };

    for (size_t i = 0; i < sizeof no_ids / sizeof *no_ids * 2; i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        row_t row = { .tool = tools[i % 2], .resolved = "{}" };
        call_t call;

        row.arguments = arena_printf(arena, "{\"execution_id\": %s, \"kind\": \"%s\"}",
                                     no_ids[i / 2].given, no_ids[i / 2].kind);
        print_message("  %s %s\n", row.tool, row.arguments);
        run(arena, &row, &call);
        assert_int_equal(call.replies, 1);
        assert_int_equal(call.played, 0);
        assert_non_null(strstr(call.reply, "bad_args: execution_id: expected"));
    }
    (void) state;
}

static void
the_body_of_a_failed_step_is_cut_on_a_character(void **state)
{
    static const struct {
        size_t letters;
        bool cut;
    } bodies[] = { { 999, false }, { 1000, false }, { 1001, true }, { 30000, true } };

    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        AUTO(buffer_clear) buffer_t body = { 0 };
        row_t row = { "get_execution_status", "{\"execution_id\": 1}", "{}" };
        call_t call;

        for (size_t j = 0; j < bodies[i].letters; j++)
            buffer_text(&body, "ä");  // two bytes each: 1000 of them fit
        row.script[0] = (exchange_t){
            "GET /api/scenarios/executions/1", NULL,
            arena_printf(
                arena,
                "{\"steps\": [{\"status\": \"ERROR\", \"response\": {\"body\": \"%s\"}}]}",
                body.bytes)
        };
        run(arena, &row, &call);
        const json_t *reply = json_parse_text(arena, call.reply);
        const char *shown = json_get_text(json_get(reply, "steps")->first, "responseBody");
        assert_int_equal(strlen(shown), bodies[i].cut ? 2000 + strlen("…") : body.size);
        assert_true(!strncmp(shown, body.bytes, bodies[i].cut ? 2000 : body.size));
    }
    (void) state;
}

static void
whoami_takes_the_principal_apart(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const row_t row = { "whoami", "{}", "{}" };
    call_t call;

    run(arena, &row, &call);
    const json_t *reply = json_parse_text(arena, call.reply);
    assert_string_equal(json_get_text(reply, "issuer"), "proofarc");
    assert_string_equal(json_get_text(reply, "username"), "mary|jane");
    assert_string_equal(json_get_text(reply, "role"), "analyst");
    assert_string_equal(json_get_text(reply, "profile"), "wide");
    assert_string_equal(json_get_text(reply, "serverVersion"), PROOFARC_VERSION);
    assert_int_equal(json_get_int(json_get(reply, "limits"), "resultBytes", 0), RESULT_MAX);
    assert_int_equal(call.played, 0);
    (void) state;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools_ask_and_answer_as_their_contract_says),
        cmocka_unit_test(what_was_started_is_linked_to),
        cmocka_unit_test(a_run_is_a_task_whose_id_is_the_platforms),
        cmocka_unit_test(a_run_that_is_waited_for_becomes_a_task_if_the_client_has_them),
        cmocka_unit_test(text_that_is_no_execution_id_is_refused_and_nothing_is_asked),
        cmocka_unit_test(the_body_of_a_failed_step_is_cut_on_a_character),
        cmocka_unit_test(whoami_takes_the_principal_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
