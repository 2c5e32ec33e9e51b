// SPDX-License-Identifier: Apache-2.0
#include "core.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "limits.h"
#include "spread.h"

enum { COUNTERS_TEXT_MAX = 4 * KIB };

struct core {
    char instance[PEER_NAME_SIZE];
    peers_t peers[2];  // by side
    registry_t *registry;
    dispatch_t *dispatch;
    counters_t counters;
    int64_t now_ms;
    int64_t ticked_ms;
    int64_t beat_ms;  // when the next beat is due
    bool is_draining;
    outbox_t *out;
};

dispatch_limits_t
core_limits(void)
{
    return (dispatch_limits_t){
        .under_way_per_principal = CALLS_PER_PRINCIPAL,
        .waiting_per_principal = WAITING_PER_PRINCIPAL,
        .waiting_per_lane = WAITING_PER_LANE,
        .quick_per_worker = QUICK_PER_WORKER,
        .bytes_max = BROKER_BODIES_MAX,
        .catalogue_ms = CATALOGUE_MS,
    };
}

core_t *
core_new(const core_options_t *options, int64_t now_ms)
{
    core_t *self = calloc(1, sizeof *self);

    assert(self);
    peer_set_name(self->instance, options->instance);
    self->registry = registry_new(options->categories, options->categories_count);
    self->dispatch =
        dispatch_new(&options->limits, self->registry, &self->counters, options->seed, now_ms);
    self->ticked_ms = now_ms;
    self->beat_ms = now_ms + BEAT_MS;
    return self;
}

void
core_destroy(core_t **self_p)
{
    core_t *self = *self_p;

    if (!self)
        return;
    dispatch_destroy(&self->dispatch);
    peers_clear(&self->peers[TRANSPORTS]);
    peers_clear(&self->peers[WORKERS]);
    registry_destroy(&self->registry);
    free(self);
    *self_p = NULL;
}

bool
core_is_idle(const core_t *self)
{
    return self->counters.open == 0;
}

counters_t *
core_counters(core_t *self)
{
    self->counters.workers = (int64_t) self->peers[WORKERS].count;
    self->counters.transports = (int64_t) self->peers[TRANSPORTS].count;
    return &self->counters;
}

const char *
core_worker_counters(const core_t *self, size_t index)
{
    if (index >= self->peers[WORKERS].count)
        return NULL;
    const char *counters = self->peers[WORKERS].items[index]->counters;
    return counters ? counters : "";
}

static void
note(core_t *self, log_level_t level, const char *event, const char *about, const char *text)
{
    outbox_note(self->out, level, event, about, text);
}

// Says who we are, and that we are there; the shell adds the counters.
static void
send_beat(core_t *self, const peer_t *peer)
{
    letter_t *letter = outbox_letter(self->out, peer->side, peer->route, MSG_beat);

    letter->message.beat.instance = self->instance;
}

static void
send_bye(core_t *self, const peer_t *peer)
{
    letter_t *letter = outbox_letter(self->out, peer->side, peer->route, MSG_bye);

    letter->message.bye.instance = self->instance;
}

static void
send_catalogue(core_t *self, const peer_t *transport)
{
    letter_t *letter = outbox_letter(self->out, TRANSPORTS, transport->route, MSG_catalogue);
    catalogue_msg_t *catalogue = &letter->message.catalogue;

    catalogue->version = registry_version(self->registry);
    catalogue->complete = registry_is_complete(self->registry);
    catalogue->entries = registry_packed(self->registry);
}

// Asks a peer to introduce itself.
static void
ask_name(core_t *self, side_t side, uint64_t route)
{
    outbox_letter(self->out, side, route, MSG_hello);
}

static void
part(core_t *self, peer_t *peer, const char *event, const char *why)
{
    if (peer->side == WORKERS)
        dispatch_worker_gone(self->dispatch, peer);
    else
        dispatch_transport_gone(self->dispatch, peer);
    if (!peer->is_refused)
        note(self, LEVEL_INFO, event, peer->instance, why);
    peers_remove(&self->peers[peer->side], peer);
}

