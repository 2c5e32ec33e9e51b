// SPDX-License-Identifier: Apache-2.0
#include "core.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "limits.h"
#include "settle.h"

enum {
    ROUNDS_MAX = 32,      // fetches one question may wait for: each list twice, and to spare
    PROMOTIONS_MAX = 3,   // of a flight
    TIME_WORTH_MS = 100,  // a follower with less left is not promoted
};

typedef struct request request_t;
struct request {
    request_t *next;
    arena_t *arena;  // owns all below
    core_peer_t peer;
    const char *id;
    cache_key_t key;
    const char *token;
    int64_t deadline_ms;
    int rounds;
    question_t question;
    flight_t *awaits;
};

struct core {
    cache_t *cache;
    core_answer_fn *answer;
    void *arg;
    request_t *requests;
    size_t waiting;
    flights_t flights;
};

// What a question sees of the cache.
typedef struct {
    core_t *core;
    const request_t *request;
    int64_t now_ms;
} view_t;

core_t *
core_new(size_t principal_max, size_t total_max, core_answer_fn *answer, void *arg)
{
    core_t *self = calloc(1, sizeof *self);

    if (!self)
        abort();
    self->cache = cache_new(principal_max, total_max);
    self->answer = answer;
    self->arg = arg;
    return self;
}

static void
free_request(request_t *request)
{
    arena_t *arena = request->arena;

    arena_destroy(&arena);
}

void
core_destroy(core_t **self_p)
{
    core_t *self = *self_p;

    if (!self)
        return;
    for (request_t *request = self->requests, *next; request; request = next) {
        next = request->next;
        free_request(request);
    }
    flight_clear(&self->flights);
    cache_destroy(&self->cache);
    free(self);
    *self_p = NULL;
}

static cache_key_t
key_of(const flight_t *flight)
{
    return (cache_key_t){ flight->session, flight->principal };
}

// The flight for this list, begun if there is none.
static flight_t *
flight_for(core_t *self, const request_t *request, kind_t kind, int64_t project, int64_t now_ms)
{
    flight_t *flight = flight_find(&self->flights, &request->key, kind, project);

    if (!flight) {
        const holding_t *held = cache_find(self->cache, &request->key, kind, project, now_ms);
        flight = flight_begin(&self->flights, &request->key, kind, project, request->token,
                              held ? held->etag : NULL);
    }
    if (flight->until_ms < request->deadline_ms)
        flight->until_ms = request->deadline_ms;
    return flight;
}

// A failure that is held speaks for others only if it may be theirs, too: a token that was
// refused says nothing about another one.
static bool
is_held(const holding_t *held, const char *token, int64_t now_ms)
{
    if (!held->failure || now_ms >= held->failed_until_ms)
        return false;
    return held->failure->status != UNAUTHORIZED || !strcmp(held->failed_token, token);
}

static settle_held_t
look(void *arg, kind_t kind, int64_t project)
{
    view_t *view = arg;
    const holding_t *held =
        cache_find(view->core->cache, &view->request->key, kind, project, view->now_ms);

    if (!held)
        return (settle_held_t){ 0 };
    return (settle_held_t){
        .snapshot = held->snapshot,
        .age_ms = held->snapshot ? view->now_ms - held->fetched_ms : 0,
        .failure = is_held(held, view->request->token, view->now_ms) ? held->failure : NULL,
    };
}

static void
answer_failure(core_t *self, const request_t *request, const failure_t *why)
{
    resolved_msg_t answer = {
        .id = request->id,
        .status = why->status,
        .code = *why->code ? why->code : status_name(why->status),
        .text = why->text,
    };

    self->answer(self->arg, &request->peer, &answer, NULL, 0);
}

static void
answer_body(core_t *self, const request_t *request, status_t status, const json_t *body)
{
    AUTO(buffer_clear) buffer_t bytes = { 0 };
    resolved_msg_t answer = { .id = request->id, .status = status, .code = "", .text = "" };

    json_write(&bytes, body);
    self->answer(self->arg, &request->peer, &answer, bytes.bytes, bytes.size);
}

// Lists that will be needed as well are fetched at the same time, unless that has just failed.
static void
fetch_likely(core_t *self, const request_t *request, view_t *view)
{
    bool kinds[KIND_COUNT] = { false };

    settle_likely(&request->question, kinds);
    for (kind_t kind = 0; kind < KIND_COUNT; kind++) {
        if (!kinds[kind])
            continue;
        settle_held_t held = look(view, kind, 0);
        if (!held.snapshot && !held.failure)
            flight_for(self, request, kind, 0, view->now_ms);
    }
}

