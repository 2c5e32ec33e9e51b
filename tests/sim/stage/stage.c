// SPDX-License-Identifier: Apache-2.0
#include "stage.h"

#include <stdarg.h>

#include "backend.h"
#include "commit.h"
#include "net.h"

enum { CHANCES = 512 };

stage_t stage;

static chance_t chances[CHANCES];
static size_t chances_count;
static int64_t next_ms;  // when the next thing can happen that cannot now

// splitmix64
uint64_t
stage_random(uint64_t bound)
{
    uint64_t z = stage.random += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % bound;
}

bool
stage_chance(uint64_t times)
{
    return stage_random(times) == 0 && !stage.is_calm;
}

void
stage_condemn(const char *format, ...)
{
    va_list args;

    printf("seed %llu at %lld ms: ", (unsigned long long) stage.seed, (long long) stage.now_ms);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\nplay it again: sim-stack %llu, at %s\n", (unsigned long long) stage.seed,
           SIM_COMMIT);
    exit(1);
}

void
stage_say(const char *format, ...)
{
    va_list args;

    if (!stage.is_loud)
        return;
    printf("%8lld ", (long long) stage.now_ms);
    if (stage.host)
        printf("%s %d.%d ", stage.host->role->name, stage.host->number, stage.host->life);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

bool
stage_is_running(const host_t *host)
{
    return host->is_up && host->paused_until_ms <= stage.now_ms;
}

void
stage_offer(host_t *host, int64_t at_ms, void (*run)(void *what), void *what)
{
    if (host && host->paused_until_ms > at_ms)
        at_ms = host->paused_until_ms;
    if (at_ms > stage.now_ms) {
        next_ms = at_ms < next_ms ? at_ms : next_ms;
        return;
    }
    assert(chances_count < CHANCES);
    chances[chances_count++] = (chance_t){ host, run, what };
}

static void
start_again(void *what)
{
    stage_start(what);
}

static void
bury(void *what)
{
    host_t *host = what;

    stage_kill(host);
    stage_start(host);
}

static void
offer_host(host_t *host)
{
    if (!host->is_up) {
        stage_offer(NULL, host->start_ms, start_again, host);
        return;
    }
    if (host->is_leaving) {
        stage_offer(NULL, stage.now_ms, bury, host);
        return;
    }
    loop_offer(host->loop);
    if (host->slots)
        slots_offer(host->slots);
}

void
stage_turn(void)
{
    chances_count = 0;
    next_ms = INT64_MAX;
    for (int i = 0; i < HOSTS; i++)
        offer_host(&stage.hosts[i]);
    net_offer();
    backend_offer();
    if (!chances_count) {
        stage.now_ms = next_ms;
        return;
    }
    chance_t *chance = &chances[stage_random(chances_count)];
    stage.host = chance->host;
    chance->run(chance->what);
    stage.host = NULL;
    stage.now_ms += stage_random(8) == 0;
}

void
stage_start(host_t *host)
{
    host->is_up = true;
    host->is_dead = host->is_leaving = host->was_drained = false;
    host->paused_until_ms = host->slow_until_ms = 0;
    host->on_drain = NULL;
    host->life++;
    host->loop = loop_new(host);
    stage.host = host;
    stage_say("starts");
    host->role->start(host);
    stage.host = NULL;
}

void
stage_kill(host_t *host)
{
    if (!host->is_up)
        return;
    stage.host = host;
    stage_say("ends");
    host->is_dead = true;
    if (host->slots)
        slots_run_down(host->slots);
    host->role->stop(host);
    assert(!host->slots);
    net_drop_host(host);
    loop_destroy(&host->loop);
    host->is_up = false;
    host->start_ms = stage.now_ms + (int64_t) stage_random(400);
    stage.host = NULL;
}

void
stage_leave(void)
{
    stage.host->is_leaving = true;
}