// A peer that did not say that it leaves is lost.
static void
lose(core_t *self, peer_t *peer, const char *why)
{
    bool is_worker = peer->side == WORKERS;

    if (peer->is_leaving || peer->is_refused) {
        part(self, peer, is_worker ? "worker-left" : "transport-left", why);
        return;
    }
    self->counters.workers_lost += is_worker;
    self->counters.transports_lost += !is_worker;
    part(self, peer, is_worker ? "worker-lost" : "transport-lost", why);
}

// Listens to the peer no more until it connects anew; said once.
static void
refuse(core_t *self, peer_t *peer, const char *why)
{
    if (!peer->is_refused)
        note(self, LEVEL_ERROR, "peer-refused", peer->instance, why);
    peer->is_refused = true;
}

// The peer that introduces itself as `instance` over this connection: known already, known
// from a connection that it lost, or new. NULL if there are too many.
static peer_t *
peer_for(core_t *self, side_t side, uint64_t route, const char *instance)
{
    peers_t *peers = &self->peers[side];
    peer_t *peer = peers_of_route(peers, route);

    if (peer && strcmp(peer->instance, instance)) {
        lose(self, peer, "another process answers in its place");
        peer = NULL;
    }
    if (!peer)
        peer = peers_of_instance(peers, instance);
    if (!peer && !peers_are_full(peers))
        peer = peers_add(peers, side, route, self->now_ms);
    if (!peer)
        return NULL;
    peer->route = route;
    peer->heard_ms = self->now_ms;
    peer->is_full = false;
    return peer;
}

// Finds or makes the peer and checks what every introduction says. NULL if it is refused.
static peer_t *
introduce(core_t *self, side_t side, uint64_t route, const char *instance, int64_t protocol)
{
    char name[PEER_NAME_SIZE];

    if (!instance[0] || !peer_set_name(name, instance)) {
        self->counters.malformed++;
        return NULL;
    }
    peer_t *peer = peer_for(self, side, route, name);
    if (!peer) {
        self->counters.refused++;
        return NULL;
    }
    peer_set_name(peer->instance, name);
    if (protocol != WIRE_PROTOCOL)
        refuse(self, peer, "it speaks another protocol: programs of different versions run");
    return peer->is_refused ? NULL : peer;
}

static void
welcome(core_t *self, const peer_t *peer)
{
    send_beat(self, peer);
    if (self->is_draining)
        send_bye(self, peer);
}

static void
on_hello(core_t *self, uint64_t route, message_t *message)
{
    const hello_msg_t *hello = &message->hello;
    bool is_new = !peers_of_instance(&self->peers[TRANSPORTS], hello->instance);
    peer_t *peer = introduce(self, TRANSPORTS, route, hello->instance, hello->protocol);

    if (!peer)
        return;
    if (is_new)
        note(self, LEVEL_INFO, "transport", peer->instance, "is here");
    welcome(self, peer);
    send_catalogue(self, peer);
}

// A process that was started again announces itself before the silence of the old one is
// noticed.
static void
end_predecessor(core_t *self, const peer_t *worker)
{
    peers_t *peers = &self->peers[WORKERS];

    for (size_t i = peers->count; i-- > 0;) {
        peer_t *other = peers->items[i];
        if (other != worker && worker->host[0] && !strcmp(other->host, worker->host))
            lose(self, other, "it was started again");
    }
}

static void
set_credit(peer_t *worker, int64_t credit)
{
    worker->credit = credit < 0 ? 0 : credit > CREDIT_MAX ? CREDIT_MAX : (size_t) credit;
}

static void
tell_transports(core_t *self)
{
    const peers_t *transports = &self->peers[TRANSPORTS];

    for (size_t i = 0; i < transports->count; i++)
        if (!transports->items[i]->is_refused)
            send_catalogue(self, transports->items[i]);
}

// The worker serves the categories of its last offer and no others.
static void
serve(core_t *self, peer_t *worker)
{
    dispatch_serve_none(self->dispatch, worker);
    for (size_t i = 0; i < registry_count(self->registry); i++)
        if (registry_was_offered(self->registry, i))
            dispatch_serve(self->dispatch, worker, i);
}

// Enters what the worker offers. 0, or -1 if that cannot be listed.
static int
take_offer(core_t *self, peer_t *worker, wire_bin_t packed)
{
    entry_msg_t *entries;
    size_t count, clash = CATEGORIES_MAX;
    failure_t why;

    if (catalogue_unpack(packed, &entries, &count, &why))
        return -1;
    if (registry_offer(self->registry, &entries, count, &clash)) {
        catalogue_free(&entries, count);
        return -1;
    }
    if (clash < CATEGORIES_MAX)
        note(self, LEVEL_WARNING, "name-clash", registry_name(self->registry, clash),
             "it has an entry that another worker offers as well; the later is not listed");
    serve(self, worker);
    return 0;
}

