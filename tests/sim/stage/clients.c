// SPDX-License-Identifier: Apache-2.0
#include "clients.h"

#include "auto.h"
#include "limits.h"
#include "mcp/link.h"

enum {
    ASKS = 512,
    PROBE_MS = 5000,
    READS_MAX = 4,  // two tries of a broker, and a second broker when the first is lost
};

typedef enum { NEVER, OPEN, TOLD, WITHDRAWN, GONE } ask_state_t;

typedef struct {
    open_call_t call;  // first: the link gives it back
    int number, tool, owner;
    const host_t *host;
    ask_state_t state;
    bool is_fine;   // the platform does not refuse it
    bool is_probe;  // has to succeed
    status_t status;
    outcome_t outcome;
    int64_t waited_ms;  // its CALLs, in pipes
    int effects, gets;
    char body[96], key[16];
} ask_t;

// clang-format off
static const struct {
    const char *name;
    bool reads, names_project;
} tools[] = {
    { "look",        true,  false },
    { "peek",        true,  true  },
    { "make",        false, false },
    { "run",         false, true  },
    { "add_project", false, false },
};
// clang-format on

const char *const client_owners[CLIENT_OWNERS] = { "ann", "bob", "cy" };
static const char *const tokens[] = { "t-ann", "t-bob", "t-cy" };
static const char *const sessions[] = { "s", "s", "" };  // the principal alone tells them apart

clients_sum_t clients_sum;

static ask_t asks[ASKS];
static int asks_count;

void
clients_begin(void)
{
    memset(asks, 0, sizeof asks);
    asks_count = 0;
}

static void
judge_body(const ask_t *ask, const char *body)
{
    char wanted[32], other[32];

    for (int i = 0; i < CLIENT_OWNERS; i++) {
        snprintf(other, sizeof other, "of %s", client_owners[i]);
        if (i != ask->owner && strstr(body, other))
            stage_condemn("call %d of %s is told what is %s", ask->number,
                          client_owners[ask->owner], other);
    }
    snprintf(wanted, sizeof wanted, "\"n\":%d}", ask->number);
    if (ask->status == OK && !strstr(body, wanted))
        stage_condemn("call %d is told the answer of another: %s", ask->number, body);
}

// What was told against what is known to have happened by now.
static void
judge_outcome(const ask_t *ask)
{
    const bool is_told = ask->state == TOLD;

    if (ask->effects > 1)
        stage_condemn("call %d happened %d times", ask->number, ask->effects);
    if (!is_told)
        return;
    if (tools[ask->tool].reads) {
        if (ask->outcome == UNKNOWN_OUTCOME)
            stage_condemn("call %d reads and is told that it may have happened", ask->number);
        return;
    }
    if (ask->effects && (ask->outcome == FAILED || ask->outcome == NOT_SENT))
        stage_condemn("call %d happened and is told to be %s", ask->number,
                      outcome_name(ask->outcome));
    if (!ask->effects && ask->status == OK)
        stage_condemn("call %d did not happen and is told to have", ask->number);
}

static void
on_answer(void *owner, open_call_t *call, const answer_msg_t *answer, const char *body,
          size_t size)
{
    ask_t *ask = (ask_t *) call;
    AUTO(zstr_free) char *text = strndup(body, size);

    stage_say("call %d (%s) is told %s, %s", ask->number, tools[ask->tool].name,
              status_name((status_t) answer->status),
              outcome_name((outcome_t) answer->outcome));
    if (ask->state != OPEN)
        stage_condemn("call %d is answered though no answer is due", ask->number);
    ask->state = TOLD;
    ask->status = (status_t) answer->status;
    ask->outcome = (outcome_t) answer->outcome;
    judge_body(ask, text);
    judge_outcome(ask);
    if (ask->is_probe && ask->status != OK)
        stage_condemn("call %d fails though all is well: %s", ask->number, text);
}

static void
on_progress(void *owner, open_call_t *call, const progress_msg_t *progress)
{
}

static void
on_catalogue(void *owner, const catalogue_msg_t *catalogue)
{
}

static void
on_log(void *owner, open_call_t *call, const log_msg_t *log)
{
}

static void
on_news(void *owner, const news_t *news)
{
}

static void
on_peers_changed(void *owner)
{
}

static const link_ops_t ops = {
    .answer = on_answer,
    .progress = on_progress,
    .log = on_log,
    .catalogue = on_catalogue,
    .news = on_news,
    .peers_changed = on_peers_changed,
};

static void
start_transport(host_t *host)
{
    failure_t why;
    link_t *link = link_new(host->loop, NULL, &ops, host);

    for (int i = 0; i < SIM_BROKERS; i++) {
        char endpoint[16];
        snprintf(endpoint, sizeof endpoint, "b%d-transports", i);
        link_connect(link, endpoint, &why);
    }
    host->part = link;
}

static void
stop_transport(host_t *host)
{
    link_t *link = host->part;

    for (int i = 0; i < asks_count; i++)
        if (asks[i].state == OPEN && asks[i].host == host)
            asks[i].state = GONE;
    link_destroy(&link);
    host->part = NULL;
}

const role_t transport_role = { "transport", start_transport, stop_transport, NULL };