// Waits for a list. False if the question has waited for too many: its lists drive each other
// out of the cache.
static bool
await(core_t *self, request_t *request, const settle_result_t *result, view_t *view)
{
    if (++request->rounds > ROUNDS_MAX)
        return false;
    fetch_likely(self, request, view);
    request->awaits = flight_for(self, request, result->kind, result->project, view->now_ms);
    return true;
}

// Goes as far as the snapshots that are held allow; true if the request has been answered.
static bool
advance(core_t *self, request_t *request, int64_t now_ms)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    view_t view = { self, request, now_ms };
    settle_shelf_t shelf = { look, &view };
    settle_result_t result;
    failure_t why;

    request->awaits = NULL;
    settle(arena, &request->question, &shelf, &result);
    switch (result.verdict) {
    case SETTLE_OK:
        answer_body(self, request, OK, result.body);
        return true;
    case SETTLE_NARROWED:
        answer_body(self, request, NARROWED, result.body);
        return true;
    case SETTLE_FAILED:
        answer_failure(self, request, &result.failure);
        return true;
    case SETTLE_NEEDS:
        if (await(self, request, &result, &view))
            return false;
        fail_coded(&why, TOO_LARGE, "TOO_MANY_NAMES",
                   "there are too many names to look through at once: give ids");
        answer_failure(self, request, &why);
        return true;
    }
    return true;
}

static request_t *
new_request(const core_peer_t *peer, const resolve_msg_t *message, int64_t now_ms)
{
    arena_t *arena = arena_new();
    request_t *request = arena_alloc(arena, sizeof *request);
    void *peer_copy = arena_alloc(arena, peer->size);

    memcpy(peer_copy, peer->bytes, peer->size);
    request->arena = arena;
    request->peer = (core_peer_t){ peer_copy, peer->size };
    request->id = arena_strdup(arena, message->id);
    request->key.session = arena_strdup(arena, message->session);
    request->key.principal = arena_strdup(arena, message->principal);
    request->token = arena_strdup(arena, message->token);
    request->deadline_ms = now_ms + (message->left_ms < CALL_MS ? message->left_ms : CALL_MS);
    return request;
}

// A worker that had no answer asks again under the same id: one answer is enough.
static bool
is_waiting(const core_t *self, const core_peer_t *peer, const char *id)
{
    for (const request_t *request = self->requests; request; request = request->next)
        if (!strcmp(request->id, id) && request->peer.size == peer->size
            && !memcmp(request->peer.bytes, peer->bytes, peer->size))
            return true;
    return false;
}

void
core_resolve(core_t *self, const core_peer_t *peer, const resolve_msg_t *message,
             const void *body, size_t size, int64_t now_ms)
{
    failure_t why = { 0 };
    bool is_done;

    if (is_waiting(self, peer, message->id))
        return;
    request_t *request = new_request(peer, message, now_ms);
    if (self->waiting >= RESOLVES_MAX)
        fail(&why, BUSY, "too many calls wait for names; try again in a moment");
    else if (request->deadline_ms <= now_ms)
        fail(&why, TIMEOUT, "the time was up before the names were looked up");
    else
        question_parse(request->arena, body, size, &request->question, &why);
    if (why.status) {
        answer_failure(self, request, &why);
        is_done = true;
    } else {
        is_done = advance(self, request, now_ms);
    }
    if (is_done) {
        free_request(request);
        return;
    }
    request->next = self->requests;
    self->requests = request;
    self->waiting++;
}

// Takes the finished ones out of the list while it calls `step` for each.
static void
each_request(core_t *self, bool (*step)(core_t *self, request_t *request, void *arg), void *arg)
{
    request_t **place = &self->requests;

    while (*place) {
        request_t *request = *place;
        if (!step(self, request, arg)) {
            place = &request->next;
            continue;
        }
        *place = request->next;
        self->waiting--;
        free_request(request);
    }
}

void
core_forget(core_t *self, const forget_msg_t *message, const void *body, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    kind_t kind = kinds_find(message->kind);
    json_document_t document = { 0 };
    failure_t why;
    bool is_project_gone = kind == KIND_PROJECT && message->removed;

    if (kind == KIND_COUNT)
        return;
    // A body that is no JSON leaves the root empty: the snapshots are dropped then.
    if (json_parse(arena, body, size, &document, &why))
        document.root = NULL;
    cache_patch(self->cache, message->principal, kind, document.root, message->removed != 0);
    flight_forget(&self->flights, message->principal, is_project_gone ? KIND_COUNT : kind);
}

flight_t *
core_next_fetch(core_t *self, int64_t now_ms)
{
    return flight_take_off(&self->flights, now_ms);
}

