// SPDX-License-Identifier: Apache-2.0
#include "waits.h"

#include <assert.h>
#include <string.h>

#include "auto.h"
#include "call_state.h"
#include "clock.h"
#include "limits.h"
#include "progress.h"

enum {
    TICK_MS = 100,    // how often waits are looked at while there are any
    RETRY_MS = 500,   // after a platform that did not answer
    GRACE_MS = 5000,  // longer than asked that an answer may take
};

typedef struct {
    waits_t *owner;
    call_t *call;
    void *place;        // in the list
    waiter_get_t *get;  // under way, or NULL
    int64_t until_ms;   // then the call finishes with what is known
    int64_t next_ms;    // when the next GET is due
    bool was_asked;     // the first GET does not wait: it tells where the run stands
    progress_t progress;
} wait_t;

struct waits {
    zloop_t *loop;
    waiter_t *waiter;
    const waits_ops_t *ops;
    void *owner;
    zlistx_t *list;
    int timer;  // -1 while there are none
};

static const char *const finals[] = { "COMPLETED", "FAILED", "ERROR", "CANCELLED" };

static bool
is_final(const char *status)
{
    for (size_t i = 0; status && i < ROWS(finals); i++)
        if (!strcmp(status, finals[i]))
            return true;
    return false;
}

static void
say_progress(wait_t *self, int64_t now_ms)
{
    int64_t done, total;

    if (self->call->message.progress && progress_is_due(&self->progress, now_ms, &done, &total))
        self->owner->ops->progress(self->owner->owner, self->call, done, total,
                                   self->progress.text);
}

static void
keep_answer(wait_t *self, long code, const char *body, size_t size)
{
    char *copy = malloc(size + 1);

    assert(copy);
    memcpy(copy, body, size);
    copy[size] = 0;
    free(self->call->waited);
    self->call->waited = copy;
    self->call->waited_code = code;
}

static void
end_wait(wait_t *self)
{
    waits_t *owner = self->owner;
    call_t *call = self->call;

    waiter_stop(&self->get);
    zlistx_detach(owner->list, self->place);
    free(self);
    owner->ops->ended(owner->owner, call);
}

static void on_answer(void *arg, long code, const char *body, size_t size);

static void
ask(wait_t *self, int64_t now_ms)
{
    AUTO(buffer_clear) buffer_t path = { 0 };
    int64_t wait_ms = self->was_asked ? self->until_ms - now_ms : 0;

    if (wait_ms > LONG_POLL_MS)
        wait_ms = LONG_POLL_MS;
    buffer_printf(&path, "%s%cwaitMs=%lld", self->call->wait_path,
                  strchr(self->call->wait_path, '?') ? '&' : '?', (long long) wait_ms);
    self->next_ms = now_ms + TICK_MS;
    self->get = waiter_get(self->owner->waiter, path.bytes, self->call->message.token,
                           wait_ms + GRACE_MS, on_answer, self);
}

// Final, refused, still going on, or of no use: then the next try is a little later.
static void
on_answer(void *arg, long code, const char *body, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    wait_t *self = arg;
    const int64_t now_ms = clock_now_ms();
    const json_t *answer = code / 100 == 2 ? json_parse_text(arena, body) : NULL;
    const bool is_refused = code >= 300 && code < 500;

    self->get = NULL;
    if (!answer && !is_refused) {
        self->next_ms = now_ms + RETRY_MS;
        return;
    }
    keep_answer(self, code, body, size);
    if (is_refused || is_final(json_get_text(answer, "status"))) {
        end_wait(self);
        return;
    }
    self->was_asked = true;
    progress_note(&self->progress, answer);
    if (now_ms >= self->next_ms && now_ms < self->until_ms)
        ask(self, now_ms);
}

static wait_t *
find_over(const waits_t *self, int64_t now_ms)
{
    wait_t *wait = zlistx_first(self->list);

    while (wait && now_ms < wait->until_ms)
        wait = zlistx_next(self->list);
    return wait;
}

// A call that goes on sends requests, and what these meet may end further waits: the list is
// looked through anew for each.
static void
end_those_over(waits_t *self, int64_t now_ms)
{
    for (wait_t *wait; (wait = find_over(self, now_ms));) {
        wait->call->timed_out = true;
        end_wait(wait);
    }
}

static void
look_at(wait_t *self, int64_t now_ms)
{
    say_progress(self, now_ms);
    if (!self->get && now_ms >= self->next_ms)
        ask(self, now_ms);
}

static int
on_tick(zloop_t *loop, int timer, void *arg)
{
    waits_t *self = arg;
    const int64_t now_ms = clock_now_ms();

    end_those_over(self, now_ms);
    for (wait_t *wait = zlistx_first(self->list); wait; wait = zlistx_next(self->list))
        look_at(wait, now_ms);
    if (!zlistx_size(self->list)) {
        zloop_timer_end(loop, self->timer);
        self->timer = -1;
    }
    return 0;
}

waits_t *
waits_new(zloop_t *loop, waiter_t *waiter, const waits_ops_t *ops, void *owner)
{
    waits_t *self = calloc(1, sizeof *self);

    assert(self);
    *self = (waits_t){ loop, waiter, ops, owner, zlistx_new(), -1 };
    return self;
}

// The calls themselves are the owner's to destroy.
void
waits_destroy(waits_t **self_p)
{
    waits_t *self = *self_p;

    if (!self)
        return;
    for (wait_t *wait; (wait = zlistx_first(self->list));) {
        waiter_stop(&wait->get);
        zlistx_detach(self->list, wait->place);
        free(wait);
    }
    if (self->timer != -1)
        zloop_timer_end(self->loop, self->timer);
    zlistx_destroy(&self->list);
    free(self);
    *self_p = NULL;
}

void
waits_add(waits_t *self, call_t *call)
{
    wait_t *wait = calloc(1, sizeof *wait);

    assert(wait);
    *wait = (wait_t){
        .owner = self,
        .call = call,
        .until_ms = call->deadline_ms - FINISH_MS,
        .progress = progress_new(),
    };
    wait->place = zlistx_add_end(self->list, wait);
    if (self->timer == -1)
        self->timer = zloop_timer(self->loop, TICK_MS, 0, on_tick, self);
    ask(wait, clock_now_ms());
}

void
waits_cancel(waits_t *self, call_t *call)
{
    for (wait_t *wait = zlistx_first(self->list); wait; wait = zlistx_next(self->list))
        if (wait->call == call) {
            end_wait(wait);
            return;
        }
}

void
waits_hurry(waits_t *self)
{
    for (wait_t *wait = zlistx_first(self->list); wait; wait = zlistx_next(self->list))
        wait->until_ms = 0;
}

size_t
waits_count(const waits_t *self)
{
    return zlistx_size(self->list);
}
