// SPDX-License-Identifier: Apache-2.0
#include "mcp/service.h"

#include "auto.h"
#include "clock.h"
#include "limits.h"
#include "log.h"
#include "mcp/follow.h"
#include "mcp/inquiry.h"
#include "mcp/invoke.h"
#include "mcp/methods.h"
#include "mcp/shared.h"
#include "mcp/subscribe.h"

enum { TICK_MS = 100 };

static request_t *
request_of(open_call_t *call)
{
    return (request_t *) ((char *) call - offsetof(request_t, call));
}

static void
on_answer(void *owner, open_call_t *call, const answer_msg_t *answer, const char *body,
          size_t size)
{
    request_t *request = request_of(call);

    if (request->follow)
        follow_answer(request->follow, answer, body, size);
    else
        invoke_answer(request, answer, body, size);
}

static void
on_progress(void *owner, open_call_t *call, const progress_msg_t *progress)
{
    invoke_progress(request_of(call), progress);
}

static void
on_log(void *owner, open_call_t *call, const log_msg_t *log)
{
    invoke_log(request_of(call), log);
}

// Those who have looked before the lists were whole look again, too.
static void
on_catalogue(void *owner, const catalogue_msg_t *catalogue)
{
    service_t *self = owner;
    failure_t why;
    bool may_be_known = listing_is_complete(self->listing) || self->list_was_read;
    unsigned changed = listing_take(self->listing, catalogue, &why);

    if (why.status)
        log_warning("catalogue-refused", "%s", why.text);
    if (may_be_known && changed & 1u << LIST_TOOLS)
        listeners_tell(self->listeners, CHANGED_TOOLS, NULL);
    if (may_be_known && changed & 1u << LIST_PROMPTS)
        listeners_tell(self->listeners, CHANGED_PROMPTS, NULL);
    if (may_be_known && changed & (1u << LIST_RESOURCES | 1u << LIST_TEMPLATES))
        listeners_tell(self->listeners, CHANGED_RESOURCES, NULL);
    service_retry(self);
}

static void
on_news(void *owner, const news_t *news)
{
    service_t *self = owner;
    changed_t what;

    switch (news->type) {
    case MSG_changed:
        what = listeners_kind(news->changed.kind);
        if (what != CHANGED_COUNT)
            listeners_tell(self->listeners, what, news->changed.uri);
        break;
    case MSG_ended:
        service_end_session(self, news->ended.session);
        if (self->streams)
            self->streams->ended(self->streams_arg, news->ended.session);
        break;
    case MSG_said:
        shared_take(self, &news->said);
        break;
    case MSG_seek:
        if (self->streams)
            self->streams->seek(self->streams_arg, &news->seek);
        break;
    case MSG_piece:
        if (self->streams)
            self->streams->piece(self->streams_arg, &news->piece);
        break;
    }
}

static void
on_peers_changed(void *owner)
{
    service_retry(owner);
}

static void
on_access(void *owner)
{
    service_t *self = owner;

    if (self->on_access)
        self->on_access(self->access_arg);
    service_retry(self);
}

static const link_ops_t link_ops = { on_answer,    on_progress, on_log,
                                     on_catalogue, on_news,     on_peers_changed };

static void
look_at_requests(service_t *self)
{
    int64_t now_ms = clock_now_ms();

    for (request_t *request = self->requests, *next; request; request = next) {
        next = request->next;
        if (inquiry_is_overdue(request, now_ms))
            invoke_fail(request, TIMEOUT, FAILED, "The client did not answer in time.");
        else if (request->follow)
            follow_tick(request->follow, now_ms);
    }
}

static int
on_tick(zloop_t *loop, int timer, void *arg)
{
    on_access(arg);
    look_at_requests(arg);
    return 0;
}

