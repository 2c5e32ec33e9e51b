// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "limits.h"
#include "queue.h"
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
    POST(&rest, "/api/projects", "{\"name\": \"p\"}");
    POST(&rest, "/api/environments",
         "{\"name\": \"dev\", \"projectId\": 1, \"authRequirement\": \"AUTHENTICATED\"}");
    POST(&rest, "/api/environments/1/targets",
         "{\"name\": \"api\", \"targetType\": \"REST_SERVICE\","
         " \"baseUrl\": \"http://shop.test\"}");
    POST(&rest, "/api/environments/1/credentials",
         "{\"tag\": \"ada\", \"username\": \"ada\", \"password\": \"Sesame/42\"}");
    POST(&rest, "/api/scenarios/yaml",
         "{\"projectId\": 1, \"tags\": [\"smoke\"], \"yamlText\": \"name: s\\nsteps:\\n"
         "- {name: a, method: GET, path: /a}\\n- {name: b, method: GET, path: /b}\\n\"}");
    assert_int_equal(rest.last->code, 201);
    rest.token = agent_token;
    POST(&rest, "/api/agent/register",
         "{\"name\": \"one\", \"version\": \"1.0.0\", \"engines\": [\"api\"]}");
    agent = rest_member(&rest, "agentId");
    assert_non_null(agent);
    return 0;
}

static int
close_rest(void **state)
{
    rest_close(&rest);
    return 0;
}

// ---- what both sides do

static int64_t
run_scenario(void)
{
    rest.token = analyst;
    assert_int_equal(POST(&rest, "/api/scenarios/1/execute",
                          "{\"environmentId\": 1, \"tags\": [\"nightly\"]}"),
                     202);
    return rest_number(&rest, "id");
}

static int
claim_job(int wait_ms)
{
    rest.token = agent_token;
    return POST(&rest, "/api/agent/jobs/claim",
                arena_printf(rest.arena,
                             "{\"agentId\": \"%s\", \"engines\": [\"api\"], \"waitMs\": %d}",
                             agent, wait_ms));
}

static int
report(const char *job, int attempt, const char *what, const char *more)
{
    rest.token = agent_token;
    return POST(&rest, arena_printf(rest.arena, "/api/agent/jobs/%s/%s", job, what),
                arena_printf(rest.arena, "{\"agentId\": \"%s\", \"attempt\": %d%s}", agent,
                             attempt, more));
}

static const char *
status_of(int64_t execution)
{
    rest.token = analyst;
    assert_int_equal(
        GET(&rest, arena_printf(rest.arena, "/api/scenarios/executions/%d", (int) execution)),
        200);
    return rest_member(&rest, "status");
}

static void
sweep(void)
{
    exchange_t *x = exchange_new(&rest.platform);

    x->store = rest.store;
    x->now_ms = rest.now_ms;
    x->wall_ms = rest.wall_ms;
    queue_sweep(x);
    exchange_destroy(&x);
}

#define PASSED                                                                                 \
    ", \"result\": {\"status\": \"COMPLETED\", \"outcome\": \"PASSED\","                       \
    " \"startedAt\": \"2026-11-30T15:00:00.000Z\", \"endedAt\": \"2026-11-30T15:00:01.500Z\"," \
    " \"steps\": [{\"index\": 0, \"name\": \"a\", \"status\": \"PASSED\"},"                    \
    " {\"index\": 1, \"name\": \"b\", \"status\": \"PASSED\"}]}"

// ---- tests

static void
of_a_batch_only_so_many_run_at_once(void **state)
{
    for (int most = 1; most <= 3; most++) {
        rest.token = analyst;
        POST(&rest, "/api/scenarios/yaml",
             arena_printf(rest.arena,
                          "{\"projectId\": 1, \"tags\": [\"many\"], \"yamlText\":"
                          " \"name: m%d\\nsteps:\\n- {method: GET, path: /a}\\n\"}",
                          most));
        assert_int_equal(rest.last->code, 201);
    }
    assert_int_equal(POST(&rest, "/api/scenarios/run-by-tag",
                          "{\"tags\": [\"many\"], \"environmentId\": 1, \"projectId\": 1,"
                          " \"maxParallel\": 2}"),
                     200);
    assert_int_equal(json_get(rest_json(&rest), "queued")->count, 3);
    assert_int_equal(claim_job(0), 200);
    const char *first = rest_member(&rest, "jobId");
    assert_int_equal(claim_job(0), 200);
    assert_int_equal(claim_job(0), 204);  // the third waits
    run_scenario();
    assert_int_equal(claim_job(0), 200);  // and holds nobody else up
    assert_int_equal(claim_job(0), 204);
    assert_int_equal(report(first, 1, "result", PASSED), 200);
    assert_int_equal(claim_job(0), 200);
}