// Someone who waits, and for whom this failure is not the last word.
static const request_t *
find_follower(const core_t *self, const flight_t *flight, int64_t now_ms)
{
    status_t status = flight->failure.status;

    if (flight->promotions >= PROMOTIONS_MAX || (status != UNAUTHORIZED && status != TIMEOUT))
        return NULL;
    for (const request_t *request = self->requests; request; request = request->next)
        if (request->awaits == flight && request->deadline_ms - now_ms > TIME_WORTH_MS
            && (status == TIMEOUT || strcmp(request->token, flight->token)))
            return request;
    return NULL;
}

static bool
fail_same_token(core_t *self, request_t *request, void *arg)
{
    const flight_t *flight = arg;

    if (request->awaits != flight || strcmp(request->token, flight->token))
        return false;
    answer_failure(self, request, &flight->failure);
    return true;
}

// True if a follower takes the flight over; those who share the refused token are answered.
static bool
promote(core_t *self, flight_t *flight, int64_t now_ms)
{
    const request_t *follower = find_follower(self, flight, now_ms);

    if (!follower)
        return false;
    if (flight->failure.status == UNAUTHORIZED)
        each_request(self, fail_same_token, flight);
    flight->promotions++;
    flight_restart(flight, follower->token, false);
    return true;
}

// Keeps what was fetched, or why it was not.
static void
keep(core_t *self, flight_t *flight, int64_t now_ms)
{
    cache_key_t key = key_of(flight);

    if (!flight->failure.status) {
        if (cache_store(self->cache, &key, flight->kind, flight->project, &flight->snapshot,
                        flight->snapshot_etag, now_ms))
            return;
        fail(&flight->failure, TOO_LARGE, "the list does not fit");
    }
    int64_t hold_ms = flight->failure.status == TOO_LARGE ? SNAPSHOT_FRESH_MS : FETCH_HOLD_MS;
    cache_hold(self->cache, &key, flight->kind, flight->project, &flight->failure,
               flight->token, now_ms + hold_ms, now_ms);
}

typedef struct {
    const flight_t *flight;
    int64_t now_ms;
} landing_t;

static bool
resume(core_t *self, request_t *request, void *arg)
{
    const landing_t *landing = arg;

    return request->awaits == landing->flight && advance(self, request, landing->now_ms);
}

// The flight leaves the list before anybody goes on, because who needs the list again must
// begin a new one.
static void
land(core_t *self, flight_t *flight, int64_t now_ms)
{
    landing_t landing = { flight, now_ms };

    flight_remove(&self->flights, flight);
    each_request(self, resume, &landing);
    flight_destroy(&flight);
}

// 304: what is held is still right, unless it has changed or gone meanwhile.
static bool
is_confirmed(core_t *self, const flight_t *flight, int64_t now_ms)
{
    cache_key_t key = key_of(flight);

    return flight->etag
           && cache_confirm(self->cache, &key, flight->kind, flight->project, flight->etag,
                            now_ms);
}

void
core_fetched(core_t *self, flight_t *flight, int64_t now_ms)
{
    assert(flight->is_flying);
    assert(flight->failure.status || flight->is_unchanged || flight->snapshot);
    if (flight->is_stale) {
        flight_restart(flight, NULL, true);
        return;
    }
    if (flight->failure.status && promote(self, flight, now_ms))
        return;
    if (!flight->is_unchanged) {
        keep(self, flight, now_ms);
    } else if (!is_confirmed(self, flight, now_ms)) {
        flight_restart(flight, NULL, true);
        return;
    }
    land(self, flight, now_ms);
}

static bool
give_up(core_t *self, request_t *request, void *arg)
{
    const int64_t *now_ms = arg;
    failure_t why;

    if (request->deadline_ms > *now_ms)
        return false;
    fail(&why, TIMEOUT, "the platform did not list its %s in time",
         request->awaits ? kinds_row(request->awaits->kind)->plural : "names");
    answer_failure(self, request, &why);
    return true;
}

void
core_tick(core_t *self, int64_t now_ms)
{
    each_request(self, give_up, &now_ms);
    flight_expire(&self->flights, now_ms);
    cache_expire(self->cache, now_ms);
}

int64_t
core_due_ms(const core_t *self)
{
    int64_t due_ms = INT64_MAX;

    for (const request_t *request = self->requests; request; request = request->next)
        if (request->deadline_ms < due_ms)
            due_ms = request->deadline_ms;
    return due_ms;
}

size_t
core_waiting(const core_t *self)
{
    return self->waiting;
}

const cache_t *
core_cache(const core_t *self)
{
    return self->cache;
}
