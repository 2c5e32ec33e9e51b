// SPDX-License-Identifier: Apache-2.0
// The real program against a platform that plays answers.

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "clock.h"
#include "exits.h"
#include "scene.h"

#define REGISTER      "POST /api/agent/register"
#define CLAIM         "POST /api/agent/jobs/claim"
#define RESULT(id)    "POST /api/agent/jobs/" id "/result"
#define HEARTBEAT(id) "POST /api/agent/jobs/" id "/heartbeat"
#define NO_JOB        "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
#define REGISTERED                                                                             \
    {                                                                                          \
        REGISTER, STUB_JSON("{\"agentId\":\"agent-7\"}")                                       \
    }
#define ACCEPTED      STUB_JSON("{\"accepted\":true}")
#define REFUSED(code) STUB_ANSWER(code, "", "{\"error\":{}}")

// A job with one step, GET `path` of the stub itself, which may last `timeout` ms.
#define JOB(id, path, timeout)                                                                 \
    STUB_JSON(                                                                                 \
        "{\"jobId\":\"" id "\",\"kind\":\"api_scenario\",\"engine\":\"api\",\"attempt\":2,"    \
        "\"leaseMs\":15000,\"payload\":{\"baseUrl\":\"http://127.0.0.1:{PORT}\","              \
        "\"allowPrivate\":true,\"steps\":[{\"name\":\"s\",\"method\":\"GET\",\"path\":\"" path \
        "\",\"expect\":[200],\"timeoutMs\":" timeout "}]}}")

typedef struct {
    stub_t stub;
    char dir[64];
    char token_file[96];
    pid_t pid;
} trial_t;

static void
write_token(const trial_t *trial, const char *token, mode_t mode)
{
    char fresh[128];

    snprintf(fresh, sizeof fresh, "%s.new", trial->token_file);
    int fd = open(fresh, O_CREAT | O_WRONLY | O_TRUNC, mode);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, token, strlen(token)), strlen(token));
    close(fd);
    assert_int_equal(rename(fresh, trial->token_file), 0);
}

// The program that was built beside this test.
static void
program_path(char path[PATH_MAX])
{
    ssize_t size = readlink("/proc/self/exe", path, PATH_MAX - 64);

    assert_true(size > 0);
    path[size] = '\0';
    snprintf(strrchr(path, '/'), 64, "/../bin/proofarc-agent");
    if (access(path, X_OK))
        print_error("%s is missing: build proofarc-agent\n", path);
    assert_int_equal(access(path, X_OK), 0);
}

static void
start_agent(trial_t *trial)
{
    char path[PATH_MAX];

    program_path(path);
    trial->pid = fork();
    assert_true(trial->pid >= 0);
    if (trial->pid)
        return;
    execl(path, "proofarc-agent", "--platform", trial->stub.url, "--token", trial->token_file,
          "--name", "tester", "--jobs", "4", (char *) NULL);
    _exit(127);
}

static void
begin(trial_t *trial, const stub_row_t *script, const char *token)
{
    *trial = (trial_t){ .dir = "/tmp/proofarc-agent-XXXXXX" };
    assert_non_null(mkdtemp(trial->dir));
    snprintf(trial->token_file, sizeof trial->token_file, "%s/token", trial->dir);
    if (token)
        write_token(trial, token, 0600);
    stub_start(&trial->stub, script);
    start_agent(trial);
}