static void
a_job_is_claimed_with_its_secrets_and_reported(void **state)
{
    int64_t execution = run_scenario();

    assert_string_equal(rest_member(&rest, "status"), "PENDING");
    assert_int_equal(claim_job(0), 200);
    json_t *job = rest_json(&rest);
    assert_string_equal(json_get_text(job, "kind"), "api_scenario");
    assert_int_equal(json_get_int(job, "attempt", 0), 1);
    assert_int_equal(json_get_int(job, "leaseMs", 0), LEASE_MS);
    const json_t *payload = json_get(job, "payload");
    assert_string_equal(json_get_text(json_get(payload, "secrets"), "password"), "Sesame/42");
    assert_string_equal(json_get_text(payload, "baseUrl"), "http://shop.test");
    assert_int_equal(json_get_int(payload, "executionId", 0), execution);
    assert_string_equal(status_of(execution), "RUNNING");

    const char *id = json_get_text(job, "jobId");
    assert_int_equal(report(id, 1, "heartbeat", ", \"done\": 1, \"total\": 2"), 200);
    assert_string_equal(rest_text(&rest), "{\"cancelled\":false}");
    status_of(execution);
    assert_non_null(strstr(rest_text(&rest), "\"progress\":{\"done\":1,\"total\":2,"));
    assert_int_equal(report(id, 1, "result", PASSED), 200);
    assert_string_equal(status_of(execution), "COMPLETED");
    json_t *whole = rest_json(&rest);
    assert_string_equal(json_get_text(whole, "outcome"), "PASSED");
    assert_int_equal(json_get_int(whole, "successRate", 0), 100);
    assert_int_equal(json_get_int(whole, "durationMs", 0), 1500);
    assert_int_equal(json_get_int(whole, "passedSteps", 0), 2);
    assert_string_equal(json_get_text(whole, "startedAt"), "2026-11-30T15:00:00.000Z");
    assert_int_equal(claim_job(0), 204);
}

static void
jobs_are_given_out_in_the_order_they_came(void **state)
{
    int64_t first = run_scenario(), second = run_scenario();

    claim_job(0);
    assert_int_equal(json_get_int(json_get(rest_json(&rest), "payload"), "executionId", 0),
                     first);
    claim_job(0);
    assert_int_equal(json_get_int(json_get(rest_json(&rest), "payload"), "executionId", 0),
                     second);
}

static void
a_claim_waits_for_a_job_of_its_engine(void **state)
{
    assert_int_equal(claim_job(500), 0);
    assert_int_equal(rest.last->park_ms, 500);
    run_scenario();
    rest.token = agent_token;
    assert_int_equal(
        POST(&rest, "/api/agent/jobs/claim",
             arena_printf(rest.arena, "{\"agentId\": \"%s\", \"engines\": [\"webdriver\"]}",
                          agent)),
        204);
    assert_int_equal(POST(&rest, "/api/agent/jobs/claim",
                          "{\"agentId\": \"stranger\", \"engines\": [\"api\"]}"),
                     404);
    assert_int_equal(claim_job(LONG_POLL_MS + 1), 400);
    assert_int_equal(claim_job(LONG_POLL_MS), 200);
}

static void
a_heartbeat_keeps_a_job_and_silence_loses_it(void **state)
{
    int64_t execution = run_scenario();

    claim_job(0);
    const char *id = rest_member(&rest, "jobId");
    rest.now_ms += LEASE_MS - 1;
    assert_int_equal(report(id, 1, "heartbeat", ""), 200);
    rest.now_ms += LEASE_MS;
    sweep();
    assert_string_equal(status_of(execution), "RUNNING");  // to the last millisecond
    rest.now_ms += 1;
    sweep();
    assert_string_equal(status_of(execution), "PENDING");
    assert_int_equal(report(id, 1, "heartbeat", ""), 409);
    assert_string_equal(rest_error(&rest), "LEASE_LOST");
    assert_int_equal(report(id, 1, "result", PASSED), 409);
    assert_string_equal(rest_error(&rest), "LEASE_LOST");
}

