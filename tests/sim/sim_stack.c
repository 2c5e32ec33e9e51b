// SPDX-License-Identifier: Apache-2.0
// Plays the real transports' link, brokers, workers and resolvers against one another and a
// platform that counts what it does, on a network and a clock of the simulation: what is lost
// with a process, a connection or an answer must not make a call happen twice, be told what is
// not so, or never end. One seed is one run, always the same.
//
//   sim-stack --seeds COUNT     seeds 1 to COUNT, quietly
//   sim-stack SEED              that one, aloud

#include "backend.h"
#include "clients.h"
#include "limits.h"
#include "net.h"
#include "parts.h"
#include "replay.h"

enum {
    RUN_MS = 12 * 1000,
    KNOWN_MS = SILENT_MS + 2 * BEAT_MS,  // until all know one another again
    SETTLE_MS = 3 * 5600,                // three times the longest call
    PROBE_MS = 6000,
};

static const struct {
    const role_t *role;
    int count;
} cast[] = {
    { &transport_role, SIM_TRANSPORTS },
    { &broker_role, SIM_BROKERS },
    { &worker_role, SIM_WORKERS },
    { &resolver_role, SIM_RESOLVERS },
};

static int64_t fault_every_ms, call_every_ms;
static int64_t fault_ms, call_ms;

static host_t *
any_host(void)
{
    return &stage.hosts[stage_random(HOSTS)];
}

static void
freeze(host_t *host)
{
    int64_t ms = (int64_t) stage_random(stage_random(2) ? 8000 : 1500);

    stage_say("%s %d sleeps for %lld ms", host->role->name, host->number, (long long) ms);
    host->paused_until_ms = stage.now_ms + ms;
}

static void
drain(host_t *host)
{
    if (!host->role->drain || !stage_is_running(host) || host->was_drained)
        return;
    host->was_drained = true;
    stage.host = host;
    stage_say("is asked to end");
    host->role->drain(host);
    stage.host = NULL;
}

static void
fail_somewhere(void)
{
    host_t *host = any_host();

    switch (stage_random(8)) {
    case 0:
    case 1:
        if (host->role != &transport_role || stage_random(4) == 0)
            stage_kill(host);
        break;
    case 2:
    case 3:
        freeze(host);
        break;
    case 4:
        net_break_any();
        break;
    case 5:
        net_stall_any((int64_t) stage_random(4000));
        break;
    case 6:
        host->slow_until_ms = stage.now_ms + (int64_t) stage_random(3000);
        break;
    case 7:
        drain(host);
        break;
    }
}

static void
set_stage(uint64_t seed, bool is_loud)
{
    host_t *host = stage.hosts;

    memset(&stage, 0, sizeof stage);
    stage = (stage_t){ .seed = seed, .random = seed, .now_ms = 100000, .is_loud = is_loud };
    stage.keeps_keys = stage_random(2);
    fault_every_ms = 100 + (int64_t) stage_random(4000);
    call_every_ms = 10 + (int64_t) stage_random(300);
    fault_ms = call_ms = stage.now_ms + 500;
    net_clean_up();
    backend_begin();
    clients_begin();
    for (size_t i = 0; i < sizeof cast / sizeof *cast; i++)
        for (int number = 0; number < cast[i].count; number++, host++) {
            host->role = cast[i].role;
            host->number = number;
            stage_start(host);
        }
}

static void
act(void)
{
    if (stage.is_calm)
        return;
    if (stage.now_ms >= call_ms) {
        clients_act();
        call_ms = stage.now_ms + (int64_t) stage_random((uint64_t) call_every_ms);
    }
    if (stage.now_ms >= fault_ms) {
        fail_somewhere();
        fault_ms = stage.now_ms + (int64_t) stage_random((uint64_t) fault_every_ms);
    }
}

static void
play(int64_t ms)
{
    for (int64_t end_ms = stage.now_ms + ms; stage.now_ms < end_ms; stage_turn())
        act();
}

// Until nobody waits any more, but no longer than that.
static void
play_out(int64_t ms)
{
    for (int64_t end_ms = stage.now_ms + ms; stage.now_ms < end_ms && !clients_are_answered();)
        stage_turn();
}

static void
run(uint64_t seed, bool is_loud)
{
    replay_begin("sim-stack", seed);
    set_stage(seed, is_loud);
    play(RUN_MS);
    stage.is_calm = true;
    net_heal();
    for (int i = 0; i < HOSTS; i++)
        stage.hosts[i].paused_until_ms = stage.hosts[i].slow_until_ms = 0;
    stage_say("all is well from now on");
    play(KNOWN_MS);
    play_out(SETTLE_MS - KNOWN_MS);
    clients_judge();
    play(FETCH_HOLD_MS + BEAT_MS);  // a list that could not be fetched is tried again
    clients_probe();
    play_out(PROBE_MS);
    clients_judge();
    clients_add_up();
    for (int i = 0; i < HOSTS; i++)
        stage_kill(&stage.hosts[i]);
    backend_end();
    net_clean_up();
}

int
main(int argc, char **argv)
{
    bool is_many = argc == 3 && !strcmp(argv[1], "--seeds");
    const clients_sum_t *sum = &clients_sum;

    if (argc != 2 && !is_many) {
        fprintf(stderr, "usage: sim-stack SEED | --seeds COUNT\n");
        return 2;
    }
    uint64_t number = strtoull(argv[argc - 1], NULL, 10);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!is_many)
        run(number, true);
    for (uint64_t seed = 1; is_many && seed <= number; seed++)
        run(seed, false);
    printf(
        "%llu seeds: %ld calls, %ld ok, %ld narrowed, %ld failed, %ld not sent, %ld unknown, "
        "%ld withdrawn, %ld not taken, %ld gone with their transport; %ld effects\n",
        (unsigned long long) (is_many ? number : 1), sum->calls, sum->ok, sum->narrowed,
        sum->failed, sum->not_sent, sum->unknown, sum->cancelled, sum->refused, sum->gone,
        sum->effects);
    return 0;
}
