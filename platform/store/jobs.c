// SPDX-License-Identifier: Apache-2.0
#include "store/jobs.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define JOB                                                                                    \
    "SELECT seq, id, kind, engine, purpose, status, execution_id AS executionId,"              \
    " credential_id AS credentialId, context AS \"context{}\", attempt,"                       \
    " agent_id AS agentId, changes FROM jobs"

// How exactly it is known when an agent was here last.
enum { SEEN_MS = 10 * 60 * 1000 };

// A job has a UUID, and a number for people.
#define NAMED " WHERE id = ?1 OR (?1 NOT GLOB '*[^0-9]*' AND seq = CAST(?1 AS INTEGER))"

void
jobs_new_id(char id[JOBS_ID_SIZE])
{
    unsigned char b[16];

    randombytes_buf(b, sizeof b);
    b[6] = (b[6] & 0x0f) | 0x40;  // version 4
    b[8] = (b[8] & 0x3f) | 0x80;
    snprintf(id, JOBS_ID_SIZE,
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
             b[15]);
}

void
jobs_add(store_t *store, arena_t *arena, const new_job_t *job, int64_t wall_ms)
{
    store_run(
        store,
        "INSERT INTO jobs (id, kind, engine, purpose, status, execution_id, credential_id,"
        " context, created_at, batch, batch_max)"
        " VALUES (?1, ?2, ?3, ?4, 'PENDING', ?5, ?6, ?7, ?8, ?9, ?10)",
        BIND(value_text(job->id), value_text(job->kind), value_text(job->engine),
             value_text(job->purpose), value_id(job->execution), value_id(job->credential),
             value_json(arena, job->context), value_int(wall_ms), value_text(job->batch),
             value_id(job->batch_max)));
}

json_t *
jobs_get(store_t *store, arena_t *arena, const char *id)
{
    return store_row(store, arena, JOB NAMED, BIND(value_text(id)));
}

json_t *
jobs_shown(store_t *store, arena_t *arena, const char *id)
{
    static const char shown[] =
        "SELECT id AS jobId, iif(purpose = 'execution', kind, purpose) AS kind, status,"
        " json_object('done', done, 'total', total, 'text', text) AS \"progress{}\","
        " iif(error_code IS NULL, NULL, json_object('code', error_code, 'message',"
        " error_message)) AS \"error{}\", result AS \"result{}\", execution_id AS executionId,"
        " changes, seq FROM jobs" NAMED;

    return store_row(store, arena, shown, BIND(value_text(id)));
}

int64_t
jobs_number(store_t *store, const char *id)
{
    return store_number(store, "SELECT seq FROM jobs WHERE id = ?1", BIND(value_text(id)), 0);
}

void
jobs_watch(store_t *store, int64_t execution, int64_t *number_p, int64_t *changes_p)
{
    statement_t *row =
        store_query(store, "SELECT seq, changes FROM jobs WHERE execution_id = ?1",
                    BIND(value_int(execution)));

    *number_p = 0;
    *changes_p = 0;
    while (store_next(store, row)) {
        *number_p = store_int(row, 0);
        *changes_p = store_int(row, 1);
    }
}

// ---- given out

// Of a batch only so many run at once; the others wait for these.
#define READY                                                                                  \
    " status = 'PENDING' AND engine IN (SELECT value FROM json_each(?1))"                      \
    " AND (batch IS NULL OR (SELECT count(*) FROM jobs AS other WHERE other.batch = "          \
    "jobs.batch"                                                                               \
    " AND other.status = 'RUNNING') < batch_max)"

json_t *
jobs_next(store_t *store, arena_t *arena, const json_t *engines)
{
    return store_row(store, arena, JOB " WHERE" READY " ORDER BY seq LIMIT 1",
                     BIND(value_json(arena, engines)));
}

bool
jobs_is_any(store_t *store, arena_t *arena, const json_t *engines)
{
    return store_number(store, "SELECT 1 FROM jobs WHERE" READY " LIMIT 1",
                        BIND(value_json(arena, engines)), 0)
           == 1;
}

void
jobs_claim(store_t *store, int64_t seq, const char *agent, int64_t until_ms)
{
    store_run(store,
              "UPDATE jobs SET status = 'RUNNING', attempt = attempt + 1, agent_id = ?2,"
              " lease_until = ?3, changes = changes + 1 WHERE seq = ?1",
              BIND(value_int(seq), value_text(agent), value_int(until_ms)));
}

bool
jobs_beat(store_t *store, const char *id, const char *agent, int64_t attempt, int64_t until_ms)
{
    return store_run(
               store,
               "UPDATE jobs SET lease_until = ?4 WHERE id = ?1 AND agent_id = ?2"
               " AND attempt = ?3 AND status IN ('RUNNING', 'CANCELLED')",
               BIND(value_text(id), value_text(agent), value_int(attempt), value_int(until_ms)))
           > 0;
}

