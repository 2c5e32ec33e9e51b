// SPDX-License-Identifier: Apache-2.0
// Recorded calls, played again through transport, broker and worker in one process and one thread:
// what callgrind counts between two marks is what they cost in user space, the same in every run.
//
//   valgrind --tool=callgrind bench-replay COUNT
//
// leaves one profile for each row of the table, named after it (bench/replay/check.mjs reads them).

#include <czmq.h>
#include <jwt.h>
#include <netinet/in.h>
#include <valgrind/callgrind.h>

#include "actor.h"
#include "auto.h"
#include "broker.h"
#include "buffer.h"
#include "category.h"
#include "http/server.h"
#include "log.h"
#include "worker.h"

enum { WARM_UP = 20, GUARD_MS = 120 * 1000, CHUNK = 65536 };

#define JSON_ONLY "Accept: application/json, text/event-stream\r\n"
#define LEGACY    JSON_ONLY "MCP-Protocol-Version: 2025-11-25\r\n"
#define MODERN    JSON_ONLY "MCP-Protocol-Version: 2026-07-28\r\n"
#define META                                                                                   \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"bench\",\"version\":\"1\"},"           \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define TOOL_CALL(params)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":100000000,\"method\":\"tools/call\",\"params\":{" params "}}"

typedef struct {
    const char *name;
    const char *headers;
    const char *body;
} recorded_t;

// clang-format off
static const recorded_t table[] = {
    { "whoami", LEGACY, TOOL_CALL("\"name\":\"whoami\",\"arguments\":{}") },
    { "whoami-events", "Accept: text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n",
      TOOL_CALL("\"name\":\"whoami\",\"arguments\":{}") },
    { "whoami-stateless", MODERN "Mcp-Method: tools/call\r\nMcp-Name: whoami\r\n",
      TOOL_CALL("\"name\":\"whoami\",\"arguments\":{}," META) },
    { "refused-arguments", LEGACY, TOOL_CALL("\"name\":\"list_projects\",\"arguments\":{\"limit\":\"many\"}") },
    { "tools-list", LEGACY, "{\"jsonrpc\":\"2.0\",\"id\":100000000,\"method\":\"tools/list\"}" },
    { "ping", LEGACY, "{\"jsonrpc\":\"2.0\",\"id\":100000000,\"method\":\"ping\"}" },
};
// clang-format on

static const category_t *const categories[] = { &explore_category,
                                                &act_category,
                                                &report_category,
                                                &api_authoring_category,
                                                &setup_category,
                                                &environments_category,
                                                NULL };
static const char *const brokers[] = { "inproc://workers" };
static const char *const resolvers[] = { "inproc://resolver" };

static const broker_options_t broker_options = {
    "inproc://transports", "inproc://workers",
    "explore,act,report,api_authoring,setup,environments", NULL
};
static const worker_options_t worker_options = { .categories = categories,
                                                 .brokers = brokers,
                                                 .broker_count = ROWS(brokers),
                                                 .resolvers = resolvers,
                                                 .resolver_count = ROWS(resolvers),
                                                 .platform = "http://127.0.0.1:1",
                                                 .name = "replay",
                                                 .slots = 8 };

typedef struct {
    actor_t *actor;
    broker_t *broker;
    worker_t *worker;
    service_t *service;
    server_t *server;
    int fd;
    buffer_t request, answer;
    size_t left;  // answers that are still to come
} replay_t;

static void
die(const char *what)
{
    fprintf(stderr, "bench-replay: %s\n", what);
    exit(1);
}

// ---- the client

static void
send_request(replay_t *self)
{
    if (send(self->fd, self->request.bytes, self->request.size, 0)
        != (ssize_t) self->request.size)
        die("the request does not fit into the socket");
}

// Whole by its length, or by the last chunk.
static bool
is_whole(const buffer_t *answer)
{
    static const char last_chunk[] = "\r\n0\r\n\r\n";
    const size_t size = sizeof last_chunk - 1;
    const char *head_end = strstr(answer->bytes, "\r\n\r\n");

    if (!head_end)
        return false;
    const char *length = strcasestr(answer->bytes, "Content-Length: ");
    if (length && length < head_end)
        return answer->bytes + answer->size
               == head_end + 4 + strtoul(length + strlen("Content-Length: "), NULL, 10);
    return answer->size > size && !strcmp(answer->bytes + answer->size - size, last_chunk);
}

static int
on_answer(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    replay_t *self = arg;
    char chunk[CHUNK];
    ssize_t size = recv(self->fd, chunk, sizeof chunk, MSG_DONTWAIT);

    if (size == 0)
        die("the server has closed the connection");
    if (size < 0)
        return 0;
    buffer_add(&self->answer, chunk, (size_t) size);
    if (!is_whole(&self->answer))
        return 0;
    if (strncmp(self->answer.bytes, "HTTP/1.1 200 ", 13) != 0)
        die(self->answer.bytes);
    self->answer.size = 0;
    if (!--self->left)
        return -1;
    send_request(self);
    return 0;
}

