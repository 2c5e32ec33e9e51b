// SPDX-License-Identifier: Apache-2.0
#include "http/pair.h"

#include "auto.h"
#include "http/reply.h"

// The stream's owner lives on while something that was posted is still open.
struct pair {
    pairs_t *pairs;
    httpd_request_t *http;  // the stream; NULL once it is over
    char id[ENDPOINT_NAME_SIZE];
    peer_t peer;
    char *principal, *token;
    view_t *view;  // NULL: all
    listener_t *listener;
    size_t open;  // exchanges
};

struct pairs {
    service_t *service;
    zhashx_t *by_id;
};

// What was posted, in work.
typedef struct {
    pair_t *pair;
    char bytes[];
} post_t;

pairs_t *
pairs_new(service_t *service)
{
    pairs_t *self = calloc(1, sizeof *self);

    assert(self);
    self->service = service;
    self->by_id = zhashx_new();
    return self;
}

void
pairs_destroy(pairs_t **self_p)
{
    if (!*self_p)
        return;
    zhashx_destroy(&(*self_p)->by_id);
    free(*self_p);
    *self_p = NULL;
}

static void
free_if_done(pair_t *pair)
{
    if (pair->http || pair->open)
        return;
    free(pair->principal);
    free(pair->token);
    view_destroy(&pair->view);
    free(pair);
}

static void
send_event(const char *bytes, size_t size, void *arg)
{
    pair_t *pair = arg;

    if (pair->http)
        reply_event(pair->http, NULL, bytes, size);
}

static void
on_change(const char *bytes, size_t size, void *arg)
{
    const pair_t *pair = arg;

    if (pair->peer.is_negotiated)
        send_event(bytes, size, arg);
}

static void
on_exchange_done(exchange_t *exchange, void *arg)
{
    post_t *post = arg;
    pair_t *pair = post->pair;
    const buffer_t *answer = exchange_answer(exchange);

    if (answer->size)
        send_event(answer->bytes, answer->size, pair);
    free(post);
    pair->open--;
    free_if_done(pair);
}

static void
on_notification(const char *bytes, size_t size, void *arg)
{
    const post_t *post = arg;

    send_event(bytes, size, post->pair);
}

static const exchange_ops_t exchange_ops = { on_exchange_done, on_notification };

pair_t *
pairs_begin(pairs_t *self, httpd_request_t *http, const char *principal, const char *token,
            const view_t *view)
{
    char where[ENDPOINT_NAME_SIZE + 64];

    if (zhashx_size(self->by_id) == PAIRS_MAX)
        return NULL;
    pair_t *pair = calloc(1, sizeof *pair);
    assert(pair);
    *pair = (pair_t){ .pairs = self, .http = http };
    endpoint_random_name(pair->id);
    pair->principal = principal ? strdup(principal) : NULL;
    pair->token = token ? strdup(token) : NULL;
    pair->view = view_copy(view);
    pair->peer = (peer_t){
        .protocol = PROTOCOL_2024_11_05,
        .is_lasting = true,
        .takes_events = true,
        .session = pair->id,
        .principal = pair->principal,
        .token = pair->token,
        .view = pair->view,
    };
    zhashx_insert(self->by_id, pair->id, pair);
    pair->listener = listeners_add_session(self->service->listeners, pair->id, on_change, pair);
    reply_stream(http);
    snprintf(where, sizeof where, "/messages?sessionId=%s", pair->id);
    reply_endpoint(http, where);
    return pair;
}

void
pairs_end(pairs_t *self, pair_t **pair_p)
{
    pair_t *pair = *pair_p;

    if (!pair)
        return;
    zhashx_delete(self->by_id, pair->id);
    listeners_remove(self->service->listeners, &pair->listener);
    listeners_forget_session(self->service->listeners, pair->id);
    pair->http = NULL;
    free_if_done(pair);
    *pair_p = NULL;
}

pair_t *
pairs_find(const pairs_t *self, const char *id, const char *principal)
{
    pair_t *pair = id ? zhashx_lookup(self->by_id, id) : NULL;

    if (!pair
        || strcmp(pair->principal ? pair->principal : "", principal ? principal : "") != 0)
        return NULL;
    return pair;
}

bool
pair_post(pair_t *self, const char *token, const char *bytes, size_t size)
{
    if (self->open == PAIR_OPEN_MAX)
        return false;
    if (!self->open && token && strcmp(token, self->token) != 0) {
        free(self->token);  // a newer one; nothing refers to the old
        self->peer.token = self->token = strdup(token);
    }
    post_t *post = malloc(sizeof *post + size + 1);
    assert(post);
    post->pair = self;
    memcpy(post->bytes, bytes, size);
    post->bytes[size] = '\0';
    self->open++;
    exchange_start(self->pairs->service, &self->peer, post->bytes, size, &exchange_ops, post);
    return true;
}
