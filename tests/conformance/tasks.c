// SPDX-License-Identifier: Apache-2.0
// Tools whose calls become tasks, and the table in which these live: what a platform is for the
// product's own.
#include <czmq.h>
#include <pthread.h>
#include <sodium.h>
#include <time.h>

#include "fixtures.h"

enum {
    JOBS_MAX = 1024,
    ID_SIZE = 33,
    TEXT_SIZE = 128,
    SLEEP_MAX_S = 5,  // of a call that is no task
    STAMP_SIZE = 32
};

typedef enum { TEXT_RESULT, ERROR_RESULT, NO_RESULT } ending_t;

typedef struct {
    char id[ID_SIZE];
    int64_t created_ms, updated_ms, due_ms;
    ending_t ending;
    bool is_cancelled;
    bool asks[2];  // questions that are not answered yet
    char text[TEXT_SIZE];
} job_t;

static job_t jobs[JOBS_MAX];
static size_t jobs_begun;
static pthread_mutex_t jobs_mutex = PTHREAD_MUTEX_INITIALIZER;

static tool_fn greet, compute, fail_job, break_job, confirm, ask_twice, ask_then_work, on_task;

// clang-format off
const tool_t task_tools[] = {
    {
        .name = "greet", .title = "Greet", .about = "Greets at once.",
        .effect = READS, .profile = CORE, .plain = true, .run = greet,
        .params = { { "name", TEXT | MUST, "Whom." } },
    },
    {
        .name = "slow_compute", .title = "Compute", .about = "Takes some seconds.",
        .effect = READS, .profile = CORE, .plain = true, .run = compute, .task = on_task,
        .params = { { "seconds", NUMBER, "How many.", .min = 0, .max = 3600 }, { "label", TEXT, "Any.", .max = 100 } },
    },
    {
        .name = "failing_job", .title = "Fail", .about = "Fails after a second; a task alone.",
        .effect = READS, .profile = CORE, .plain = true, .run = fail_job, .task = on_task,
    },
    {
        .name = "protocol_error_job", .title = "Break", .about = "Breaks; a task alone.",
        .effect = READS, .profile = CORE, .plain = true, .run = break_job, .task = on_task,
    },
    {
        .name = "confirm_delete", .title = "Confirm", .about = "Asks before it is done; a task alone.",
        .effect = READS, .profile = CORE, .plain = true, .run = confirm, .task = on_task,
        .params = { { "filename", TEXT | MUST, "Any.", .max = 100 } },
    },
    {
        .name = "multi_input", .title = "Ask twice", .about = "Asks two things at once; a task alone.",
        .effect = READS, .profile = CORE, .plain = true, .run = ask_twice, .task = on_task,
    },
    {
        .name = "test_tool_with_task", .title = "Ask, then work", .about = "Asks for a name, then is a task.",
        .effect = READS, .profile = CORE, .plain = true, .run = ask_then_work, .task = on_task,
    },
    { 0 }
};
// clang-format on

static int64_t
now_ms(void)
{
    return zclock_time();
}

static const char *
stamp(call_t *call, int64_t ms)
{
    char text[STAMP_SIZE];
    const time_t seconds = ms / 1000;
    struct tm tm;

    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &tm));
    return arena_printf(call_arena(call), "%s.%03dZ", text, (int) (ms % 1000));
}

// With the lock held. A full table forgets its oldest.
static job_t *
add_job(int64_t lasts_ms, ending_t ending, const char *text)
{
    job_t *job = &jobs[jobs_begun++ % JOBS_MAX];
    unsigned char random[ID_SIZE / 2];

    *job = (job_t){ .created_ms = now_ms(), .updated_ms = now_ms(), .ending = ending };
    job->due_ms = job->created_ms + lasts_ms;
    randombytes_buf(random, sizeof random);
    sodium_bin2hex(job->id, sizeof job->id, random, sizeof random);
    snprintf(job->text, sizeof job->text, "%s", text);
    return job;
}

static job_t *
find_job(const char *id)
{
    for (size_t i = 0; i < JOBS_MAX; i++)
        if (*jobs[i].id && !strcmp(jobs[i].id, id))
            return &jobs[i];
    return NULL;
}

static bool
is_asking(const job_t *job)
{
    return job->asks[0] || job->asks[1];
}

static bool
is_over(const job_t *job)
{
    return job->is_cancelled || (!is_asking(job) && now_ms() >= job->due_ms);
}

static const char *
status_of(const job_t *job)
{
    if (job->is_cancelled)
        return "cancelled";
    if (is_asking(job))
        return "input_required";
    if (!is_over(job))
        return "working";
    return job->ending == NO_RESULT ? "failed" : "completed";
}

static json_t *
show(call_t *call, const job_t *job)
{
    const int64_t updated_ms =
        is_over(job) && !job->is_cancelled ? job->due_ms : job->updated_ms;

    return task_of(call, job->id, status_of(job), stamp(call, job->created_ms),
                   stamp(call, updated_ms));
}

