// SPDX-License-Identifier: Apache-2.0
#include "server.h"

#include <assert.h>
#include <stdlib.h>

#include "auth.h"
#include "auto.h"
#include "clock.h"
#include "httpd.h"
#include "lease.h"
#include "limits.h"
#include "log.h"
#include "queue.h"
#include "routes.h"
#include "slot.h"

enum {
    IDLE_S = 75,
    CONNECTIONS_MAX = 1024,
    WAITING_MAX = 1024,                // requests without a slot
    HOUSEKEEPING_MS = 10 * 60 * 1000,  // between two sweeps when there are no jobs
    QUICK_STEPS = 10 * 1000,           // of SQLite for a read in the loop, about a millisecond
};

typedef enum { WAITING, WORKING, PARKED, LEFT } stage_t;

// A request on its way; without `request` it is work of our own.
typedef struct {
    server_t *server;
    httpd_request_t *request;
    void (*run)(exchange_t *x);
    exchange_t *x;
    stage_t stage;
    bool is_left;         // the client is gone
    int64_t deadline_ms;  // of a long poll; 0 before it was parked
    int timer;
    int64_t changes;    // the server's count when a slot took it
    int64_t open_jobs;  // afterwards, -1 when unchanged
} work_t;

struct server {
    actor_t *actor;
    const platform_t *platform;
    httpd_t *httpd;
    slots_t *slots;
    struct desk *desk;  // of the loop, for quick reads
    lease_t *lease;
    zlist_t *waiting;  // work_t, first come first served
    zlist_t *parked;
    int64_t changes;  // of jobs
    int64_t open_jobs;
    bool is_sweeping, is_draining;
    int64_t swept_ms;
};

// ---- in a slot, or in the loop

typedef struct desk {
    const char *database;
    int steps_max;   // of a read, as store_hurry() counts them; 0: any number
    store_t *store;  // NULL while it cannot be opened
    auth_seals_t *seals;
} desk_t;

static void
open_store(desk_t *desk)
{
    failure_t why;

    if (store_open(desk->database, &desk->store, &why))
        log_error("store-lost", "%s", why.text);
    else if (desk->steps_max)
        store_hurry(desk->store, desk->steps_max);
}

static desk_t *
open_desk(const platform_t *platform, int steps_max)
{
    desk_t *desk = zmalloc(sizeof *desk);

    desk->database = platform->database;
    desk->steps_max = steps_max;
    desk->seals = auth_seals_new();
    open_store(desk);
    return desk;
}

static void *
slot_open(const void *shared)
{
    return open_desk(shared, 0);
}

static void
slot_close(void *state)
{
    desk_t *desk = state;

    store_close(&desk->store);
    auth_seals_destroy(&desk->seals);
    free(desk);
}

// A database that could not be opened for want of a descriptor or by a bad read is tried again.
static void
slot_work(void *state, void *job)
{
    desk_t *desk = state;
    work_t *work = job;
    exchange_t *x = work->x;

    work->open_jobs = -1;
    if (!desk->store)
        open_store(desk);
    if (!desk->store) {
        x->code = 503;
        x->store_failed = true;
        return;
    }
    x->store = desk->store;
    x->seals = desk->seals;
    x->now_ms = clock_now_ms();
    x->wall_ms = clock_wall_ms();
    work->run(x);
    if (x->jobs_changed)
        work->open_jobs = queue_open(x->store);
}

// ---- in the loop

static void pump(server_t *self);

// It stands in no list any more, and no time is running for it.
static void
unlist(work_t *work)
{
    if (work->stage == PARKED)
        zloop_timer_end(actor_loop(work->server->actor), work->timer);
    zlist_remove(work->server->waiting, work);
    zlist_remove(work->server->parked, work);
}

static void
work_destroy(work_t **work_p)
{
    work_t *work = *work_p;

    unlist(work);
    exchange_destroy(&work->x);
    free(work);
    *work_p = NULL;
}

static work_t *
work_new(server_t *self, httpd_request_t *request, void (*run)(exchange_t *x))
{
    work_t *work = zmalloc(sizeof *work);

    work->server = self;
    work->request = request;
    work->run = run;
    work->x = exchange_new(self->platform);
    return work;
}

static void
enqueue(work_t *work)
{
    work->stage = WAITING;
    zlist_append(work->server->waiting, work);
}

// What was asked, into a fresh exchange.
static void
ask(exchange_t *x, httpd_request_t *request)
{
    x->method = httpd_method(request);
    x->path = httpd_path(request);
    x->query = httpd_query(request);
    x->authorization = httpd_header(request, "Authorization");
    x->idempotency_key = httpd_header(request, "Idempotency-Key");
    x->if_none_match = httpd_header(request, "If-None-Match");
    x->body = httpd_body(request);
    x->body_size = httpd_body_size(request);
}

static void
answer_error(httpd_request_t *request, int code, const char *name, const char *message)
{
    char text[256];
    int size = snprintf(text, sizeof text, "{\"error\":{\"code\":\"%s\",\"message\":\"%s\"}}",
                        name, message);

    httpd_answer(request, code, "application/json", text, (size_t) size);
}

