// SPDX-License-Identifier: Apache-2.0
#include "store/jobs.h"

int64_t
jobs_open(store_t *store)
{
    return store_number(store,
                        "SELECT count(*) FROM jobs WHERE status IN ('PENDING', 'RUNNING')",
                        BIND_NONE, 0);
}

void
jobs_extend_all(store_t *store, int64_t until_ms)
{
    store_run(store, "UPDATE jobs SET lease_until = ?1 WHERE status = 'RUNNING'",
              BIND(value_int(until_ms)));
}
