// SPDX-License-Identifier: Apache-2.0
// What a project has of all that it needs.

#ifndef PROOFARC_STORE_SETUP_STATUS_H
#define PROOFARC_STORE_SETUP_STATUS_H

#include "store/sqlite.h"

// {applications, untyped, environments, targets, scenarios, needsLogin, withoutLogin}: counts;
// needsLogin: linked environments that are AUTHENTICATED; withoutLogin: those of them in which
// no active log-in can be chosen.
json_t *setup_status_counts(store_t *store, arena_t *arena, int64_t project);

#endif
