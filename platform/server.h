// SPDX-License-Identifier: Apache-2.0
// HTTP in the loop, requests in slots: each slot has its own connection to the database and
// never sleeps. The loop has one, too, for reads that are small as a rule; one that is not, or
// that meets a lock, begins anew in a slot. A long poll without an answer is parked in the loop
// until jobs change or its time is up.

#ifndef PROOFARC_PLATFORM_SERVER_H
#define PROOFARC_PLATFORM_SERVER_H

#include "actor.h"
#include "exchange.h"

typedef struct server server_t;

typedef struct {
    const char *listen;  // HOST:PORT
    size_t slots;
    const char *lease;  // socket of the launcher, or NULL
    int64_t open_jobs;  // when it starts
} server_options_t;

// `platform` must outlive it. EXIT_DONE and *self_p, or the exit code and `why`.
exit_code_t server_new(actor_t *actor, const platform_t *platform,
                       const server_options_t *options, server_t **self_p, failure_t *why);
void server_destroy(server_t **self_p);

// "127.0.0.1:41234"
const char *server_address(const server_t *self);

// For actor_on_drain(): takes nothing new, answers long polls, stops when all is answered.
void server_drain(void *server);

#endif
