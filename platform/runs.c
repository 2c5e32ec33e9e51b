// SPDX-License-Identifier: Apache-2.0
#include "runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "choice.h"
#include "formats/scenario.h"
#include "secrets.h"
#include "store/credentials.h"
#include "store/environments.h"
#include "store/executions.h"
#include "store/jobs.h"
#include "store/scenarios.h"
#include "store/tags.h"

static json_t *
find(exchange_t *x, const char *kind, json_t *entity, int64_t id)
{
    if (!entity)
        fail_coded(&x->why, NOT_FOUND, "NOT_FOUND", "there is no %s with the id %" PRId64, kind,
                   id);
    return entity;
}

// ---- planning

static void
copy(exchange_t *x, json_t *to, const char *key, const json_t *value)
{
    if (value && value->kind != JSON_NULL)
        json_set(x->arena, to, key, json_copy(x->arena, value));
}

// Everything a run depends on but its secrets, as it is now: a later change of the environment
// does not reach a run that is queued.
static json_t *
context_of(exchange_t *x, const run_wish_t *wish, const choice_t *choice)
{
    json_t *context = json_object(x->arena);
    const json_t *target = choice->target;

    json_set_int(x->arena, context, "scenarioId", wish->scenario);
    json_set_int(x->arena, context, "environmentId", wish->environment);
    copy(x, context, "version", json_get(choice->scenario, "version"));
    copy(x, context, "allowPrivate", json_get(choice->environment, "allowPrivate"));
    copy(x, context, "properties", json_get(choice->environment, "properties"));
    copy(x, context, "authEndpoint", json_get(choice->environment, "authEndpoint"));
    copy(x, context, "baseUrl", json_get(target, "baseUrl"));
    copy(x, context, "authType", json_get(json_get(target, "authConfig"), "authType"));
    copy(x, context, "variables", wish->variables);
    json_set_bool(x->arena, context, "stopOnFailure", wish->stop_on_failure);
    json_set_bool(x->arena, context, "authenticated",
                  choice->credential && !wish->allow_unauthenticated);
    return context;
}

status_t
runs_plan(exchange_t *x, const run_wish_t *wish, run_plan_t *plan)
{
    choice_t choice = {
        .credential_tag = wish->credential_tag,
        .allow_unauthenticated = wish->allow_unauthenticated,
    };

    choice.scenario =
        find(x, "scenario", scenarios_get(x->store, x->arena, wish->scenario), wish->scenario);
    if (!choice.scenario)
        return x->why.status;
    choice.environment =
        find(x, "environment", environments_get(x->store, x->arena, wish->environment),
             wish->environment);
    if (!choice.environment)
        return x->why.status;
    const json_t *version = scenarios_version(x->store, x->arena, wish->scenario, 0);
    choice.definition = json_get(version, "definition");
    if (choice_make(x, &choice))
        return x->why.status;
    const char *tag = json_get_text(choice.credential, "tag");
    *plan = (run_plan_t){
        .scenario = wish->scenario,
        .environment = wish->environment,
        .step_count = json_get_int(choice.scenario, "stepCount", 0),
        .credential = json_get_int(choice.credential, "id", 0),
        .credential_tag = wish->allow_unauthenticated ? NULL : tag,
        .tags = wish->tags,
        .context = context_of(x, wish, &choice),
    };
    return OK;
}

// ---- queueing

static int64_t
queue_job(exchange_t *x, const run_plan_t *plan, const char **job_id_p)
{
    char *job_id = arena_alloc(x->arena, JOBS_ID_SIZE);
    int64_t execution = executions_add(x->store, x->arena,
                                       &(execution_t){
                                           .scenario = plan->scenario,
                                           .environment = plan->environment,
                                           .total_steps = plan->step_count,
                                           .credential_tag = plan->credential_tag,
                                           .tags = plan->tags,
                                       },
                                       x->wall_ms);

    jobs_new_id(job_id);
    jobs_add(x->store, x->arena,
             &(new_job_t){
                 .id = job_id,
                 .kind = "api_scenario",
                 .engine = "api",
                 .purpose = "execution",
                 .execution = execution,
                 .credential = plan->credential,
                 .context = plan->context,
                 .batch = plan->batch,
                 .batch_max = plan->batch_max,
             },
             x->wall_ms);
    tags_add_past(x->store, plan->scenario, plan->tags);
    exchange_note_job(x, 0, true);
    *job_id_p = job_id;
    return execution;
}

int64_t
runs_queue(exchange_t *x, const run_plan_t *plan)
{
    const char *job_id;

    return queue_job(x, plan, &job_id);
}

// The log-in of the first run must still be there: another one would be another test.
static status_t
check_login(exchange_t *x, int64_t environment, int64_t credential)
{
    const json_t *all = credentials_of(x->store, x->arena, environment);

    for (const json_t *one = all->first; one; one = one->next)
        if (json_get_int(one, "id", 0) == credential && json_get_bool(one, "active", false))
            return OK;
    return fail_coded(&x->why, BAD_ARGS, "CREDENTIAL_TAG_NOT_FOUND",
                      "the log-in of the first run is gone or DEACTIVATED; run the scenario "
                      "anew with another one");
}

