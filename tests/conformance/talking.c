// SPDX-License-Identifier: Apache-2.0
// Tools that say something while they work.
#include <czmq.h>

#include "fixtures.h"

enum { PAUSE_MS = 50, LONG_MS = 500 };

static tool_fn log_thrice, log_once, progress, reconnect, change_tools, change_prompts,
    change_resources;

// clang-format off
const tool_t talking_tools[] = {
    {
        .name = "test_tool_with_logging", .title = "Logs", .about = "Logs three messages.",
        .effect = READS, .profile = CORE, .plain = true, .run = log_thrice,
    },
    {
        .name = "test_logging_tool", .title = "Log", .about = "Logs a message.",
        .effect = READS, .profile = CORE, .plain = true, .run = log_once,
    },
    {
        .name = "test_tool_with_progress", .title = "Progress", .about = "Tells its progress.",
        .effect = READS, .profile = CORE, .plain = true, .run = progress,
    },
    {
        .name = "test_reconnection", .title = "Patience", .about = "Takes half a second.",
        .effect = READS, .profile = CORE, .plain = true, .run = reconnect,
    },
    {
        .name = "test_trigger_tool_change", .title = "Tools", .about = "Says that the tools have changed.",
        .effect = READS, .profile = CORE, .plain = true, .run = change_tools,
    },
    {
        .name = "test_trigger_prompt_change", .title = "Prompts", .about = "Says that the prompts have changed.",
        .effect = READS, .profile = CORE, .plain = true, .run = change_prompts,
    },
    {
        .name = "test_trigger_resource_change", .title = "Resources", .about = "Says that the resources and the watched one have changed.",
        .effect = READS, .profile = CORE, .plain = true, .run = change_resources,
    },
    { 0 }
};
// clang-format on

static void
log_thrice(call_t *call)
{
    call_log(call, "info", "Tool execution started");
    zclock_sleep(PAUSE_MS);
    call_log(call, "info", "Tool processing data");
    zclock_sleep(PAUSE_MS);
    call_log(call, "info", "Tool execution completed");
    say(call, "Three messages were logged.");
}

static void
log_once(call_t *call)
{
    call_log(call, "info", "The tool was called");
    say(call, "A message was logged for those who want it.");
}

static void
progress(call_t *call)
{
    for (int done = 0; done <= 100; done += 50) {
        call_progress(call, done, 100, "working");
        zclock_sleep(PAUSE_MS);
    }
    say(call, "100 of 100 are done.");
}

static void
reconnect(call_t *call)
{
    call_log(call, "info", "It takes a while");  // which makes a stream of the answer
    zclock_sleep(LONG_MS);
    say(call, "Reconnection test completed successfully.");
}

static void
change_tools(call_t *call)
{
    call_changed(call, "tools", "");
    say(call, "Clients were told to list the tools again.");
}

static void
change_prompts(call_t *call)
{
    call_changed(call, "prompts", "");
    say(call, "Clients were told to list the prompts again.");
}

static void
change_resources(call_t *call)
{
    call_changed(call, "resources", "");
    call_changed(call, "resource", "test://watched-resource");
    say(call, "Clients were told to list the resources again, and to read the watched one.");
}
