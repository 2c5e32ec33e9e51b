// SPDX-License-Identifier: Apache-2.0
// The real brokers, workers and resolvers, as hosts of the stage; and what they want of actor.h,
// settings.h, log.h and clock.h.

#include "parts.h"

#include <sodium.h>
#include <stdarg.h>

#include "actor.h"
#include "auto.h"
#include "broker.h"
#include "category.h"
#include "clock.h"
#include "limits.h"
#include "log.h"
#include "resolver.h"
#include "worker.h"

struct actor {
    host_t *host;
};

static actor_t actors[HOSTS];

static actor_t *
actor_of(host_t *host)
{
    actor_t *actor = &actors[host - stage.hosts];

    actor->host = host;
    return actor;
}

static void
start_broker(host_t *host)
{
    char transports[16], workers[16];
    const broker_options_t options = { transports, workers, "explore,act", NULL };
    broker_t *broker;
    failure_t why;

    snprintf(transports, sizeof transports, "b%d-transports", host->number);
    snprintf(workers, sizeof workers, "b%d-workers", host->number);
    if (broker_new(actor_of(host), &options, &broker, &why))
        stage_condemn("a broker does not start: %s", why.text);
    host->part = broker;
}

static void
stop_broker(host_t *host)
{
    broker_t *broker = host->part;

    broker_destroy(&broker);
    host->part = NULL;
}

static void
drain_actor(host_t *host)
{
    if (host->on_drain)
        host->on_drain(host->on_drain_arg);
}

const role_t broker_role = { "broker", start_broker, stop_broker, drain_actor };

#define RESULT                                                                                 \
    {                                                                                          \
        { "id", NUMBER, "Its id." }, { "name", TEXT, "Its name." },                            \
        {                                                                                      \
            "n", NUMBER, "Number of the call."                                                 \
        }                                                                                      \
    }
#define N                                                                                      \
    {                                                                                          \
        "n", NUMBER | MUST, "Number of the call."                                              \
    }
#define PROJECT_                                                                               \
    {                                                                                          \
        "project", PROJECT | MUST, "Where."                                                    \
    }

// clang-format off
static const tool_t explore_tools[] = {
    { .name = "look", .about = "Look.", .effect = READS, .profile = CORE, .rest = "GET /api/look",
      .params = { N }, .result = RESULT },
    { .name = "peek", .about = "Look.", .effect = READS, .profile = CORE, .rest = "GET /api/peek",
      .params = { N, PROJECT_ }, .result = RESULT },
    { 0 }
};

static const tool_t act_tools[] = {
    { .name = "make", .about = "Make.", .effect = WRITES, .profile = CORE, .rest = "POST /api/things",
      .params = { N }, .result = RESULT },
    { .name = "run", .about = "Run.", .effect = EXECUTES, .profile = CORE, .rest = "POST /api/runs",
      .params = { N, PROJECT_ }, .result = RESULT },
    { .name = "add_project", .about = "Make.", .effect = WRITES, .profile = CORE, .rest = "POST /api/projects",
      .params = { N }, .result = RESULT, .touches = "project" },
    { 0 }
};
// clang-format on

static const tool_t *const explore_tables[] = { explore_tools, NULL };
static const tool_t *const act_tables[] = { act_tools, NULL };
static const category_t explore = { "explore", explore_tables, NULL };
static const category_t act = { "act", act_tables, NULL };

static void
on_ready(void *arg, const char *endpoint)
{
}

static void
on_stop(void *arg, int exit_code)
{
    stage_leave();
}

static const worker_ops_t worker_ops = { on_ready, on_stop };

