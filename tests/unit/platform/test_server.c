// SPDX-License-Identifier: Apache-2.0
// The platform over real HTTP: the loop runs here, clients in actors of their own.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "actor.h"
#include "http.h"
#include "limits.h"
#include "queue.h"
#include "rest.h"
#include "server.h"

#include <cmocka.h>  // last: it defines fail()

static rest_t rest;
static settings_t *settings;
static actor_t *actor;
static server_t *server;
static const char *admin, *agent_token, *agent;

static int
start(void **state)
{
    static const setting_t rows[] = { { 0 } };
    static const program_t program = { .name = "test", .about = "A test.", .rows = rows };
    static char *argv[] = { "test", "--log-level", "error", NULL };
    const server_options_t options = { .listen = "127.0.0.1:0", .slots = 4 };
    failure_t why;

    settings = settings_parse(&program, 3, argv);
    actor = actor_new(settings);
    rest_open(&rest);
    rest.wall_ms = clock_wall_ms();
    rest.token = admin = rest_token(&rest, "admin");
    agent_token = rest_token(&rest, "agent");
    POST(&rest, "/api/projects/onboard",
         "{\"projectName\": \"p\", \"applications\": [], \"environments\": [{\"name\": \"dev\","
         " \"authRequirement\": \"PUBLIC\", \"targets\": [{\"name\": \"t\", \"targetType\":"
         " \"REST_SERVICE\", \"baseUrl\": \"http://t.test\"}]}]}");
    POST(&rest, "/api/scenarios/yaml",
         "{\"projectId\": 1, \"yamlText\": \"name: s\\nsteps:\\n"
         "- {name: a, method: GET, path: /a}\\n\"}");
    assert_int_equal(rest.last->code, 201);
    POST(&rest, "/api/agent/register",
         "{\"name\": \"one\", \"version\": \"1.0.0\", \"engines\": [\"api\"]}");
    agent = rest_member(&rest, "agentId");
    assert_int_equal(server_new(actor, &rest.platform, &options, &server, &why), EXIT_DONE);
    actor_on_drain(actor, server_drain, server);
    return 0;
}

// While the slots open it, the database is no file.
static int
start_without_database(void **state)
{
    const server_options_t options = { .listen = "127.0.0.1:0", .slots = 4 };
    char file[512], away[520];
    failure_t why;

    start(state);
    server_destroy(&server);
    snprintf(file, sizeof file, "%s", rest.platform.database + strlen("sqlite:"));
    snprintf(away, sizeof away, "%s.away", file);
    assert_int_equal(rename(file, away), 0);
    assert_int_equal(mkdir(file, 0700), 0);
    assert_int_equal(server_new(actor, &rest.platform, &options, &server, &why), EXIT_DONE);
    assert_int_equal(rmdir(file), 0);
    assert_int_equal(rename(away, file), 0);
    return 0;
}

static int
stop(void **state)
{
    server_destroy(&server);
    actor_destroy(&actor);
    settings_destroy(&settings);
    rest_close(&rest);
    return 0;
}

// ---- a client in an actor

typedef struct {
    arena_t *arena;
    http_t *http;
    long code;
    const char *body;
} client_t;

static void
send_request(client_t *self, const char *method, const char *path, const char *token,
             const void *body, size_t size)
{
    http_request_t request = {
        .method = method,
        .url = arena_printf(self->arena, "http://%s%s", server_address(server), path),
        .token = token ? token + strlen("Bearer ") : NULL,
        .body = body,
        .body_size = size,
        .timeout_ms = 20000,
    };
    http_response_t response = { 0 };
    failure_t why;

    self->code = 0;
    self->body = "";
    if (http_send(self->http, self->arena, &request, &response, &why))
        return;
    self->code = response.code;
    self->body = response.body;
}

static void
send_text(client_t *self, const char *method, const char *path, const char *token,
          const char *body)
{
    send_request(self, method, path, token, body, body ? strlen(body) : 0);
}

typedef void script_fn(client_t *client);

static void
play(zsock_t *pipe, void *args)
{
    script_fn *script = *(script_fn **) args;
    client_t client = { .arena = arena_new(), .http = http_new() };

    zsock_signal(pipe, 0);
    script(&client);
    zsock_signal(pipe, 0);  // done
    char *term = zstr_recv(pipe);
    freen(term);
    http_destroy(&client.http);
    arena_destroy(&client.arena);
}

