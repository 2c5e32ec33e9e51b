// SPDX-License-Identifier: Apache-2.0
#include "scene.h"

#define LOGIN(more)                                                                            \
    "'secrets':{'username':'ann','password':'pw-12345'},"                                      \
    "'login':{'url':'http://127.0.0.1:{PORT}/login','body':{'username':'{{username}}',"        \
    "'password':'{{password}}'}" more "},"
#define STEP "'steps':[{'method':'GET','path':'/a','expect':[200]}]"
#define SENT "{\"username\":\"ann\",\"password\":\"pw-12345\"}"

// clang-format off
static const struct {
    const char *about;
    const char *answer;   // of the log-in; NULL: there is none
    const char *members;  // of the payload
    const char *sent;     // with the step, NULL: the run is an error
    const char *why;
} rows[] = {
    { "BEARER, $.token",        STUB_JSON("{\"token\":\"tok-12345\"}"), LOGIN(""), "Authorization: Bearer tok-12345\r\n", NULL },
    { "BEARER, $.accessToken",  STUB_JSON("{\"accessToken\":\"tok-12345\"}"), LOGIN(",'authType':'BEARER'"), "Authorization: Bearer tok-12345\r\n", NULL },
    { "BEARER, $.access_token", STUB_JSON("{\"access_token\":\"tok-12345\"}"), LOGIN(",'tokenJsonPath':null"), "Authorization: Bearer tok-12345\r\n", NULL },
    { "the first of them",      STUB_JSON("{\"access_token\":\"no\",\"token\":\"tok-12345\"}"), LOGIN(""), "Authorization: Bearer tok-12345\r\n", NULL },
    { "a path of its own",      STUB_JSON("{\"token\":\"no\",\"data\":{\"t\":\"tok-12345\"}}"), LOGIN(",'tokenJsonPath':'$.data.t'"), "Authorization: Bearer tok-12345\r\n", NULL },
    { "HEADER",                 STUB_JSON("{\"token\":\"tok-12345\"}"), LOGIN(",'authType':'HEADER','headerName':'X-Session'"), "X-Session: tok-12345\r\n", NULL },
    { "HEADER without a name",  STUB_JSON("{\"token\":\"tok-12345\"}"), LOGIN(",'authType':'HEADER'"), "Authorization: tok-12345\r\n", NULL },
    { "COOKIE",                 STUB_ANSWER("200", "Set-Cookie: sid=s-123456; Path=/\r\n", "welcome"), LOGIN(",'authType':'COOKIE'"), "Cookie: sid=s-123456\r\n", NULL },
    { "COOKIE, redirected",     STUB_ANSWER("302", "Set-Cookie: sid=s-123456; Path=/\r\nLocation: /home\r\n", ""), LOGIN(",'authType':'COOKIE'"), "Cookie: sid=s-123456\r\n", NULL },
    { "a token, BEARER",        NULL, "'secrets':{'token':'tok-12345'},'login':null,'authorization':{'type':'BEARER','headerName':null},", "Authorization: Bearer tok-12345\r\n", NULL },
    { "a token, HEADER",        NULL, "'secrets':{'token':'tok-12345'},'authorization':{'type':'HEADER','headerName':'X-Own'},", "X-Own: tok-12345\r\n", NULL },
    { "an API key, HEADER",     NULL, "'secrets':{'apiKey':'key-12345'},'authorization':{'type':'HEADER','headerName':'X-API-Key'},", "X-API-Key: key-12345\r\n", NULL },
    { "BASIC",                  NULL, "'secrets':{'username':'j\u00f6','password':'p:\u00e4:'},'authorization':{'type':'BASIC'},", "Authorization: Basic asO2OnA6w6Q6\r\n", NULL },
    { "BASIC, empty password",  NULL, "'secrets':{'username':'u','password':''},'authorization':{'type':'BASIC'},", "Authorization: Basic dTo=\r\n", NULL },
    { "no login",               NULL, "'secrets':{},'login':null,'authorization':null,", "GET /a HTTP/1.1\r\n", NULL },
    { "from the environment",   NULL, "'secretRefs':{'token':'env:TEST_TOKEN'},'authorization':{'type':'BEARER'},", "Authorization: Bearer tok-of-env\r\n", NULL },
    { "a colon in the name",    NULL, "'secrets':{'username':'a:b','password':'x'},'authorization':{'type':'BASIC'},", NULL, "no colon" },
    { "no secret to send",      NULL, "'authorization':{'type':'BEARER'},", NULL, "neither a token nor an API key" },
    { "not in the environment", NULL, "'secretRefs':{'token':'env:NO_SUCH_TOKEN'},'authorization':{'type':'BEARER'},", NULL, "NO_SUCH_TOKEN" },
    { "another reference",      NULL, "'secretRefs':{'token':'file:/etc/passwd'},'authorization':{'type':'BEARER'},", NULL, "use env:NAME" },
    { "the agent's own",        NULL, "'secretRefs':{'token':'env:PROOFARC_X'},'authorization':{'type':'BEARER'},", NULL, "the agent's own" },
    { "wrong password",         STUB_ANSWER("401", "", "pw-12345 is wrong"), LOGIN(""), NULL, "was answered with 401; check the credential" },
    { "no token in it",         STUB_JSON("{\"tok\":\"tok-12345\"}"), LOGIN(""), NULL, "no text at $.token, $.accessToken or $.access_token" },
    { "none at its path",       STUB_JSON("{\"token\":\"tok-12345\"}"), LOGIN(",'tokenJsonPath':'$.data'"), NULL, "no text at $.data" },
    { "a token that is none",   STUB_JSON("{\"token\":{\"a\":1}}"), LOGIN(""), NULL, "no text at" },
    { "no JSON",                STUB_ANSWER("200", "", "<html>"), LOGIN(""), NULL, "no text at" },
    { "no answer",              "", LOGIN(""), NULL, "the log-in failed: " },
    { "a variable is missing",  STUB_JSON("{}"), "'login':{'url':'http://127.0.0.1:{PORT}/login','body':{'u':'{{nobody}}'}},", NULL, "{{nobody}}" },
};
// clang-format on