static void
write_body(ask_t *ask)
{
    static const char *const projects[] = { "alpha", "beta", "a", "gamma", "" };
    const char *project = projects[ask->is_probe ? 0 : stage_random(ROWS(projects))];

    if (tools[ask->tool].names_project && *project)
        snprintf(ask->body, sizeof ask->body, "{\"n\":%d,\"project\":\"%s of %s\"}",
                 ask->number, project, client_owners[ask->owner]);
    else
        snprintf(ask->body, sizeof ask->body, "{\"n\":%d}", ask->number);
}

static void
call(host_t *host, size_t tool, int64_t budget_ms, bool is_probe)
{
    if (asks_count == ASKS || !stage_is_running(host))
        return;
    ask_t *ask = &asks[asks_count];
    *ask = (ask_t){ .number = asks_count++,
                    .tool = (int) tool,
                    .owner = (int) stage_random(CLIENT_OWNERS),
                    .host = host,
                    .is_fine = is_probe || !stage_chance(12),
                    .is_probe = is_probe };
    write_body(ask);
    snprintf(ask->key, sizeof ask->key, "key %d", ask->number);
    ask->call = (open_call_t){ .kind = "tool",
                               .name = tools[tool].name,
                               .session = sessions[ask->owner],
                               .principal = client_owners[ask->owner],
                               .token = tokens[ask->owner],
                               .profile = "full",
                               .key = stage_chance(2) ? ask->key : NULL,
                               .is_read = tools[tool].reads,
                               .body = ask->body,
                               .body_size = strlen(ask->body),
                               .budget_ms = budget_ms };
    stage.host = host;
    status_t status = link_call(host->part, &ask->call);
    stage_say("calls %d: %s %s: %s", ask->number, tools[tool].name, ask->body,
              status_name(status));
    ask->state = status ? NEVER : OPEN;
    if (is_probe && status)
        stage_condemn("call %d is not taken though all is well", ask->number);
    stage.host = NULL;
}

static void
withdraw(void)
{
    ask_t *ask = &asks[stage_random((uint64_t) asks_count)];

    if (ask->state != OPEN || !stage_is_running(ask->host))
        return;
    stage.host = (host_t *) ask->host;
    stage_say("withdraws %d", ask->number);
    ask->state = WITHDRAWN;
    link_cancel(ask->host->part, &ask->call);
    stage.host = NULL;
}

void
clients_act(void)
{
    host_t *host = &stage.hosts[stage_random(SIM_TRANSPORTS)];

    if (asks_count && stage_random(8) == 0)
        withdraw();
    else
        call(host, stage_random(ROWS(tools)), 600 + (int64_t) stage_random(5000), false);
}

bool
clients_are_answered(void)
{
    for (int i = 0; i < asks_count; i++)
        if (asks[i].state == OPEN)
            return false;
    return true;
}

void
clients_probe(void)
{
    for (size_t tool = 0; tool < ROWS(tools); tool++)
        for (int i = 0; i < SIM_TRANSPORTS; i++)
            call(&stage.hosts[i], tool, PROBE_MS, true);
}

void
clients_waited(zmsg_t *msg, int64_t ms)
{
    AUTO(zstr_free) char *body = zframe_strdup(zmsg_last(msg));

    asks[strtol(body + strlen("{\"n\":"), NULL, 10)].waited_ms += ms;
}

void
clients_asked(int number, bool writes)
{
    ask_t *ask = &asks[number];

    stage_say("the platform is asked for %d", number);
    if (number >= asks_count)
        stage_condemn("the platform is asked for call %d that nobody made", number);
    if (stage.now_ms > ask->call.deadline_ms + ask->waited_ms)
        stage_condemn("the platform is asked for call %d after its time", number);
    if (!writes && ++ask->gets > READS_MAX)
        stage_condemn("the platform is asked for call %d too often", number);
    if (writes && tools[ask->tool].reads)
        stage_condemn("call %d reads, and writes", number);
}

void
clients_effect(int number)
{
    stage_say("call %d happens", number);
    asks[number].effects++;
    judge_outcome(&asks[number]);
}

bool
clients_is_fine(int number)
{
    return asks[number].is_fine;
}

void
clients_judge(void)
{
    for (int i = 0; i < asks_count; i++) {
        if (asks[i].state == OPEN)
            stage_condemn("call %d is not answered", i);
        judge_outcome(&asks[i]);
    }
}

static void
add_up(const ask_t *ask)
{
    const bool is_told = ask->state == TOLD;

    clients_sum.calls++;
    clients_sum.ok += is_told && ask->status == OK;
    clients_sum.narrowed += is_told && ask->status == NARROWED;
    clients_sum.failed += is_told && ask->outcome == FAILED;
    clients_sum.not_sent += is_told && ask->outcome == NOT_SENT;
    clients_sum.unknown += is_told && ask->outcome == UNKNOWN_OUTCOME;
    clients_sum.cancelled += ask->state == WITHDRAWN;
    clients_sum.refused += ask->state == NEVER;
    clients_sum.gone += ask->state == GONE;
    clients_sum.effects += ask->effects;
}

void
clients_add_up(void)
{
    for (int i = 0; i < asks_count; i++)
        add_up(&asks[i]);
}