static void
a_job_is_given_out_again_once_and_then_ends(void **state)
{
    int64_t execution = run_scenario();

    claim_job(0);
    const char *id = rest_member(&rest, "jobId");
    rest.now_ms += LEASE_MS + 1;
    sweep();
    assert_int_equal(claim_job(0), 200);
    assert_string_equal(rest_member(&rest, "jobId"), id);
    assert_int_equal(rest_number(&rest, "attempt"), 2);
    assert_int_equal(report(id, 1, "result", PASSED), 409);  // the first agent comes back late
    rest.now_ms += LEASE_MS + 1;
    sweep();
    assert_string_equal(status_of(execution), "ERROR");
    assert_string_equal(rest_member(&rest, "outcome"), "ERROR");
    assert_non_null(strstr(rest_member(&rest, "error"), "two agents"));
    assert_int_equal(claim_job(0), 204);
}

static void
a_job_that_nobody_takes_ends_after_an_hour(void **state)
{
    int64_t execution = run_scenario();

    rest.wall_ms += QUEUE_WAIT_MS;
    sweep();
    assert_string_equal(status_of(execution), "PENDING");
    rest.wall_ms += 1;
    sweep();
    assert_string_equal(status_of(execution), "ERROR");
}

static void
a_job_that_waits_behind_others_stays(void **state)
{
    run_scenario();
    int64_t second = run_scenario();

    assert_int_equal(claim_job(0), 200);
    const char *job = rest_member(&rest, "jobId");
    rest.wall_ms += 2 * QUEUE_WAIT_MS;
    assert_int_equal(report(job, 1, "heartbeat", ""), 200);
    sweep();
    assert_string_equal(status_of(second), "PENDING");
    rest.wall_ms += QUEUE_WAIT_MS + 1;  // the agent is gone now
    sweep();
    assert_string_equal(status_of(second), "ERROR");
}

static void
an_agent_that_asks_is_remembered_and_a_silent_one_forgotten(void **state)
{
    for (int days = 0; days < 10; days += 5) {
        rest.wall_ms += (int64_t) 5 * 24 * 60 * 60 * 1000;
        assert_int_equal(claim_job(0), 204);
        sweep();
    }
    rest.wall_ms += (int64_t) 8 * 24 * 60 * 60 * 1000;
    sweep();
    assert_int_equal(claim_job(0), 404);
    assert_string_equal(rest_error(&rest), "UNKNOWN_AGENT");
}

static void
after_a_restart_an_agent_has_a_whole_lease(void **state)
{
    int64_t execution = run_scenario();

    claim_job(0);
    rest.now_ms = 5;  // the machine was started anew
    queue_restart(rest.store, rest.now_ms);
    rest.now_ms += LEASE_MS;
    sweep();
    assert_string_equal(status_of(execution), "RUNNING");
    assert_int_equal(queue_open(rest.store), 1);
}

static void
a_claim_that_nobody_heard_goes_back(void **state)
{
    int64_t execution = run_scenario();

    claim_job(0);
    exchange_t *x = exchange_new(&rest.platform);
    x->store = rest.store;
    x->claimed_job = rest.last->claimed_job;
    x->claimed_attempt = rest.last->claimed_attempt;
    queue_give_back(x);
    assert_true(x->jobs_changed);
    exchange_destroy(&x);
    assert_string_equal(status_of(execution), "PENDING");
    assert_int_equal(claim_job(0), 200);
    assert_int_equal(rest_number(&rest, "attempt"), 1);
}

