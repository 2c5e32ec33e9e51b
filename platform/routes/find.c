// SPDX-License-Identifier: Apache-2.0
#include "routes/find.h"

#include <inttypes.h>

static json_t *
found(exchange_t *x, const char *kind, find_fn *find, int64_t id)
{
    json_t *entity = find(x->store, x->arena, id);

    if (!entity)
        fail_coded(&x->why, NOT_FOUND, "NOT_FOUND", "there is no %s with the id %" PRId64, kind,
                   id);
    return entity;
}

json_t *
find_in_path(exchange_t *x, const char *param, const char *kind, find_fn *find)
{
    return found(x, kind, find, exchange_id(x, param));
}

json_t *
find_in_body(exchange_t *x, const char *member, const char *kind, find_fn *find)
{
    return found(x, kind, find, exchange_int(x, member, 0));
}
