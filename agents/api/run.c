// SPDX-License-Identifier: Apache-2.0
#include "api/run.h"

#include <string.h>

#include "api/login.h"
#include "api/step.h"
#include "auto.h"
#include "clock.h"

static void
take_variables(run_t *run)
{
    const json_t *given = json_get(run->payload, "variables");

    for (const json_t *one = given ? given->first : NULL; one; one = one->next)
        variables_set(run->variables, one->key, one);
}

static status_t
run_hooks(run_t *run, failure_t *why)
{
    const json_t *before = json_get(json_get(run->payload, "hooks"), "before");

    for (const json_t *hook = before ? before->first : NULL; hook; hook = hook->next) {
        const char *name = json_get_text(hook, "name");
        const char *generator = json_get_text(hook, "generator");
        if (!name || !generator)
            return fail(why, BAD_ARGS, "a hook has no name or no generator");
        if (variables_generate(run->variables, name, generator, json_get(hook, "arguments"),
                               why))
            return why->status;
        if (!strcmp(generator, "env"))
            mask_add(run->mask, variables_get(run->variables, name)->text);
    }
    return OK;
}

// What the steps' results make of the run. A failed check tells more than a step that could
// not be carried out because of it.
typedef struct {
    int64_t failed;
    int64_t errors;
    const char *error;
} tally_t;

static void
count(tally_t *tally, const json_t *result)
{
    const char *status = json_get_text(result, "status");

    tally->failed += !strcmp(status, "FAILED");
    if (strcmp(status, "ERROR") != 0)
        return;
    tally->errors++;
    if (!tally->error)
        tally->error = json_get_text(result, "error");
}

static void
run_steps(run_t *run, json_t *results, tally_t *tally)
{
    const json_t *steps = json_get(run->payload, "steps");
    bool stop = json_get_bool(run->payload, "stopOnFailure", true);
    int64_t index = 1;

    for (const json_t *step = steps ? steps->first : NULL; step; step = step->next, index++) {
        bool has_failed = tally->failed || tally->errors;
        bool skip = atomic_load(&run->job->cancelled)
                    || (stop && has_failed && !json_get_bool(step, "always", false));
        json_t *result = skip ? step_skipped(run, step, index) : step_run(run, step, index);
        json_add(results, result);
        count(tally, result);
        atomic_store(&run->job->done, index);
    }
}

// Nothing could be carried out: every step is listed as skipped, and the reason is the run's.
static void
skip_steps(run_t *run, json_t *results, tally_t *tally, const failure_t *why)
{
    const json_t *steps = json_get(run->payload, "steps");
    int64_t index = 1;

    tally->error = arena_strdup(run->arena, why->text);
    for (const json_t *step = steps ? steps->first : NULL; step; step = step->next)
        json_add(results, step_skipped(run, step, index++));
}

static void
conclude(run_t *run, json_t *result, const tally_t *tally)
{
    const char *status = "COMPLETED", *outcome = "PASSED", *error = tally->error;

    if (atomic_load(&run->job->cancelled))
        status = "CANCELLED", outcome = "ERROR", error = "the run was cancelled";
    else if (tally->failed)
        status = outcome = "FAILED";
    else if (tally->errors || tally->error)
        status = outcome = "ERROR";
    json_set_text(run->arena, result, "status", status);
    json_set_text(run->arena, result, "outcome", outcome);
    json_set_text(run->arena, result, "error", error);
}

static void
set_now(arena_t *arena, json_t *result, const char *name)
{
    char now[CLOCK_TEXT_SIZE];

    clock_format(clock_wall_ms(), now);
    json_set_text(arena, result, name, now);
}

json_t *
api_run(job_t *job)
{
    AUTO(exchange_destroy)
    exchange_t *exchange =
        exchange_new(json_get_bool(job->payload, "allowPrivate", false), &job->cancelled);
    run_t run = {
        .arena = job->arena,
        .payload = job->payload,
        .job = job,
        .exchange = exchange,
        .variables = variables_new(job->arena),
        .mask = mask_new(job->arena),
    };
    json_t *result = json_object(job->arena);
    const json_t *steps = json_get(job->payload, "steps");
    tally_t tally = { 0 };
    failure_t why = { 0 };

    atomic_store(&job->total, steps ? (long long) steps->count : 0);
    set_now(job->arena, result, "startedAt");
    json_t *results = json_set(job->arena, result, "steps", json_array(job->arena));
    take_variables(&run);
    if (login_secrets(&run, &why) || run_hooks(&run, &why) || login(&run, &why))
        skip_steps(&run, results, &tally, &why);
    else
        run_steps(&run, results, &tally);
    conclude(&run, result, &tally);
    set_now(job->arena, result, "endedAt");
    mask_run(run.mask, job->arena, result);
    return result;
}
