// SPDX-License-Identifier: Apache-2.0
#include "routes/find.h"

#include <inttypes.h>

status_t
find_nothing(exchange_t *x, const char *kind, int64_t id)
{
    return fail_coded(&x->why, NOT_FOUND, "NOT_FOUND", "there is no %s with the id %" PRId64,
                      kind, id);
}

static json_t *
found(exchange_t *x, const char *kind, find_fn *find, int64_t id)
{
    json_t *entity = find(x->store, x->arena, id);

    if (!entity)
        find_nothing(x, kind, id);
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

bool
find_in_query(exchange_t *x, const char *argument, const char *kind, find_fn *find)
{
    int64_t id = exchange_asked_int(x, argument, 0);

    return !id || found(x, kind, find, id);
}

status_t
find_answer_link(exchange_t *x, const char *kind, const json_t *entity, const json_t *project,
                 link_fn *link)
{
    int64_t id = json_get_int(entity, "id", 0), project_id = json_get_int(project, "id", 0);
    json_t *answer = json_object(x->arena);
    bool is_new = link(x->store, id, project_id);

    json_set_int(x->arena, answer, arena_printf(x->arena, "%sId", kind), id);
    json_set_text(x->arena, answer, kind, json_get_text(entity, "name"));
    json_set_int(x->arena, answer, "projectId", project_id);
    json_set_text(x->arena, answer, "project", json_get_text(project, "name"));
    json_set_bool(x->arena, answer, "linked", true);
    json_set_bool(x->arena, answer, "alreadyLinked", !is_new);
    return exchange_answer(x, 200, answer);
}
