// SPDX-License-Identifier: Apache-2.0
#include "clock.h"
#include "scene.h"

// clang-format off
static const stub_row_t usual[] = {
    { "GET /ok",  STUB_JSON("{}") },
    { "GET /bad", STUB_ANSWER("500", "", "") },
    { "GET /cut", "", 0, STUB_CLOSE },
    { 0 }
};

#define OK_STEP     "{'method':'GET','path':'/ok','expect':[200]}"
#define BAD_STEP    "{'method':'GET','path':'/bad','expect':[200]}"
#define CUT_STEP    "{'method':'GET','path':'/cut','expect':[200]}"
#define ALWAYS_STEP "{'method':'GET','path':'/ok','expect':[200],'always':true}"

static const struct {
    const char *members;
    const char *statuses;
} rows[] = {
    { "'steps':[" OK_STEP "," OK_STEP "]",                     "COMPLETED PASSED: PASSED PASSED" },
    { "'steps':[" BAD_STEP "," OK_STEP "]",                    "FAILED FAILED: FAILED SKIPPED" },
    { "'steps':[" BAD_STEP "," ALWAYS_STEP "," OK_STEP "]",    "FAILED FAILED: FAILED PASSED SKIPPED" },
    { "'stopOnFailure':false,'steps':[" BAD_STEP "," OK_STEP "]", "FAILED FAILED: FAILED PASSED" },
    { "'steps':[" CUT_STEP "," OK_STEP "]",                    "ERROR ERROR: ERROR SKIPPED" },
    { "'stopOnFailure':false,'steps':[" CUT_STEP "," BAD_STEP "]", "FAILED FAILED: ERROR FAILED" },
    { "'stopOnFailure':false,'steps':[" CUT_STEP "," OK_STEP "]", "ERROR ERROR: ERROR PASSED" },
    { "'steps':[]",                                            "COMPLETED PASSED:" },
    { "'name':'no steps at all'",                              "COMPLETED PASSED:" },
};
// clang-format on

static void
a_run_ends_as_its_steps_do(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        scene_t scene;
        print_message("  %s\n", rows[i].statuses);
        scene_begin(&scene, usual);
        scene_run(&scene, rows[i].members);
        assert_string_equal(scene_statuses(&scene), rows[i].statuses);
        assert_int_equal(json_get_text(scene.result, "error") != NULL,
                         strstr(rows[i].statuses, ": ERROR") != NULL);
        assert_int_equal(strlen(json_get_text(scene.result, "startedAt")), CLOCK_TEXT_SIZE - 1);
        assert_int_equal(strlen(json_get_text(scene.result, "endedAt")), CLOCK_TEXT_SIZE - 1);
        scene_end(&scene);
    }
}

static void
progress_counts_the_steps(void **state)
{
    scene_t scene;

    scene_begin(&scene, usual);
    scene_run(&scene, "'steps':[" OK_STEP "," BAD_STEP "," OK_STEP "]");
    assert_int_equal(atomic_load(&scene.job.total), 3);
    assert_int_equal(atomic_load(&scene.job.done), 3);
    scene_end(&scene);
}

static void
a_run_that_may_reach_nothing_private_says_so(void **state)
{
    scene_t scene;

    scene_begin(&scene, usual);
    scene_run(&scene, "'allowPrivate':false,'steps':[" OK_STEP "]");
    assert_string_equal(scene_statuses(&scene), "ERROR ERROR: ERROR");
    assert_non_null(strstr(json_get_text(scene.result, "error"), "may not reach"));
    assert_int_equal(scene.stub.connections, 0);
    scene_end(&scene);
}

// ---- cancelled

static void *
cancel_when_asked(void *arg)
{
    scene_t *scene = arg;

    while (!scene->stub.requests)
        poll(NULL, 0, 5);
    atomic_store(&scene->job.cancelled, true);
    return NULL;
}

static void
a_cancelled_run_ends_soon_and_skips_the_rest(void **state)
{
    static const stub_row_t script[] = { { "GET /wait", "", 0, STUB_HANG }, { 0 } };
    scene_t scene;
    pthread_t thread;
    int64_t begun_ms = clock_now_ms();

    scene_begin(&scene, script);
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_asked, &scene), 0);
    scene_run(&scene, "'steps':[{'method':'GET','path':'/wait'}," OK_STEP "," ALWAYS_STEP "]");
    pthread_join(thread, NULL);
    assert_string_equal(scene_statuses(&scene), "CANCELLED ERROR: ERROR SKIPPED SKIPPED");
    assert_string_equal(json_get_text(scene.result, "error"), "the run was cancelled");
    assert_true(clock_now_ms() - begun_ms < 10000);
    scene_end(&scene);
}

