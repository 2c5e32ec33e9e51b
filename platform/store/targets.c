// SPDX-License-Identifier: Apache-2.0
#include "store/targets.h"

#define PROJECTS                                                                               \
    "(SELECT json_group_array(l.project_id) FROM project_environments l"                       \
    " WHERE l.environment_id = t.environment_id) AS \"projectIds{}\""
#define TARGET                                                                                 \
    "SELECT t.id, t.name, t.target_type AS targetType, t.base_url AS baseUrl,"                 \
    " t.app_tag AS appTag, t.application_id AS applicationId,"                                 \
    " t.environment_id AS environmentId, e.name AS environmentName,"                           \
    " t.auth_config AS \"authConfig{}\", " PROJECTS                                            \
    " FROM targets t JOIN environments e ON e.id = t.environment_id"
#define CHOSEN                                                                                 \
    " WHERE (?1 IS NULL OR t.environment_id = ?1)"                                             \
    " AND (?2 IS NULL OR EXISTS (SELECT 1 FROM project_environments l"                         \
    " WHERE l.project_id = ?2 AND l.environment_id = t.environment_id))"

const listing_t targets_listing = {
    .plural = "targets",
    .rows = TARGET CHOSEN " AND t.id > ?8 ORDER BY t.id LIMIT ?9",
    .count = "SELECT count(*) FROM targets t" CHOSEN,
    .names = "SELECT t.id, t.name, " PROJECTS ", t.environment_id AS environmentId"
             " FROM targets t" CHOSEN " ORDER BY t.id",
};

json_t *
targets_get(store_t *store, arena_t *arena, int64_t id)
{
    return store_row(store, arena, TARGET " WHERE t.id = ?1", BIND(value_int(id)));
}

json_t *
targets_named(store_t *store, arena_t *arena, int64_t environment, const char *name)
{
    return store_row(store, arena, TARGET " WHERE t.environment_id = ?1 AND t.name = ?2",
                     BIND(value_int(environment), value_text(name)));
}

json_t *
targets_at(store_t *store, arena_t *arena, int64_t environment, const char *type,
           const char *base_url)
{
    return store_row(store, arena,
                     TARGET " WHERE t.environment_id = ?1 AND t.target_type = ?2"
                            " AND t.base_url = ?3",
                     BIND(value_int(environment), value_text(type), value_text(base_url)));
}

int64_t
targets_add(store_t *store, const target_t *target)
{
    return store_insert(store,
                        "INSERT INTO targets (environment_id, name, target_type, base_url,"
                        " app_tag, application_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                        BIND(value_int(target->environment), value_text(target->name),
                             value_text(target->type), value_text(target->base_url),
                             value_text(target->app_tag), value_id(target->application)));
}

void
targets_set_auth(store_t *store, arena_t *arena, int64_t id, const json_t *auth_config)
{
    store_run(store, "UPDATE targets SET auth_config = ?2 WHERE id = ?1",
              BIND(value_int(id), value_json(arena, auth_config)));
}

json_t *
targets_for(store_t *store, arena_t *arena, int64_t environment, const char *app_tag)
{
    return store_rows(store, arena,
                      TARGET " WHERE t.environment_id = ?1 AND (?2 IS NULL OR t.app_tag = ?2)"
                             " ORDER BY t.target_type = 'WEB_APP', t.id",
                      BIND(value_int(environment), value_text(app_tag)));
}
