// SPDX-License-Identifier: Apache-2.0
#include "auto.h"
#include "broker.h"

// clang-format off
static const setting_t rows[] = {
    { .name = "transports", .argument = "ENDPOINT", .must = true,
      .about = "Where proofarc-mcp connects: ipc:///PATH, or tcp://HOST:PORT with --curve-dir." },
    { .name = "workers",    .argument = "ENDPOINT", .must = true,
      .about = "Where proofarc-worker connects." },
    { .name = "categories", .argument = "LIST",     .must = true,
      .about = "Categories to expect, in the order in which tools are listed: explore,act,…." },
    { .name = "curve-dir",  .argument = "DIR",
      .about = "Keys for tcp://: server.key, server.key_secret, clients/." },
    { 0 }
};

static const char *const examples[] = {
    "proofarc-broker --transports ipc:///run/proofarc/transports.sock \\\n"
    "                  --workers ipc:///run/proofarc/workers.sock --categories explore,act",
    NULL
};

static const program_t program = {
    .name = "proofarc-broker",
    .about = "Hands the calls of MCP clients to the workers that serve them.",
    .rows = rows,
    .examples = examples,
};
// clang-format on

int
main(int argc, char **argv)
{
    AUTO(settings_destroy) settings_t *settings = settings_parse(&program, argc, argv);
    AUTO(actor_destroy) actor_t *actor = actor_new(settings);
    AUTO(broker_destroy) broker_t *broker = NULL;
    failure_t why;
    broker_options_t options = {
        .transports = settings_text(settings, "transports"),
        .workers = settings_text(settings, "workers"),
        .categories = settings_text(settings, "categories"),
        .curve_dir = settings_text(settings, "curve-dir"),
    };

    exit_code_t code = broker_new(actor, &options, &broker, &why);
    if (code != EXIT_DONE)
        return actor_refuse(&program, code, "%s", why.text);
    actor_ready(actor, broker_endpoint(broker));
    return actor_run(actor);
}
