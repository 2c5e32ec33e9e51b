// SPDX-License-Identifier: Apache-2.0
// The queue's table.

#ifndef PROOFARC_STORE_JOBS_H
#define PROOFARC_STORE_JOBS_H

#include "store/sqlite.h"

// Jobs that are not over.
int64_t jobs_open(store_t *store);

// Running jobs get a lease that ends at `until_ms`.
void jobs_extend_all(store_t *store, int64_t until_ms);

#endif