static void
a_wait_ends_with_progress_with_the_end_or_with_time(void **state)
{
    int64_t execution = run_scenario();
    const char *path =
        arena_printf(rest.arena, "/api/scenarios/executions/%d?waitMs=1000", (int) execution);

    assert_int_equal(GET(&rest, path), 0);
    assert_int_equal(rest.last->park_ms, 1000);
    int64_t seen = rest.last->seen;
    claim_job(0);
    const char *id = rest_member(&rest, "jobId");
    rest.token = analyst;

    exchange_t *x = exchange_new(&rest.platform);  // asked again, as the loop does
    x->method = "GET";
    x->path = arena_printf(rest.arena, "/api/scenarios/executions/%d", (int) execution);
    x->query = "waitMs=1000";
    x->authorization = analyst;
    x->store = rest.store;
    x->wall_ms = rest.wall_ms;
    x->seen = seen;
    x->parked_before = true;
    routes_dispatch(x);
    assert_int_equal(x->park_ms, 0);
    assert_int_equal(x->code, 200);
    exchange_destroy(&x);

    assert_int_equal(GET(&rest, path), 0);  // running, and nothing new
    report(id, 1, "result", PASSED);
    rest.token = analyst;
    assert_int_equal(GET(&rest, path), 200);
}

// clang-format off
static const struct {
    const char *status, *outcome;
} endings[] = {
    { "COMPLETED", "PASSED" }, { "FAILED", "FAILED" }, { "ERROR", "ERROR" },
};
// clang-format on

static void
every_ending_has_an_outcome_and_only_bad_ones_are_run_again(void **state)
{
    for (size_t i = 0; i < ROWS(endings); i++) {
        int64_t execution = run_scenario();
        claim_job(0);
        const char *id = rest_member(&rest, "jobId");
        const char *retry = arena_printf(rest.arena, "/api/agent/jobs/%s/retry", id);
        rest.token = analyst;
        assert_int_equal(POST(&rest, retry, NULL), 409);  // it is still running
        const char *result = arena_printf(
            rest.arena, ", \"result\": {\"status\": \"%s\", \"steps\": []}", endings[i].status);
        assert_int_equal(report(id, 1, "result", result), 200);
        status_of(execution);
        assert_string_equal(rest_member(&rest, "outcome"), endings[i].outcome);
        if (i == 0) {
            assert_int_equal(POST(&rest, retry, NULL), 409);
            assert_string_equal(rest_error(&rest), "NOT_RETRYABLE");
            continue;
        }
        assert_int_equal(POST(&rest, retry, NULL), 202);
        int64_t again = rest_number(&rest, "executionId");
        assert_true(again > execution);
        assert_string_equal(status_of(again), "PENDING");
        assert_string_equal(rest_member(&rest, "credentialTag"), "ada");
        claim_job(0);
        report(rest_member(&rest, "jobId"), 1, "result", PASSED);
    }
    rest.token = analyst;
    assert_int_equal(
        POST(&rest, "/api/agent/jobs/00000000-0000-4000-8000-000000000000/retry", NULL), 404);
}

static void
the_latest_runs_are_listed(void **state)
{
    int64_t first = run_scenario(), second = run_scenario();

    rest.token = rest_token(&rest, "viewer");
    assert_int_equal(GET(&rest, "/api/scenarios/executions"), 200);
    const json_t *newest = json_get(rest_json(&rest), "executions")->first;
    assert_int_equal(json_get_int(newest, "id", 0), second);
    assert_int_equal(json_get_int(newest->next, "id", 0), first);
    assert_string_equal(json_get_text(newest, "status"), "PENDING");
    assert_null(json_get(newest, "steps"));
    assert_int_equal(GET(&rest, "/api/scenarios/executions?limit=1"), 200);
    assert_int_equal(json_get(rest_json(&rest), "executions")->count, 1);
    assert_int_equal(GET(&rest, "/api/scenarios/executions?limit=101"), 400);
}

static int
cancel_run(int64_t execution)
{
    rest.token = analyst;
    return POST(
        &rest, arena_printf(rest.arena, "/api/scenarios/executions/%d/cancel", (int) execution),
        NULL);
}

static void
a_run_that_waits_is_cancelled_and_given_to_nobody(void **state)
{
    int64_t execution = run_scenario();

    assert_int_equal(cancel_run(execution), 200);
    assert_string_equal(rest_member(&rest, "status"), "CANCELLED");
    assert_int_equal(claim_job(0), 204);
    assert_int_equal(cancel_run(execution), 200);  // once more changes nothing
    assert_string_equal(status_of(execution), "CANCELLED");
    assert_null(rest_member(&rest, "outcome"));
}