int64_t
runs_retry(exchange_t *x, const json_t *job, const char **job_id_p)
{
    const json_t *old =
        executions_head(x->store, x->arena, json_get_int(job, "executionId", 0));
    run_plan_t plan = {
        .scenario = json_get_int(old, "scenarioId", 0),
        .environment = json_get_int(old, "environmentId", 0),
        .step_count = json_get_int(old, "totalSteps", 0),
        .credential = json_get_int(job, "credentialId", 0),
        .credential_tag = json_get_text(old, "credentialTag"),
        .tags = json_get(old, "tags"),
        .context = json_get(job, "context"),
    };

    if (plan.credential && check_login(x, plan.environment, plan.credential))
        return 0;
    return queue_job(x, &plan, job_id_p);
}

// ---- what an agent gets

static json_t *
references_of(exchange_t *x, const json_t *credential)
{
    const char *reference = json_get_text(credential, "secretRef");
    json_t *references = json_object(x->arena);

    if (!reference)
        return NULL;
    json_set_text(x->arena, references,
                  json_get_text(credential, "username") ? "password" : "token", reference);
    return references;
}

json_t *
runs_payload(exchange_t *x, const json_t *job)
{
    const json_t *context = json_get(job, "context"), *credential = NULL;
    int64_t credential_id = json_get_int(job, "credentialId", 0);

    if (credential_id && !(credential = secrets_open(x, credential_id))) {
        if (!x->why.status)
            fail(&x->why, BACKEND, "the log-in of the run is gone");
        return NULL;
    }
    const json_t *version =
        scenarios_version(x->store, x->arena, json_get_int(context, "scenarioId", 0),
                          json_get_int(context, "version", 0));
    const scenario_run_t run = {
        .execution_id = json_get_int(job, "executionId", 0),
        .scenario = json_get(version, "definition"),
        .base_url = json_get_text(context, "baseUrl"),
        .allow_private = json_get_bool(context, "allowPrivate", false),
        .stop_on_failure = json_get_bool(context, "stopOnFailure", true),
        .properties = json_get(context, "properties"),
        .variables = json_get(context, "variables"),
        .authenticated = json_get_bool(context, "authenticated", false),
        .auth_type = json_get_text(context, "authType"),
        .auth_endpoint = json_get(context, "authEndpoint"),
        .username = json_get_text(credential, "username"),
        .password = json_get_text(credential, "password"),
        .token = json_get_text(credential, "token"),
        .api_key = json_get_text(credential, "apiKey"),
        .secret_refs = references_of(x, credential),
    };
    return scenario_job(x->arena, &run);
}

// ---- what an agent reports

static const struct {
    const char *status, *outcome;
} endings[] = {
    { "COMPLETED", "PASSED" },
    { "FAILED", "FAILED" },
    { "ERROR", "ERROR" },
    { "CANCELLED", "ERROR" },
};

static const char *
outcome_of(const char *status)
{
    for (size_t i = 0; status && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(endings[i].status, status) == 0)
            return endings[i].outcome;
    return NULL;
}

static int64_t
count(const json_t *steps, const char *status)
{
    int64_t found = 0;

    for (const json_t *step = steps->first; step; step = step->next) {
        const char *text = json_get_text(step, "status");
        found += text && strcmp(text, status) == 0;
    }
    return found;
}

// "2026-11-30T15:04:05.123Z" as milliseconds; 0 for anything else.
static int64_t
wall_of(const json_t *result, const char *key)
{
    const char *text = json_get_text(result, key);
    struct tm parts = { 0 };
    int ms = 0;
    const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &parts) : NULL;

    if (!rest)
        return 0;
    if (*rest == '.')
        sscanf(rest + 1, "%3d", &ms);
    return (int64_t) timegm(&parts) * 1000 + ms;
}

status_t
runs_finish(exchange_t *x, const json_t *job, const json_t *result)
{
    const char *status = json_get_text(result, "status"), *outcome = outcome_of(status);
    int64_t execution = json_get_int(job, "executionId", 0);
    const json_t *steps = json_get(result, "steps");

    if (!outcome || !steps || steps->kind != JSON_ARRAY)
        return exchange_refuse(x, "result", "must have a final status and steps");
    int64_t ended = wall_of(result, "endedAt");
    const execution_result_t kept = {
        .status = status,
        .outcome = outcome,
        .error = json_get_text(result, "error"),
        .passed = count(steps, "PASSED"),
        .failed = count(steps, "FAILED") + count(steps, "ERROR"),
        .started_at = wall_of(result, "startedAt"),
        .ended_at = ended ? ended : x->wall_ms,
        .steps = steps,
    };
    executions_finish(x->store, x->arena, execution, &kept);
    return OK;
}
