// SPDX-License-Identifier: Apache-2.0
#include "store/applications.h"

#define PROJECTS                                                                               \
    "(SELECT json_group_array(l.project_id) FROM project_applications l"                       \
    " WHERE l.application_id = a.id) AS \"projectIds{}\""
#define APPLICATION                                                                            \
    "SELECT a.id, a.name, a.app_tag AS appTag, a.application_type AS applicationType,"         \
    " a.interfaces AS \"applicationInterfaces{}\", a.auth_requirement AS authRequirement,"     \
    " a.git_url AS gitUrl, a.git_provider AS gitProvider, a.default_branch AS defaultBranch,"  \
    " a.swagger_path AS swaggerPath, " PROJECTS " FROM applications a"
#define CHOSEN                                                                                 \
    " WHERE (?1 IS NULL OR instr(lower(a.name), lower(?1)))"                                   \
    " AND (?2 IS NULL OR EXISTS (SELECT 1 FROM project_applications l"                         \
    " WHERE l.project_id = ?2 AND l.application_id = a.id))"

const listing_t applications_listing = {
    .plural = "applications",
    .rows = APPLICATION CHOSEN " AND a.id > ?8 ORDER BY a.id LIMIT ?9",
    .count = "SELECT count(*) FROM applications a" CHOSEN,
    .names = "SELECT a.id, a.name, " PROJECTS " FROM applications a" CHOSEN " ORDER BY a.id",
};

json_t *
applications_get(store_t *store, arena_t *arena, int64_t id)
{
    return store_row(store, arena, APPLICATION " WHERE a.id = ?1", BIND(value_int(id)));
}

json_t *
applications_find(store_t *store, arena_t *arena, const char *name)
{
    return store_row(store, arena, APPLICATION " WHERE a.name = ?1", BIND(value_text(name)));
}

int64_t
applications_add(store_t *store, arena_t *arena, const application_t *application)
{
    return store_insert(
        store,
        "INSERT INTO applications (name, app_tag, application_type, interfaces,"
        " auth_requirement, git_url, git_provider, swagger_path)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        BIND(value_text(application->name), value_text(application->app_tag),
             value_text(application->type), value_json(arena, application->interfaces),
             value_text(application->auth_requirement), value_text(application->git_url),
             value_text(application->git_provider), value_text(application->swagger_path)));
}

bool
applications_are_public(store_t *store, const char *app_tag)
{
    return store_number(store,
                        "SELECT min(ifnull(auth_requirement, '') = 'PUBLIC') FROM applications"
                        " WHERE app_tag = ?1",
                        BIND(value_text(app_tag)), 0)
           == 1;
}

bool
applications_link(store_t *store, int64_t id, int64_t project)
{
    return store_run(store,
                     "INSERT INTO project_applications (project_id, application_id)"
                     " VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                     BIND(value_int(project), value_int(id)))
           > 0;
}