static void
an_agent_hears_that_its_run_is_cancelled_and_its_result_is_not_taken(void **state)
{
    int64_t execution = run_scenario();

    claim_job(0);
    const char *id = rest_member(&rest, "jobId");
    assert_int_equal(cancel_run(execution), 200);
    assert_int_equal(report(id, 1, "heartbeat", ""), 200);
    assert_true(json_get_bool(rest_json(&rest), "cancelled", false));
    assert_int_equal(report(id, 1, "result", PASSED), 409);
    assert_string_equal(status_of(execution), "CANCELLED");
}

static void
a_run_that_is_over_is_not_cancelled(void **state)
{
    int64_t execution = run_scenario();

    claim_job(0);
    assert_int_equal(report(rest_member(&rest, "jobId"), 1, "result", PASSED), 200);
    assert_int_equal(cancel_run(execution), 200);
    assert_string_equal(rest_member(&rest, "status"), "COMPLETED");
    assert_int_equal(cancel_run(execution + 1), 404);
    rest.token = rest_token(&rest, "viewer");
    assert_int_equal(POST(&rest, "/api/scenarios/executions/1/cancel", NULL), 403);
}

static void
a_retry_needs_the_log_in_of_the_first_run(void **state)
{
    run_scenario();
    claim_job(0);
    const char *id = rest_member(&rest, "jobId");
    report(id, 1, "result", ", \"result\": {\"status\": \"FAILED\", \"steps\": []}");
    rest.token = analyst;
    PATCH(&rest, "/api/environments/1/credentials/ada", "{\"active\": false}");
    assert_int_equal(
        POST(&rest, arena_printf(rest.arena, "/api/agent/jobs/%s/retry", id), NULL), 400);
    assert_string_equal(rest_error(&rest), "CREDENTIAL_TAG_NOT_FOUND");
}

static void
a_result_must_be_one(void **state)
{
    static const char *const bad[] = {
        ", \"result\": {}",
        ", \"result\": {\"status\": \"RUNNING\", \"steps\": []}",
        ", \"result\": {\"status\": \"COMPLETED\", \"steps\": 7}",
        ", \"result\": []",
        "",
    };

    run_scenario();
    claim_job(0);
    const char *id = rest_member(&rest, "jobId");
    for (size_t i = 0; i < ROWS(bad); i++)
        assert_int_equal(report(id, 1, "result", bad[i]), 400);
    assert_int_equal(report(id, 1, "result", PASSED), 200);
}

static void
a_secret_in_a_result_is_masked_before_it_is_kept(void **state)
{
    int64_t execution = run_scenario();

    claim_job(0);
    report(rest_member(&rest, "jobId"), 1, "result",
           ", \"result\": {\"status\": \"FAILED\", \"error\": \"with Sesame/42\", \"steps\": ["
           "{\"name\": \"a\", \"status\": \"FAILED\", \"request\": {\"url\":"
           " \"http://x/?p=Sesame%2F42\", \"headers\": [[\"Authorization\","
           " \"Basic YWRhOlNlc2FtZS80Mg==\"]], \"body\": "
           "\"{\\\"p\\\":\\\"Sesame\\\\/42\\\"}\"}}]}");
    assert_int_equal(rest.last->code, 200);
    status_of(execution);
    assert_null(strstr(rest_text(&rest), "Sesame"));
    assert_null(strstr(rest_text(&rest), "YWRhOlNlc2FtZS80Mg"));
    assert_non_null(strstr(rest_text(&rest), "•••"));
}