static int
on_done(zloop_t *loop, zsock_t *pipe, void *arg)
{
    int *left = arg;

    zsock_wait(pipe);
    zloop_reader_end(loop, pipe);
    if (--*left == 0)
        actor_stop(actor, EXIT_DONE);
    return 0;
}

// Plays the scripts side by side while the loop serves.
static void
serve(script_fn *const *scripts, size_t count)
{
    zactor_t *clients[4];
    int left = (int) count;

    for (size_t i = 0; i < count; i++) {
        clients[i] = zactor_new(play, (void *) &scripts[i]);
        zloop_reader(actor_loop(actor), zactor_sock(clients[i]), on_done, &left);
    }
    assert_int_equal(actor_run(actor), EXIT_DONE);
    for (size_t i = 0; i < count; i++)
        zactor_destroy(&clients[i]);
}

// ---- one after the other

static long codes[16];
static char error_of_large[64];

static void
ask_around(client_t *self)
{
    size_t n = 0, large = REST_BODY_MAX + 1;
    char *bytes = arena_alloc(self->arena, large);

    memset(bytes, ' ', large);
    send_text(self, "GET", "/api/health", NULL, NULL);
    codes[n++] = self->code;
    send_text(self, "GET", "/api/projects", NULL, NULL);
    codes[n++] = self->code;
    send_text(self, "GET", "/api/projects?limit=1", admin, NULL);
    codes[n++] = self->code;
    send_text(self, "POST", "/api/projects", admin, "{\"name\": \"over http\"}");
    codes[n++] = self->code;
    send_text(self, "GET", "/api/projects/2", admin, NULL);
    codes[n++] = self->code;
    send_request(self, "POST", "/api/projects", admin, bytes, large);
    codes[n++] = self->code;
    snprintf(error_of_large, sizeof error_of_large, "%.60s", self->body);
    send_request(self, "POST", "/api/agent/jobs/1/result", NULL, bytes, large);
    codes[n++] = self->code;
    send_request(self, "POST", "/api/agent/jobs/1/result", agent_token, bytes, large);
    codes[n++] = self->code;
    send_request(self, "POST", "/api/projects", admin, bytes, large - 1);
    codes[n++] = self->code;
}

static void
requests_are_answered_and_large_ones_refused(void **state)
{
    static const long expected[] = { 200, 401, 200, 201, 200, 413, 401, 400, 400 };
    script_fn *const scripts[] = { ask_around };

    serve(scripts, 1);
    for (size_t i = 0; i < ROWS(expected); i++)
        assert_int_equal(codes[i], expected[i]);
    assert_non_null(strstr(error_of_large, "TOO_LARGE"));
}

// ---- waiting

// What came before these requests has been read when they are answered.
static void
let_others_be_read(client_t *self)
{
    for (int i = 0; i < 20; i++)
        send_text(self, "GET", "/api/health", NULL, NULL);
}

static int64_t waited_ms;
static long claim_code, run_code;
static char claimed[200];

static void
wait_for_a_job(client_t *self)
{
    int64_t from = clock_now_ms();

    send_text(self, "POST", "/api/agent/jobs/claim", agent_token,
              arena_printf(self->arena,
                           "{\"agentId\": \"%s\", \"engines\": [\"api\"], \"waitMs\": 15000}",
                           agent));
    waited_ms = clock_now_ms() - from;
    claim_code = self->code;
    snprintf(claimed, sizeof claimed, "%.190s", self->body);
}

static void
run_when_somebody_waits(client_t *self)
{
    let_others_be_read(self);
    send_text(self, "POST", "/api/scenarios/1/execute", admin, "{\"environmentId\": 1}");
    run_code = self->code;
}

static void
a_waiting_agent_is_woken_by_a_new_job(void **state)
{
    script_fn *const scripts[] = { wait_for_a_job, run_when_somebody_waits };

    serve(scripts, 2);
    assert_int_equal(run_code, 202);
    assert_int_equal(claim_code, 200);
    assert_non_null(strstr(claimed, "\"kind\":\"api_scenario\""));
    assert_true(waited_ms < 10000);
}

static void
wait_briefly(client_t *self)
{
    int64_t from = clock_now_ms();

    send_text(self, "POST", "/api/agent/jobs/claim", agent_token,
              arena_printf(self->arena,
                           "{\"agentId\": \"%s\", \"engines\": [\"api\"], \"waitMs\": 300}",
                           agent));
    waited_ms = clock_now_ms() - from;
    claim_code = self->code;
}

