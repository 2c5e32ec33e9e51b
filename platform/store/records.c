// SPDX-License-Identifier: Apache-2.0
#include "store/records.h"

#include "store/tags.h"

#define OWNER                                                                                  \
    "r.project_id AS projectId, p.name AS project,"                                            \
    " json_array(r.project_id) AS \"projectIds{}\""
#define JOINED " r JOIN projects p ON p.id = r.project_id"
#define CHOSEN                                                                                 \
    " WHERE (?1 IS NULL OR r.project_id = ?1)"                                                 \
    " AND (?2 IS NULL OR instr(lower(r.name), lower(?2)))"
#define PAGE  " AND r.id > ?8 ORDER BY r.id LIMIT ?9"
#define NAMES "SELECT r.id, r.name, json_array(r.project_id) AS \"projectIds{}\""

#define UI_TEST                                                                                \
    "SELECT r.id, r.name, r.driver, r.app_tag AS appTag, r.credential_tag AS credentialTag,"   \
    " r.tags AS \"tags{}\", r.description, r.yaml AS yamlText, " OWNER " FROM ui_tests" JOINED
#define UI_CHOSEN                                                                              \
    CHOSEN " AND (?4 IS NULL OR r.driver = ?4) AND (?3 IS NULL OR EXISTS (SELECT 1"            \
           " FROM json_each(?3) w JOIN tags t ON t.kind = 'ui_test' AND t.tag = w.value"       \
           " AND t.test_id = r.id AND t.past = 0))"

const listing_t ui_tests_listing = {
    .plural = "uiTests",
    .rows = UI_TEST UI_CHOSEN PAGE,
    .count = "SELECT count(*) FROM ui_tests r" UI_CHOSEN,
    .names = NAMES ", r.tags AS \"tags{}\", '[]' AS \"historyTags{}\" FROM ui_tests r" UI_CHOSEN
                   " ORDER BY r.id",
};

#define UI_SUITE "SELECT r.id, r.name, r.tests AS \"tests{}\", " OWNER " FROM ui_suites" JOINED

const listing_t ui_suites_listing = {
    .plural = "uiTestSuites",
    .rows = UI_SUITE CHOSEN PAGE,
    .count = "SELECT count(*) FROM ui_suites r" CHOSEN,
    .names = NAMES " FROM ui_suites r" CHOSEN " ORDER BY r.id",
};

#define PIPELINE                                                                               \
    "SELECT r.id, r.name, r.description, r.stages AS \"stages{}\", " OWNER                     \
    " FROM pipelines" JOINED

const listing_t pipelines_listing = {
    .plural = "pipelines",
    .rows = PIPELINE CHOSEN PAGE,
    .count = "SELECT count(*) FROM pipelines r" CHOSEN,
    .names = NAMES " FROM pipelines r" CHOSEN " ORDER BY r.id",
};

json_t *
ui_tests_get(store_t *store, arena_t *arena, int64_t id)
{
    return store_row(store, arena, UI_TEST " WHERE r.id = ?1", BIND(value_int(id)));
}

json_t *
ui_suites_get(store_t *store, arena_t *arena, int64_t id)
{
    return store_row(store, arena, UI_SUITE " WHERE r.id = ?1", BIND(value_int(id)));
}

json_t *
pipelines_get(store_t *store, arena_t *arena, int64_t id)
{
    return store_row(store, arena, PIPELINE " WHERE r.id = ?1", BIND(value_int(id)));
}

int64_t
ui_tests_named(store_t *store, int64_t project, const char *name)
{
    return store_number(store, "SELECT id FROM ui_tests WHERE project_id = ?1 AND name = ?2",
                        BIND(value_int(project), value_text(name)), 0);
}

int64_t
ui_suites_named(store_t *store, int64_t project, const char *name)
{
    return store_number(store, "SELECT id FROM ui_suites WHERE project_id = ?1 AND name = ?2",
                        BIND(value_int(project), value_text(name)), 0);
}

int64_t
pipelines_named(store_t *store, int64_t project, const char *name)
{
    return store_number(store, "SELECT id FROM pipelines WHERE project_id = ?1 AND name = ?2",
                        BIND(value_int(project), value_text(name)), 0);
}

int64_t
ui_tests_add(store_t *store, arena_t *arena, const json_t *given)
{
    const json_t *tags = json_get(given, "tags");
    int64_t id = store_insert(
        store,
        "INSERT INTO ui_tests (project_id, name, driver, app_tag, credential_tag, description,"
        " yaml, tags) VALUES (?1, ?2, ?3, ?4, ?5, coalesce(?6, ''), ?7, coalesce(?8, '[]'))",
        BIND(value_int(json_get_int(given, "projectId", 0)),
             value_text(json_get_text(given, "name")),
             value_text(json_get_text(given, "driver")),
             value_text(json_get_text(given, "appTag")),
             value_text(json_get_text(given, "credentialTag")),
             value_text(json_get_text(given, "description")),
             value_text(json_get_text(given, "yamlText")), value_json(arena, tags)));

    tags_set(store, "ui_test", id, tags);
    return id;
}

int64_t
ui_suites_add(store_t *store, arena_t *arena, const json_t *given)
{
    return store_insert(store,
                        "INSERT INTO ui_suites (project_id, name, tests)"
                        " VALUES (?1, ?2, coalesce(?3, '[]'))",
                        BIND(value_int(json_get_int(given, "projectId", 0)),
                             value_text(json_get_text(given, "name")),
                             value_json(arena, json_get(given, "tests"))));
}

int64_t
pipelines_add(store_t *store, arena_t *arena, const json_t *given)
{
    return store_insert(store,
                        "INSERT INTO pipelines (project_id, name, description, stages)"
                        " VALUES (?1, ?2, coalesce(?3, ''), coalesce(?4, '[]'))",
                        BIND(value_int(json_get_int(given, "projectId", 0)),
                             value_text(json_get_text(given, "name")),
                             value_text(json_get_text(given, "description")),
                             value_json(arena, json_get(given, "stages"))));
}

json_t *
ui_tests_tagged(store_t *store, arena_t *arena, int64_t project, const json_t *tags)
{
    return store_rows(store, arena,
                      "SELECT r.id, r.name FROM ui_tests r WHERE r.project_id = ?1 AND EXISTS"
                      " (SELECT 1 FROM json_each(?2) w JOIN tags t ON t.kind = 'ui_test'"
                      " AND t.tag = w.value AND t.test_id = r.id AND t.past = 0) ORDER BY r.id",
                      BIND(value_int(project), value_json(arena, tags)));
}