static void
a_pause_between_two_tries_ends_when_the_run_is_cancelled(void **state)
{
    scene_t scene;
    pthread_t thread;
    int64_t begun_ms = clock_now_ms();

    scene_begin(&scene, usual);
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_asked, &scene), 0);
    scene_run(&scene, "'steps':[{'method':'GET','path':'/bad','expect':[200],"
                      "'retry':{'max':3,'delayMs':60000}}]");
    pthread_join(thread, NULL);
    assert_string_equal(json_get_text(scene.result, "status"), "CANCELLED");
    assert_true(clock_now_ms() - begun_ms < 10000);
    scene_end(&scene);
}

// ---- hooks and variables

static void
values_come_from_environment_login_hooks_and_answers_in_that_order(void **state)
{
    static const stub_row_t script[] = { { "GET /a", STUB_JSON("{\"four\":\"from-answer\"}") },
                                         { "GET /b", STUB_JSON("{}") },
                                         { 0 } };
    scene_t scene;

    setenv("TEST_HOOK_VALUE", "from-hook", 1);
    scene_begin(&scene, script);
    scene_run(&scene,
              "'variables':{'one':'from-properties','username':'x','two':'x','three':'x',"
              "'baseUrl':'http://target'},"
              "'secrets':{'username':'from-vault','password':'unused-1'},"
              "'hooks':{'before':[{'name':'three','generator':'env','arguments':"
              "['TEST_HOOK_VALUE']},{'name':'two','generator':'randomInt','arguments':[7,7]},"
              "{'name':'four','generator':'uuid'}]},"
              "'steps':[{'method':'GET','path':'/a','extract':{'four':'$.four'}},"
              "{'method':'GET','path':'/b','query':{'1':'{{one}}','2':'{{username}}',"
              "'3':'{{two}}','4':'{{three}}','5':'{{four}}','6':'{{baseUrl}}'}}]");
    unsetenv("TEST_HOOK_VALUE");
    assert_string_equal(scene_statuses(&scene), "COMPLETED PASSED: PASSED PASSED");
    assert_non_null(strstr(stub_seen(&scene.stub),
                           "/b?1=from-properties&2=from-vault&3=7&4=from-hook&5=from-answer&"
                           "6=http%3A%2F%2Ftarget "));
    assert_null(
        strstr(scene.text, "from-hook"));  // what the agent's environment holds is secret
    scene_end(&scene);
}

// clang-format off
static const struct {
    const char *hook;
    const char *why;
} bad_hooks[] = {
    { "{'name':'a','generator':'magic'}",                             "there is no generator magic" },
    { "{'name':'a','generator':'env','arguments':['NO_SUCH_NAME']}",  "NO_SUCH_NAME" },
    { "{'name':'a','generator':'env','arguments':['PROOFARC_TOKEN']}", "the agent's own" },
    { "{'name':'a','generator':'randomInt','arguments':[2,1]}",       "randomInt" },
    { "{'generator':'uuid'}",                                         "no name" },
};
// clang-format on

static void
a_hook_that_fails_is_an_error_of_the_run(void **state)
{
    for (size_t i = 0; i < ROWS(bad_hooks); i++) {
        scene_t scene;
        print_message("  %s\n", bad_hooks[i].hook);
        scene_begin(&scene, usual);
        scene_run(&scene,
                  arena_printf(scene.job.arena, "'hooks':{'before':[%s]},'steps':[%s,%s]",
                               bad_hooks[i].hook, OK_STEP, ALWAYS_STEP));
        assert_string_equal(scene_statuses(&scene), "ERROR ERROR: SKIPPED SKIPPED");
        assert_non_null(strstr(json_get_text(scene.result, "error"), bad_hooks[i].why));
        assert_int_equal(scene.stub.requests, 0);
        scene_end(&scene);
    }
}

// ---- secrets

// In plain, percent-encoded, JSON, base64 and hex: what a system under test may make of them.
// clang-format off
static const char *const leaks[] = {
    "p\"w/1 \u00e4", "p%22w%2F1%20%C3%A4", "p\\\"w/1", "p\\\\\\\"w", "cCJ3LzEgw6", "7022772f3120c3",
    "IncvMSDD",       // from the middle of user:password
    "tok-from-login", "sid-1234567", "learned-1", "key-in-url", "fresh-cookie", "env-secret-9",
    "refresh-77",     "own-var-token",
};
// clang-format on

static const stub_row_t indiscreet[] = {
    { "POST /login", STUB_ANSWER("200", "Set-Cookie: sid=sid-1234567; Path=/\r\n",
                                 "{\"token\":\"tok-from-login\"}") },
    { "GET /echo",
      STUB_ANSWER(
          "200", "X-Echo: Bearer tok-from-login\r\nSet-Cookie: c=fresh-cookie; Path=/none\r\n",
          "{\"plain\":\"p\\\"w/1 \u00e4\",\"url\":\"p%22w%2F1%20%C3%A4\","
          "\"b64\":\"dXNlcjpwIncvMSDDpA==\",\"only\":\"cCJ3LzEgw6Q=\","
          "\"hex\":\"7022772f3120c3a4\",\"cookie\":\"sid-1234567 fresh-cookie\","
          "\"password\":\"learned-1\",\"again\":\"learned-1\","
          "\"deep\":[{\"refresh_token\":\"refresh-77\"}],\"value\":\"own-var-token\"}") },
    { "GET /next", STUB_ANSWER("500", "Location: /x?access_token=key-in-url\r\n",
                               "refresh-77 own-var-token key-in-url") },
    { 0 }
};

