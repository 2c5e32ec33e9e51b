// SPDX-License-Identifier: Apache-2.0
#include "play.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "auto.h"
#include "limits.h"
#include "speech.h"

enum {
    ACTIONS = 900,  // of one run
    TICK_MS = 100,
    LEFT_MS = 4000,  // longest time of a call
    UNSENT_N = 64,
};

typedef struct {
    world_t world;
    judge_t judge;
    core_t *core;
    outbox_t out;
    int64_t tick_ms;  // when the next is due
    bool is_calm;     // no more faults
    uint64_t faults;  // so many of a thousand actions
    event_t unsent[UNSENT_N], lost[UNSENT_N];
    size_t unsent_count, lost_count;
} sim_t;

static void step(sim_t *self, event_t *event);

// What becomes of a letter: 0, or the event that says that it did not arrive.
typedef enum { ARRIVES, FULL_PIPE, NO_PEER, TOO_LONG } fate_t;

static fate_t
fate_of(sim_t *self, const letter_t *letter)
{
    process_t *process = world_at(&self->world, letter->side, letter->route);
    bool is_call = letter->message.type == MSG_call;
    int call =
        strchr("CAXPLQY", letter->message.type) ? number_in(letter->message.cancel.id) : -1;

    if (is_call && !self->is_calm && world_chance(&self->world, 200))
        return TOO_LONG;
    if (!process)
        return NO_PEER;
    if (process->full_until_ms > self->world.now_ms
        || !pipe_add(&process->from_core, letter->message.type, call))
        return FULL_PIPE;
    return ARRIVES;
}

// The same that the shell makes of it.
static void
send_letter(sim_t *self, const letter_t *letter)
{
    fate_t fate = fate_of(self, letter);
    event_t event = { .side = letter->side, .route = letter->route };

    judge_letter(&self->judge, letter);
    if (fate == ARRIVES)
        return;
    assert(self->unsent_count < UNSENT_N && self->lost_count < UNSENT_N);
    if (letter->message.type == MSG_call) {
        event.kind = fate == TOO_LONG ? EVENT_TOO_LARGE : EVENT_UNSENT;
        snprintf(event.id, sizeof event.id, "%s", letter->message.call.id);
        self->unsent[self->unsent_count++] = event;
    }
    if (fate == NO_PEER || (fate == FULL_PIPE && letter->side == TRANSPORTS)) {
        event.kind = EVENT_LOST;
        self->lost[self->lost_count++] = event;
    }
}

static void
look_at_outcome(sim_t *self, const event_t *event)
{
    judge_notes(&self->judge, &self->out, WORKERS);
    for (size_t i = 0; i < self->out.count; i++)
        send_letter(self, &self->out.letters[i]);
    judge_notes(&self->judge, &self->out, TRANSPORTS);
    outbox_empty(&self->out);
    judge_state(&self->judge, event->kind == EVENT_TICK);
    self->judge.speaker = -1;
    self->judge.heard = (mail_t){ 0 };
}

static void
tell_unsent(sim_t *self)
{
    while (self->unsent_count || self->lost_count) {
        event_t event;
        if (self->unsent_count) {
            event = self->unsent[0];
            memmove(self->unsent, self->unsent + 1, --self->unsent_count * sizeof event);
            judge_unsent(&self->judge, number_in(event.id));
        } else {
            event = self->lost[--self->lost_count];
        }
        core_step(self->core, &event, self->world.now_ms, &self->out);
        look_at_outcome(self, &event);
    }
}

static void
step(sim_t *self, event_t *event)
{
    core_step(self->core, event, self->world.now_ms, &self->out);
    message_clear(&event->message);
    look_at_outcome(self, event);
    tell_unsent(self);
}

static void
step_kind(sim_t *self, event_kind_t kind)
{
    event_t event = { .kind = kind };

    if (self->judge.is_loud && kind != EVENT_TICK)
        printf("%lld event %d\n", (long long) self->world.now_ms, kind);
    step(self, &event);
}

// True for a CALL said twice of which the first is over: to the core it would be a new one.
static bool
is_stale(const sim_t *self, mail_t mail)
{
    const case_t *c = mail.call < 0 ? NULL : &self->judge.cases[mail.call];

    return mail.type == MSG_call && c->asker >= 0 && !c->is_open;
}

static void
deliver(sim_t *self, const process_t *process, uint64_t route, int incarnation, mail_t mail)
{
    event_t event = { .kind = EVENT_MESSAGE, .side = process->side, .route = route };

    if (is_stale(self, mail))
        return;
    if (self->judge.is_loud && mail.type != MSG_beat)
        printf("%lld %c c%d from %c%d\n", (long long) self->world.now_ms, mail.type, mail.call,
               process->side == WORKERS ? 'w' : 't', incarnation);
    judge_hear(&self->judge, process, incarnation, route, mail);
    speech_fill(&event, &self->judge, process, incarnation, mail);
    step(self, &event);
}