static void
answer(work_t *work)
{
    exchange_t *x = work->x;

    if (!x->content_type) {
        answer_error(work->request, 503, "STORE_FAILED", "the database cannot be opened");
        return;
    }
    if (x->etag[0])
        httpd_add_header(work->request, "ETag", x->etag);
    if (x->replayed)
        httpd_add_header(work->request, "Idempotent-Replay", "true");
    if (x->code >= 500)
        log_error("failed", "%s %s: %s", x->method, x->path, x->why.text);
    else
        log_debug("answered", "%s %s %d", x->method, x->path, x->code);
    httpd_answer(work->request, x->code, x->content_type, x->out.bytes ? x->out.bytes : "",
                 x->out.size);
}

// ---- long polls

// The same once more, in a fresh exchange.
static void
renew(work_t *work)
{
    exchange_destroy(&work->x);
    work->x = exchange_new(work->server->platform);
    ask(work->x, work->request);
}

// Asks again: with a fresh exchange, so that a poll does not grow.
static void
wake(work_t *work, bool is_last_try)
{
    const int64_t seen = work->x->seen;

    renew(work);
    work->x->seen = seen;
    work->x->parked_before = true;
    work->x->last_try = is_last_try;
    unlist(work);
    enqueue(work);
}

// A late loop calls a timer that has been ended in the same round: what it was for may be gone.
static int
on_time_up(zloop_t *loop, int timer, void *arg)
{
    server_t *self = arg;
    work_t *work = zlist_first(self->parked);

    while (work && work->timer != timer)
        work = zlist_next(self->parked);
    if (work)
        wake(work, true);
    pump(self);
    return 0;
}

static void
park(work_t *work)
{
    server_t *self = work->server;
    int64_t now = clock_now_ms();

    if (!work->deadline_ms)
        work->deadline_ms = now + work->x->park_ms;
    int64_t left = work->deadline_ms - now;
    if (left <= 0 || self->is_draining || work->changes != self->changes) {
        wake(work, left <= 0 || self->is_draining);
        return;
    }
    work->stage = PARKED;
    work->timer = zloop_timer(actor_loop(self->actor), (size_t) left, 1, on_time_up, self);
    zlist_append(self->parked, work);
}

static void
wake_all(server_t *self, bool is_last_try)
{
    for (size_t left = zlist_size(self->parked); left > 0; left--)
        wake(zlist_first(self->parked), is_last_try);
}

static bool
concerns(const exchange_t *change, const exchange_t *waiting)
{
    if (!waiting->park_job)
        return change->jobs_ready;
    return change->changed_job == waiting->park_job
           || change->changed_job == EXCHANGE_MANY_JOBS;
}

// ---- done

static void
jobs_changed(server_t *self, const work_t *done)
{
    self->changes++;
    self->open_jobs = done->open_jobs;
    lease_hold(self->lease, done->open_jobs > 0);
    for (size_t left = zlist_size(self->parked); left > 0; left--) {
        work_t *work = zlist_pop(self->parked);
        if (concerns(done->x, work->x))
            wake(work, false);
        else
            zlist_append(self->parked, work);  // once around: the order stays
    }
}

static void
give_back(work_t *work)
{
    work_t *back = work_new(work->server, NULL, queue_give_back);

    back->x->claimed_job = arena_strdup(back->x->arena, work->x->claimed_job);
    back->x->claimed_attempt = work->x->claimed_attempt;
    enqueue(back);
}

static void
finish(work_t *work)
{
    if (!work->request) {
        if (work->run == queue_sweep)
            work->server->is_sweeping = false;
        work_destroy(&work);
        return;
    }
    if (work->is_left && work->x->claimed_job)
        give_back(work);
    if (work->x->park_ms > 0 && !work->is_left)
        park(work);
    else
        answer(work);  // on_end frees it
}

static void
on_done(void *owner, void *job)
{
    server_t *self = owner;
    work_t *work = job;

    work->stage = WAITING;
    if (work->open_jobs >= 0)
        jobs_changed(self, work);
    finish(work);
    pump(self);
}

static const slot_ops_t slot_ops = {
    .open = slot_open,
    .work = slot_work,
    .close = slot_close,
    .done = on_done,
};

static void
pump(server_t *self)
{
    while (slots_idle(self->slots) > 0) {
        work_t *work = zlist_pop(self->waiting);
        if (!work)
            return;
        work->stage = WORKING;
        work->changes = self->changes;
        bool is_taken = slots_give(self->slots, work);
        assert(is_taken);  // one was idle
    }
}

// ---- in the loop itself

// Most reads take less time than the way to a slot and back. One that turns out to be long, or
// that meets a lock, begins anew in a slot. False if it has not been answered.
static bool
answer_here(work_t *work)
{
    server_t *self = work->server;

    work->x->route = routes_find(work->x->method, work->x->path);
    if (!work->x->route || !work->x->route->is_quick)
        return false;
    slot_work(self->desk, work);
    if (work->x->store_failed) {
        renew(work);
        return false;
    }
    finish(work);
    return true;
}