static void
a_wait_without_a_job_ends_in_time(void **state)
{
    script_fn *const scripts[] = { wait_briefly };

    serve(scripts, 1);
    assert_int_equal(claim_code, 204);
    assert_true(waited_ms >= 300 && waited_ms < 5000);
}

static char seen_status[64];

static void
wait_for_the_run(client_t *self)
{
    int64_t from = clock_now_ms();

    send_text(self, "POST", "/api/scenarios/1/execute", admin, "{\"environmentId\": 1}");
    const json_t *head = json_parse_text(self->arena, self->body);
    const char *path = arena_printf(self->arena, "/api/scenarios/executions/%d?waitMs=15000",
                                    (int) json_get_int(head, "id", 0));
    do {
        send_text(self, "GET", path, admin, NULL);
        const json_t *run = json_parse_text(self->arena, self->body);
        snprintf(seen_status, sizeof seen_status, "%s", json_get_text(run, "status"));
    } while (strcmp(seen_status, "PENDING") == 0 || strcmp(seen_status, "RUNNING") == 0);
    waited_ms = clock_now_ms() - from;
}

static void
carry_out(client_t *self)
{
    send_text(self, "POST", "/api/agent/jobs/claim", agent_token,
              arena_printf(self->arena,
                           "{\"agentId\": \"%s\", \"engines\": [\"api\"], \"waitMs\": 15000}",
                           agent));
    const json_t *job = json_parse_text(self->arena, self->body);
    let_others_be_read(self);
    send_text(
        self, "POST",
        arena_printf(self->arena, "/api/agent/jobs/%s/result", json_get_text(job, "jobId")),
        agent_token,
        arena_printf(self->arena,
                     "{\"agentId\": \"%s\", \"attempt\": 1, \"result\": {\"status\":"
                     " \"COMPLETED\", \"steps\": []}}",
                     agent));
}

static void
who_waits_for_a_run_is_told_when_it_ends(void **state)
{
    script_fn *const scripts[] = { wait_for_the_run, carry_out };

    serve(scripts, 2);
    assert_string_equal(seen_status, "COMPLETED");
    assert_true(waited_ms < 10000);
}

// ---- leaving

// Asks for a job that there is not; the connection that waits for it.
static int
wait_for_nothing(client_t *self, int wait_ms)
{
    const char *address = server_address(server), *port = strrchr(address, ':') + 1;
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t) strtol(port, NULL, 10)) };
    const char *body = arena_printf(
        self->arena, "{\"agentId\": \"%s\", \"engines\": [\"api\"], \"waitMs\": %d}", agent,
        wait_ms);
    const char *request =
        arena_printf(self->arena,
                     "POST /api/agent/jobs/claim HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\n"
                     "Content-Length: %zu\r\n\r\n%s",
                     agent_token, strlen(body), body);

    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *) &to, sizeof to) == 0)
        (void) !write(fd, request, strlen(request));
    let_others_be_read(self);
    return fd;
}

static void
leave_then_run_then_claim(client_t *self)
{
    close(wait_for_nothing(self, 20000));
    send_text(self, "POST", "/api/scenarios/1/execute", admin, "{\"environmentId\": 1}");
    run_code = self->code;
    wait_for_a_job(self);
}

static void
a_job_is_not_lost_on_an_agent_that_hung_up(void **state)
{
    script_fn *const scripts[] = { leave_then_run_then_claim };

    serve(scripts, 1);
    assert_int_equal(run_code, 202);
    assert_int_equal(claim_code, 200);
    assert_non_null(strstr(claimed, "\"attempt\":1"));
    assert_true(waited_ms < 10000);
}

static int leaving = -1, frozen = -1;

static int
leave(zloop_t *loop, int timer, void *arg)
{
    const uint64_t one = 1;

    close(leaving);
    return write(frozen, &one, sizeof one) == sizeof one ? 0 : -1;
}

static int
freeze(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    zloop_poller_end(loop, item);
    zclock_sleep(400);
    return 0;
}

static void
wait_a_little_too_long(client_t *self)
{
    leaving = wait_for_nothing(self, 500);
    zclock_sleep(300);
    send_text(self, "GET", "/api/health", NULL, NULL);
    codes[0] = self->code;
}

