// SPDX-License-Identifier: Apache-2.0
// Who may call, with a platform that the test plays in the same loop.
#include "visitor.h"

#include "httpd.h"

typedef struct {
    zloop_t *loop;
    httpd_t *httpd;
    access_t *access;
    char url[64];
    int code;  // of each answer
    const char *answer;
    int asked;
    char last[256];  // path, authorization and body of the last question
    verdict_t verdict;
    char *token, *principal;
    failure_t why;
    const char *asking;  // the token that is being judged; NULL: our own
    bool is_late;
} fixture_t;

static void
on_question(httpd_request_t *request, void *arg)
{
    fixture_t *self = arg;
    const char *token = httpd_header(request, "Authorization");

    self->asked++;
    snprintf(self->last, sizeof self->last, "%s %s %s", httpd_path(request), token ? token : "",
             httpd_body(request));
    httpd_answer(request, self->code, "application/json", self->answer, strlen(self->answer));
}

static const httpd_ops_t platform_ops = { .on_request = on_question };

static void
on_changed(void *arg)
{
}

static void
open_fixture(fixture_t *self, access_options_t options)
{
    const httpd_options_t httpd = {
        .listen = "127.0.0.1:0", .body_max = KIB, .idle_s = 5, .connections_max = 10
    };
    failure_t why;

    *self = (fixture_t){ .loop = zloop_new(), .code = 200, .answer = "{}" };
    zloop_set_nonstop(self->loop, true);
    assert_int_equal(httpd_new(self->loop, &httpd, &platform_ops, self, &self->httpd, &why), 0);
    snprintf(self->url, sizeof self->url, "http://%s/", httpd_address(self->httpd));
    if (!options.platform)
        options.platform = self->url;
    self->access = access_new(self->loop, &options, on_changed, self);
}

static void
close_fixture(fixture_t *self)
{
    access_destroy(&self->access);
    httpd_destroy(&self->httpd);
    zloop_destroy(&self->loop);
    free(self->token);
    free(self->principal);
}

static int
on_try(zloop_t *loop, int timer, void *arg)
{
    fixture_t *self = arg;
    const char *token = NULL, *principal = NULL;

    self->verdict = self->asking
                        ? access_check(self->access, self->asking, &principal, &self->why)
                        : access_own(self->access, &token, &principal, &self->why);
    if (self->verdict == ACCESS_WAIT)
        return 0;
    free(self->token);
    free(self->principal);
    self->token = token ? strdup(token) : NULL;
    self->principal = principal ? strdup(principal) : NULL;
    return -1;
}

static int
on_late(zloop_t *loop, int timer, void *arg)
{
    fixture_t *self = arg;

    self->is_late = true;
    return -1;
}

// Asks until there is a verdict.
static verdict_t
await(fixture_t *self, const char *token)
{
    self->asking = token;
    int tick = zloop_timer(self->loop, 2, 0, on_try, self);
    int late = zloop_timer(self->loop, BENCH_GUARD_MS, 1, on_late, self);
    zloop_start(self->loop);
    zloop_timer_end(self->loop, tick);
    zloop_timer_end(self->loop, late);
    assert_false(self->is_late);
    return self->verdict;
}

static void
a_foreign_token_is_asked_for_once(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f, (access_options_t){ 0 });
    f.answer = "{\"principal\":\"other|ann|admin\"}";
    assert_int_equal(await(&f, "opaque"), ACCESS_GRANTED);
    assert_string_equal(f.principal, "other|ann|admin");
    assert_string_equal(f.last, "/api/auth/whoami Bearer opaque ");
    assert_int_equal(await(&f, "opaque"), ACCESS_GRANTED);
    assert_int_equal(f.asked, 1);
    access_forget(f.access, "opaque");
    assert_int_equal(await(&f, "opaque"), ACCESS_GRANTED);
    assert_int_equal(f.asked, 2);
}

static void
a_platform_may_say_name_and_role_only(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f, (access_options_t){ 0 });
    f.answer = "{\"username\":\"ann\",\"role\":\"admin\"}";
    assert_int_equal(await(&f, "opaque"), ACCESS_GRANTED);
    assert_non_null(strstr(f.principal, "|ann|admin"));
}

static void
a_refused_token_stays_refused(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f, (access_options_t){ 0 });
    f.code = 401;
    assert_int_equal(await(&f, "bad"), ACCESS_REFUSED);
    assert_int_equal(await(&f, "bad"), ACCESS_REFUSED);
    assert_int_equal(f.asked, 1);
    assert_true(strlen(f.why.text) > 10);
}

static void
a_platform_that_is_ill_refuses_nobody(void **state)
{
    static const struct {
        int code;
        const char *answer;
    } ill[] = {
        { 500, "{}" }, { 503, "{}" }, { 429, "{}" }, { 200, "{}" }, { 200, "[" }, { 200, "" },
    };

    for (size_t i = 0; i < ROWS(ill); i++) {
        AUTO(close_fixture) fixture_t f;
        open_fixture(&f, (access_options_t){ 0 });
        f.code = ill[i].code;
        f.answer = ill[i].answer;
        assert_int_equal(await(&f, "opaque"), ACCESS_DOWN);
        assert_true(strlen(f.why.text) > 10);
    }
}

static void
an_unreachable_platform_is_down(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f, (access_options_t){ .platform = "http://127.0.0.1:1" });
    assert_int_equal(await(&f, "opaque"), ACCESS_DOWN);
}

