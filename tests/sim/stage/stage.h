// SPDX-License-Identifier: Apache-2.0
// The stage on which real programs play: hosts with a clock, an event loop and slots that are
// the simulation's. All chance comes from one seed.

#ifndef PROOFARC_SIM_STAGE_H
#define PROOFARC_SIM_STAGE_H

#include <czmq.h>

#include "fiber.h"

enum { SIM_TRANSPORTS = 2, SIM_BROKERS = 2, SIM_WORKERS = 3, SIM_RESOLVERS = 2, HOSTS = 9 };

#include "slot.h"

typedef struct host host_t;

// What runs on a host. `stop` is the end of a process that is dead already: nothing it sends
// leaves any more.
typedef struct {
    const char *name;
    void (*start)(host_t *host);
    void (*stop)(host_t *host);
    void (*drain)(host_t *host);  // SIGTERM; NULL: cannot be had
} role_t;

struct host {
    const role_t *role;
    int number;  // among those of its role
    int life;    // grows with every process that is started here
    bool is_up;
    bool is_dead;      // killed; what it still does reaches nobody
    bool is_leaving;   // it ended by itself and will be started again
    bool was_drained;  // had its SIGTERM
    int64_t paused_until_ms, slow_until_ms, start_ms;
    zloop_t *loop;
    void (*on_drain)(void *arg);
    void *on_drain_arg;
    slots_t *slots;
    void *part;  // the role's own
};

typedef struct {
    uint64_t seed, random;
    int64_t now_ms;
    bool is_loud, is_calm;
    bool keeps_keys;  // the platform
    host_t hosts[HOSTS];
    host_t *host;  // whose code runs now, NULL: nobody's
} stage_t;

extern stage_t stage;

uint64_t stage_random(uint64_t bound);  // below `bound`
bool stage_chance(uint64_t times);      // once in `times`, and never when all is calm

// Ends the simulation: what must not be has been.
void stage_condemn(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void stage_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// True if code of this host may run now.
bool stage_is_running(const host_t *host);

// One thing that can happen: `at_ms` is when, and it is chosen among those whose time has come.
typedef struct {
    host_t *host;  // NULL: the platform or the network
    void (*run)(void *what);
    void *what;
} chance_t;

// Parts of the stage report what can happen by this, then one of it does.
void stage_offer(host_t *host, int64_t at_ms, void (*run)(void *what), void *what);

// Lets one thing happen, or time go on to the next.
void stage_turn(void);

void stage_start(host_t *host);
void stage_kill(host_t *host);

// Set by the role's code through actor_on_drain() and actor_stop().
void stage_leave(void);

// loop.c
zloop_t *loop_new(host_t *host);
void loop_destroy(zloop_t **self_p);
void loop_offer(const zloop_t *self);

// slots.c
void slots_offer(slots_t *self);
void slots_run_down(slots_t *self);  // of a dead host: every job ends
// In a slot: gives way until `is_ready(arg)` or the time has come, or the host is dead.
void slots_wait(bool (*is_ready)(void *arg), void *arg, int64_t until_ms);

#endif