// Both are due when the loop is late: the end of the request that was left, and of its wait.
static void
a_client_that_leaves_as_its_time_ends_harms_nobody(void **state)
{
    script_fn *const scripts[] = { wait_a_little_too_long };

    frozen = eventfd(0, EFD_CLOEXEC);
    zmq_pollitem_t item = { .fd = frozen, .events = ZMQ_POLLIN };
    zloop_poller(actor_loop(actor), &item, freeze, NULL);
    zloop_timer(actor_loop(actor), 300, 1, leave, NULL);
    serve(scripts, 1);
    close(frozen);
    assert_int_equal(codes[0], 200);
}

// ---- ending

static void
wait_until_the_end(client_t *self)
{
    wait_for_a_job(self);
}

static void
send_a_signal(client_t *self)
{
    let_others_be_read(self);
    kill(getpid(), SIGTERM);
}

static void
a_signal_ends_waiting_requests_with_an_answer(void **state)
{
    script_fn *const scripts[] = { wait_until_the_end, send_a_signal };

    serve(scripts, 2);
    assert_int_equal(claim_code, 204);
    assert_true(waited_ms < 10000);
}

static void
ask_for_projects(client_t *self)
{
    for (size_t i = 0; i < 6; i++) {
        send_text(self, "GET", "/api/projects?limit=1", admin, NULL);
        codes[i] = self->code;
    }
}

static void
a_database_that_could_not_be_opened_is_opened_when_it_can(void **state)
{
    script_fn *const scripts[] = { ask_for_projects };

    serve(scripts, 1);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(codes[i], 200);
}

// ---- reads in the loop

enum { MANY_PROJECTS = 20 * 1000 };

static const json_t *items;

static void
ask_for_all_names(client_t *self)
{
    send_text(self, "GET", "/api/projects?view=names", admin, NULL);
    codes[0] = self->code;
    items = json_get(json_parse_text(rest.arena, self->body), "items");
    send_text(self, "GET", "/api/projects?limit=2", admin, NULL);
    codes[1] = self->code;
}

// It has more rows than the loop reads.
static void
a_read_too_long_for_the_loop_is_answered_whole(void **state)
{
    script_fn *const scripts[] = { ask_for_all_names };

    store_run(rest.store,
              "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)"
              " INSERT INTO projects (name, created_at) SELECT 'project ' || i, 0 FROM n",
              BIND(value_int(MANY_PROJECTS)));
    serve(scripts, 1);
    assert_int_equal(codes[0], 200);
    assert_int_equal(items->count, MANY_PROJECTS);
    assert_int_equal(codes[1], 200);
}

static void
use_a_token_that_ends(client_t *self)
{
    const char *path = "/api/projects?limit=1";

    send_text(self, "POST", "/api/tokens", admin, "{\"name\": \"ci\", \"role\": \"viewer\"}");
    const json_t *made = json_parse_text(self->arena, self->body);
    const char *token = arena_printf(self->arena, "Bearer %s", json_get_text(made, "token"));
    for (size_t i = 0; i < 2; i++) {
        send_text(self, "GET", path, token, NULL);
        codes[i] = self->code;
    }
    send_text(self, "DELETE",
              arena_printf(self->arena, "/api/tokens/%d", (int) json_get_int(made, "id", 0)),
              admin, NULL);
    codes[2] = self->code;
    send_text(self, "GET", path, token, NULL);
    codes[3] = self->code;
    send_text(self, "GET", path, arena_printf(self->arena, "%sx", admin), NULL);
    codes[4] = self->code;
}

static void
a_token_that_was_good_is_refused_once_it_is_deleted(void **state)
{
    static const long expected[] = { 200, 200, 200, 401, 401 };
    script_fn *const scripts[] = { use_a_token_that_ends };

    serve(scripts, 1);
    for (size_t i = 0; i < ROWS(expected); i++)
        assert_int_equal(codes[i], expected[i]);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(requests_are_answered_and_large_ones_refused),
        TEST(a_waiting_agent_is_woken_by_a_new_job),
        TEST(a_wait_without_a_job_ends_in_time),
        TEST(who_waits_for_a_run_is_told_when_it_ends),
        TEST(a_job_is_not_lost_on_an_agent_that_hung_up),
        TEST(a_client_that_leaves_as_its_time_ends_harms_nobody),
        TEST(a_signal_ends_waiting_requests_with_an_answer),
        TEST(a_read_too_long_for_the_loop_is_answered_whole),
        TEST(a_token_that_was_good_is_refused_once_it_is_deleted),
        cmocka_unit_test_setup_teardown(
            a_database_that_could_not_be_opened_is_opened_when_it_can, start_without_database,
            stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
