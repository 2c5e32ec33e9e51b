// SPDX-License-Identifier: Apache-2.0
// A lease on the local stack, held while jobs are open: as long as the connection to the
// launcher's socket stands, the stack stays.

#ifndef PROOFARC_PLATFORM_LEASE_H
#define PROOFARC_PLATFORM_LEASE_H

#include <czmq.h>

typedef struct lease lease_t;

// `path` NULL: there is nobody to hold a lease with.
lease_t *lease_new(zloop_t *loop, const char *path);
void lease_destroy(lease_t **self_p);

// Takes or drops the lease. Called again with true it reconnects if the launcher went away.
void lease_hold(lease_t *self, bool is_needed);

bool lease_is_held(const lease_t *self);

#endif
