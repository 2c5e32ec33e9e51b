// SPDX-License-Identifier: Apache-2.0
#include "store/setup_status.h"

// clang-format off
static const char counts[] =
    "WITH mine AS (SELECT e.* FROM environments e JOIN project_environments l"
    "  ON l.environment_id = e.id WHERE l.project_id = ?1)"
    " SELECT (SELECT count(*) FROM project_applications WHERE project_id = ?1) AS applications,"
    " (SELECT count(*) FROM applications a JOIN project_applications l"
    "  ON l.application_id = a.id WHERE l.project_id = ?1 AND a.application_type = '') AS untyped,"
    " (SELECT count(*) FROM mine) AS environments,"
    " (SELECT count(*) FROM targets t JOIN mine ON mine.id = t.environment_id) AS targets,"
    " (SELECT count(*) FROM scenarios WHERE project_id = ?1) AS scenarios,"
    " (SELECT count(*) FROM mine WHERE auth_requirement = 'AUTHENTICATED') AS needsLogin,"
    " (SELECT count(*) FROM mine WHERE auth_requirement = 'AUTHENTICATED' AND"
    "  (SELECT count(*) FROM credentials c WHERE c.environment_id = mine.id AND c.active = 1)"
    "  <> 1 AND NOT EXISTS (SELECT 1 FROM credentials c WHERE c.environment_id = mine.id"
    "  AND c.active = 1 AND c.is_default = 1)) AS withoutLogin";
// clang-format on

json_t *
setup_status_counts(store_t *store, arena_t *arena, int64_t project)
{
    return store_row(store, arena, counts, BIND(value_int(project)));
}
