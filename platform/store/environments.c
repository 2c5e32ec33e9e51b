// SPDX-License-Identifier: Apache-2.0
#include "store/environments.h"

#define PROJECTS                                                                               \
    "(SELECT json_group_array(l.project_id) FROM project_environments l"                       \
    " WHERE l.environment_id = e.id) AS \"projectIds{}\""
#define ENVIRONMENT                                                                            \
    "SELECT e.id, e.name, e.auth_requirement AS authRequirement,"                              \
    " e.allow_private AS \"allowPrivate?\", e.properties AS \"properties{}\","                 \
    " e.auth_endpoint AS \"authEndpoint{}\", " PROJECTS " FROM environments e"
#define CHOSEN                                                                                 \
    " WHERE (?1 IS NULL OR instr(lower(e.name), lower(?1)))"                                   \
    " AND (?2 IS NULL OR EXISTS (SELECT 1 FROM project_environments l"                         \
    " WHERE l.project_id = ?2 AND l.environment_id = e.id))"

const listing_t environments_listing = {
    .plural = "environments",
    .rows = ENVIRONMENT CHOSEN " AND e.id > ?8 ORDER BY e.id LIMIT ?9",
    .count = "SELECT count(*) FROM environments e" CHOSEN,
    .names = "SELECT e.id, e.name, " PROJECTS " FROM environments e" CHOSEN " ORDER BY e.id",
};

json_t *
environments_get(store_t *store, arena_t *arena, int64_t id)
{
    return store_row(store, arena, ENVIRONMENT " WHERE e.id = ?1", BIND(value_int(id)));
}

json_t *
environments_find(store_t *store, arena_t *arena, const char *name)
{
    return store_row(store, arena, ENVIRONMENT " WHERE e.name = ?1", BIND(value_text(name)));
}

int64_t
environments_add(store_t *store, arena_t *arena, const char *name, const char *auth_requirement,
                 bool allow_private, const json_t *properties)
{
    return store_insert(store,
                        "INSERT INTO environments (name, auth_requirement, allow_private,"
                        " properties) VALUES (?1, ?2, ?3, coalesce(?4, '{}'))",
                        BIND(value_text(name), value_text(auth_requirement),
                             value_int(allow_private), value_json(arena, properties)));
}

bool
environments_link(store_t *store, int64_t id, int64_t project)
{
    return store_run(store,
                     "INSERT INTO project_environments (project_id, environment_id)"
                     " VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                     BIND(value_int(project), value_int(id)))
           > 0;
}

void
environments_set_auth(store_t *store, arena_t *arena, int64_t id, const json_t *endpoint)
{
    store_run(store, "UPDATE environments SET auth_endpoint = ?2 WHERE id = ?1",
              BIND(value_int(id), value_json(arena, endpoint)));
}
