// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "actor.h"
#include "auto.h"
#include "brokers.h"
#include "buffer.h"
#include "offer.h"
#include "refs.h"
#include "worker.h"

enum { CATEGORIES_MAX = 64 };

// clang-format off
static const setting_t rows[] = {
    { .name = "broker", .kind = SETTING_MANY, .argument = "ENDPOINT",
      .about = "Where a broker takes workers, ipc:///PATH or tcp://HOST:PORT; may be repeated. "
               "If none has answered 10 s after the start, the worker ends with code 6." },
    { .name = "resolver", .kind = SETTING_MANY, .argument = "ENDPOINT",
      .about = "Where a resolver listens; may be repeated." },
    { .name = "platform", .kind = SETTING_TEXT, .argument = "URL",
      .about = "Base address of the platform." },
    { .name = "slots", .kind = SETTING_NUMBER, .argument = "N", .fallback = "32",
      .about = "Calls that are worked on at once.", .min = 1, .max = 64 },
    { .name = "name", .kind = SETTING_TEXT, .argument = "NAME", .fallback = "0",
      .about = "Tells workers of equal categories on one host apart; the same after a restart." },
    { .name = "curve-dir", .kind = SETTING_TEXT, .argument = "DIR",
      .about = "Keys for tcp:// endpoints." },
    { .name = "list-tools", .kind = SETTING_SWITCH,
      .about = "Print the tools, of all categories if none is named, and end." },
    { .name = "schemas", .kind = SETTING_SWITCH,
      .about = "Print the list entries as JSON, one a line, and end." },
    { 0 }
};
// clang-format on

static const char *const examples[] = {
    "proofarc-worker explore act --broker ipc:///run/proofarc/workers.sock "
    "--resolver ipc:///run/proofarc/resolver.sock --platform http://127.0.0.1:8080",
    "proofarc-worker --list-tools",
    NULL,
};

static program_t program = {
    .name = "proofarc-worker",
    .about = "Offers the tools of one or more categories and carries their calls out.",
    .operands = "CATEGORY…",
    .rows = rows,
    .examples = examples,
};

// All that the options point to lives here.
typedef struct {
    const category_t *categories[CATEGORIES_MAX + 1];
    const char *brokers[BROKERS_MAX];
    const char *resolvers[RESOLVERS_MAX];
    char platform[2048];
    char name[512];
    worker_options_t options;
} world_t;

typedef struct {
    actor_t *actor;
    worker_t *worker;
} process_t;

static const category_t *const *all_categories;

static const category_t *
find_category(const char *name)
{
    for (size_t i = 0; all_categories[i]; i++)
        if (!strcmp(all_categories[i]->name, name))
            return all_categories[i];
    return NULL;
}

static int
refuse_category(const char *name)
{
    AUTO(buffer_clear) buffer_t known = { 0 };

    for (size_t i = 0; all_categories[i]; i++)
        buffer_printf(&known, "%s%s", i ? ", " : "", all_categories[i]->name);
    return actor_refuse(&program, EXIT_USAGE, "there is no category %s; there are %s", name,
                        known.bytes);
}

static int
choose_categories(const settings_t *settings, world_t *world)
{
    size_t count = 0;

    for (size_t i = 0; i < settings_operands(settings); i++) {
        const category_t *category = find_category(settings_operand(settings, i));
        if (!category)
            return refuse_category(settings_operand(settings, i));
        bool is_new = true;
        for (size_t k = 0; k < count; k++)
            is_new &= world->categories[k] != category;
        if (is_new)
            world->categories[count++] = category;
    }
    if (!count
        && (settings_switch(settings, "list-tools") || settings_switch(settings, "schemas")))
        for (size_t i = 0; all_categories[i]; i++)
            world->categories[i] = all_categories[i];
    return EXIT_DONE;
}

// "explore,act@host:0"
static void
make_name(const settings_t *settings, world_t *world)
{
    AUTO(buffer_clear) buffer_t name = { 0 };
    char host[256] = "localhost";

    gethostname(host, sizeof host - 1);
    for (size_t i = 0; world->categories[i]; i++)
        buffer_printf(&name, "%s%s", i ? "," : "", world->categories[i]->name);
    buffer_printf(&name, "@%s:%s", host, settings_text(settings, "name"));
    snprintf(world->name, sizeof world->name, "%s", name.bytes);
}

