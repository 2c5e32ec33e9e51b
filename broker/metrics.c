// SPDX-License-Identifier: Apache-2.0
#include "metrics.h"

#include "auto.h"
#include "json.h"

// Different names that workers may count under, and their length: all fits 4 KiB, which is what
// transports take.
enum { NAMES_MAX = 32, NAME_MAX_BYTES = 48 };

#define COUNTER(name)                                                                          \
    {                                                                                          \
        "broker_" #name, offsetof(counters_t, name)                                            \
    }

// clang-format off
static const struct {
    const char *name;
    size_t offset;
} rows[] = {
    COUNTER(calls),     COUNTER(answers),   COUNTER(dispatched), COUNTER(repeated),
    COUNTER(cancelled), COUNTER(dropped),   COUNTER(busy),       COUNTER(no_tool),
    COUNTER(timeouts),  COUNTER(unknown),   COUNTER(failed),     COUNTER(unwanted),
    COUNTER(abandoned), COUNTER(strays),    COUNTER(duplicates), COUNTER(strangers),
    COUNTER(refused),   COUNTER(malformed), COUNTER(unsent),     COUNTER(workers_lost),
    COUNTER(transports_lost), COUNTER(waiting), COUNTER(under_way), COUNTER(open),
    COUNTER(bytes),     COUNTER(workers),   COUNTER(transports), COUNTER(turned_away),
};
// clang-format on

static bool
is_name(const json_t *member)
{
    size_t size = strspn(member->key, "abcdefghijklmnopqrstuvwxyz0123456789_");

    return size == member->key_length && size > 0 && size <= NAME_MAX_BYTES;
}

static void
add_member(arena_t *arena, json_t *sums, const json_t *member)
{
    int64_t value, sum;

    if (!is_name(member) || !json_int(member, &value))
        return;
    const char *name = arena_printf(arena, "worker_%s", member->key);
    if (sums->count >= NAMES_MAX && !json_get(sums, name))
        return;
    if (!__builtin_add_overflow(json_get_int(sums, name, 0), value, &sum))
        json_set_int(arena, sums, name, sum);
}

void
metrics_write(buffer_t *out, core_t *core)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *sums = json_object(arena);
    const char *counters = (const char *) core_counters(core);
    const char *text;

    for (size_t i = 0; (text = core_worker_counters(core, i)); i++) {
        json_t *given = json_parse_text(arena, text);
        if (!given || given->kind != JSON_OBJECT)
            continue;
        for (const json_t *member = given->first; member; member = member->next)
            add_member(arena, sums, member);
    }
    for (size_t i = 0; i < ROWS(rows); i++)
        json_set_int(arena, sums, rows[i].name,
                     *(const int64_t *) (const void *) (counters + rows[i].offset));
    json_write(out, sums);
}