// Begins the job that the call has become; `asks` questions come first.
static void
begin(call_t *call, int64_t lasts_ms, ending_t ending, const char *text, size_t asks)
{
    if (!call_client_has_tasks(call)) {
        reply_needs_tasks(call);
        return;
    }
    pthread_mutex_lock(&jobs_mutex);
    job_t *job = add_job(lasts_ms, ending, text);
    for (size_t i = 0; i < asks; i++)
        job->asks[i] = true;
    json_t *task = show(call, job);
    pthread_mutex_unlock(&jobs_mutex);
    reply_new_task(call, task);
}

static void
greet(call_t *call)
{
    say(call, arena_printf(call_arena(call), "Hello, %s!", call_text(call, "name")));
}

static void
compute(call_t *call)
{
    const int64_t seconds = call_number(call, "seconds", 1);
    const char *label = call_text(call, "label");
    const char *text = arena_printf(call_arena(call), "%s took %d seconds",
                                    label ? label : "It", (int) seconds);

    if (seconds && call_client_has_tasks(call)) {
        begin(call, seconds * 1000, TEXT_RESULT, text, 0);
        return;
    }
    zclock_sleep((int) (seconds < SLEEP_MAX_S ? seconds : SLEEP_MAX_S) * 1000);
    say(call, text);
}

static void
fail_job(call_t *call)
{
    begin(call, 1000, ERROR_RESULT, "The job has failed.", 0);
}

static void
break_job(call_t *call)
{
    begin(call, 500, NO_RESULT, "The job has broken.", 0);
}

static void
confirm(call_t *call)
{
    begin(
        call, 0, TEXT_RESULT,
        arena_printf(call_arena(call), "%s is as good as deleted", call_text(call, "filename")),
        1);
}

static void
ask_twice(call_t *call)
{
    begin(call, 0, TEXT_RESULT, "Both were answered", 2);
}

static void
ask_then_work(call_t *call)
{
    const char *name = NULL;

    if (!call_client_has_tasks(call))
        reply_needs_tasks(call);
    else if ((name = ask_text(call, "user_name", "What is your name?", "name")))
        begin(call, 500, TEXT_RESULT, arena_printf(call_arena(call), "Worked for %.60s", name),
              0);
}

static const char *
key_of(call_t *call, const job_t *job, size_t question)
{
    return arena_printf(call_arena(call), "%.8s-%zu", job->id, question + 1);
}

static void
add_questions(call_t *call, const job_t *job, json_t *task)
{
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"confirm\":{\"type\":\"boolean\"}}}";
    arena_t *arena = call_arena(call);
    json_t *requests = json_set(arena, task, "inputRequests", json_object(arena));

    for (size_t i = 0; i < 2; i++) {
        if (!job->asks[i])
            continue;
        json_t *request = json_set(arena, requests, key_of(call, job, i), json_object(arena));
        json_set_text(arena, request, "method", "elicitation/create");
        json_set(arena, request, "params", form_of(call, "Shall it be done?", schema));
    }
}

static json_t *
show_all(call_t *call, const job_t *job)
{
    arena_t *arena = call_arena(call);
    json_t *task = show(call, job);

    if (job->is_cancelled)
        return task;
    if (is_asking(job)) {
        add_questions(call, job, task);
    } else if (is_over(job) && job->ending == NO_RESULT) {
        json_t *error = json_set(arena, task, "error", json_object(arena));
        json_set_int(arena, error, "code", -32603);
        json_set_text(arena, error, "message", job->text);
    } else if (is_over(job)) {
        json_set(arena, task, "result",
                 task_result(call, json_string(arena, job->text), job->ending == ERROR_RESULT));
    }
    return task;
}

static void
take_answers(call_t *call, job_t *job)
{
    for (size_t i = 0; i < 2; i++)
        if (json_get(call_argument(call, "responses"), key_of(call, job, i)))
            job->asks[i] = false;
    job->updated_ms = now_ms();
}

// With the lock held; NULL for what is only acknowledged.
static json_t *
act_on(call_t *call, job_t *job)
{
    const char *op = call_text(call, "op");

    if (!strcmp(op, "get"))
        return show_all(call, job);
    if (!strcmp(op, "update")) {
        take_answers(call, job);
    } else if (!is_over(job)) {
        job->is_cancelled = true;
        job->updated_ms = now_ms();
    }
    return NULL;
}

static void
on_task(call_t *call)
{
    failure_t why;

    pthread_mutex_lock(&jobs_mutex);
    job_t *job = find_job(call_task(call));
    const json_t *task = job ? act_on(call, job) : NULL;
    pthread_mutex_unlock(&jobs_mutex);
    if (job) {
        reply_task(call, task);
        return;
    }
    fail(&why, NOT_FOUND, "there is no task of this id");
    reply_failure(call, &why);
}
