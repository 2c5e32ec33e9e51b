// SPDX-License-Identifier: Apache-2.0
// proofarc-agent: runs jobs of the platform against systems under test.

#include <curl/curl.h>
#include <sodium.h>

#include "agent.h"
#include "auto.h"
#include "tasks.h"

static const setting_t rows[] = {
    { "platform", SETTING_TEXT, "URL", NULL, "Where jobs come from.", .must = true },
    { "token", SETTING_TEXT, "FILE", NULL, "File with the agent's token, mode 0600.",
      .must = true },
    { "name", SETTING_TEXT, "NAME", "local", "How the platform lists this agent." },
    { "jobs", SETTING_NUMBER, "N", "4", "Jobs that run at once.", .min = 1,
      .max = AGENT_JOBS_MAX },
    { 0 },
};

static const char *const examples[] = {
    "proofarc-agent --platform http://127.0.0.1:8800 --token "
    "~/.local/share/proofarc/agent.token",
    NULL,
};

static const program_t program = {
    .name = "proofarc-agent",
    .about =
        "Asks the platform for jobs and runs them; it dials out and accepts no connection.",
    .rows = rows,
    .examples = examples,
};

int
main(int argc, char **argv)
{
    AUTO(settings_destroy) settings_t *settings = settings_parse(&program, argc, argv);
    const agent_options_t options = {
        .platform = settings_text(settings, "platform"),
        .token_file = settings_text(settings, "token"),
        .name = settings_text(settings, "name"),
        .jobs = (size_t) settings_number(settings, "jobs"),
    };

    if (sodium_init() < 0 || curl_global_init(CURL_GLOBAL_DEFAULT))
        return actor_refuse(&program, EXIT_BROKEN, "the libraries cannot be initialised");
    AUTO(actor_destroy) actor_t *actor = actor_new(settings);
    int code = agent_run(actor, &options);
    curl_global_cleanup();
    return code;
}
