// SPDX-License-Identifier: Apache-2.0
#include "agent.h"

#include "auto.h"
#include "keyfile.h"
#include "limits.h"
#include "log.h"
#include "slot.h"
#include "tasks.h"

enum { FIRST_PAUSE_MS = 100, LAST_PAUSE_MS = 5000 };

typedef struct {
    actor_t *actor;
    const agent_options_t *options;
    slots_t *slots;  // claim and run
    slots_t *beats;  // one slot: heartbeats go out while all others are busy
    char *token;
    char agent_id[AGENT_ID_SIZE];
    bool is_registered;
    bool is_claiming;
    bool is_draining;
    task_t *running[AGENT_JOBS_MAX];
    size_t running_count;
    size_t pause_ms;
} agent_t;

static int on_pause_over(zloop_t *loop, int timer, void *arg);

static task_t *
new_task(const agent_t *self, task_kind_t kind)
{
    return task_new(kind, self->options->platform, self->options->name, self->token,
                    self->agent_id);
}

// Tries again later, and later still while it goes on failing.
static void
wait_a_little(agent_t *self)
{
    self->pause_ms = self->pause_ms ? self->pause_ms * 2 : FIRST_PAUSE_MS;
    if (self->pause_ms > LAST_PAUSE_MS)
        self->pause_ms = LAST_PAUSE_MS;
    zloop_timer(actor_loop(self->actor), self->pause_ms, 1, on_pause_over, self);
}

// The platform writes the token at its first start, and a new one when it was revoked.
static bool
read_token(agent_t *self)
{
    failure_t why = { 0 };

    free(self->token);
    self->token = NULL;
    exit_code_t code = keyfile_read(self->options->token_file, &self->token, &why);
    if (code) {
        log_error("token", "%s", why.text);
        actor_stop(self->actor, code);
    }
    return self->token != NULL;
}

// Starts whatever is next: registering, or asking for a job.
static void
go_on(agent_t *self)
{
    if (self->is_draining) {
        if (!self->running_count && !self->is_claiming)
            actor_stop(self->actor, EXIT_DONE);
        return;
    }
    if (self->is_claiming || !slots_idle(self->slots))
        return;
    if (!self->is_registered && !read_token(self)) {
        wait_a_little(self);
        return;
    }
    self->is_claiming = true;
    slots_give(self->slots, new_task(self, self->is_registered ? TASK_CLAIM : TASK_REGISTER));
}

static int
on_pause_over(zloop_t *loop, int timer, void *arg)
{
    go_on(arg);
    return 0;
}

static void
on_failure(agent_t *self, const task_t *task)
{
    log_warning("platform", "%s", task->why.text);
    if (task->why.status == UNAUTHORIZED || task->why.status == NOT_FOUND
        || task->kind == TASK_REGISTER)
        self->is_registered = false;
    if (self->is_draining)
        go_on(self);
    else
        wait_a_little(self);
}

static void
on_registered(agent_t *self, const task_t *task)
{
    snprintf(self->agent_id, sizeof self->agent_id, "%s", task->agent_id);
    self->is_registered = true;
    log_info("registered", "as agent %s", self->agent_id);
}

static void
start_job(agent_t *self, task_t *claimed)
{
    task_t *task = new_task(self, TASK_RUN);

    task->job = claimed->job;
    claimed->job = NULL;
    log_info("job", "%s %s, attempt %lld", task->job->kind, task->job->id,
             (long long) task->job->attempt);
    self->running[self->running_count++] = task;
    slots_give(self->slots, task);  // the slot that claimed is idle now
}

static void
on_ran(agent_t *self, const task_t *task)
{
    if (task->why.status)
        log_warning("result-lost", "job %s: %s", task->job->id, task->why.text);
    for (size_t i = 0; i < self->running_count; i++)
        if (self->running[i] == task)
            self->running[i] = self->running[--self->running_count];
}

static void
on_done(void *owner, void *job)
{
    agent_t *self = owner;
    AUTO(task_destroy) task_t *task = job;

    if (task->kind == TASK_RUN) {
        on_ran(self, task);
        go_on(self);
        return;
    }
    self->is_claiming = false;
    if (task->why.status) {
        on_failure(self, task);
        return;
    }
    self->pause_ms = 0;
    if (task->kind == TASK_REGISTER)
        on_registered(self, task);
    else if (task->job)
        start_job(self, task);
    go_on(self);
}

static void
on_beaten(void *owner, void *job)
{
    agent_t *self = owner;
    AUTO(task_destroy) task_t *task = job;

    for (size_t i = 0; i < task->beat_count; i++)
        for (size_t j = 0; task->beats[i].stop && j < self->running_count; j++)
            if (!strcmp(self->running[j]->job->id, task->beats[i].id)) {
                log_info("job-stopped", "%s", task->beats[i].id);
                atomic_store(&self->running[j]->job->cancelled, true);
            }
}

static int
on_beat(zloop_t *loop, int timer, void *arg)
{
    agent_t *self = arg;

    if (!self->running_count || !slots_idle(self->beats))
        return 0;
    task_t *task = new_task(self, TASK_BEAT);
    for (size_t i = 0; i < self->running_count; i++) {
        job_t *job = self->running[i]->job;
        beat_t *beat = &task->beats[task->beat_count++];
        snprintf(beat->id, sizeof beat->id, "%s", job->id);
        beat->attempt = job->attempt;
        beat->done = atomic_load(&job->done);
        beat->total = atomic_load(&job->total);
    }
    slots_give(self->beats, task);
    return 0;
}

static void
on_drain(void *arg)
{
    agent_t *self = arg;

    self->is_draining = true;
    go_on(self);
}

int
agent_run(actor_t *actor, const agent_options_t *options)
{
    static const slot_ops_t run_ops = { task_open, task_work, task_close, on_done };
    static const slot_ops_t beat_ops = { task_open, task_work, task_close, on_beaten };
    agent_t self = { .actor = actor, .options = options };
    zloop_t *loop = actor_loop(actor);

    self.slots = slots_new(loop, options->jobs, &run_ops, NULL, &self);
    self.beats = slots_new(loop, 1, &beat_ops, NULL, &self);
    zloop_timer(loop, HEARTBEAT_MS, 0, on_beat, &self);
    actor_on_drain(actor, on_drain, &self);
    actor_ready(actor, options->name);
    go_on(&self);
    int code = actor_run(actor);
    for (size_t i = 0; i < self.running_count; i++)
        atomic_store(&self.running[i]->job->cancelled, true);
    slots_destroy(&self.slots);
    slots_destroy(&self.beats);
    free(self.token);
    return code;
}
