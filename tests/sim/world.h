// SPDX-License-Identifier: Apache-2.0
// The world around the core that is simulated: processes, their connections with what is on
// the way in both directions, and a clock. All chance comes from one seed.

#ifndef PROOFARC_WORLD_H
#define PROOFARC_WORLD_H

#include "core.h"

enum {
    TRANSPORTS_N = 3,
    WORKERS_N = 4,
    PEERS_N = TRANSPORTS_N + WORKERS_N,
    CALLS_N = 256,  // of one run
    MAIL_N = 64,    // on the way in one direction; more is a full pipe
};

// What is called; the judge and the workers know it by this.
typedef enum { LOOK, GLANCE, WRITE_WITH_KEY, WRITE, RUN, FLY, TOOLS_N } tool_kind_t;

typedef struct {
    char type;  // MSG_…
    int call;   // number of the call, -1 for none
} mail_t;

typedef struct {
    mail_t items[MAIL_N];
    size_t first, count;
} pipe_t;

// What a process that is gone had sent and the core has not read yet.
typedef struct {
    uint64_t route;
    int incarnation;
    pipe_t to_core;
} ghost_t;

// A process. When it crashes another one starts in its place, with a new incarnation.
typedef struct {
    side_t side;
    int number;
    int incarnation;  // unique in a run
    uint64_t route;   // of its connection; unique in a run
    bool is_paused;   // alive, but neither reads nor writes
    int64_t full_until_ms;
    int64_t beat_ms;    // when it beats next
    int64_t credit;     // worker
    bool is_leaving;    // worker: it said BYE
    int held[CALLS_N];  // worker: calls it works on
    size_t held_count;
    pipe_t to_core, from_core;
    ghost_t ghost;
} process_t;

typedef struct {
    uint64_t random;
    const unsigned char *bytes;  // that chance is taken from first
    size_t size;
    int64_t now_ms;
    bool keeps_keys;  // the platform remembers keys
    uint64_t next_route;
    int next_incarnation;
    process_t peers[PEERS_N];
} world_t;

void world_init(world_t *self, uint64_t seed, const unsigned char *bytes, size_t size);

// A number below `bound`.
uint64_t world_random(world_t *self, uint64_t bound);

// True once in `times`.
bool world_chance(world_t *self, uint64_t times);

// Any process of that side.
process_t *world_any(world_t *self, side_t side);

// The process at the other end of a connection, NULL if it is broken.
process_t *world_at(world_t *self, side_t side, uint64_t route);

// A process says something; lost if the pipe is full.
void process_say(process_t *self, char type, int call);

// READY or HELLO.
void process_introduce(process_t *self);

// Another one takes its place: nothing on the way to it arrives, of what it sent only the
// first few messages do. A connection that breaks loses the same, and the process stays.
void process_crash(world_t *world, process_t *self);

void process_reconnect(world_t *world, process_t *self);

// Another one takes its place and its connection; what was on the way is lost.
void process_replace(world_t *world, process_t *self);

// Takes the next message of a pipe. False if it is empty.
bool pipe_take(pipe_t *self, mail_t *mail);
bool pipe_add(pipe_t *self, char type, int call);

// Its name as the core knows it.
void instance_name(side_t side, int incarnation, char name[32]);

#endif