static const char indiscreet_payload[] =
    "'stopOnFailure':false,"
    "'secrets':{'username':'user','password':'p\\\"w/1 \u00e4'},"
    "'secretRefs':{'apiKey':'env:TEST_SECRET'},"
    "'login':{'url':'http://127.0.0.1:{PORT}/login','method':'POST','body':{"
    "'username':'{{username}}','password':'{{password}}'},'authType':'BEARER'},"
    "'steps':[{'name':'with {{password}}','method':'GET','path':'/echo',"
    "'query':{'p':'{{password}}','k':'{{apiKey}}'},"
    "'headers':{'X-Key':'{{apiKey}}'},"
    "'body':{'kind':'json','json':{'p':'{{password}}','k':'{{apiKey}}'}},"
    "'expect':[201],'extract':{'jwt':'$.value','all':'$'},'asserts':["
    "{'path':'$.plain','op':'equals','value':'{{password}}'},"
    "{'path':'$.plain','op':'equals','value':'{{apiKey}}'}]},"
    "{'method':'GET','path':'/next','headers':{'Cookie':'mine=cookie-by-hand'},"
    "'asserts':[{'body':true,'op':'equals','value':'{{jwt}}'}]},"
    "{'method':'GET','path':'/{{nobody}}/{{password}}'}]";

static void
nothing_secret_is_in_a_result(void **state)
{
    scene_t scene;

    setenv("TEST_SECRET", "env-secret-9", 1);
    scene_begin(&scene, indiscreet);
    scene_run(&scene, indiscreet_payload);
    unsetenv("TEST_SECRET");
    assert_string_equal(scene_statuses(&scene), "FAILED FAILED: FAILED FAILED ERROR");
    // they were really sent
    assert_non_null(strstr(stub_seen(&scene.stub), "Authorization: Bearer tok-from-login"));
    assert_non_null(strstr(stub_seen(&scene.stub), "p=p%22w%2F1%20%C3%A4&k=env-secret-9"));
    assert_non_null(strstr(stub_seen(&scene.stub), "\"k\":\"env-secret-9\""));
    for (size_t i = 0; i < ROWS(leaks); i++) {
        if (strstr(scene.text, leaks[i]))
            print_error("%s in %s\n", leaks[i], scene.text);
        assert_null(strstr(scene.text, leaks[i]));
    }
    assert_null(strstr(scene.text, "cookie-by-hand"));
    assert_non_null(strstr(scene.text, MASK_TEXT));
    scene_end(&scene);
}

// Half a secret at the end of what is kept would be one, too.
static void
a_secret_on_the_edge_of_what_is_kept_is_masked(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    char *filler = arena_alloc(arena, BODY_KEPT_MAX);
    memset(filler, 'x', BODY_KEPT_MAX - 8);
    const stub_row_t script[] = {
        { "GET /",
          arena_printf(arena, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n%ssecret-0123456789",
                       filler) },
        { 0 }
    };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene, "'secrets':{'token':'secret-0123456789'},'steps':["
                      "{'method':'GET','path':'/','asserts':["
                      "{'body':true,'op':'endsWith','value':'89'}]}]");
    assert_string_equal(scene_statuses(&scene), "COMPLETED PASSED: PASSED");
    assert_null(strstr(scene.text, "secret"));
    scene_end(&scene);
}

static void
a_password_that_reads_like_the_result_leaves_it_whole(void **state)
{
    scene_t scene;

    scene_begin(&scene, usual);
    scene_run(&scene, "'secrets':{'password':'status','token':'PASSED'},'steps':[" OK_STEP "]");
    assert_string_equal(scene_statuses(&scene), "COMPLETED PASSED: PASSED");
    scene_end(&scene);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_ends_as_its_steps_do),
        cmocka_unit_test(progress_counts_the_steps),
        cmocka_unit_test(a_run_that_may_reach_nothing_private_says_so),
        cmocka_unit_test(a_cancelled_run_ends_soon_and_skips_the_rest),
        cmocka_unit_test(a_pause_between_two_tries_ends_when_the_run_is_cancelled),
        cmocka_unit_test(values_come_from_environment_login_hooks_and_answers_in_that_order),
        cmocka_unit_test(a_hook_that_fails_is_an_error_of_the_run),
        cmocka_unit_test(nothing_secret_is_in_a_result),
        cmocka_unit_test(a_secret_on_the_edge_of_what_is_kept_is_masked),
        cmocka_unit_test(a_password_that_reads_like_the_result_leaves_it_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
