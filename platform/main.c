// SPDX-License-Identifier: Apache-2.0
// The platform: projects, tests, credentials, queue and results behind REST.

#include <sodium.h>

#include "actor.h"
#include "auth.h"
#include "auto.h"
#include "clock.h"
#include "limits.h"
#include "log.h"
#include "queue.h"
#include "secrets.h"
#include "server.h"

static const setting_t rows[] = {
    { "listen", SETTING_TEXT, "HOST:PORT", "127.0.0.1:0",
      "Where to serve; port 0 takes a free one." },
    { "database", SETTING_TEXT, "sqlite:FILE", NULL, "Where everything is kept.",
      .must = true },
    { "vault-key", SETTING_TEXT, "FILE", NULL, "Key of stored secrets; made when missing.",
      .must = true },
    { "token-key", SETTING_TEXT, "FILE", NULL, "Key of tokens; made when missing.",
      .must = true },
    { "credentials", SETTING_TEXT, "FILE", NULL,
      "The owner's name and password as JSON; made when missing." },
    { "agent-token", SETTING_TEXT, "FILE", NULL, "Token for agents; made when missing." },
    { "lease", SETTING_TEXT, "SOCKET", NULL,
      "Launcher whose stack stays while jobs are open." },
    { "allow-private", SETTING_SWITCH, NULL, NULL,
      "Tests of environments made from now on may reach private and loopback addresses." },
    { "reports", SETTING_TEXT, "DIR", NULL,
      "Where the reports of runs that were asked for are files; the last 200 are kept." },
    { "slots", SETTING_NUMBER, "N", "8", "Requests that are worked on at once.", .min = 1,
      .max = 64 },
    { 0 }
};

static const char *const examples[] = {
    "proofarc-platform --database sqlite:/var/lib/proofarc/platform.db "
    "--vault-key /etc/proofarc/vault.key --token-key /etc/proofarc/token.key "
    "--credentials /etc/proofarc/credentials --listen 127.0.0.1:8800",
    NULL,
};

static const program_t program = {
    .name = "proofarc-platform",
    .about = "Keeps projects, tests, credentials, jobs and results, and serves them over REST.",
    .rows = rows,
    .examples = examples,
};

// Everything that must be in place before the first request.
static exit_code_t
prepare(const settings_t *settings, platform_t *platform, int64_t *open_jobs_p, failure_t *why)
{
    AUTO(store_close) store_t *store = NULL;

    platform->database = settings_text(settings, "database");
    platform->allow_private = settings_switch(settings, "allow-private");
    platform->reports = settings_text(settings, "reports");
    exit_code_t code = vault_open(settings_text(settings, "vault-key"), &platform->vault, why);
    if (!code)
        code =
            keyfile_load(settings_text(settings, "token-key"), true, platform->token_key, why);
    if (!code)
        code = store_open(platform->database, &store, why);
    if (!code)
        code = store_migrate(store, why);
    if (!code)
        code = auth_first_start(platform, store, settings_text(settings, "credentials"),
                                settings_text(settings, "agent-token"), why);
    if (code)
        return code;
    if (!secrets_are_readable(platform, store))
        log_warning("vault", "the stored log-ins were sealed with another vault key; bring it "
                             "back or store them again");
    queue_restart(store, clock_now_ms());
    *open_jobs_p = queue_open(store);
    return EXIT_DONE;
}

static int
serve(actor_t *actor, const settings_t *settings, const platform_t *platform, int64_t open_jobs)
{
    AUTO(server_destroy) server_t *server = NULL;
    server_options_t options = {
        .listen = settings_text(settings, "listen"),
        .slots = (size_t) settings_number(settings, "slots"),
        .lease = settings_text(settings, "lease"),
        .open_jobs = open_jobs,
    };
    failure_t why;
    char url[300];

    exit_code_t code = server_new(actor, platform, &options, &server, &why);
    if (code)
        return actor_refuse(&program, code, "%s", why.text);
    snprintf(url, sizeof url, "http://%s", server_address(server));
    actor_on_drain(actor, server_drain, server);
    actor_ready(actor, url);
    return actor_run(actor);
}

int
main(int argc, char **argv)
{
    AUTO(settings_destroy) settings_t *settings = settings_parse(&program, argc, argv);
    AUTO(actor_destroy) actor_t *actor = actor_new(settings);
    platform_t platform = { 0 };
    int64_t open_jobs = 0;
    failure_t why;

    exit_code_t code = prepare(settings, &platform, &open_jobs, &why);
    if (code)
        return actor_refuse(&program, code, "%s", why.text);
    int result = serve(actor, settings, &platform, open_jobs);
    sodium_memzero(&platform, sizeof platform);
    return result;
}
