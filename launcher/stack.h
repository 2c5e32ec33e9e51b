// SPDX-License-Identifier: Apache-2.0
// The programs of one machine's stack, from a table: started in parallel, restarted, drained.

#ifndef PROOFARC_STACK_H
#define PROOFARC_STACK_H

#include "status.h"

typedef struct {
    const char *data_dir;  // absolute, ours, 0700
    const char *platform;  // URL of a remote platform, or NULL for the embedded one
    const char *program_dir;
    const char *libexec_dir;
} stack_options_t;

// Runs until the last lease is gone or a signal comes, then drains. The caller holds the lock
// of the data directory. Returns the exit code, with the reason in `why` unless it is 0.
int stack_run(const stack_options_t *options, failure_t *why);

#endif
