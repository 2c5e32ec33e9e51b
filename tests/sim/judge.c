// SPDX-License-Identifier: Apache-2.0
#include "judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commit.h"
#include "limits.h"

__attribute__((format(printf, 2, 3), noreturn)) static void
condemn(const judge_t *self, const char *format, ...)
{
    va_list args;

    printf("seed %llu at %lld ms: ", (unsigned long long) self->seed,
           (long long) self->world->now_ms);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\nplay it again: sim-broker %llu, at %s\n", (unsigned long long) self->seed,
           SIM_COMMIT);
    exit(1);
}

void
call_name(int call, char name[16])
{
    snprintf(name, 16, "c%d", call);
}

int
number_in(const char *name)
{
    return (int) strtol(name + 1, NULL, 10);
}

static case_t *
case_of(judge_t *self, const char *id)
{
    int call = number_in(id);

    if (id[0] != 'c' || call < 0 || call >= self->cases_count)
        condemn(self, "the core speaks of %s, which nobody asked for", id);
    return &self->cases[call];
}

// The incarnation that the core reaches over this route, -1 if it knows none.
static int
known_at(const judge_t *self, uint64_t route)
{
    for (int i = 0; i < self->world->next_incarnation; i++)
        if (self->known[i].is_known && self->known[i].route == route)
            return i;
    return -1;
}

static void
hear_call(judge_t *self, int incarnation, uint64_t route, int call)
{
    case_t *c = &self->cases[call];

    if (c->is_open || c->asker >= 0)
        return;  // said twice: the core must take no notice
    c->asker = incarnation;
    c->is_open = true;
    c->is_refused = known_at(self, route) < 0;
    c->end_ms = self->world->now_ms + c->left_ms;
}

static void
hear_cancel(judge_t *self, uint64_t route, int call)
{
    case_t *c = &self->cases[call];

    if (c->is_open && known_at(self, route) == c->asker)
        c->is_open = false;
}

// The worker is done with a call that nobody waits for; one that is waited for is passed on.
static void
hear_answer(judge_t *self, uint64_t route, int call)
{
    case_t *c = &self->cases[call];

    if (!c->is_open && c->at >= 0 && known_at(self, route) == c->at)
        c->at = -1;
}

static void
hear_peer(judge_t *self, const process_t *process, int incarnation, uint64_t route, char type)
{
    known_t *known = &self->known[incarnation];

    if (type == MSG_ready || type == MSG_hello) {
        known->is_leaving = known->is_known && known->is_leaving;
        known->is_known = true;
        known->route = route;
        known->place = process->number;
        known->credit = process->credit;
    }
    if (!known->is_known || known->route != route)
        return;
    known->heard_ms = self->world->now_ms;
    if (type == MSG_beat)
        known->credit = process->credit;
    if (type == MSG_bye)
        known->is_leaving = true;
}

void
judge_hear(judge_t *self, const process_t *process, int incarnation, uint64_t route,
           mail_t mail)
{
    self->speaker = incarnation;
    self->heard = mail;
    hear_peer(self, process, incarnation, route, mail.type);
    if (mail.type == MSG_call && process->side == TRANSPORTS)
        hear_call(self, incarnation, route, mail.call);
    if (mail.type == MSG_cancel && process->side == TRANSPORTS)
        hear_cancel(self, route, mail.call);
    if (mail.type == MSG_answer && process->side == WORKERS)
        hear_answer(self, route, mail.call);
}

void
judge_unsent(judge_t *self, int call)
{
    self->cases[call].at = -1;
    self->cases[call].sends--;
}

static void
lose_worker(judge_t *self, int incarnation)
{
    for (int i = 0; i < self->cases_count; i++)
        if (self->cases[i].at == incarnation)
            self->cases[i].at = -1;
}

static void
lose_transport(judge_t *self, int incarnation)
{
    for (int i = 0; i < self->cases_count; i++)
        if (self->cases[i].asker == incarnation)
            self->cases[i].is_open = false;
}

void
judge_notes(judge_t *self, const outbox_t *out, side_t side)
{
    const char *kind = side == WORKERS ? "worker-l" : "transport-l";  // …-lost, …-left

    for (size_t i = 0; i < out->notes_count; i++) {
        const note_t *note = &out->notes[i];
        int incarnation = number_in(note->about);
        if (strncmp(note->event, kind, strlen(kind)))
            continue;
        if (self->is_loud)
            printf("    %s %s\n", note->event, note->about);
        self->known[incarnation].is_known = false;
        if (side == WORKERS)
            lose_worker(self, incarnation);
        else
            lose_transport(self, incarnation);
    }
}

static bool
is_read(const case_t *c)
{
    return c->tool == LOOK || c->tool == GLANCE;
}

// It takes no slot.
static bool
is_quick(const case_t *c)
{
    return c->tool == GLANCE;
}

