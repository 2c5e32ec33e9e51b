// SPDX-License-Identifier: Apache-2.0
#include "mcp/ask.h"

#include <sodium.h>

#include "auto.h"
#include "http.h"
#include "json.h"
#include "limits.h"
#include "mcp/token.h"
#include "slot.h"

enum { ASK_MS = 10 * 1000 };  // longest REST call of ours

typedef struct {
    arena_t *arena;
    reply_t reply;
    http_request_t request;
} job_t;

struct asks {
    slots_t *slots;
    job_t *jobs[ASKS_MAX];  // under way
    void (*done)(void *owner, const reply_t *reply);
    void *owner;
};

// The platform says who it is; one that is not ours may say only name and role.
static const char *
principal_of(const job_t *job, const json_t *who)
{
    const char *principal = json_get_text(who, "principal");
    const char *username = json_get_text(who, "username");
    const char *role = json_get_text(who, "role");

    if (principal || !username)
        return principal;
    return arena_printf(job->arena, "%s|%s|%s", job->request.url, username, role ? role : "");
}

static void
read_log_in(job_t *job, const json_t *answer)
{
    reply_t *reply = &job->reply;
    const char *token = json_get_text(answer, "token");

    reply->token = token ? token : json_get_text(answer, "accessToken");
    if (!reply->token || strlen(reply->token) > TOKEN_MAX) {
        reply->verdict = ACCESS_DOWN;
        fail(&reply->why, BACKEND, "%s answered a log-in without a token.", job->request.url);
        return;
    }
    reply->principal = token_principal(job->arena, reply->token);
}

static void
read_whoami(job_t *job, const json_t *answer)
{
    reply_t *reply = &job->reply;

    reply->principal = principal_of(job, answer);
    if (reply->principal)
        return;
    reply->verdict = ACCESS_DOWN;
    fail(&reply->why, BACKEND, "%s does not say whose token it is.", job->request.url);
}

static void
judge(job_t *job, const http_response_t *response)
{
    reply_t *reply = &job->reply;

    if (response->code == 200) {
        const json_t *answer = json_parse_text(job->arena, response->body);
        reply->verdict = ACCESS_GRANTED;
        if (reply->is_log_in)
            read_log_in(job, answer);
        else
            read_whoami(job, answer);
    } else if (response->code >= 400 && response->code < 500 && response->code != 429) {
        reply->verdict = ACCESS_REFUSED;
        fail(&reply->why, UNAUTHORIZED,
             reply->is_log_in ? "The platform refused the log-in; check the user name and the "
                                "password in PROOFARC_USERNAME and PROOFARC_PASSWORD."
                              : "The platform does not take this token; log in again.");
    } else {
        reply->verdict = ACCESS_DOWN;
        fail(&reply->why, BACKEND, "The platform answered HTTP %ld; try again soon.",
             response->code);
    }
}

static void *
open_slot(const void *shared)
{
    return http_new();
}

static void
close_slot(void *state)
{
    http_t *http = state;

    http_destroy(&http);
}

static void
work(void *state, void *arg)
{
    job_t *job = arg;
    http_response_t response;
    failure_t why;

    if (http_send(state, job->arena, &job->request, &response, &why) == OK) {
        judge(job, &response);
        return;
    }
    job->reply.verdict = ACCESS_DOWN;
    fail(&job->reply.why, BACKEND, "The platform cannot be reached: %s", why.text);
}

static void
drop(job_t **job_p)
{
    job_t *job = *job_p;

    if (!job)
        return;
    if (job->request.body)
        sodium_memzero((char *) job->request.body, job->request.body_size);
    arena_destroy(&job->arena);
    free(job);
    *job_p = NULL;
}

static void
on_done(void *owner, void *arg)
{
    asks_t *self = owner;
    AUTO(drop) job_t *job = arg;

    for (size_t i = 0; i < ASKS_MAX; i++)
        if (self->jobs[i] == job)
            self->jobs[i] = NULL;
    self->done(self->owner, &job->reply);
}

asks_t *
asks_new(zloop_t *loop, void (*done)(void *owner, const reply_t *reply), void *owner)
{
    static const slot_ops_t ops = { open_slot, work, close_slot, on_done };
    asks_t *self = calloc(1, sizeof *self);

    assert(self);
    *self = (asks_t){ .done = done, .owner = owner };
    self->slots = slots_new(loop, ASKS_MAX, &ops, NULL, self);
    return self;
}

void
asks_destroy(asks_t **self_p)
{
    if (!*self_p)
        return;
    slots_destroy(&(*self_p)->slots);
    for (size_t i = 0; i < ASKS_MAX; i++)
        drop(&(*self_p)->jobs[i]);
    free(*self_p);
    *self_p = NULL;
}

static job_t *
new_job(const char *method, const char *platform, const char *path)
{
    job_t *job = calloc(1, sizeof *job);

    assert(job);
    job->arena = arena_new();
    size_t length = strlen(platform);
    while (length && platform[length - 1] == '/')
        length--;
    job->request = (http_request_t){
        .method = method,
        .url = arena_printf(job->arena, "%.*s%s", (int) length, platform, path),
        .timeout_ms = ASK_MS,
        .answer_max = 64 * KIB,
    };
    return job;
}

static bool
give(asks_t *self, job_t *job)
{
    for (size_t i = 0; i < ASKS_MAX; i++) {
        if (self->jobs[i] || !slots_give(self->slots, job))
            continue;
        self->jobs[i] = job;
        return true;
    }
    drop(&job);
    return false;
}

bool
asks_whoami(asks_t *self, const unsigned char tag[ASK_TAG_SIZE], const char *platform,
            const char *token)
{
    job_t *job = new_job("GET", platform, "/api/auth/whoami");

    memcpy(job->reply.tag, tag, ASK_TAG_SIZE);
    job->request.token = arena_strdup(job->arena, token);
    return give(self, job);
}

bool
asks_log_in(asks_t *self, const char *platform, const char *username, const char *password)
{
    job_t *job = new_job("POST", platform, "/api/auth/login");
    json_t *pair = json_object(job->arena);

    job->reply.is_log_in = true;
    json_set_text(job->arena, pair, "username", username);
    json_set_text(job->arena, pair, "password", password);
    job->request.body = json_text(job->arena, pair);
    job->request.body_size = strlen(job->request.body);
    return give(self, job);
}

bool
asks_has(const asks_t *self, const unsigned char tag[ASK_TAG_SIZE])
{
    for (size_t i = 0; i < ASKS_MAX; i++)
        if (self->jobs[i] && !self->jobs[i]->reply.is_log_in
            && !memcmp(self->jobs[i]->reply.tag, tag, ASK_TAG_SIZE))
            return true;
    return false;
}