// ---- HTTP

// A large body is taken from somebody with a token of ours alone.
static void
on_headers(httpd_request_t *request, void *arg)
{
    server_t *self = arg;
    const char *length = httpd_header(request, "Content-Length");
    const char *token = httpd_header(request, "Authorization");
    size_t size = length ? strtoull(length, NULL, 10) : 0;

    if (size <= REST_BODY_MAX)
        return;
    AUTO(arena_destroy) arena_t *arena = arena_new();
    if (size > routes_body_max(httpd_method(request), httpd_path(request)))
        answer_error(request, 413, "TOO_LARGE", "the body is larger than this route takes");
    else if (!token || strlen(token) < 8 || !auth_token_jti(self->platform, arena, token + 7))
        answer_error(request, 401, "UNAUTHORIZED", "a body of this size needs a bearer token");
}

static void
on_request(httpd_request_t *request, void *arg)
{
    server_t *self = arg;

    if (httpd_body_size(request) > REST_BODY_MAX
        && httpd_body_size(request)
               > routes_body_max(httpd_method(request), httpd_path(request))) {
        answer_error(request, 413, "TOO_LARGE", "the body is larger than this route takes");
        return;
    }
    if (zlist_size(self->waiting) >= WAITING_MAX) {
        answer_error(request, 503, "BUSY", "too many requests are waiting; try again");
        return;
    }
    work_t *work = work_new(self, request, routes_dispatch);
    ask(work->x, request);
    httpd_set_data(request, work);
    if (answer_here(work))
        return;
    enqueue(work);
    pump(self);
}

static void
on_leave(httpd_request_t *request, void *arg)
{
    work_t *work = httpd_data(request);

    if (!work)
        return;
    work->is_left = true;
    if (work->stage == WORKING)
        return;
    unlist(work);  // its end comes in a later round: no slot may take it until then
    work->stage = LEFT;
    httpd_answer(request, 499, "application/json", "", 0);  // nobody reads it
}

static void
on_end(httpd_request_t *request, void *arg)
{
    server_t *self = arg;
    work_t *work = httpd_data(request);

    if (work)
        work_destroy(&work);
    if (self->is_draining && self->httpd && httpd_open_requests(self->httpd) == 0)
        actor_stop(self->actor, EXIT_DONE);
}

// ---- time

// Leases run out, and old keys are forgotten, without anybody asking.
static int
on_tick(zloop_t *loop, int timer, void *arg)
{
    server_t *self = arg;
    int64_t now = clock_now_ms();
    bool is_due = self->open_jobs > 0 || now - self->swept_ms >= HOUSEKEEPING_MS;

    lease_hold(self->lease, self->open_jobs > 0);
    if (!is_due || self->is_sweeping)
        return 0;
    self->is_sweeping = true;
    self->swept_ms = now;
    enqueue(work_new(self, NULL, queue_sweep));
    pump(self);
    return 0;
}

void
server_drain(void *server)
{
    server_t *self = server;

    self->is_draining = true;
    httpd_quiesce(self->httpd);
    wake_all(self, true);
    pump(self);
    if (httpd_open_requests(self->httpd) == 0)
        actor_stop(self->actor, EXIT_DONE);
}

const char *
server_address(const server_t *self)
{
    return httpd_address(self->httpd);
}

exit_code_t
server_new(actor_t *actor, const platform_t *platform, const server_options_t *options,
           server_t **self_p, failure_t *why)
{
    static const httpd_ops_t ops = { on_headers, on_request, on_leave, on_end };
    const httpd_options_t http = {
        .listen = options->listen,
        .body_max = DOCUMENT_MAX,
        .idle_s = IDLE_S,
        .connections_max = CONNECTIONS_MAX,
    };
    server_t *self = zmalloc(sizeof *self);

    self->actor = actor;
    self->platform = platform;
    self->waiting = zlist_new();
    self->parked = zlist_new();
    self->open_jobs = options->open_jobs;
    self->lease = lease_new(actor_loop(actor), options->lease);
    self->slots = slots_new(actor_loop(actor), options->slots, &slot_ops, platform, self);
    self->desk = open_desk(platform, QUICK_STEPS);
    exit_code_t code = httpd_new(actor_loop(actor), &http, &ops, self, &self->httpd, why);
    if (code) {
        server_destroy(&self);
        return code;
    }
    zloop_timer(actor_loop(actor), QUEUE_TICK_MS, 0, on_tick, self);
    *self_p = self;
    return EXIT_DONE;
}

static void
drop_all(zlist_t *list)
{
    for (work_t *work = zlist_first(list); work; work = zlist_first(list))
        work_destroy(&work);
}

void
server_destroy(server_t **self_p)
{
    server_t *self = *self_p;

    if (!self)
        return;
    slots_destroy(&self->slots);
    httpd_destroy(&self->httpd);  // ends every request: on_end frees its work
    drop_all(self->waiting);
    slot_close(self->desk);
    lease_destroy(&self->lease);
    zlist_destroy(&self->waiting);
    zlist_destroy(&self->parked);
    free(self);
    *self_p = NULL;
}
