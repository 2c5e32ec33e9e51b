// SPDX-License-Identifier: Apache-2.0
// What every process of ours does around its loop. Order of calls: settings_parse,
// actor_new, sockets and slots, actor_ready, actor_run, then destroy slots, sockets, actor.

#ifndef PROOFARC_ACTOR_H
#define PROOFARC_ACTOR_H

#include <czmq.h>

#include "exits.h"
#include "parcel.h"
#include "settings.h"

typedef struct actor actor_t;

// Before anything opens a descriptor: puts /dev/null on closed 0-2, ignores SIGPIPE, blocks
// SIGINT and SIGTERM for a signalfd in the loop, no core files, as many descriptors as the hard
// limit allows, CZMQ without its own signal
// handling, a non-stop zloop.
actor_t *actor_new(const settings_t *settings);
void actor_destroy(actor_t **self_p);

// The loop, to add readers and timers to. CZMQ's own zloop calls.
zloop_t *actor_loop(actor_t *self);

// Calls `drain` once when SIGINT or SIGTERM arrives; `drain` calls actor_stop() when what is
// under way has ended. A second signal, or DRAIN_MS, stops at once. Without a drain function
// the first signal stops.
void actor_on_drain(actor_t *self, void (*drain)(void *arg), void *arg);

// Ends actor_run() with this exit code, from within the loop.
void actor_stop(actor_t *self, int exit_code);

// The same PARTING_MS from now, for whoever has just answered: a peer that finds its connection
// closed drops what it has received and not read yet (ZeroMQ does, on sockets with IMMEDIATE).
// Fine to say again.
void actor_part(actor_t *self);

// Tells whoever started us "ready ENDPOINT" on --ready-fd (if given) and closes it.
void actor_ready(actor_t *self, const char *endpoint);

// Runs the loop until actor_stop(). Returns the exit code.
int actor_run(actor_t *self);

// Next message of a socket without waiting, NULL when there is none: readers drain with it.
zmsg_t *actor_receive(zsock_t *socket);

// Sends without waiting and takes *msg_p in every case. 0, EHOSTUNREACH (a ROUTER does not
// know the peer), EAGAIN (its pipe is full) or EMSGSIZE (over MESSAGE_MAX).
int actor_send(zmsg_t **msg_p, zsock_t *socket);

// The same for parcels. Receiving fills an empty one, false when there is nothing; sending leaves an
// empty one in every case.
bool actor_take(parcel_t *parcel, zsock_t *socket);
int actor_post(parcel_t *parcel, zsock_t *socket);

// Prints "program: reason" on stderr and returns `code`: for failures before the loop.
int actor_refuse(const program_t *program, exit_code_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