static void
play(replay_t *self, size_t count)
{
    self->left = count;
    send_request(self);
    zloop_start(actor_loop(self->actor));
    if (self->left)
        die("the loop has ended before the last answer");
}

static void
play_row(replay_t *self, const recorded_t *row, const char *token, size_t count)
{
    buffer_clear(&self->request);
    buffer_printf(&self->request,
                  "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
                  "Content-Type: application/json\r\nContent-Length: %zu\r\n%s\r\n%s",
                  server_address(self->server), token, strlen(row->body), row->headers,
                  row->body);
    play(self, WARM_UP);
    CALLGRIND_ZERO_STATS;
    play(self, count);
    CALLGRIND_DUMP_STATS_AT(row->name);
}

static void
connect_client(replay_t *self)
{
    const char *port = strrchr(server_address(self->server), ':') + 1;
    const struct sockaddr_in address = { .sin_family = AF_INET,
                                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                         .sin_port =
                                             htons((uint16_t) strtoul(port, NULL, 10)) };
    zmq_pollitem_t item = { .events = ZMQ_POLLIN };

    self->fd = item.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(self->fd, (const struct sockaddr *) &address, sizeof address))
        die("cannot connect to the server");
    zloop_poller(actor_loop(self->actor), &item, on_answer, self);
}

// ---- the programs

static void
on_ready(void *arg, const char *endpoint)
{
}

static void
on_stop(void *arg, int exit_code)
{
    die("the worker has stopped");
}

static void
on_over(void *arg)
{
}

static void
start(replay_t *self, const char *key_file)
{
    static const worker_ops_t ops = { on_ready, on_stop };
    static const server_options_t server = { .listen = "127.0.0.1:0" };
    const service_options_t options = { .profile = "full", .access.token_key = key_file };
    zloop_t *loop = actor_loop(self->actor);
    failure_t why = { 0 };

    if (broker_new(self->actor, &broker_options, &self->broker, &why)
        || worker_new(loop, &worker_options, &ops, self, &self->worker, &why))
        die(why.text);
    self->service = service_new(loop, curve_new(NULL, false, &why), &options);
    if (link_connect(self->service->link, broker_options.transports, &why)
        || server_new(loop, self->service, &server, on_over, NULL, &self->server, &why))
        die(why.text);
}

static int
on_look(zloop_t *loop, int timer, void *arg)
{
    replay_t *self = arg;

    return listing_is_complete(self->service->listing) ? -1 : 0;
}

static int
on_late(zloop_t *loop, int timer, void *arg)
{
    die("it takes too long");
    return -1;
}

static void
await_catalogue(replay_t *self)
{
    zloop_t *loop = actor_loop(self->actor);
    int look = zloop_timer(loop, 10, 0, on_look, self);

    zloop_timer(loop, GUARD_MS, 1, on_late, self);
    zloop_start(loop);
    zloop_timer_end(loop, look);
}

static char *
make_token(const char *key_file)
{
    unsigned char key[KEY_SIZE];
    failure_t why = { 0 };
    jwt_t *jwt;

    if (keyfile_load(key_file, true, key, &why))
        die(why.text);
    jwt_new(&jwt);
    jwt_set_alg(jwt, JWT_ALG_HS256, key, KEY_SIZE);
    jwt_add_grant(jwt, "iss", "proofarc");
    jwt_add_grant(jwt, "sub", "ann");
    jwt_add_grant(jwt, "role", "analyst");
    jwt_add_grant_int(jwt, "exp", (long) time(NULL) + 3600);
    char *text = jwt_encode_str(jwt);
    jwt_free(jwt);
    return text;
}

int
main(int argc, char **argv)
{
    static const program_t program = { .name = "bench-replay", .about = "Plays calls again." };
    char *no_arguments[] = { argv[0], NULL };
    char key_file[] = "/tmp/proofarc-replay-XXXXXX";
    AUTO(settings_destroy) settings_t *settings = settings_parse(&program, 1, no_arguments);
    size_t count = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    replay_t self = { .actor = actor_new(settings) };
    int fd = mkstemp(key_file);

    if (!count || fd < 0)
        die("usage: bench-replay COUNT");
    close(fd);
    unlink(key_file);
    log_setup("bench-replay", LEVEL_ERROR, false);
    char *token = make_token(key_file);
    start(&self, key_file);
    await_catalogue(&self);
    connect_client(&self);
    for (size_t i = 0; i < ROWS(table); i++)
        play_row(&self, &table[i], token, count);
    unlink(key_file);
    _exit(0);  // what it would free is not what is counted
}
