// SPDX-License-Identifier: Apache-2.0
#include "queue.h"

#include "limits.h"
#include "store/jobs.h"
#include "store/keys.h"
#include "store/users.h"

void
queue_sweep(exchange_t *x)
{
    keys_sweep(x->store, x->wall_ms);
    users_sweep(x->store, x->wall_ms, x->wall_ms - 60 * 1000);
}

void
queue_give_back(exchange_t *x)
{
}

void
queue_restart(store_t *store, int64_t now_ms)
{
    jobs_extend_all(store, now_ms + LEASE_MS);
}

int64_t
queue_open(store_t *store)
{
    return jobs_open(store);
}