// Long over, and the worker never said so: the core may have given it up.
static bool
is_abandoned(const judge_t *self, const case_t *c)
{
    return !c->is_open && self->world->now_ms >= c->end_ms + SILENT_MS;
}

// With a slot, or without.
static int64_t
under_way_at(const judge_t *self, int incarnation, bool without)
{
    int64_t count = 0;

    for (int i = 0; i < self->cases_count; i++)
        count += self->cases[i].at == incarnation && is_quick(&self->cases[i]) == without
                 && !is_abandoned(self, &self->cases[i]);
    return count;
}

// What the broker itself may say of a call that has been sent so often.
static void
judge_outcome(const judge_t *self, const case_t *c, const answer_msg_t *answer)
{
    outcome_t outcome = !c->sends ? NOT_SENT : is_read(c) ? FAILED : UNKNOWN_OUTCOME;

    if (!c->sends && (answer->status == NO_TOOL || answer->status == TOO_LARGE))
        outcome = FAILED;
    if (answer->outcome != outcome)
        condemn(self, "%s was sent %d times, and its outcome is called %s", answer->id,
                c->sends, outcome_name((outcome_t) answer->outcome));
}

static void
judge_answer(judge_t *self, const letter_t *letter)
{
    const answer_msg_t *answer = &letter->message.answer;
    case_t *c = case_of(self, answer->id);

    if (!c->is_open)
        condemn(self, "%s is answered though no answer is due", answer->id);
    if (!c->is_refused && known_at(self, letter->route) != c->asker)
        condemn(self, "%s is answered to another transport", answer->id);
    c->is_open = false;
    if (letter->sentence) {
        judge_outcome(self, c, answer);
        if (self->heard.type == MSG_answer && self->speaker == c->at)
            c->at = -1;  // instead of what the second worker says
        return;
    }
    if (!is_read(c) && c->sends > 1 && answer->outcome != DONE)
        condemn(self, "%s may have happened the first time, and is told not to have",
                answer->id);
    if (self->heard.type != MSG_answer || self->speaker != c->at)
        condemn(self, "%s is answered by one that does not have it", answer->id);
    c->at = -1;
}

static void
judge_call(judge_t *self, const letter_t *letter)
{
    const call_msg_t *call = &letter->message.call;
    case_t *c = case_of(self, call->id);
    int worker = known_at(self, letter->route);
    bool may_repeat = is_read(c) || (c->tool == WRITE_WITH_KEY && self->world->keeps_keys);

    if (!c->is_open)
        condemn(self, "%s is sent to a worker though nobody waits for it", call->id);
    if (c->at >= 0)
        condemn(self, "%s is sent to a second worker at the same time", call->id);
    if (c->sends > may_repeat)
        condemn(self, "%s is sent once too often", call->id);
    if (call->left_ms <= 0 || call->left_ms != c->end_ms - self->world->now_ms)
        condemn(self, "%s is sent with %lld ms left", call->id, (long long) call->left_ms);
    if (worker < 0 || self->known[worker].is_leaving)
        condemn(self, "%s is sent to a worker that is gone or leaves", call->id);
    int64_t most = self->known[worker].credit;
    if (most && is_quick(c))
        most = (int64_t) self->limits.quick_per_worker;
    if (under_way_at(self, worker, is_quick(c)) >= most)
        condemn(self, "%s is sent over the credit of w%d", call->id, worker);
    c->at = worker;
    c->sends++;
}

static void
judge_relay(judge_t *self, const letter_t *letter)
{
    const case_t *c = case_of(self, letter->message.progress.id);

    if (!c->is_open || c->at != self->speaker || c->asker != known_at(self, letter->route))
        condemn(self, "a message about %s is passed on that may not be",
                letter->message.progress.id);
}

void
judge_letter(judge_t *self, const letter_t *letter)
{
    const message_t *message = &letter->message;

    if (self->is_loud && message->type != MSG_beat)
        printf("    %c %s to route %d\n", message->type,
               strchr("CAXPL", message->type) ? message->cancel.id : "", (int) letter->route);
    switch (message->type) {
    case MSG_answer:
        judge_answer(self, letter);
        break;
    case MSG_call:
        judge_call(self, letter);
        break;
    case MSG_cancel:
        if (case_of(self, message->cancel.id)->at != known_at(self, letter->route))
            condemn(self, "%s is cancelled elsewhere", message->cancel.id);
        break;
    case MSG_progress:
    case MSG_log:
        judge_relay(self, letter);
        break;
    }
}