static int
make_platform(const settings_t *settings, world_t *world)
{
    const char *url = settings_text(settings, "platform");

    if ((strncmp(url, "http://", 7) && strncmp(url, "https://", 8))
        || strlen(url) >= sizeof world->platform)
        return actor_refuse(&program, EXIT_USAGE,
                            "--platform takes a URL of http or https, not %s", url);
    snprintf(world->platform, sizeof world->platform, "%s", url);
    for (size_t end = strlen(world->platform); end && world->platform[end - 1] == '/'; end--)
        world->platform[end - 1] = 0;
    return EXIT_DONE;
}

static size_t
take_many(const settings_t *settings, const char *name, const char **list, size_t most)
{
    size_t count = settings_count(settings, name);

    for (size_t i = 0; i < count && i < most; i++)
        list[i] = settings_nth(settings, name, i);
    return count;
}

static int
make_options(const settings_t *settings, world_t *world)
{
    worker_options_t *options = &world->options;

    *options = (worker_options_t){
        .categories = world->categories,
        .brokers = world->brokers,
        .broker_count = take_many(settings, "broker", world->brokers, BROKERS_MAX),
        .resolvers = world->resolvers,
        .resolver_count = take_many(settings, "resolver", world->resolvers, RESOLVERS_MAX),
        .platform = world->platform,
        .curve_dir = settings_text(settings, "curve-dir"),
        .name = world->name,
        .slots = (size_t) settings_number(settings, "slots"),
    };
    if (!world->categories[0] || !options->broker_count || !options->resolver_count
        || !settings_text(settings, "platform"))
        return actor_refuse(&program, EXIT_USAGE,
                            "a worker needs a CATEGORY, --broker, --resolver and --platform; "
                            "see proofarc-worker --help");
    if (options->broker_count > BROKERS_MAX || options->resolver_count > RESOLVERS_MAX)
        return actor_refuse(&program, EXIT_USAGE, "at most %d brokers and %d resolvers",
                            BROKERS_MAX, RESOLVERS_MAX);
    make_name(settings, world);
    return make_platform(settings, world);
}

static void
on_ready(void *arg, const char *endpoint)
{
    process_t *self = arg;

    actor_ready(self->actor, endpoint);
}

static void
on_stop(void *arg, int exit_code)
{
    process_t *self = arg;

    actor_stop(self->actor, exit_code);
}

static void
on_drain(void *arg)
{
    process_t *self = arg;

    worker_drain(self->worker);
}

static int
run(const settings_t *settings, const worker_options_t *options)
{
    static const worker_ops_t ops = { on_ready, on_stop };
    process_t process = { .actor = actor_new(settings) };
    failure_t why = { 0 };
    int code =
        worker_new(actor_loop(process.actor), options, &ops, &process, &process.worker, &why);

    if (code) {
        actor_refuse(&program, code, "%s", why.text);
    } else {
        actor_on_drain(process.actor, on_drain, &process);
        code = actor_run(process.actor);
    }
    worker_destroy(&process.worker);
    actor_destroy(&process.actor);
    return code;
}

int
program_run(const char *name, const category_t *const *all, int argc, char **argv)
{
    program.name = name;
    all_categories = all;
    AUTO(settings_destroy) settings_t *settings = settings_parse(&program, argc, argv);
    world_t world = { 0 };
    failure_t why;
    int code = choose_categories(settings, &world);

    if (code)
        return code;
    if (offer_check(world.categories, &why))
        return actor_refuse(&program, EXIT_BROKEN, "%s", why.text);
    if (settings_switch(settings, "list-tools"))
        offer_print_list(world.categories, stdout);
    if (settings_switch(settings, "schemas"))
        offer_print_schemas(world.categories, stdout);
    if (settings_switch(settings, "list-tools") || settings_switch(settings, "schemas"))
        return EXIT_DONE;
    code = make_options(settings, &world);
    return code ? code : run(settings, &world.options);
}
