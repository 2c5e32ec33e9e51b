// SPDX-License-Identifier: Apache-2.0
#include "http/pages.h"

#include <ctype.h>

#include "auto.h"
#include "json.h"

int
pages_ready(const service_t *service, const char **reason_p)
{
    if (!link_is_up(service->link))
        *reason_p = "no broker answers\n";
    else if (!listing_is_complete(service->listing))
        *reason_p = "not every category of tools has checked in\n";
    else
        *reason_p = "ready\n";
    return link_is_up(service->link) && listing_is_complete(service->listing) ? 200 : 503;
}

static void
add(buffer_t *out, const char *name, const char *kind, const char *about, uint64_t value)
{
    buffer_printf(out, "# HELP proofarc_%s %s\n# TYPE proofarc_%s %s\nproofarc_%s %llu\n", name,
                  about, name, kind, name, (unsigned long long) value);
}

static bool
is_metric_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char) *c) && *c != '_')
            return false;
    return *name && !isdigit((unsigned char) *name);
}

// What a broker says of itself, and of its workers, in its beats.
static void
add_broker(buffer_t *out, const char *counters, size_t index)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const json_t *said = json_parse_text(arena, counters);

    for (const json_t *member = said ? said->first : NULL; member; member = member->next) {
        int64_t value;
        if (member->key && is_metric_name(member->key) && json_int(member, &value))
            buffer_printf(out, "proofarc_broker_%s{broker=\"%zu\"} %lld\n", member->key, index,
                          (long long) value);
    }
}

static void
add_brokers(buffer_t *out, const service_t *service)
{
    const char *counters;
    uint64_t living = 0;
    bool is_up;

    for (size_t i = 0; (counters = link_counters(service->link, i, &is_up)); i++) {
        living += is_up;
        add_broker(out, counters, i);
    }
    add(out, "brokers_up", "gauge", "Brokers that answer.", living);
}

void
pages_metrics(buffer_t *out, const service_t *service, size_t open_requests)
{
    add(out, "http_open_requests", "gauge", "HTTP requests under way.", open_requests);
    add(out, "open_requests", "gauge", "MCP requests that are not answered yet.",
        service->open);
    add(out, "open_calls", "gauge", "Calls that brokers have.", link_open_calls(service->link));
    add(out, "calls_cancelled_total", "counter", "Calls that their client withdrew.",
        service->cancelled);
    add(out, "sessions_ended", "gauge", "Ended sessions that are remembered.",
        sessions_ended(service->sessions));
    buffer_text(out, "# HELP proofarc_calls_total Calls, by how they ended.\n"
                     "# TYPE proofarc_calls_total counter\n");
    for (size_t i = 0; i < STATUS_COUNT; i++)
        buffer_printf(out, "proofarc_calls_total{status=\"%s\"} %llu\n",
                      status_name((status_t) i), (unsigned long long) service->ended[i]);
    add_brokers(out, service);
}