service_t *
service_new(zloop_t *loop, curve_t *curve, const service_options_t *options)
{
    service_t *self = calloc(1, sizeof *self);

    assert(self);
    *self = (service_t){
        .loop = loop,
        .profile = options->profile,
        .logs_in = options->logs_in,
        .is_local = options->is_local,
        .elicits = options->elicits,
    };
    view_t bound = options->bound;
    if (options->profile)
        view_set_profile(&bound, options->profile);
    endpoint_random_name(self->instance);
    self->levels = zhashx_new();
    self->sealer = sealer_new(options->session_key);
    self->listeners = listeners_new();
    self->link = link_new(loop, curve, &link_ops, self);
    self->listing = listing_new(&bound, options->page_max);
    self->access = access_new(loop, &options->access, on_access, self);
    self->sessions = sessions_new(options->session_key);
    self->repeats = repeats_new();
    zloop_timer(loop, TICK_MS, 0, on_tick, self);
    return self;
}

void
service_destroy(service_t **self_p)
{
    service_t *self = *self_p;

    if (!self)
        return;
    service_drop_all(self);
    link_destroy(&self->link);
    listing_destroy(&self->listing);
    access_destroy(&self->access);
    sessions_destroy(&self->sessions);
    repeats_destroy(&self->repeats);
    listeners_destroy(&self->listeners);
    sealer_destroy(&self->sealer);
    zhashx_destroy(&self->levels);
    arenas_clear(&self->arenas);
    free(self);
    *self_p = NULL;
}

void
service_add(service_t *self, request_t *request)
{
    request->next = NULL;
    request->previous = self->last;
    if (self->last)
        self->last->next = request;
    else
        self->requests = request;
    self->last = request;
    self->open++;
}

void
service_park(service_t *self, request_t *request)
{
    self->parked += !request->is_parked;
    request->is_parked = true;
}

static void
unpark(service_t *self, request_t *request)
{
    self->parked -= request->is_parked;
    request->is_parked = false;
}

void
service_remove(service_t *self, request_t *request)
{
    unpark(self, request);
    if (request->next)
        request->next->previous = request->previous;
    else
        self->last = request->previous;
    if (request->previous)
        request->previous->next = request->next;
    else
        self->requests = request->next;
    self->open--;
}

void
service_retry(service_t *self)
{
    request_t *next;

    if (!self->parked)
        return;
    for (request_t *request = self->requests; request; request = next) {
        next = request->next;
        if (!request->is_parked)
            continue;
        unpark(self, request);
        methods_retry(request);
    }
}

void
service_set_trouble(service_t *self, const char *reason)
{
    snprintf(self->trouble, sizeof self->trouble, "%s", reason ? reason : "");
    service_retry(self);
}

void
service_give_up(service_t *self)
{
    request_t *next;

    link_give_up(self->link);
    for (request_t *request = self->requests; request; request = next) {
        next = request->next;
        if (!request->is_parked)
            continue;
        request->has_waited = true;
        unpark(self, request);
        methods_give_up(request);
    }
}

void
service_set_level(service_t *self, const char *session, const char *level)
{
    if (zhashx_size(self->levels) >= SESSIONS_MAX)
        zhashx_purge(self->levels);
    zhashx_update(self->levels, session, (void *) level);
}

const char *
service_level(const service_t *self, const char *session)
{
    return zhashx_lookup(self->levels, session);
}

void
service_end_session(service_t *self, const char *session)
{
    sessions_end(self->sessions, session, clock_wall_ms());
    listeners_forget_session(self->listeners, session);
    zhashx_delete(self->levels, session);
}

void
service_end_listening(service_t *self)
{
    self->is_ending = true;
    for (request_t *request = self->requests, *next; request; request = next) {
        next = request->next;
        if (request->listener)
            subscribe_finish(request);
        else if (request->inquiry)
            inquiry_end(request);
    }
}

static bool
is_same_text(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

bool
request_is_of(const request_t *request, const peer_t *peer)
{
    const peer_t *other = request_peer(request);

    return is_same_text(other->principal, peer->principal)
           && is_same_text(other->session, peer->session);
}

void
service_drop_all(service_t *self)
{
    while (self->requests) {
        link_cancel(self->link, &self->requests->call);
        request_drop(self->requests);
    }
}

void
service_on_access(service_t *self, void (*changed)(void *arg), void *arg)
{
    self->on_access = changed;
    self->access_arg = arg;
}

void
service_on_streams(service_t *self, const stream_ops_t *ops, void *arg)
{
    self->streams = ops;
    self->streams_arg = arg;
}
