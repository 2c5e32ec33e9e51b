// SPDX-License-Identifier: Apache-2.0
// The resolver's shell: a ROUTER for the workers, slots for the fetches, timers for those who
// wait. Reads, asks the core, sends.

#ifndef PROOFARC_RESOLVER_H
#define PROOFARC_RESOLVER_H

#include "settings.h"

extern const program_t resolver_program;

// Runs until SIGINT or SIGTERM has drained it. Returns the exit code.
int resolver_run(const settings_t *settings);

#endif