static void
deliver_next(sim_t *self, process_t *process)
{
    mail_t mail;

    if (pipe_take(&process->ghost.to_core, &mail)) {
        if (mail.type == MSG_ready || mail.type == MSG_hello)
            process->ghost.to_core.count = 0;  // whom the core has not met says nothing
        else if (mail.type != MSG_beat)
            deliver(self, process, process->ghost.route, process->ghost.incarnation, mail);
    } else if (!process->is_paused && pipe_take(&process->to_core, &mail)) {
        deliver(self, process, process->route, process->incarnation, mail);
    }
}

static void
drop_held(process_t *worker, size_t at)
{
    worker->held[at] = worker->held[--worker->held_count];
}

// A worker is done with one of its calls.
static void
finish(sim_t *self, process_t *worker)
{
    if (!worker->held_count || worker->is_paused)
        return;
    size_t at = world_random(&self->world, worker->held_count);
    process_say(worker, MSG_answer, worker->held[at]);
    drop_held(worker, at);
}

static void
obey_cancel(sim_t *self, process_t *worker, int call)
{
    for (size_t i = 0; i < worker->held_count; i++)
        if (worker->held[i] == call && world_chance(&self->world, 2)) {
            process_say(worker, MSG_answer, call);
            drop_held(worker, i);
            return;
        }
}

// A process reads what the core sent it.
static void
read_next(sim_t *self, process_t *process)
{
    mail_t mail;

    if (process->is_paused || !pipe_take(&process->from_core, &mail))
        return;
    if (mail.type == MSG_hello)
        process_introduce(process);
    else if (mail.type == MSG_call)
        process->held[process->held_count++] = mail.call;
    else if (mail.type == MSG_cancel)
        obey_cancel(self, process, mail.call);
}

static void
make_call(sim_t *self)
{
    process_t *transport = world_any(&self->world, TRANSPORTS);
    int call = self->judge.cases_count;

    if (call == CALLS_N || transport->is_paused)
        return;
    self->judge.cases_count++;
    self->judge.cases[call] = (case_t){
        .tool = (tool_kind_t) world_random(&self->world, TOOLS_N),
        .principal = (int) world_random(&self->world, PRINCIPALS_N),
        .left_ms = 1 + (int64_t) world_random(&self->world, LEFT_MS),
        .asker = -1,
        .at = -1,
    };
    process_say(transport, MSG_call, call);
}

static int
any_call(sim_t *self)
{
    return (int) world_random(&self->world, (uint64_t) self->judge.cases_count);
}

// Any process says something about any call, or something that it has no business to say.
static void
lie(sim_t *self)
{
    static const char types[] = { MSG_answer,  MSG_progress, MSG_log, MSG_cancel,
                                  MSG_changed, MSG_ended,    MSG_bye };
    side_t side = world_chance(&self->world, 2) ? TRANSPORTS : WORKERS;
    process_t *process = world_any(&self->world, side);
    char type = types[world_random(&self->world, sizeof types - (side == WORKERS))];

    if (self->judge.cases_count && type != MSG_bye)
        process_say(process, type,
                    (int) world_random(&self->world, (uint64_t) self->judge.cases_count));
}

// A transport says one of its calls again, or takes it back.
static void
repeat(sim_t *self, char type)
{
    if (!self->judge.cases_count)
        return;
    int call = any_call(self);
    for (int i = 0; i < TRANSPORTS_N; i++)
        if (self->world.peers[i].incarnation == self->judge.cases[call].asker)
            process_say(&self->world.peers[i], type, call);
}

static void
speak(sim_t *self, process_t *worker)
{
    if (worker->held_count && !worker->is_paused)
        process_say(worker, world_chance(&self->world, 2) ? MSG_progress : MSG_log,
                    worker->held[world_random(&self->world, worker->held_count)]);
}

static void
leave(process_t *worker)
{
    worker->is_leaving = true;
    process_say(worker, MSG_bye, -1);
}