static void
on_ready(core_t *self, uint64_t route, message_t *message)
{
    const ready_msg_t *ready = &message->ready;
    int64_t version = registry_version(self->registry);
    bool is_new = !peers_of_instance(&self->peers[WORKERS], ready->instance);
    peer_t *worker = introduce(self, WORKERS, route, ready->instance, ready->protocol);

    if (!worker)
        return;
    if (!peer_set_name(worker->host, ready->host)) {
        refuse(self, worker, "its host name is too long");
        return;
    }
    end_predecessor(self, worker);
    if (take_offer(self, worker, ready->entries)) {
        refuse(self, worker, "what it offers is malformed or more than a catalogue holds");
        return;
    }
    set_credit(worker, ready->credit);
    if (is_new)
        note(self, LEVEL_INFO, "worker", worker->instance, "is here");
    welcome(self, worker);
    if (registry_version(self->registry) == version)
        return;
    tell_transports(self);
    dispatch_catalogue_changed(self->dispatch);
}

static void
keep_counters(peer_t *worker, const char *counters)
{
    size_t size = strlen(counters) + 1;

    if (size > COUNTERS_TEXT_MAX)
        return;
    worker->counters = realloc(worker->counters, size);
    assert(worker->counters);
    memcpy(worker->counters, counters, size);
}

static void
on_beat(core_t *self, peer_t *peer, message_t *message)
{
    const beat_msg_t *beat = &message->beat;

    if (strcmp(beat->instance, peer->instance)) {
        ask_name(self, peer->side, peer->route);
        return;
    }
    if (peer->side == TRANSPORTS)
        return;
    set_credit(peer, beat->credit);
    peer->keeps_keys = beat->keeps_keys == 1;
    keep_counters(peer, beat->counters);
}

static void
on_bye(core_t *self, peer_t *peer, message_t *message)
{
    if (!peer->is_leaving)
        note(self, LEVEL_INFO, "bye", peer->instance, "takes nothing new");
    peer->is_leaving = true;
}

static void
on_call(core_t *self, peer_t *transport, message_t *message)
{
    if (self->is_draining)
        dispatch_refuse(self->dispatch, message, transport->route, STOPPING);
    else
        dispatch_call(self->dispatch, message, transport);
}

static void
on_news(core_t *self, peer_t *from, message_t *message)
{
    spread(self->out, &self->peers[TRANSPORTS], from, message);
}

// Comes back to its sender as well: then it is on its way to all others.
static void
on_ended(core_t *self, peer_t *from, message_t *message)
{
    spread(self->out, &self->peers[TRANSPORTS], NULL, message);
}

// clang-format off
static const struct {
    side_t side;
    char type;
    void (*take)(core_t *self, peer_t *peer, message_t *message);
    void (*pass)(dispatch_t *self, message_t *message, peer_t *peer);  // about a call
} takes[] = {
    { TRANSPORTS, MSG_call,     on_call  },
    { WORKERS,    MSG_answer,   .pass = dispatch_answer },
    { TRANSPORTS, MSG_cancel,   .pass = dispatch_cancel },
    { WORKERS,    MSG_progress, .pass = dispatch_relay  },
    { WORKERS,    MSG_log,      .pass = dispatch_relay  },
    { WORKERS,    MSG_changed,  on_news  },
    { TRANSPORTS, MSG_ended,    on_ended },
    { TRANSPORTS, MSG_said,     on_news  },
    { TRANSPORTS, MSG_seek,     on_news  },
    { TRANSPORTS, MSG_piece,    on_news  },
    { TRANSPORTS, MSG_beat,     on_beat  },
    { WORKERS,    MSG_beat,     on_beat  },
    { TRANSPORTS, MSG_bye,      on_bye   },
    { WORKERS,    MSG_bye,      on_bye   },
};
// clang-format on

