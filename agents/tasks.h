// SPDX-License-Identifier: Apache-2.0
// The agent's blocking work, each piece in a slot: register, claim a job, run and report it,
// send heartbeats. A task has everything it needs and brings back what it found.

#ifndef PROOFARC_TASKS_H
#define PROOFARC_TASKS_H

#include "job.h"

enum { AGENT_ID_SIZE = 64, AGENT_JOBS_MAX = 32 };

typedef enum { TASK_REGISTER, TASK_CLAIM, TASK_RUN, TASK_BEAT } task_kind_t;

// What a heartbeat says of one job, and what it was told.
typedef struct {
    char id[AGENT_ID_SIZE];
    int64_t attempt;
    long long done, total;
    bool stop;  // cancelled, or the lease went to another agent
} beat_t;

typedef struct {
    task_kind_t kind;
    const char *platform;  // URL, lives as long as the process
    const char *name;      // of the agent, likewise
    char *token;           // owned
    char agent_id[AGENT_ID_SIZE];
    failure_t why;   // status OK when it went well
    job_t *job;      // TASK_CLAIM brings it (NULL: there was none), TASK_RUN takes it
    json_t *result;  // of TASK_RUN, in the job's arena; given again it is only reported
    beat_t beats[AGENT_JOBS_MAX];
    size_t beat_count;
} task_t;

task_t *task_new(task_kind_t kind, const char *platform, const char *name, const char *token,
                 const char *agent_id);
void task_destroy(task_t **self_p);

// Replaces the token, for another try.
void task_set_token(task_t *self, const char *token);

// Slot work (slot.h): the state is an http_t.
void *task_open(const void *shared);
void task_work(void *state, void *job);
void task_close(void *state);

#endif
