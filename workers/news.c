// SPDX-License-Identifier: Apache-2.0
#include "news.h"

#include <assert.h>

#include "actor.h"
#include "auto.h"
#include "call_state.h"

enum { KEPT_MAX = 1000 };  // messages that wait for the loop

struct news {
    zloop_t *loop;
    news_fn *say;
    void *owner;
    zsock_t *socket;
    char endpoint[64];
};

struct news_desk {
    zsock_t *socket;
};

// clang-format off
static const struct {
    char type;
    const wire_table_t *table;
} kinds[] = {
    { MSG_progress, &progress_wire },
    { MSG_log,      &log_wire      },
    { MSG_changed,  &changed_wire  },
};
// clang-format on

static void
hand_on(news_t *self, zmsg_t *msg)
{
    AUTO(zframe_destroy) zframe_t *broker = zmsg_pop(msg);
    const char type = wire_type(msg);
    size_t number;
    union {
        progress_msg_t progress;
        log_msg_t log;
        changed_msg_t changed;
    } message = { 0 };
    failure_t why;

    memcpy(&number, zframe_data(broker), sizeof number);
    for (size_t i = 0; i < ROWS(kinds); i++) {
        if (kinds[i].type != type || wire_unpack(kinds[i].table, msg, &message, &why))
            continue;
        self->say(self->owner, number, kinds[i].table, &message);
        free(message.progress.memory);
        return;
    }
}

void
news_flush(news_t *self)
{
    zmsg_t *msg;

    while ((msg = actor_receive(self->socket))) {
        hand_on(self, msg);
        zmsg_destroy(&msg);
    }
}

static int
on_news(zloop_t *loop, zsock_t *socket, void *arg)
{
    news_flush(arg);
    return 0;
}

news_t *
news_new(zloop_t *loop, news_fn *say, void *owner)
{
    news_t *self = calloc(1, sizeof *self);

    assert(self);
    *self = (news_t){ .loop = loop, .say = say, .owner = owner };
    self->socket = zsock_new(ZMQ_PULL);
    zsock_set_rcvhwm(self->socket, KEPT_MAX);
    snprintf(self->endpoint, sizeof self->endpoint, "inproc://news-%p", (void *) self);
    int rc = zsock_bind(self->socket, "%s", self->endpoint);
    assert(rc == 0);
    zloop_reader(loop, self->socket, on_news, self);
    return self;
}

void
news_destroy(news_t **self_p)
{
    news_t *self = *self_p;

    if (!self)
        return;
    zloop_reader_end(self->loop, self->socket);
    zsock_destroy(&self->socket);
    free(self);
    *self_p = NULL;
}

news_desk_t *
news_desk_new(const news_t *news)
{
    news_desk_t *self = calloc(1, sizeof *self);

    assert(self);
    self->socket = zsock_new(ZMQ_PUSH);
    zsock_set_linger(self->socket, 0);
    zsock_set_sndhwm(self->socket, KEPT_MAX);
    int rc = zsock_connect(self->socket, "%s", news->endpoint);
    assert(rc == 0);
    return self;
}

void
news_desk_destroy(news_desk_t **self_p)
{
    news_desk_t *self = *self_p;

    if (!self)
        return;
    zsock_destroy(&self->socket);
    free(self);
    *self_p = NULL;
}

void
news_say(news_desk_t *self, size_t broker, const wire_table_t *table, const void *message)
{
    zmsg_t *msg = wire_pack(table, message, NULL, 0);

    zmsg_pushmem(msg, &broker, sizeof broker);
    actor_send(&msg, self->socket);
}

// clang-format off
static const char *const levels[] = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency",
};
// clang-format on

static size_t
level_of(const char *name)
{
    size_t level = 0;

    while (level < ROWS(levels) && strcmp(levels[level], name))
        level++;
    return level;
}

void
call_log(call_t *call, const char *level, const char *text)
{
    const size_t least = level_of(call->message.log_level);
    const log_msg_t log = { .id = call->message.id, .level = level, .text = text };

    assert(call->desk && level_of(level) < ROWS(levels));
    if (level_of(level) >= least)
        news_say(call->desk->news, call->broker, &log_wire, &log);
}

void
call_progress(call_t *call, int64_t done, int64_t total, const char *text)
{
    const progress_msg_t progress = {
        .id = call->message.id, .done = done, .total = total, .text = text
    };

    assert(call->desk);
    if (call->message.progress)
        news_say(call->desk->news, call->broker, &progress_wire, &progress);
}

void
call_changed(call_t *call, const char *kind, const char *uri)
{
    const changed_msg_t changed = { .kind = kind, .uri = uri };

    assert(call->desk);
    news_say(call->desk->news, call->broker, &changed_wire, &changed);
}