static void
fail_somewhere(sim_t *self)
{
    world_t *world = &self->world;
    process_t *process = &world->peers[world_random(world, PEERS_N)];
    process_t *worker = world_any(world, WORKERS);

    switch (world_random(world, 10)) {
    // clang-format off
    case 0: process_crash(world, worker); break;
    case 1: process_crash(world, process); break;
    case 2: process_reconnect(world, process); break;
    case 3: process->is_paused = !process->is_paused; break;
    case 4: process->is_paused = false; break;
    case 5: process->full_until_ms = world->now_ms + (int64_t) world_random(world, 300); break;
    case 6: worker->credit = (int64_t) world_random(world, 5); break;
    case 7: leave(worker); break;
    case 8: world->now_ms += (int64_t) world_random(world, 2000); break;  // the broker sleeps
    case 9: process_replace(world, process); break;
        // clang-format on
    }
}

static void
act(sim_t *self)
{
    world_t *world = &self->world;
    uint64_t dice = world_random(world, 100);

    if (world_random(world, 1000) < self->faults)
        fail_somewhere(self);
    else if (dice < 40)
        deliver_next(self, &world->peers[world_random(world, PEERS_N)]);
    else if (dice < 65)
        read_next(self, &world->peers[world_random(world, PEERS_N)]);
    else if (dice < 78)
        make_call(self);
    else if (dice < 92)
        finish(self, world_any(world, WORKERS));
    else if (dice < 94)
        speak(self, world_any(world, WORKERS));
    else if (dice < 96)
        repeat(self, MSG_cancel);
    else if (dice < 98)
        repeat(self, MSG_call);
    else
        lie(self);
}

// Time goes on: processes beat, the core ticks.
static void
pass_time(sim_t *self, int64_t ms)
{
    self->world.now_ms += ms;
    for (int i = 0; i < PEERS_N; i++) {
        process_t *process = &self->world.peers[i];
        if (self->world.now_ms < process->beat_ms)
            continue;
        process->beat_ms = self->world.now_ms + BEAT_MS;
        if (!process->is_paused)
            process_say(process, MSG_beat, -1);
    }
    if (self->world.now_ms >= self->tick_ms) {
        step_kind(self, EVENT_TICK);
        self->tick_ms = self->world.now_ms + TICK_MS;
    }
}

// Faults stop; three times the longest call later nothing may be left.
static void
calm_down(sim_t *self)
{
    self->is_calm = true;
    for (int i = 0; i < PEERS_N; i++)
        self->world.peers[i].is_paused = false;
    for (int64_t end_ms = self->world.now_ms + 3 * LEFT_MS; self->world.now_ms < end_ms;) {
        for (int i = 0; i < PEERS_N; i++) {
            deliver_next(self, &self->world.peers[i]);
            read_next(self, &self->world.peers[i]);
            finish(self, &self->world.peers[i]);
        }
        pass_time(self, 20);
    }
}

static void
open_sim(sim_t *self, uint64_t seed, const unsigned char *bytes, size_t size, bool is_loud)
{
    static const char *const categories[] = { "explore", "act" };
    core_options_t options = { .instance = "broker",
                               .categories = categories,
                               .categories_count = ROWS(categories),
                               .seed = seed };

    memset(self, 0, sizeof *self);
    world_init(&self->world, seed, bytes, size);
    self->faults = world_random(&self->world, 40);
    options.limits = (dispatch_limits_t){
        .under_way_per_principal = 1 + world_random(&self->world, 6),
        .waiting_per_principal = 1 + world_random(&self->world, 12),
        .waiting_per_lane = 1 + world_random(&self->world, 16),
        .quick_per_worker = 1 + world_random(&self->world, 4),
        .bytes_max = 100 + world_random(&self->world, 3000),
        .catalogue_ms = (int64_t) world_random(&self->world, 3000),
    };
    self->core = core_new(&options, self->world.now_ms);
    self->judge = (judge_t){
        .seed = seed,
        .is_loud = is_loud,
        .world = &self->world,
        .core = self->core,
        .limits = options.limits,
        .speaker = -1,
        .begin_ms = self->world.now_ms,
        .ticked_ms = self->world.now_ms,
    };
}

void
play(uint64_t seed, const unsigned char *bytes, size_t size, bool is_loud, counters_t *sum)
{
    static sim_t self;

    open_sim(&self, seed, bytes, size, is_loud);
    for (int i = 0; i < ACTIONS; i++) {
        act(&self);
        pass_time(&self, (int64_t) world_random(&self.world, 30));
    }
    if (world_chance(&self.world, 4)) {
        step_kind(&self, EVENT_DRAIN);
        step_kind(&self, EVENT_END);
    } else {
        calm_down(&self);
    }
    judge_end(&self.judge);
    const int64_t *counters = (const int64_t *) core_counters(self.core);
    for (size_t i = 0; i < sizeof *sum / sizeof *counters; i++)
        ((int64_t *) sum)[i] += counters[i];
    core_destroy(&self.core);
    outbox_clear(&self.out);
}
