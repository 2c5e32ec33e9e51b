// SPDX-License-Identifier: Apache-2.0
// What must hold after every step of the core, whatever happens around it. The judge sees what
// goes into the core and what comes out, nothing of its inside but the counters.

#ifndef PROOFARC_JUDGE_H
#define PROOFARC_JUDGE_H

#include "world.h"

enum { PRINCIPALS_N = 3, INCARNATIONS_N = 2048 };

// Where a call is, as docs/reliability.md has it.
typedef enum { WAITING, GIVEN, ORPHAN, OVER, PLACES } place_t;

// A call as the judge follows it.
typedef struct {
    tool_kind_t tool;
    int principal;
    int64_t left_ms;
    int asker;  // incarnation of its transport
    int64_t end_ms;
    bool is_open;     // its answer is due
    bool is_refused;  // from a transport that the core does not know: answered in this step
    int at;           // incarnation of the worker that has it, or -1
    int sends;        // how often a worker got it
    bool was_seen;    // after a step,
    place_t place;    // and where it was then
} case_t;

// What the core knows of a process.
typedef struct {
    bool is_known;
    bool is_leaving;
    uint64_t route;
    int place;  // of the process; a worker's host
    int64_t credit;
    int64_t heard_ms;
} known_t;

typedef struct {
    uint64_t seed;
    bool is_loud;
    const world_t *world;
    core_t *core;
    dispatch_limits_t limits;
    case_t cases[CALLS_N];
    int cases_count;
    known_t known[INCARNATIONS_N];
    int64_t begin_ms;
    int64_t ticked_ms;
    // the message that the core is taking
    int speaker;  // incarnation, -1: none
    mail_t heard;
} judge_t;

// Before a step: the message comes from that incarnation of a process over `route`.
void judge_hear(judge_t *self, const process_t *process, int incarnation, uint64_t route,
                mail_t mail);

// Before a step: a CALL did not leave.
void judge_unsent(judge_t *self, int call);

// After a step: what came out. First the notes about lost workers, then each letter, then the
// notes about lost transports, which may have been answered before they were lost.
void judge_notes(judge_t *self, const outbox_t *out, side_t side);
void judge_letter(judge_t *self, const letter_t *letter);

// After all letters of a step.
void judge_state(judge_t *self, bool was_tick);

// At the end of a run: nothing is left.
void judge_end(judge_t *self);

// After many runs: a step from one place to another that no call has made, or NULL.
const char *judge_unseen(void);

// Id of a call; and the number in it, or in the name of an instance.
void call_name(int call, char name[16]);
int number_in(const char *name);

#endif
