// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include <stdio.h>
#include <string.h>

#include "limits.h"

// The next bytes that are given, or splitmix64.
uint64_t
world_random(world_t *self, uint64_t bound)
{
    if (self->size) {
        uint64_t number = *self->bytes++;
        self->size--;
        if (bound > 256 && self->size) {
            number = number << 8 | *self->bytes++;
            self->size--;
        }
        return number % bound;
    }
    uint64_t z = self->random += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % bound;
}

bool
world_chance(world_t *self, uint64_t times)
{
    return world_random(self, times) == 0;
}

// A new process in this place; it introduces itself. The ghost of the last one stays.
static void
start(world_t *world, process_t *self)
{
    *self = (process_t){
        .side = self->side,
        .number = self->number,
        .ghost = self->ghost,
        .incarnation = world->next_incarnation++,
        .route = world->next_route++,
        .beat_ms = world->now_ms + BEAT_MS,
        .credit = (int64_t) world_random(world, 8),
    };
    process_introduce(self);
}

void
world_init(world_t *self, uint64_t seed, const unsigned char *bytes, size_t size)
{
    memset(self, 0, sizeof *self);
    self->random = seed;
    self->bytes = bytes;
    self->size = size;
    self->now_ms = 1000;
    self->next_route = 1;
    self->keeps_keys = world_chance(self, 2);
    for (int i = 0; i < PEERS_N; i++) {
        self->peers[i].side = i < TRANSPORTS_N ? TRANSPORTS : WORKERS;
        self->peers[i].number = i;
        start(self, &self->peers[i]);
    }
}

process_t *
world_any(world_t *self, side_t side)
{
    return side == TRANSPORTS ? &self->peers[world_random(self, TRANSPORTS_N)]
                              : &self->peers[TRANSPORTS_N + world_random(self, WORKERS_N)];
}

process_t *
world_at(world_t *self, side_t side, uint64_t route)
{
    for (int i = 0; i < PEERS_N; i++)
        if (self->peers[i].side == side && self->peers[i].route == route)
            return &self->peers[i];
    return NULL;
}

void
process_say(process_t *self, char type, int call)
{
    pipe_add(&self->to_core, type, call);
}

void
process_introduce(process_t *self)
{
    process_say(self, self->side == WORKERS ? MSG_ready : MSG_hello, -1);
}

static void
leave_ghost(world_t *world, process_t *self)
{
    self->ghost = (ghost_t){ self->route, self->incarnation, self->to_core };
    self->ghost.to_core.count = world_random(world, self->to_core.count + 1);
}

void
process_crash(world_t *world, process_t *self)
{
    leave_ghost(world, self);
    start(world, self);
}

void
process_reconnect(world_t *world, process_t *self)
{
    leave_ghost(world, self);
    self->route = world->next_route++;
    self->to_core = (pipe_t){ 0 };
    self->from_core = (pipe_t){ 0 };
}

void
process_replace(world_t *world, process_t *self)
{
    uint64_t route = self->route;

    start(world, self);
    self->route = route;
}

bool
pipe_add(pipe_t *self, char type, int call)
{
    if (self->count == MAIL_N)
        return false;
    self->items[(self->first + self->count++) % MAIL_N] = (mail_t){ type, call };
    return true;
}

bool
pipe_take(pipe_t *self, mail_t *mail)
{
    if (!self->count)
        return false;
    *mail = self->items[self->first];
    self->first = (self->first + 1) % MAIL_N;
    self->count--;
    return true;
}

void
instance_name(side_t side, int incarnation, char name[32])
{
    snprintf(name, 32, "%c%d", side == WORKERS ? 'w' : 't', incarnation);
}
