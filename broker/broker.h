// SPDX-License-Identifier: Apache-2.0
// The loop around the core: two ROUTERs, a timer, the signals.

#ifndef PROOFARC_BROKER_H
#define PROOFARC_BROKER_H

#include "actor.h"
#include "endpoint.h"

typedef struct broker broker_t;

typedef struct {
    const char *transports;  // endpoints
    const char *workers;
    const char *categories;  // names separated by commas
    const char *curve_dir;   // or NULL
} broker_options_t;

// Binds both sockets in the loop of `actor`. EXIT_DONE and *self_p, or the exit code and `why`.
exit_code_t broker_new(actor_t *actor, const broker_options_t *options, broker_t **self_p,
                       failure_t *why);
void broker_destroy(broker_t **self_p);

// Where the transports connect; what is told to whoever started us.
const char *broker_endpoint(const broker_t *self);

#endif
