// SPDX-License-Identifier: Apache-2.0
// The stack of this machine, as a client of it: connects to its socket or starts the launcher.
// The open connection keeps the stack alive; when it breaks, the stack is started again. Never
// blocks.

#ifndef PROOFARC_STACK_H
#define PROOFARC_STACK_H

#include <czmq.h>
#include <limits.h>

#include "exits.h"
#include "status.h"

typedef struct stack stack_lease_t;

typedef struct {
    // Where the broker and the platform are, each time it is said.
    void (*broker)(void *owner, const char *endpoint);
    void (*platform)(void *owner, const char *url);
    // The connection is lost: both will be said again.
    void (*lost)(void *owner);
    // It cannot start, for this reason; it is tried again, less and less often.
    void (*failed)(void *owner, const char *reason);
} stack_ops_t;

// Writes the data directory in use to `path` and makes it (0700): `given`; else below
// XDG_DATA_HOME; else ~/.local/share/proofarc. With a remote platform it is one of its own
// below that. EXIT_DONE, or EXIT_DATA_DIR and `why`.
exit_code_t stack_data_dir(const char *given, const char *platform, char path[PATH_MAX],
                           failure_t *why);

// Looks for the launcher beside this program, then in ../libexec/proofarc. EXIT_DONE, or
// EXIT_BROKEN and `why`.
exit_code_t stack_find_launcher(char path[PATH_MAX], failure_t *why);

// `platform` is the URL of a remote one, or NULL. Texts are copied.
stack_lease_t *stack_new(zloop_t *loop, const char *data_dir, const char *launcher,
                         const char *platform, const stack_ops_t *ops, void *owner);

// Gives the lease back.
void stack_destroy(stack_lease_t **self_p);

#endif
