// SPDX-License-Identifier: Apache-2.0
#include "store/projects.h"

#define PROJECT                                                                                \
    "SELECT id, name, description, archived AS \"archived?\", created_at AS \"createdAt@\","   \
    " '[]' AS \"projectIds{}\" FROM projects"
#define CHOSEN                                                                                 \
    " WHERE (?1 IS NULL OR instr(lower(name), lower(?1)))"                                     \
    " AND (archived = 0 OR ifnull(?2, 0))"

const listing_t projects_listing = {
    .plural = "projects",
    .rows = PROJECT CHOSEN " AND id > ?8 ORDER BY id LIMIT ?9",
    .count = "SELECT count(*) FROM projects" CHOSEN,
    .names = "SELECT id, name, '[]' AS \"projectIds{}\" FROM projects" CHOSEN " ORDER BY id",
};

json_t *
projects_get(store_t *store, arena_t *arena, int64_t id)
{
    return store_row(store, arena, PROJECT " WHERE id = ?1", BIND(value_int(id)));
}

json_t *
projects_find(store_t *store, arena_t *arena, const char *name)
{
    return store_row(store, arena, PROJECT " WHERE name = ?1", BIND(value_text(name)));
}

char *
projects_name(store_t *store, arena_t *arena, int64_t id)
{
    return store_string(store, arena, "SELECT name FROM projects WHERE id = ?1",
                        BIND(value_int(id)));
}

int64_t
projects_add(store_t *store, const char *name, const char *description, int64_t wall_ms)
{
    return store_insert(
        store,
        "INSERT INTO projects (name, description, created_at)"
        " VALUES (?1, ?2, ?3)",
        BIND(value_text(name), value_text(description ? description : ""), value_int(wall_ms)));
}