static void
judge_bounds(judge_t *self)
{
    size_t waiting[PRINCIPALS_N] = { 0 }, under_way[PRINCIPALS_N] = { 0 };
    size_t in_lane[TOOLS_N] = { 0 };

    for (int i = 0; i < self->cases_count; i++) {
        const case_t *c = &self->cases[i];
        if (c->is_open && c->at < 0 && !c->sends) {
            waiting[c->principal]++;
            in_lane[is_quick(c) || c->tool > WRITE ? c->tool : LOOK]++;
        }
        under_way[c->principal] += c->at >= 0 && !is_abandoned(self, c);
    }
    for (int i = 0; i < PRINCIPALS_N; i++)
        if (waiting[i] > self->limits.waiting_per_principal
            || under_way[i] > self->limits.under_way_per_principal)
            condemn(self, "principal %d has %zu calls waiting and %zu under way", i, waiting[i],
                    under_way[i]);
    for (int i = 0; i < TOOLS_N; i++)
        if (in_lane[i] > self->limits.waiting_per_lane)
            condemn(self, "%zu calls wait in one lane", in_lane[i]);
}

// Silent processes are given up, and so are those whose place another one has taken.
static void
judge_peers(judge_t *self, bool was_tick)
{
    int64_t now_ms = self->world->now_ms;
    bool has_slept = was_tick && now_ms - self->ticked_ms > BEAT_MS;
    int holders[PEERS_N] = { 0 };

    for (int i = 0; i < self->world->next_incarnation; i++) {
        known_t *known = &self->known[i];
        if (!known->is_known)
            continue;
        if (has_slept)
            known->heard_ms = now_ms;
        if (was_tick && now_ms - known->heard_ms >= SILENT_MS)
            condemn(self, "process %d is silent and was not given up", i);
        if (known->place >= TRANSPORTS_N && ++holders[known->place] > 1)
            condemn(self, "two workers of one host are known");
    }
    if (was_tick)
        self->ticked_ms = now_ms;
}

static void
judge_time(judge_t *self)
{
    int64_t now_ms = self->world->now_ms;
    bool is_over = now_ms >= self->begin_ms + self->limits.catalogue_ms;

    for (int i = 0; i < self->cases_count; i++) {
        const case_t *c = &self->cases[i];
        if (c->is_open && (c->end_ms <= now_ms || (c->tool == FLY && is_over)))
            condemn(self, "c%d is not answered in time", i);
    }
}

static const char *const places[] = { "WAITING", "GIVEN", "ORPHAN", "OVER" };

// What may follow on what: tests/spin/names compares it with the model and with the page.
static const bool follows[PLACES][PLACES] = {
    [WAITING] = { [GIVEN] = true, [OVER] = true },
    [GIVEN] = { [WAITING] = true, [ORPHAN] = true, [OVER] = true },
    [ORPHAN] = { [OVER] = true },
};

static bool seen[PLACES][PLACES];

static void
judge_places(judge_t *self)
{
    for (int i = 0; i < self->cases_count; i++) {
        case_t *c = &self->cases[i];
        place_t place = c->at < 0 ? (c->is_open ? WAITING : OVER) : c->is_open ? GIVEN : ORPHAN;
        if (c->asker < 0)
            continue;  // the core has not heard of it
        if (c->was_seen && place != c->place && !follows[c->place][place])
            condemn(self, "c%d was %s and is %s", i, places[c->place], places[place]);
        seen[c->was_seen ? c->place : place][place] = true;
        c->was_seen = true;
        c->place = place;
    }
}

const char *
judge_unseen(void)
{
    static char step[32];

    for (int from = 0; from < PLACES; from++)
        for (int to = 0; to < PLACES; to++)
            if (follows[from][to] && !seen[from][to]) {
                snprintf(step, sizeof step, "%s to %s", places[from], places[to]);
                return step;
            }
    return NULL;
}

static void
judge_counters(judge_t *self)
{
    const counters_t *counters = core_counters(self->core);
    int64_t open = 0;

    for (int i = 0; i < self->cases_count; i++) {
        open += self->cases[i].is_open;
        if (self->cases[i].is_open && self->cases[i].is_refused)
            condemn(self, "c%d of an unknown transport is not answered", i);
    }
    if (counters->open != open)
        condemn(self, "%lld answers are due and the core thinks %lld", (long long) open,
                (long long) counters->open);
    if (counters->bytes < 0 || (size_t) counters->bytes > self->limits.bytes_max)
        condemn(self, "the calls hold %lld bytes", (long long) counters->bytes);
    if (counters->waiting < 0 || counters->under_way < 0)
        condemn(self, "a counter went below nothing");
}

void
judge_state(judge_t *self, bool was_tick)
{
    judge_places(self);
    judge_counters(self);
    judge_bounds(self);
    judge_peers(self, was_tick);
    if (was_tick)
        judge_time(self);
}

void
judge_end(judge_t *self)
{
    const counters_t *counters = core_counters(self->core);

    if (counters->open || counters->waiting || counters->under_way || counters->bytes)
        condemn(self, "%lld calls are open, %lld wait, %lld are under way with %lld bytes",
                (long long) counters->open, (long long) counters->waiting,
                (long long) counters->under_way, (long long) counters->bytes);
}
