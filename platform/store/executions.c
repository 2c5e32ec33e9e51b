// SPDX-License-Identifier: Apache-2.0
#include "store/executions.h"

#define HEAD                                                                                   \
    "SELECT x.id, x.scenario_id AS scenarioId, s.name AS scenario,"                            \
    " x.environment_id AS environmentId, e.name AS environment, s.project_id AS projectId,"    \
    " p.name AS project, x.status, x.outcome, x.total_steps AS totalSteps,"                    \
    " x.passed_steps AS passedSteps, x.failed_steps AS failedSteps,"                           \
    " iif(x.total_steps = 0, 0.0, round(100.0 * x.passed_steps / x.total_steps, 1))"           \
    "  AS successRate, x.credential_tag AS credentialTag, x.tags AS \"tags{}\","               \
    " x.created_at AS \"createdAt@\", x.started_at AS \"startedAt@\","                         \
    " x.ended_at AS \"endedAt@\", x.ended_at - x.started_at AS durationMs, x.error"
#define JOINED                                                                                 \
    " FROM executions x JOIN scenarios s ON s.id = x.scenario_id"                              \
    " JOIN environments e ON e.id = x.environment_id"                                          \
    " JOIN projects p ON p.id = s.project_id"
#define THIS " WHERE x.id = ?1"

int64_t
executions_add(store_t *store, arena_t *arena, const execution_t *execution, int64_t wall_ms)
{
    return store_insert(
        store,
        "INSERT INTO executions (scenario_id, environment_id, status, total_steps,"
        " credential_tag, tags, created_at) VALUES (?1, ?2, 'PENDING', ?3, ?4,"
        " coalesce(?5, '[]'), ?6)",
        BIND(value_int(execution->scenario), value_int(execution->environment),
             value_int(execution->total_steps), value_text(execution->credential_tag),
             value_json(arena, execution->tags), value_int(wall_ms)));
}

json_t *
executions_head(store_t *store, arena_t *arena, int64_t id)
{
    return store_row(store, arena, HEAD JOINED THIS, BIND(value_int(id)));
}

json_t *
executions_get(store_t *store, arena_t *arena, int64_t id)
{
    return store_row(store, arena,
                     HEAD
                     ", x.steps AS \"steps{}\","
                     " '/api/scenarios/executions/' || x.id || '/report' AS reportUrl,"
                     " (SELECT j.id FROM jobs j WHERE j.execution_id = x.id) AS jobId,"
                     " (SELECT json_object('done', j.done, 'total', j.total, 'text', j.text)"
                     " FROM jobs j WHERE j.execution_id = x.id) AS \"progress{}\"" JOINED THIS,
                     BIND(value_int(id)));
}

json_t *
executions_latest(store_t *store, arena_t *arena, int64_t count)
{
    return store_rows(store, arena, HEAD JOINED " ORDER BY x.id DESC LIMIT ?1",
                      BIND(value_int(count)));
}

const char *
executions_status(store_t *store, arena_t *arena, int64_t id)
{
    return store_string(store, arena, "SELECT status FROM executions WHERE id = ?1",
                        BIND(value_int(id)));
}

int64_t
executions_size(store_t *store, arena_t *arena, const json_t *ids)
{
    return store_number(store,
                        "SELECT sum(length(x.steps)) FROM json_each(?1) w"
                        " JOIN executions x ON x.id = w.value",
                        BIND(value_json(arena, ids)), 0);
}

void
executions_set_status(store_t *store, int64_t id, const char *status)
{
    store_run(store, "UPDATE executions SET status = ?2 WHERE id = ?1",
              BIND(value_int(id), value_text(status)));
}

void
executions_start(store_t *store, int64_t id, int64_t wall_ms)
{
    store_run(store, "UPDATE executions SET status = 'RUNNING', started_at = ?2 WHERE id = ?1",
              BIND(value_int(id), value_int(wall_ms)));
}

void
executions_finish(store_t *store, arena_t *arena, int64_t id, const execution_result_t *result)
{
    store_run(store,
              "UPDATE executions SET status = ?2, outcome = ?3, error = ?4, passed_steps = ?5,"
              " failed_steps = ?6, started_at = coalesce(?7, started_at), ended_at = ?8,"
              " steps = coalesce(?9, '[]') WHERE id = ?1",
              BIND(value_int(id), value_text(result->status), value_text(result->outcome),
                   value_text(result->error), value_int(result->passed),
                   value_int(result->failed), value_id(result->started_at),
                   value_int(result->ended_at), value_json(arena, result->steps)));
}
