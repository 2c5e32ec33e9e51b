// SPDX-License-Identifier: Apache-2.0
#include <curl/curl.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "http.h"
#include "httpd_play.h"

// A directory with a certificate and its key, made anew, so that no key lies in the repository.
typedef struct {
    char path[64];
    char cert[96];
    char key[96];
} dir_t;

static bool
make_certificate(const dir_t *dir)
{
    char *const argv[] = { "openssl",
                           "req",
                           "-x509",
                           "-newkey",
                           "ec",
                           "-pkeyopt",
                           "ec_paramgen_curve:P-256",
                           "-nodes",
                           "-days",
                           "2",
                           "-subj",
                           "/CN=localhost",
                           "-keyout",
                           (char *) dir->key,
                           "-out",
                           (char *) dir->cert,
                           NULL };
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    bool is_started = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (is_started)
        waitpid(pid, &status, 0);
    return is_started && status == 0;
}

static void
dir_remove(dir_t *self)
{
    unlink(self->cert);
    unlink(self->key);
    rmdir(self->path);
}

static bool
dir_make(dir_t *self)
{
    snprintf(self->path, sizeof self->path, "/tmp/test_httpd_tls.XXXXXX");
    assert_non_null(mkdtemp(self->path));
    snprintf(self->cert, sizeof self->cert, "%s/cert.pem", self->path);
    snprintf(self->key, sizeof self->key, "%s/key.pem", self->path);
    return make_certificate(self);
}

static exit_code_t
start_with(app_t *app, const char *cert, const char *key, failure_t *why)
{
    app->tls_cert = cert;
    app->tls_key = key;
    return app_try_start(app, why);
}

static size_t
on_bytes(char *bytes, size_t one, size_t size, void *arg)
{
    buffer_add(arg, bytes, size);
    return size;
}

static CURLcode
get_tls(script_t *self, long version)
{
    CURL *curl = curl_easy_init();
    char url[64];

    snprintf(url, sizeof url, "https://127.0.0.1:%d/later", self->port);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, version);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 10000L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_bytes);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &self->heard);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_cleanup(curl);
    return code;
}

static void
talk_tls(script_t *self)
{
    if (get_tls(self, CURL_SSLVERSION_TLSv1_2) != CURLE_OK)
        buffer_text(&self->heard, "!");
    if (get_tls(self, CURL_SSLVERSION_TLSv1_0 | CURL_SSLVERSION_MAX_TLSv1_1) == CURLE_OK)
        buffer_text(&self->heard, "?");
}

static void
answers_over_tls(void **state)
{
    AUTO(app_stop) app_t app = { 0 };
    AUTO(dir_remove) dir_t dir;
    script_t script = { .act = talk_tls };
    failure_t why;

    if (!dir_make(&dir))
        skip();  // no openssl to make a certificate with
    assert_int_equal(start_with(&app, dir.cert, dir.key, &why), EXIT_DONE);
    play(&app, &script);
    assert_string_equal(script.heard.bytes, "later");
    buffer_clear(&script.heard);
}

// As our programs ask the platform: who it is has to be vouched for.
static void
ask_as_ours(script_t *self)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(http_destroy) http_t *http = http_new();
    http_response_t response;
    failure_t why;

    for (int i = 0; i < 2; i++) {
        const http_request_t request = {
            .method = i ? "POST" : "GET",
            .url = arena_printf(arena, "https://127.0.0.1:%d/x", self->port),
            .token = "secret",
            .timeout_ms = 5000,
        };
        status_t status = http_send(http, arena, &request, &response, &why);
        buffer_printf(&self->heard, "%s %s;", status_name(status), outcome_name(why.outcome));
    }
}

static void
a_certificate_that_nobody_vouches_for_gets_no_request(void **state)
{
    AUTO(app_stop) app_t app = { 0 };
    AUTO(dir_remove) dir_t dir;
    script_t script = { .act = ask_as_ours };
    failure_t why;

    if (!dir_make(&dir))
        skip();
    assert_int_equal(start_with(&app, dir.cert, dir.key, &why), EXIT_DONE);
    play(&app, &script);
    assert_string_equal(script.heard.bytes, "busy not_sent;busy not_sent;");
    assert_int_equal(app.requests, 0);
    buffer_clear(&script.heard);
}

static void
a_bad_key_is_refused_with_a_reason(void **state)
{
    AUTO(dir_remove) dir_t dir;
    failure_t why;

    if (!dir_make(&dir))
        skip();
    const struct {
        const char *cert, *key;
        exit_code_t code;
        const char *reason;
    } rows[] = {
        { dir.cert, NULL, EXIT_USAGE, "both" },
        { NULL, dir.key, EXIT_USAGE, "both" },
        { "/nowhere/cert.pem", dir.key, EXIT_KEY, "/nowhere/cert.pem" },
        { dir.cert, "/nowhere/key.pem", EXIT_KEY, "/nowhere/key.pem" },
        { dir.path, dir.key, EXIT_KEY, "no file" },
        { dir.key, dir.key, EXIT_KEY, "belong together" },
        { dir.cert, dir.cert, EXIT_KEY, "owner alone" },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(app_stop) app_t app = { 0 };
        print_message("  row %zu\n", i);
        assert_int_equal(start_with(&app, rows[i].cert, rows[i].key, &why), rows[i].code);
        assert_non_null(strstr(why.text, rows[i].reason));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_over_tls),
        cmocka_unit_test(a_certificate_that_nobody_vouches_for_gets_no_request),
        cmocka_unit_test(a_bad_key_is_refused_with_a_reason),
    };
    curl_global_init(CURL_GLOBAL_DEFAULT);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    curl_global_cleanup();
    return failed;
}
