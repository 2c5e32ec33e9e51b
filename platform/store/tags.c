// SPDX-License-Identifier: Apache-2.0
#include "store/tags.h"

static void
add(store_t *store, const char *kind, int64_t test, const json_t *tags, int past)
{
    for (const json_t *tag = tags ? tags->first : NULL; tag; tag = tag->next)
        store_run(
            store,
            "INSERT INTO tags (kind, test_id, tag, past) VALUES (?1, ?2, ?3, ?4)"
            " ON CONFLICT DO NOTHING",
            BIND(value_text(kind), value_int(test), value_text(tag->text), value_int(past)));
}

void
tags_set(store_t *store, const char *kind, int64_t test, const json_t *tags)
{
    store_run(store, "DELETE FROM tags WHERE kind = ?1 AND test_id = ?2 AND past = 0",
              BIND(value_text(kind), value_int(test)));
    add(store, kind, test, tags, 0);
}

void
tags_add_past(store_t *store, int64_t scenario, const json_t *tags)
{
    if (!tags || !tags->first)
        return;
    add(store, "api_scenario", scenario, tags, 1);
    store_run(store,
              "UPDATE scenarios SET history_tags = (SELECT json_group_array(tag) FROM tags"
              " WHERE kind = 'api_scenario' AND test_id = ?1 AND past = 1) WHERE id = ?1",
              BIND(value_int(scenario)));
}

json_t *
tags_all(store_t *store, arena_t *arena, int64_t project, const char *kind)
{
    static const char all[] =
        "SELECT t.tag AS name, count(*) AS count, sum(t.kind = 'api_scenario') AS apiScenarios,"
        " sum(t.kind = 'ui_test') AS uiTests FROM tags t"
        " LEFT JOIN scenarios s ON t.kind = 'api_scenario' AND s.id = t.test_id"
        " LEFT JOIN ui_tests u ON t.kind = 'ui_test' AND u.id = t.test_id"
        " WHERE (t.past = 0 OR s.tags = '[]')"
        " AND (?1 IS NULL OR coalesce(s.project_id, u.project_id) = ?1)"
        " AND (?2 IS NULL OR t.kind = ?2) GROUP BY t.tag ORDER BY t.tag";

    return store_rows(store, arena, all, BIND(value_id(project), value_text(kind)));
}