static void
we_log_in_when_first_needed_and_once(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f, (access_options_t){ .username = "me", .password = "a\"b" });
    f.answer = "{\"token\":\"t1\"}";
    assert_int_equal(await(&f, NULL), ACCESS_GRANTED);
    assert_string_equal(f.token, "t1");
    assert_string_equal(f.last,
                        "/api/auth/login  {\"username\":\"me\",\"password\":\"a\\\"b\"}");
    assert_int_equal(await(&f, NULL), ACCESS_GRANTED);
    assert_int_equal(f.asked, 1);
}

static void
we_log_in_again_when_our_token_is_refused(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f, (access_options_t){ .username = "me", .password = "p" });
    f.answer = "{\"accessToken\":\"t1\"}";
    assert_int_equal(await(&f, NULL), ACCESS_GRANTED);
    f.answer = "{\"token\":\"t2\"}";
    access_forget_own(f.access, "t1");
    assert_int_equal(await(&f, NULL), ACCESS_GRANTED);
    assert_string_equal(f.token, "t2");
    access_forget_own(f.access, "t1");  // said by a call that was sent before
    assert_int_equal(await(&f, NULL), ACCESS_GRANTED);
    assert_int_equal(f.asked, 2);
}

static void
a_wrong_password_is_said(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f, (access_options_t){ .username = "me", .password = "secret-pass" });
    f.code = 401;
    assert_int_equal(await(&f, NULL), ACCESS_REFUSED);
    assert_non_null(strstr(f.why.text, "PROOFARC_PASSWORD"));
    assert_null(strstr(f.why.text, "secret-pass"));
    assert_int_equal(await(&f, NULL), ACCESS_REFUSED);
    assert_int_equal(f.asked, 1);  // not again at once
}

static void
a_log_in_is_tried_until_the_platform_is_there(void **state)
{
    AUTO(close_fixture) fixture_t f;
    const char *token, *principal;

    open_fixture(&f, (access_options_t){
                         .platform = "http://127.0.0.1:1", .username = "me", .password = "p" });
    f.answer = "{\"token\":\"t1\"}";
    assert_int_equal(access_own(f.access, &token, &principal, &f.why), ACCESS_WAIT);
    access_set_platform(f.access, f.url);
    assert_int_equal(await(&f, NULL), ACCESS_GRANTED);
    assert_string_equal(f.token, "t1");
}

static void
the_stored_pair_is_used_when_none_is_given(void **state)
{
    AUTO(close_fixture) fixture_t f;
    char path[96];

    snprintf(path, sizeof path, "/tmp/proofarc-test-%d.credentials", getpid());
    assert_int_equal(
        keyfile_write(path, "{\"username\":\"owner\",\"password\":\"p\"}\n", &f.why), 0);
    open_fixture(&f, (access_options_t){ .credentials = path });
    f.answer = "{\"token\":\"t1\"}";
    assert_int_equal(await(&f, NULL), ACCESS_GRANTED);
    assert_non_null(strstr(f.last, "owner"));
    unlink(path);
}

static void
with_nothing_to_log_in_with_that_is_said(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f, (access_options_t){ .credentials = "/nowhere/credentials" });
    assert_int_equal(await(&f, NULL), ACCESS_REFUSED);
    assert_non_null(strstr(f.why.text, "PROOFARC_USERNAME"));
    assert_int_equal(f.asked, 0);
}

static void
a_given_token_is_used_as_it_is(void **state)
{
    AUTO(close_fixture) fixture_t f;
    unsigned char key[KEY_SIZE] = { 7 };
    char *jwt = site_token(key, JWT_ALG_HS256, "ann", "viewer", 60);

    open_fixture(&f, (access_options_t){ .token = jwt, .username = "me", .password = "p" });
    assert_int_equal(await(&f, NULL), ACCESS_GRANTED);
    assert_string_equal(f.token, jwt);
    assert_string_equal(f.principal, "proofarc|ann|viewer");
    access_forget_own(f.access, jwt);
    assert_int_equal(await(&f, NULL), ACCESS_REFUSED);
    assert_int_equal(f.asked, 0);
    free(jwt);
}

static void
two_opaque_tokens_are_two_principals(void **state)
{
    AUTO(close_fixture) fixture_t a, b;

    open_fixture(&a, (access_options_t){ .token = "one" });
    open_fixture(&b, (access_options_t){ .token = "two" });
    await(&a, NULL);
    await(&b, NULL);
    assert_string_not_equal(a.principal, b.principal);
    assert_null(strstr(a.principal, "one"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_foreign_token_is_asked_for_once),
        cmocka_unit_test(a_platform_may_say_name_and_role_only),
        cmocka_unit_test(a_refused_token_stays_refused),
        cmocka_unit_test(a_platform_that_is_ill_refuses_nobody),
        cmocka_unit_test(an_unreachable_platform_is_down),
        cmocka_unit_test(we_log_in_when_first_needed_and_once),
        cmocka_unit_test(we_log_in_again_when_our_token_is_refused),
        cmocka_unit_test(a_wrong_password_is_said),
        cmocka_unit_test(a_log_in_is_tried_until_the_platform_is_there),
        cmocka_unit_test(the_stored_pair_is_used_when_none_is_given),
        cmocka_unit_test(with_nothing_to_log_in_with_that_is_said),
        cmocka_unit_test(a_given_token_is_used_as_it_is),
        cmocka_unit_test(two_opaque_tokens_are_two_principals),
    };
    site_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
