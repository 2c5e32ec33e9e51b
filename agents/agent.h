// SPDX-License-Identifier: Apache-2.0
// The agent: asks the platform for jobs, runs them in slots, sends heartbeats and results.

#ifndef PROOFARC_AGENT_H
#define PROOFARC_AGENT_H

#include "actor.h"

typedef struct {
    const char *platform;    // URL
    const char *token_file;  // read anew at every registration
    const char *name;
    size_t jobs;  // at once
} agent_options_t;

// Runs until a signal has drained it. Returns the exit code.
int agent_run(actor_t *actor, const agent_options_t *options);

#endif
