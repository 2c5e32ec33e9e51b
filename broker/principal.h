// SPDX-License-Identifier: Apache-2.0
// Who calls, and how much of the broker each holds. A principal is known while it has calls.

#ifndef PROOFARC_PRINCIPAL_H
#define PROOFARC_PRINCIPAL_H

#include "link.h"
#include "table.h"

typedef struct {
    char *name;
    size_t under_way;  // calls that a worker has
    size_t waiting;    // calls in a lane
    link_t shares;     // its shares in the lanes
} principal_t;

// The principal of that name, made if it is new.
principal_t *principal_get(table_t *principals, const char *name);

// Forgets it if it has no call left.
void principal_release(table_t *principals, principal_t *self);

#endif