// How the program ended.
static int
wait_for_end(trial_t *trial)
{
    int status = 0;

    assert_int_equal(waitpid(trial->pid, &status, 0), trial->pid);
    trial->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int
terminate(trial_t *trial)
{
    kill(trial->pid, SIGTERM);
    return wait_for_end(trial);
}

static void
end(trial_t *trial)
{
    stub_stop(&trial->stub);
    unlink(trial->token_file);
    rmdir(trial->dir);
}

static void
it_registers_claims_runs_and_reports(void **state)
{
    static const stub_row_t script[] = { REGISTERED,
                                         { CLAIM, JOB("j-1", "/ok", "5000") },
                                         { CLAIM, NO_JOB },
                                         { "GET /ok", STUB_JSON("{}") },
                                         { RESULT("j-1"), ACCEPTED },
                                         { 0 } };
    trial_t trial;

    begin(&trial, script, "token-1\n");
    assert_true(stub_wait(&trial.stub, RESULT("j-1"), 1));
    assert_true(stub_wait(&trial.stub, CLAIM, 3));  // and goes on asking
    int64_t begun_ms = clock_now_ms();
    assert_int_equal(terminate(&trial), EXIT_DONE);
    assert_true(clock_now_ms() - begun_ms < 3000);
    const char *seen = stub_seen(&trial.stub);
    assert_non_null(strstr(seen, "Authorization: Bearer token-1\r\n"));
    assert_non_null(strstr(seen, "{\"name\":\"tester\",\"version\":\"" PROOFARC_VERSION
                                 "\",\"engines\":[\"api\"],\"unavailable\":[]}"));
    assert_non_null(strstr(seen, "{\"agentId\":\"agent-7\",\"engines\":[\"api\"],\"waitMs\":"));
    assert_non_null(strstr(seen, "{\"agentId\":\"agent-7\",\"attempt\":2,\"result\":{"));
    assert_non_null(strstr(seen, "\"status\":\"COMPLETED\",\"outcome\":\"PASSED\""));
    assert_int_equal(stub_count(&trial.stub, REGISTER), 1);
    end(&trial);
}

static void
heartbeats_bring_cancel_and_lost_leases(void **state)
{
    static const stub_row_t script[] = { REGISTERED,
                                         { CLAIM, JOB("j-a", "/wait", "60000") },
                                         { CLAIM, JOB("j-b", "/wait", "60000") },
                                         { CLAIM, NO_JOB },
                                         { "GET /wait", "", 0, STUB_HANG },
                                         { HEARTBEAT("j-a"),
                                           STUB_JSON("{\"cancelled\":true}") },
                                         { HEARTBEAT("j-b"), REFUSED("409") },
                                         { RESULT("j-a"), REFUSED("409") },
                                         { RESULT("j-b"), REFUSED("409") },
                                         { 0 } };
    trial_t trial;

    begin(&trial, script, "token-1");
    assert_true(stub_wait(&trial.stub, RESULT("j-a"), 1));
    assert_true(stub_wait(&trial.stub, RESULT("j-b"), 1));
    assert_int_equal(terminate(&trial), EXIT_DONE);
    assert_non_null(strstr(stub_seen(&trial.stub),
                           "{\"agentId\":\"agent-7\",\"attempt\":2,\"done\":0,\"total\":1}"));
    assert_int_equal(stub_count(&trial.stub, "\"status\":\"CANCELLED\""), 2);
    assert_int_equal(stub_count(&trial.stub, RESULT("j-a")), 1);  // a refusal is final
    end(&trial);
}

static void
a_result_waits_for_a_platform_that_restarts(void **state)
{
    static const stub_row_t script[] = { REGISTERED,
                                         { CLAIM, JOB("j-1", "/ok", "5000") },
                                         { CLAIM, NO_JOB },
                                         { "GET /ok", STUB_JSON("{}") },
                                         { RESULT("j-1"), "", 0, STUB_CLOSE },
                                         { RESULT("j-1"), REFUSED("503") },
                                         { RESULT("j-1"), ACCEPTED },
                                         { 0 } };
    trial_t trial;

    begin(&trial, script, "token-1");
    assert_true(stub_wait(&trial.stub, RESULT("j-1"), 3));
    assert_int_equal(terminate(&trial), EXIT_DONE);
    assert_int_equal(stub_count(&trial.stub, RESULT("j-1")), 3);
    assert_int_equal(stub_count(&trial.stub, "GET /ok"), 1);  // the job ran once
    end(&trial);
}

static void
a_result_that_is_too_large_becomes_an_error(void **state)
{
    static const stub_row_t script[] = { REGISTERED,
                                         { CLAIM, JOB("j-1", "/ok", "5000") },
                                         { CLAIM, NO_JOB },
                                         { "GET /ok", STUB_JSON("{}") },
                                         { RESULT("j-1"), REFUSED("413") },
                                         { RESULT("j-1"), ACCEPTED },
                                         { 0 } };
    trial_t trial;

    begin(&trial, script, "token-1");
    assert_true(stub_wait(&trial.stub, RESULT("j-1"), 2));
    assert_int_equal(terminate(&trial), EXIT_DONE);
    assert_non_null(strstr(stub_seen(&trial.stub), "larger than the platform takes"));
    end(&trial);
}

static void
a_job_of_another_kind_is_answered_with_an_error(void **state)
{
    static const stub_row_t script[] = {
        REGISTERED,
        { CLAIM,
          STUB_JSON("{\"jobId\":\"j-1\",\"kind\":\"crawl\",\"attempt\":1,\"payload\":{}}") },
        { CLAIM, NO_JOB },
        { RESULT("j-1"), ACCEPTED },
        { 0 }
    };
    trial_t trial;

    begin(&trial, script, "token-1");
    assert_true(stub_wait(&trial.stub, RESULT("j-1"), 1));
    assert_int_equal(terminate(&trial), EXIT_DONE);
    assert_non_null(strstr(stub_seen(&trial.stub), "cannot run jobs of the kind crawl"));
    end(&trial);
}

// clang-format off
static const char *const nonsense[] = {
    STUB_JSON("no JSON"), STUB_JSON("{}"), STUB_JSON("[1,2]"), STUB_JSON("{\"jobId\":true,\"kind\":\"x\"}"),
    STUB_JSON("{\"jobId\":\"0123456789012345678901234567890123456789012345678901234567890123456789\",\"kind\":\"x\"}"),
    "garbage",
};
// clang-format on

static void
nonsense_of_the_platform_is_survived(void **state)
{
    for (size_t i = 0; i < ROWS(nonsense); i++) {
        const stub_row_t script[] = { REGISTERED,
                                      { CLAIM, nonsense[i], 0, STUB_CLOSE },
                                      { CLAIM, JOB("j-1", "/ok", "5000") },
                                      { CLAIM, NO_JOB },
                                      { "GET /ok", STUB_JSON("{}") },
                                      { RESULT("j-1"), ACCEPTED },
                                      { 0 } };
        trial_t trial;
        begin(&trial, script, "token-1");
        assert_true(stub_wait(&trial.stub, RESULT("j-1"), 1));
        assert_int_equal(terminate(&trial), EXIT_DONE);
        end(&trial);
    }
}

static void
it_waits_for_the_token_file(void **state)
{
    static const stub_row_t script[] = { REGISTERED, { CLAIM, NO_JOB }, { 0 } };
    trial_t trial;

    begin(&trial, script, NULL);
    write_token(&trial, "late-token", 0600);
    assert_true(stub_wait(&trial.stub, "Bearer late-token", 2));
    assert_int_equal(terminate(&trial), EXIT_DONE);
    end(&trial);
}

static void
a_token_that_others_can_read_is_refused(void **state)
{
    trial_t trial;

    begin(&trial, (const stub_row_t[]){ { 0 } }, NULL);
    write_token(&trial, "open-token", 0644);
    assert_int_equal(wait_for_end(&trial), EXIT_KEY);
    assert_int_equal(trial.stub.requests, 0);
    end(&trial);
}

static void
a_revoked_token_is_read_again(void **state)
{
    static const stub_row_t script[] = { { REGISTER, REFUSED("401") }, { 0 } };
    trial_t trial;

    begin(&trial, script, "first-token");
    assert_true(stub_wait(&trial.stub, "Bearer first-token", 1));
    write_token(&trial, "second-token", 0600);
    assert_true(stub_wait(&trial.stub, "Bearer second-token", 1));
    assert_int_equal(terminate(&trial), EXIT_DONE);
    end(&trial);
}

static void
a_claim_that_is_refused_registers_again(void **state)
{
    static const stub_row_t script[] = {
        REGISTERED, { CLAIM, REFUSED("404") }, { CLAIM, NO_JOB }, { 0 }
    };
    trial_t trial;

    begin(&trial, script, "token-1");
    assert_true(stub_wait(&trial.stub, REGISTER, 2));
    assert_true(stub_wait(&trial.stub, CLAIM, 2));
    assert_int_equal(terminate(&trial), EXIT_DONE);
    end(&trial);
}

static void
a_result_outlives_the_token_it_was_made_with(void **state)
{
    static const stub_row_t script[] = { REGISTERED,
                                         { CLAIM, JOB("j-1", "/wait", "1500") },
                                         { CLAIM, NO_JOB },
                                         { "GET /wait", "", 0, STUB_HANG },
                                         { RESULT("j-1"), REFUSED("401") },
                                         { RESULT("j-1"), ACCEPTED },
                                         { 0 } };
    trial_t trial;

    begin(&trial, script, "first-token");
    assert_true(stub_wait(&trial.stub, "GET /wait", 1));
    write_token(&trial, "second-token", 0600);
    assert_true(stub_wait(&trial.stub, RESULT("j-1"), 2));
    assert_int_equal(terminate(&trial), EXIT_DONE);
    const char *second = strstr(stub_seen(&trial.stub), RESULT("j-1"));
    second = strstr(second + 1, RESULT("j-1"));
    assert_non_null(strstr(second, "Bearer second-token"));
    assert_int_equal(stub_count(&trial.stub, "GET /wait"), 1);
    end(&trial);
}

static void
what_is_under_way_is_finished_before_it_leaves(void **state)
{
    static const stub_row_t script[] = { REGISTERED,
                                         { CLAIM, JOB("j-1", "/wait", "1000") },
                                         { CLAIM, NO_JOB },
                                         { "GET /wait", "", 0, STUB_HANG },
                                         { RESULT("j-1"), ACCEPTED },
                                         { 0 } };
    trial_t trial;

    begin(&trial, script, "token-1");
    assert_true(stub_wait(&trial.stub, "GET /wait", 1));
    assert_int_equal(terminate(&trial), EXIT_DONE);
    assert_int_equal(stub_count(&trial.stub, RESULT("j-1")), 1);
    end(&trial);
}

static void
what_takes_too_long_is_left_to_another_agent(void **state)
{
    static const stub_row_t script[] = { REGISTERED,
                                         { CLAIM, JOB("j-1", "/wait", "60000") },
                                         { CLAIM, NO_JOB },
                                         { "GET /wait", "", 0, STUB_HANG },
                                         { HEARTBEAT("j-1"),
                                           STUB_JSON("{\"cancelled\":false}") },
                                         { RESULT("j-1"), ACCEPTED },
                                         { 0 } };
    trial_t trial;

    begin(&trial, script, "token-1");
    assert_true(stub_wait(&trial.stub, "GET /wait", 1));
    int64_t begun_ms = clock_now_ms();
    assert_int_equal(terminate(&trial), EXIT_DONE);
    assert_true(clock_now_ms() - begun_ms < DRAIN_MS + 5000);
    assert_int_equal(stub_count(&trial.stub, RESULT("j-1")), 0);
    end(&trial);
}

static void
without_a_platform_it_waits_and_leaves_when_told(void **state)
{
    trial_t trial;

    begin(&trial, (const stub_row_t[]){ { 0 } }, "token-1");
    assert_true(stub_wait(&trial.stub, REGISTER, 2));  // 404 each time
    assert_int_equal(terminate(&trial), EXIT_DONE);
    end(&trial);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_registers_claims_runs_and_reports),
        cmocka_unit_test(heartbeats_bring_cancel_and_lost_leases),
        cmocka_unit_test(a_result_waits_for_a_platform_that_restarts),
        cmocka_unit_test(a_result_that_is_too_large_becomes_an_error),
        cmocka_unit_test(a_job_of_another_kind_is_answered_with_an_error),
        cmocka_unit_test(nonsense_of_the_platform_is_survived),
        cmocka_unit_test(it_waits_for_the_token_file),
        cmocka_unit_test(a_token_that_others_can_read_is_refused),
        cmocka_unit_test(a_revoked_token_is_read_again),
        cmocka_unit_test(a_claim_that_is_refused_registers_again),
        cmocka_unit_test(a_result_outlives_the_token_it_was_made_with),
        cmocka_unit_test(what_is_under_way_is_finished_before_it_leaves),
        cmocka_unit_test(what_takes_too_long_is_left_to_another_agent),
        cmocka_unit_test(without_a_platform_it_waits_and_leaves_when_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