static void
a_run_by_tag_queues_what_can_run_and_says_what_cannot(void **state)
{
    rest.token = analyst;
    POST(&rest, "/api/scenarios/yaml",
         "{\"projectId\": 1, \"tags\": [\"smoke\"], \"yamlText\": \"name: lost\\n"
         "credentialTag: nobody\\nsteps:\\n- {name: a, method: GET, path: /a}\\n\"}");
    POST(&rest, "/api/ui-tests", "{\"projectId\": 1, \"name\": \"ui\", \"tags\": [\"smoke\"]}");
#define RUN(more)                                                                              \
    POST(&rest, "/api/scenarios/run-by-tag",                                                   \
         "{\"tags\": \"smoke\", \"projectId\": 1, \"environmentId\": 1" more "}")
    assert_int_equal(RUN(", \"dryRun\": true"), 200);
    assert_non_null(strstr(rest_text(&rest), "\"wouldQueue\":[{\"kind\":\"api_scenario\","
                                             "\"id\":1,\"name\":\"s\"}]"));
    assert_int_equal(queue_open(rest.store), 0);
    assert_int_equal(RUN(""), 200);
    assert_non_null(strstr(rest_text(&rest), "\"executionId\":1,\"status\":\"PENDING\""));
    assert_int_equal(json_get(rest_json(&rest), "skipped")->count, 2);
    assert_non_null(strstr(rest_text(&rest), "CREDENTIAL_TAG_NOT_FOUND"));
    assert_int_equal(queue_open(rest.store), 1);
    assert_int_equal(RUN(", \"kinds\": [\"ui\"]"), 200);
    assert_int_equal(json_get(rest_json(&rest), "queued")->count, 0);
    assert_int_equal(RUN(", \"kinds\": [\"mobile\"]"), 400);
}

static void
tags_of_past_runs_find_a_scenario_without_tags(void **state)
{
    run_scenario();  // carries nightly; the scenario itself has smoke
    GET(&rest, "/api/scenarios?tags=nightly");
    assert_int_equal(rest_number(&rest, "total"), 0);
    POST(&rest, "/api/scenarios/yaml",
         "{\"projectId\": 1, \"yamlText\": \"name: bare\\nsteps:\\n"
         "- {name: a, method: GET, path: /a}\\n\"}");
    POST(&rest, "/api/scenarios/2/execute", "{\"environmentId\": 1, \"tags\": [\"nightly\"]}");
    assert_int_equal(GET(&rest, "/api/scenarios?tags=nightly,smoke"), 200);
    assert_int_equal(rest_number(&rest, "total"), 2);
    assert_non_null(strstr(rest_text(&rest), "\"match_source\":\"static_tags\""));
    assert_non_null(strstr(rest_text(&rest), "\"match_source\":\"execution_history\""));
    GET(&rest, "/api/scenarios?view=names");
    assert_non_null(strstr(rest_text(&rest), "\"tags\":[],\"historyTags\":[\"nightly\"]"));
    GET(&rest, "/api/tags?projectId=1");
    assert_non_null(strstr(rest_text(&rest), "{\"name\":\"nightly\",\"count\":1,"
                                             "\"apiScenarios\":1,\"uiTests\":0}"));
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rest, close_rest)
    const struct CMUnitTest tests[] = {
        TEST(a_job_is_claimed_with_its_secrets_and_reported),
        TEST(of_a_batch_only_so_many_run_at_once),
        TEST(jobs_are_given_out_in_the_order_they_came),
        TEST(a_claim_waits_for_a_job_of_its_engine),
        TEST(a_heartbeat_keeps_a_job_and_silence_loses_it),
        TEST(a_job_is_given_out_again_once_and_then_ends),
        TEST(a_job_that_nobody_takes_ends_after_an_hour),
        TEST(a_job_that_waits_behind_others_stays),
        TEST(an_agent_that_asks_is_remembered_and_a_silent_one_forgotten),
        TEST(after_a_restart_an_agent_has_a_whole_lease),
        TEST(a_claim_that_nobody_heard_goes_back),
        TEST(a_wait_ends_with_progress_with_the_end_or_with_time),
        TEST(every_ending_has_an_outcome_and_only_bad_ones_are_run_again),
        TEST(the_latest_runs_are_listed),
        TEST(a_run_that_waits_is_cancelled_and_given_to_nobody),
        TEST(an_agent_hears_that_its_run_is_cancelled_and_its_result_is_not_taken),
        TEST(a_run_that_is_over_is_not_cancelled),
        TEST(a_retry_needs_the_log_in_of_the_first_run),
        TEST(a_result_must_be_one),
        TEST(a_secret_in_a_result_is_masked_before_it_is_kept),
        TEST(a_run_by_tag_queues_what_can_run_and_says_what_cannot),
        TEST(tags_of_past_runs_find_a_scenario_without_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
