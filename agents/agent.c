// SPDX-License-Identifier: Apache-2.0
#include "agent.h"

#include "auto.h"
#include "clock.h"
#include "keyfile.h"
#include "limits.h"
#include "log.h"
#include "slot.h"
#include "tasks.h"

enum {
    FIRST_PAUSE_MS = 100,
    LAST_PAUSE_MS = 5000,
    CLAIM_LEAST_MS = 50,  // a platform that says sooner that it has nothing did not wait
};

typedef struct {
    actor_t *actor;
    const agent_options_t *options;
    slots_t *slots;  // claim and run
    slots_t *beats;  // one slot: heartbeats go out while all others are busy
    char *token;     // NULL until there is one
    char agent_id[AGENT_ID_SIZE];
    bool is_registered;
    bool is_draining;
    bool is_pausing;
    task_t *claiming;  // registers or claims, or NULL
    int64_t claimed_at_ms;
    task_t *beating;
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

static void
pause_for(agent_t *self, size_t pause_ms)
{
    self->is_pausing = true;
    zloop_timer(actor_loop(self->actor), pause_ms, 1, on_pause_over, self);
}

// Tries again later, and later still while it goes on failing.
static void
wait_a_little(agent_t *self)
{
    self->pause_ms = self->pause_ms ? self->pause_ms * 2 : FIRST_PAUSE_MS;
    if (self->pause_ms > LAST_PAUSE_MS)
        self->pause_ms = LAST_PAUSE_MS;
    pause_for(self, self->pause_ms);
}

// The platform writes the token at its first start, and a new one when it was revoked. False if
// there is none; jobs under way go on with the one before.
static bool
read_token(agent_t *self)
{
    failure_t why = { 0 };
    char *token = NULL;
    exit_code_t code = keyfile_read(self->options->token_file, &token, &why);

    if (code) {
        log_error("token", "%s", why.text);
        actor_stop(self->actor, code);
    }
    if (!token)
        return false;
    free(self->token);
    self->token = token;
    return true;
}

// Starts whatever is next: registering, or asking for a job.
static void
go_on(agent_t *self)
{
    if (self->is_draining) {
        if (!self->running_count && !self->claiming)
            actor_stop(self->actor, EXIT_DONE);
        return;
    }
    if (self->claiming || self->is_pausing || !slots_idle(self->slots))
        return;
    if (!self->is_registered && !read_token(self)) {
        wait_a_little(self);
        return;
    }
    self->claiming = new_task(self, self->is_registered ? TASK_CLAIM : TASK_REGISTER);
    self->claimed_at_ms = clock_now_ms();
    slots_give(self->slots, self->claiming);
}

static int
on_pause_over(zloop_t *loop, int timer, void *arg)
{
    agent_t *self = arg;

    self->is_pausing = false;
    go_on(self);
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
forget(agent_t *self, const task_t *task)
{
    for (size_t i = 0; i < self->running_count; i++)
        if (self->running[i] == task)
            self->running[i] = self->running[--self->running_count];
}

// A result whose token was revoked is reported once more when there is a new one.
static bool
report_again(agent_t *self, task_t *task)
{
    if (task->why.status != UNAUTHORIZED || !read_token(self)
        || !strcmp(self->token, task->token))
        return false;
    task_set_token(task, self->token);
    return slots_give(self->slots, task);  // the slot that ran it is idle now
}

static void
on_ran(agent_t *self, task_t **task_p)
{
    task_t *task = *task_p;

    if (report_again(self, task)) {
        *task_p = NULL;
        return;
    }
    if (task->why.status == CONFLICT)
        log_info("result-unwanted", "job %s was cancelled or went to another agent",
                 task->job->id);
    else if (task->why.status)
        log_warning("result-lost", "job %s: %s", task->job->id, task->why.text);
    forget(self, task);
    go_on(self);
}

// There was no job: asks again, but not over and over.
static void
on_nothing(agent_t *self)
{
    if (!self->is_draining && clock_now_ms() - self->claimed_at_ms < CLAIM_LEAST_MS)
        pause_for(self, FIRST_PAUSE_MS);
    go_on(self);
}

static void
on_claimed(agent_t *self, task_t *task)
{
    self->claiming = NULL;
    if (task->why.status) {
        on_failure(self, task);
        return;
    }
    self->pause_ms = 0;
    if (task->kind == TASK_CLAIM && !task->job) {
        on_nothing(self);
        return;
    }
    if (task->kind == TASK_REGISTER)
        on_registered(self, task);
    else
        start_job(self, task);
    go_on(self);
}

static void
on_done(void *owner, void *job)
{
    AUTO(task_destroy) task_t *task = job;

    if (task->kind == TASK_RUN)
        on_ran(owner, &task);
    else
        on_claimed(owner, task);
}

static void
stop_job(agent_t *self, const char *id)
{
    for (size_t i = 0; i < self->running_count; i++)
        if (!strcmp(self->running[i]->job->id, id)
            && !atomic_exchange(&self->running[i]->job->cancelled, true))
            log_info("job-stopped", "%s", id);
}

static void
on_beaten(void *owner, void *job)
{
    agent_t *self = owner;
    AUTO(task_destroy) task_t *task = job;

    self->beating = NULL;
    if (task->why.status)
        log_warning("heartbeat", "%s", task->why.text);
    if (task->why.status == UNAUTHORIZED)
        read_token(self);
    for (size_t i = 0; i < task->beat_count; i++)
        if (task->beats[i].stop)
            stop_job(self, task->beats[i].id);
}

static int
on_beat(zloop_t *loop, int timer, void *arg)
{
    agent_t *self = arg;

    if (!self->running_count || self->beating)
        return 0;
    task_t *task = self->beating = new_task(self, TASK_BEAT);
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

// Ends what is still under way without waiting for it: jobs go to another agent.
static void
leave(agent_t *self)
{
    for (size_t i = 0; i < self->running_count; i++) {
        atomic_store(&self->running[i]->job->abandoned, true);
        atomic_store(&self->running[i]->job->cancelled, true);
    }
    slots_destroy(&self->slots);
    slots_destroy(&self->beats);
    for (size_t i = 0; i < self->running_count; i++)
        task_destroy(&self->running[i]);
    task_destroy(&self->claiming);
    task_destroy(&self->beating);
    free(self->token);
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
    leave(&self);
    return code;
}