static void
start_worker(host_t *host)
{
    static const category_t *const categories[SIM_WORKERS][3] = { { &explore, NULL },
                                                                  { &act, NULL },
                                                                  { &explore, &act, NULL } };
    static const char *const brokers[] = { "b0-workers", "b1-workers" };
    static const char *const resolvers[] = { "r0", "r1" };
    static const char *const names[SIM_WORKERS] = { "w0", "w1", "w2" };
    static worker_options_t options[SIM_WORKERS];
    worker_options_t *mine = &options[host->number];
    worker_t *worker;
    failure_t why;

    *mine = (worker_options_t){ .categories = categories[host->number],
                                .brokers = brokers,
                                .broker_count = ROWS(brokers),
                                .resolvers = resolvers,
                                .resolver_count = ROWS(resolvers),
                                .platform = "",
                                .name = names[host->number],
                                .slots = 1 + stage_random(4) };
    if (worker_new(host->loop, mine, &worker_ops, host, &worker, &why))
        stage_condemn("a worker does not start: %s", why.text);
    host->part = worker;
}

static void
stop_worker(host_t *host)
{
    worker_t *worker = host->part;

    worker_destroy(&worker);
    host->part = NULL;
}

static void
drain_worker(host_t *host)
{
    worker_drain(host->part);
}

const role_t worker_role = { "worker", start_worker, stop_worker, drain_worker };

// The resolver's loop is its own function: it runs in a fiber and sleeps in actor_run().
static void
run_resolver(void *arg)
{
    resolver_run(arg);
}

static void
start_resolver(host_t *host)
{
    host->part = fiber_new(run_resolver, host);
    fiber_resume(host->part);
    if (fiber_has_ended(host->part))
        stage_condemn("a resolver does not start");
}

static void
stop_resolver(host_t *host)
{
    fiber_t *fiber = host->part;

    fiber_resume(fiber);
    assert(fiber_has_ended(fiber));
    fiber_destroy(&fiber);
    host->part = NULL;
}

const role_t resolver_role = { "resolver", start_resolver, stop_resolver, drain_actor };

actor_t *
actor_new(const settings_t *settings)
{
    return actor_of(stage.host);
}

void
actor_destroy(actor_t **self_p)
{
    *self_p = NULL;
}

zloop_t *
actor_loop(actor_t *self)
{
    return self->host->loop;
}

void
actor_on_drain(actor_t *self, void (*drain)(void *arg), void *arg)
{
    self->host->on_drain = drain;
    self->host->on_drain_arg = arg;
}

void
actor_stop(actor_t *self, int exit_code)
{
    stage_leave();
}

void
actor_part(actor_t *self)
{
    stage_leave();
}

void
actor_ready(actor_t *self, const char *endpoint)
{
}

int
actor_run(actor_t *self)
{
    fiber_yield();
    return 0;
}

int
actor_refuse(const program_t *program, exit_code_t code, const char *format, ...)
{
    return code;
}

const char *
settings_text(const settings_t *self, const char *name)
{
    static const char *const endpoints[SIM_RESOLVERS] = { "r0", "r1" };

    if (!strcmp(name, "bind"))
        return endpoints[stage.host->number];
    return strcmp(name, "platform") ? NULL : "http://p";
}

int64_t
settings_number(const settings_t *self, const char *name)
{
    return 2;  // slots
}

const char *
proofarc_version(void)
{
    return "0";
}

// For a process that is dead all time is up: what still waits in it ends.
int64_t
clock_now_ms(void)
{
    return stage.now_ms + (stage.host && stage.host->is_dead ? INT64_MAX / 2 : 0);
}

void
randombytes_buf(void *const bytes, const size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *) bytes)[i] = (unsigned char) stage_random(256);
}

__attribute__((format(printf, 2, 0))) static void
say(const char *event, const char *format, va_list args)
{
    char text[512];

    vsnprintf(text, sizeof text, format, args);
    stage_say("%s: %s", event, text);
}

#define LOG(level)                                                                             \
    void log_##level(const char *event, const char *format, ...)                               \
    {                                                                                          \
        va_list args;                                                                          \
        va_start(args, format);                                                                \
        say(event, format, args);                                                              \
        va_end(args);                                                                          \
    }

LOG(error)
LOG(warning)
LOG(info)
LOG(debug)
