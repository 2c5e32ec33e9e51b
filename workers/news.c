// SPDX-License-Identifier: Apache-2.0
#include "news.h"

#include <assert.h>
#include <string.h>

#include "auto.h"
#include "call_state.h"

static void
say(const call_t *call, const wire_table_t *table, const void *message)
{
    const news_t *news = call->desk->news;

    news->say(news->owner, call->broker, table, message);
}

// clang-format off
static const char *const levels[] = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency",
};
// clang-format on

static size_t
level_of(const char *name)
{
    size_t level = 0;

    while (level < ROWS(levels) && strcmp(levels[level], name))
        level++;
    return level;
}

void
call_log(call_t *call, const char *level, const char *text)
{
    const size_t least = level_of(call->message.log_level);
    const log_msg_t log = { .id = call->message.id, .level = level, .text = text };

    assert(call->desk && level_of(level) < ROWS(levels));
    if (level_of(level) >= least)
        say(call, &log_wire, &log);
}

void
call_progress(call_t *call, int64_t done, int64_t total, const char *text)
{
    const progress_msg_t progress = {
        .id = call->message.id, .done = done, .total = total, .text = text
    };

    assert(call->desk);
    if (call->message.progress)
        say(call, &progress_wire, &progress);
}

void
call_changed(call_t *call, const char *kind, const char *uri)
{
    const changed_msg_t changed = { .kind = kind, .uri = uri };

    assert(call->desk);
    say(call, &changed_wire, &changed);
}