static void
a_run_logs_in_as_it_is_told(void **state)
{
    setenv("TEST_TOKEN", "tok-of-env", 1);
    for (size_t i = 0; i < ROWS(rows); i++) {
        const stub_row_t script[] = { { "GET /a", STUB_ANSWER("200", "", "") },
                                      { rows[i].answer ? "POST /login" : NULL, rows[i].answer,
                                        0, STUB_CLOSE },
                                      { 0 } };
        scene_t scene;
        print_message("  %s\n", rows[i].about);
        scene_begin(&scene, script);
        scene_run(&scene, arena_printf(scene.job.arena, "%s" STEP, rows[i].members));
        assert_string_equal(scene_statuses(&scene),
                            rows[i].sent ? "COMPLETED PASSED: PASSED" : "ERROR ERROR: SKIPPED");
        const char *step = strstr(stub_seen(&scene.stub), "GET /a");
        assert_int_equal(step != NULL, rows[i].sent != NULL);
        if (rows[i].sent)
            assert_non_null(strstr(step, rows[i].sent));
        else
            assert_non_null(strstr(json_get_text(scene.result, "error"), rows[i].why));
        if (rows[i].answer && strstr(rows[i].members, "pw-12345"))
            assert_int_equal(stub_count(&scene.stub, "\r\n\r\n" SENT), 1);
        assert_null(strstr(scene.text, "tok-12345"));
        assert_null(strstr(scene.text, "pw-12345"));
        assert_null(strstr(scene.text, "key-12345"));
        scene_end(&scene);
    }
    unsetenv("TEST_TOKEN");
}

static void
without_a_login_no_credential_is_sent(void **state)
{
    static const stub_row_t script[] = { { "GET /a", STUB_ANSWER("200", "", "") }, { 0 } };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene,
              "'secrets':{'token':'tok-12345'},'login':null,'authorization':null," STEP);
    assert_null(strstr(stub_seen(&scene.stub), "Authorization"));
    scene_end(&scene);
}

static void
a_header_of_the_step_wins_over_the_login(void **state)
{
    static const stub_row_t script[] = { { "GET /a", STUB_ANSWER("200", "", "") }, { 0 } };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene,
              "'secrets':{'token':'tok-12345'},'authorization':{'type':'BEARER'},'steps':"
              "[{'method':'GET','path':'/a','headers':{'authorization':'Mine'}}]");
    assert_int_equal(stub_count(&scene.stub, "authorization: Mine\r\n"), 1);
    assert_int_equal(stub_count(&scene.stub, "tok-12345"), 0);
    scene_end(&scene);
}

static void
the_header_of_the_login_stays_at_its_origin(void **state)
{
    static const stub_row_t script[] = {
        { "GET /a", "HTTP/1.1 302 X\r\nLocation: http://localhost:{PORT}/b\r\n"
                    "Content-Length: 0\r\n\r\n" },
        { "GET /b", STUB_ANSWER("200", "", "") },
        { 0 }
    };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene, "'secrets':{'token':'tok-12345'},'authorization':{'type':'HEADER',"
                      "'headerName':'X-Very-Own'}," STEP);
    assert_string_equal(scene_statuses(&scene), "COMPLETED PASSED: PASSED");
    assert_int_equal(scene.stub.requests, 2);
    assert_int_equal(stub_count(&scene.stub, "X-Very-Own"), 1);
    scene_end(&scene);
}

// An answer must not be able to send the login wherever it likes.
static void
an_address_elsewhere_does_not_get_the_login(void **state)
{
    static const stub_row_t script[] = {
        { "GET /a", STUB_JSON("{\"next\":\"http://localhost:{PORT}/b\"}") },
        { "GET /b", STUB_ANSWER("200", "", "") },
        { "GET /c", STUB_ANSWER("200", "", "") },
        { 0 }
    };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene,
              "'secrets':{'token':'tok-12345'},'authorization':{'type':'BEARER'},'steps':["
              "{'method':'GET','path':'/a','extract':{'next':'$.next'}},"
              "{'method':'GET','path':'{{next}}'},"
              "{'method':'GET','path':'http://127.0.0.1:{PORT}/c'}]");
    assert_string_equal(scene_statuses(&scene), "COMPLETED PASSED: PASSED PASSED PASSED");
    assert_int_equal(stub_count(&scene.stub, "Bearer tok-12345"), 2);
    const char *elsewhere = strstr(stub_seen(&scene.stub), "GET /b");
    assert_null(
        memmem(elsewhere, (size_t) (strstr(elsewhere, "GET /c") - elsewhere), "Bearer", 6));
    assert_non_null(
        strstr(json_text(scene.job.arena, scene_step(&scene, 1)), "the login was not sent"));
    scene_end(&scene);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_logs_in_as_it_is_told),
        cmocka_unit_test(without_a_login_no_credential_is_sent),
        cmocka_unit_test(a_header_of_the_step_wins_over_the_login),
        cmocka_unit_test(the_header_of_the_login_stays_at_its_origin),
        cmocka_unit_test(an_address_elsewhere_does_not_get_the_login),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