bool
jobs_set_progress(store_t *store, const char *id, int64_t done, int64_t total, const char *text)
{
    return store_run(store,
                     "UPDATE jobs SET changes = changes + 1, done = ?2, total = ?3, text = ?4"
                     " WHERE id = ?1 AND (done, total, text) <> (?2, ?3, ?4)",
                     BIND(value_text(id), value_int(done), value_int(total), value_text(text)))
           > 0;
}

void
jobs_finish(store_t *store, arena_t *arena, const char *id, const char *status,
            const char *code, const char *message, const json_t *result, int64_t wall_ms)
{
    store_run(store,
              "UPDATE jobs SET status = ?2, error_code = ?3, error_message = ?4, result = ?5,"
              " ended_at = ?6, lease_until = NULL, changes = changes + 1,"
              " context = iif(purpose = 'execution', context, '{}') WHERE id = ?1",
              BIND(value_text(id), value_text(status), value_text(code), value_text(message),
                   value_json(arena, result), value_int(wall_ms)));
}

void
jobs_again(store_t *store, arena_t *arena, const char *id, const json_t *context)
{
    store_run(store,
              "UPDATE jobs SET status = 'PENDING', context = ?2, attempt = 0, agent_id = NULL,"
              " lease_until = NULL, changes = changes + 1 WHERE id = ?1",
              BIND(value_text(id), value_json(arena, context)));
}

bool
jobs_give_back(store_t *store, const char *id, int64_t attempt)
{
    return store_run(store,
                     "UPDATE jobs SET status = 'PENDING', attempt = attempt - 1,"
                     " agent_id = NULL, lease_until = NULL, changes = changes + 1"
                     " WHERE id = ?1 AND attempt = ?2 AND status = 'RUNNING'",
                     BIND(value_text(id), value_int(attempt)))
           > 0;
}

// ---- time

json_t *
jobs_overdue(store_t *store, arena_t *arena, int64_t now_ms, int64_t wall_ms)
{
    return store_rows(store, arena,
                      "SELECT seq, id, execution_id AS executionId, attempt, status FROM jobs"
                      " WHERE (status = 'RUNNING' AND lease_until < ?1)"
                      " OR (status = 'PENDING' AND created_at < ?2 AND NOT EXISTS"
                      " (SELECT 1 FROM agents a JOIN json_each(a.engines) e"
                      " WHERE e.value = jobs.engine AND a.seen_at >= ?2)) ORDER BY seq",
                      BIND(value_int(now_ms), value_int(wall_ms)));
}

void
jobs_requeue(store_t *store, const char *id)
{
    store_run(store,
              "UPDATE jobs SET status = 'PENDING', agent_id = NULL, lease_until = NULL,"
              " changes = changes + 1 WHERE id = ?1",
              BIND(value_text(id)));
}

int64_t
jobs_open(store_t *store)
{
    return store_number(store,
                        "SELECT count(*) FROM jobs WHERE status IN ('PENDING', 'RUNNING')",
                        BIND_NONE, 0);
}

void
jobs_extend_all(store_t *store, int64_t until_ms)
{
    store_run(store, "UPDATE jobs SET lease_until = ?1 WHERE status = 'RUNNING'",
              BIND(value_int(until_ms)));
}

// ---- agents

void
jobs_add_agent(store_t *store, arena_t *arena, const char *id, const json_t *given,
               int64_t wall_ms)
{
    store_run(store,
              "INSERT INTO agents (id, name, version, engines, unavailable, seen_at)"
              " VALUES (?1, ?2, ?3, ?4, coalesce(?5, '[]'), ?6)",
              BIND(value_text(id), value_text(json_get_text(given, "name")),
                   value_text(json_get_text(given, "version")),
                   value_json(arena, json_get(given, "engines")),
                   value_json(arena, json_get(given, "unavailable")), value_int(wall_ms)));
}

bool
jobs_has_agent(store_t *store, const char *id, int64_t wall_ms)
{
    int64_t seen = store_number(store, "SELECT seen_at FROM agents WHERE id = ?1",
                                BIND(value_text(id)), 0);

    if (seen && wall_ms - seen > SEEN_MS)
        store_run(store, "UPDATE agents SET seen_at = ?2 WHERE id = ?1",
                  BIND(value_text(id), value_int(wall_ms)));
    return seen > 0;
}

void
jobs_sweep_agents(store_t *store, int64_t before_ms)
{
    store_run(store, "DELETE FROM agents WHERE seen_at < ?1", BIND(value_int(before_ms)));
}
