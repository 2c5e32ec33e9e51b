// SPDX-License-Identifier: Apache-2.0
// CZMQ's event loop, as far as our programs use it, on the clock of the stage.

#include "net.h"
#include "stage.h"

enum { TIMERS = 16, READERS = 16 };

typedef struct {
    zloop_t *loop;
    int id;  // 0: free
    int64_t when_ms;
    size_t delay_ms, times;  // times 0: for ever
    zloop_timer_fn *run;
    void *arg;
} sim_timer_t;

typedef struct {
    zloop_t *loop;
    zsock_t *socket;  // NULL: free
    zloop_reader_fn *run;
    void *arg;
} sim_reader_t;

struct _zloop_t {
    host_t *host;
    int last_id;
    sim_timer_t timers[TIMERS];
    sim_reader_t readers[READERS];
};

zloop_t *
loop_new(host_t *host)
{
    zloop_t *self = calloc(1, sizeof *self);

    assert(self);
    self->host = host;
    return self;
}

void
loop_destroy(zloop_t **self_p)
{
    free(*self_p);
    *self_p = NULL;
}

int
zloop_timer(zloop_t *self, size_t delay, size_t times, zloop_timer_fn handler, void *arg)
{
    int i = 0;

    while (i < TIMERS && self->timers[i].id)
        i++;
    assert(i < TIMERS);
    self->timers[i] = (sim_timer_t){ .loop = self,
                                     .id = ++self->last_id,
                                     .when_ms = stage.now_ms + (int64_t) delay,
                                     .delay_ms = delay,
                                     .times = times,
                                     .run = handler,
                                     .arg = arg };
    return self->last_id;
}

int
zloop_timer_end(zloop_t *self, int timer_id)
{
    for (int i = 0; i < TIMERS; i++)
        if (self->timers[i].id == timer_id)
            self->timers[i].id = 0;
    return 0;
}

int
zloop_reader(zloop_t *self, zsock_t *socket, zloop_reader_fn handler, void *arg)
{
    int i = 0;

    while (i < READERS && self->readers[i].socket)
        i++;
    assert(i < READERS);
    self->readers[i] = (sim_reader_t){ self, socket, handler, arg };
    return 0;
}

void
zloop_reader_end(zloop_t *self, zsock_t *socket)
{
    for (int i = 0; i < READERS; i++)
        if (self->readers[i].socket == socket)
            self->readers[i].socket = NULL;
}

// As CZMQ's: a loop that is late fires as often as it was missed.
static void
fire(void *what)
{
    sim_timer_t *timer = what;
    sim_timer_t now = *timer;

    if (timer->times && --timer->times == 0)
        timer->id = 0;
    timer->when_ms += (int64_t) timer->delay_ms;
    now.run(now.loop, now.id, now.arg);
}

static void
read_socket(void *what)
{
    sim_reader_t *reader = what;

    net_begin_turn(reader->loop->host);
    reader->run(reader->loop, reader->socket, reader->arg);
}

void
loop_offer(const zloop_t *self)
{
    for (int i = 0; i < TIMERS; i++)
        if (self->timers[i].id)
            stage_offer(self->host, self->timers[i].when_ms, fire, (void *) &self->timers[i]);
    for (int i = 0; i < READERS; i++)
        if (self->readers[i].socket)
            stage_offer(self->host, net_readable_ms(self->readers[i].socket), read_socket,
                        (void *) &self->readers[i]);
}