// A peer that we do not know, because we were started again or gave it up, says who it is
// before it is listened to. Its calls are answered: nobody else will.
static void
on_stranger(core_t *self, const event_t *event)
{
    self->counters.strangers++;
    ask_name(self, event->side, event->route);
    if (event->side == TRANSPORTS && event->message.type == MSG_call)
        dispatch_refuse(self->dispatch, &event->message, event->route, JUST_STARTED);
}

static void
on_known(core_t *self, peer_t *peer, event_t *event)
{
    peer->heard_ms = self->now_ms;
    if (peer->is_refused) {
        self->counters.refused++;
        return;
    }
    peer->is_full = false;
    for (size_t i = 0; i < ROWS(takes); i++) {
        if (takes[i].type != event->message.type || takes[i].side != event->side)
            continue;
        if (takes[i].pass)
            takes[i].pass(self->dispatch, &event->message, peer);
        else
            takes[i].take(self, peer, &event->message);
        return;
    }
    self->counters.malformed++;
}

static void
on_message(core_t *self, event_t *event)
{
    char type = event->message.type;
    peer_t *peer = peers_of_route(&self->peers[event->side], event->route);

    if (type == MSG_ready && event->side == WORKERS)
        on_ready(self, event->route, &event->message);
    else if (type == MSG_hello && event->side == TRANSPORTS)
        on_hello(self, event->route, &event->message);
    else if (peer)
        on_known(self, peer, event);
    else
        on_stranger(self, event);
}

static void
on_unsent(core_t *self, const event_t *event)
{
    peer_t *worker = peers_of_route(&self->peers[WORKERS], event->route);

    self->counters.unsent++;
    if (worker)
        dispatch_unsent(self->dispatch, event->id, worker, event->kind == EVENT_TOO_LARGE);
}

static void
on_lost(core_t *self, const event_t *event)
{
    peer_t *peer = peers_of_route(&self->peers[event->side], event->route);

    if (peer)
        lose(self, peer, "it cannot be reached");
}

static void
end_silent(core_t *self, peers_t *peers)
{
    for (size_t i = peers->count; i-- > 0;)
        if (self->now_ms - peers->items[i]->heard_ms >= SILENT_MS)
            lose(self, peers->items[i], "it is silent");
}

// It was this process that slept, or the machine: what the peers said meanwhile is still to be
// read.
static void
forgive_silence(core_t *self, peers_t *peers)
{
    for (size_t i = 0; i < peers->count; i++)
        peers->items[i]->heard_ms = self->now_ms;
}

static void
beat(core_t *self, const peers_t *peers)
{
    for (size_t i = 0; i < peers->count; i++)
        if (!peers->items[i]->is_refused)
            send_beat(self, peers->items[i]);
}

static void
on_tick(core_t *self)
{
    dispatch_expire(self->dispatch);
    for (side_t side = TRANSPORTS; side <= WORKERS; side++) {
        if (self->now_ms - self->ticked_ms > BEAT_MS)
            forgive_silence(self, &self->peers[side]);
        end_silent(self, &self->peers[side]);
        if (self->now_ms >= self->beat_ms)
            beat(self, &self->peers[side]);
    }
    if (self->now_ms >= self->beat_ms)
        self->beat_ms = self->now_ms + BEAT_MS;
    self->ticked_ms = self->now_ms;
}

static void
on_drain(core_t *self)
{
    self->is_draining = true;
    for (side_t side = TRANSPORTS; side <= WORKERS; side++)
        for (size_t i = 0; i < self->peers[side].count; i++)
            send_bye(self, self->peers[side].items[i]);
}

static void
take(core_t *self, event_t *event)
{
    switch (event->kind) {
    case EVENT_MESSAGE:
        on_message(self, event);
        break;
    case EVENT_UNSENT:
    case EVENT_TOO_LARGE:
        on_unsent(self, event);
        break;
    case EVENT_LOST:
        on_lost(self, event);
        break;
    case EVENT_TICK:
        on_tick(self);
        break;
    case EVENT_DRAIN:
        on_drain(self);
        break;
    case EVENT_END:
        dispatch_end(self->dispatch);
        break;
    }
}

void
core_step(core_t *self, event_t *event, int64_t now_ms, outbox_t *out)
{
    self->now_ms = now_ms;
    self->out = out;
    dispatch_begin(self->dispatch, now_ms, out);
    take(self, event);
    dispatch_pump(self->dispatch);
}
