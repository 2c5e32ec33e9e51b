// SPDX-License-Identifier: Apache-2.0
#include "store/scenarios.h"

#include "store/tags.h"

#define SCENARIO                                                                               \
    "SELECT s.id, s.name, s.description, s.project_id AS projectId, p.name AS project,"        \
    " s.app_tag AS appTag, s.credential_tag AS credentialTag, s.auth_type AS authType,"        \
    " s.tags AS \"tags{}\", s.history_tags AS \"historyTags{}\","                              \
    " s.environment_id AS environmentId, s.step_count AS stepCount, s.version,"                \
    " s.updated_at AS \"updatedAt@\", json_array(s.project_id) AS \"projectIds{}\""
#define JOINED " FROM scenarios s JOIN projects p ON p.id = s.project_id"
#define CHOSEN                                                                                 \
    " WHERE (?1 IS NULL OR s.project_id = ?1)"                                                 \
    " AND (?2 IS NULL OR instr(lower(s.name), lower(?2)))"                                     \
    " AND (?3 IS NULL OR s.auth_type = ?3)"
// Its static tags count; if it has none, those of its past runs.
#define BY_TAG(list)                                                                           \
    "EXISTS (SELECT 1 FROM tags t JOIN json_each(" list ") w ON t.tag = w.value"               \
    " WHERE t.kind = 'api_scenario' AND t.test_id = s.id AND t.past = (s.tags = '[]'))"
#define PAGE " AND s.id > ?8 ORDER BY s.id LIMIT ?9"

const listing_t scenarios_listing = {
    .plural = "scenarios",
    .rows = SCENARIO JOINED CHOSEN PAGE,
    .count = "SELECT count(*) FROM scenarios s" CHOSEN,
    .names =
        "SELECT s.id, s.name, json_array(s.project_id) AS \"projectIds{}\","
        " s.tags AS \"tags{}\", s.history_tags AS \"historyTags{}\" FROM scenarios s" CHOSEN
        " ORDER BY s.id",
};

const listing_t scenarios_tagged_listing = {
    .plural = "scenarios",
    .rows = SCENARIO
    ", iif(s.tags = '[]', 'execution_history', 'static_tags') AS match_source" JOINED CHOSEN
    " AND " BY_TAG("?4") PAGE,
    .count = "SELECT count(*) FROM scenarios s" CHOSEN " AND " BY_TAG("?4"),
};

json_t *
scenarios_get(store_t *store, arena_t *arena, int64_t id)
{
    return store_row(store, arena, SCENARIO JOINED " WHERE s.id = ?1", BIND(value_int(id)));
}

int64_t
scenarios_named(store_t *store, int64_t project, const char *name)
{
    return store_number(store, "SELECT id FROM scenarios WHERE project_id = ?1 AND name = ?2",
                        BIND(value_int(project), value_text(name)), 0);
}

static void
add_version(store_t *store, arena_t *arena, int64_t id, const scenario_t *scenario,
            int64_t wall_ms)
{
    store_run(store,
              "INSERT INTO scenario_versions"
              " (scenario_id, version, yaml, definition, created_at, is_imported)"
              " SELECT id, version, ?2, ?3, ?4, ?5 FROM scenarios WHERE id = ?1",
              BIND(value_int(id), value_text(scenario->yaml),
                   value_json(arena, scenario->definition), value_int(wall_ms),
                   value_int(scenario->is_imported)));
    tags_set(store, "api_scenario", id, scenario->tags);
}

int64_t
scenarios_add(store_t *store, arena_t *arena, const scenario_t *scenario, int64_t wall_ms)
{
    int64_t id = store_insert(
        store,
        "INSERT INTO scenarios (project_id, environment_id, name, description, app_tag,"
        " credential_tag, auth_type, tags, step_count, updated_at)"
        " VALUES (?1, ?2, ?3, coalesce(?4, ''), ?5, ?6, ?7, coalesce(?8, '[]'), ?9, ?10)",
        BIND(value_int(scenario->project), value_id(scenario->environment),
             value_text(scenario->name), value_text(scenario->description),
             value_text(scenario->app_tag), value_text(scenario->credential_tag),
             value_text(scenario->auth_type), value_json(arena, scenario->tags),
             value_int(scenario->step_count), value_int(wall_ms)));

    add_version(store, arena, id, scenario, wall_ms);
    return id;
}

void
scenarios_change(store_t *store, arena_t *arena, int64_t id, const scenario_t *scenario,
                 int64_t wall_ms)
{
    store_run(store,
              "UPDATE scenarios SET environment_id = coalesce(?2, environment_id), name = ?3,"
              " description = coalesce(?4, ''), app_tag = ?5, credential_tag = ?6,"
              " auth_type = ?7, tags = coalesce(?8, '[]'), step_count = ?9, updated_at = ?10,"
              " version = version + 1 WHERE id = ?1",
              BIND(value_int(id), value_id(scenario->environment), value_text(scenario->name),
                   value_text(scenario->description), value_text(scenario->app_tag),
                   value_text(scenario->credential_tag), value_text(scenario->auth_type),
                   value_json(arena, scenario->tags), value_int(scenario->step_count),
                   value_int(wall_ms)));
    add_version(store, arena, id, scenario, wall_ms);
}

json_t *
scenarios_version(store_t *store, arena_t *arena, int64_t id, int64_t version)
{
    return store_row(store, arena,
                     "SELECT v.version, v.yaml AS yamlText, v.definition AS \"definition{}\","
                     " v.is_imported AS isImported"
                     " FROM scenario_versions v JOIN scenarios s ON s.id = v.scenario_id"
                     " WHERE v.scenario_id = ?1 AND v.version = coalesce(?2, s.version)",
                     BIND(value_int(id), value_id(version)));
}

json_t *
scenarios_tagged(store_t *store, arena_t *arena, int64_t project, const json_t *tags)
{
    return store_rows(store, arena,
                      "SELECT s.id, s.name FROM scenarios s WHERE s.project_id = ?1"
                      " AND " BY_TAG("?2") " ORDER BY s.id",
                      BIND(value_int(project), value_json(arena, tags)));
}
