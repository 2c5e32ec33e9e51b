// SPDX-License-Identifier: Apache-2.0
// Calls that write, one broker, workers that die, are taken for dead, and come back. The platform
// counts what it does; it may remember keys. The inlines carry the names of the functions of
// broker/ that they stand for.
//
// Of the model alone: pick judge judge_places perform
//
// Checked with: defaults
// Checked with: -DCALLS=2 -DWORKERS=1
//
// Broken: INSTANCE_NOT_CHECKED WRITE_REPEATED_WITHOUT_KEY CANCEL_FORGOTTEN SECOND_WORD_BELIEVED
// CREDIT_IGNORED EXPIRED_IS_DISPATCHED LOST_CALL_FORGOTTEN

#ifndef CALLS
#define CALLS   1
#define WORKERS 2
#endif
#define LIVES   2  // processes that a worker's place sees
#define LOSSES  2  // times that the broker takes somebody for dead
#define NOBODY  WORKERS

mtype:place = { WAITING, GIVEN, ORPHAN, OVER };
mtype:outcome = { DONE, FAILED, NOT_SENT, UNKNOWN_OUTCOME, CANCELLED_OUTCOME };
mtype:message = { READY, CALL, CANCEL, ANSWER };
mtype:step = { IDLE, TAKEN, WRITTEN };

// what the broker knows
mtype:place place[CALLS];
byte at[CALLS];
byte tries[CALLS];
byte known[WORKERS];      // life of the worker, 0: none
byte under_way[WORKERS];  // credit is 1
bool is_open[CALLS];      // a transport waits
byte losses;

// what may follow on what
#define after_WAITING(p) (p == GIVEN || p == OVER)
#define after_GIVEN(p)   (p == WAITING || p == ORPHAN || p == OVER)
#define after_ORPHAN(p)  (p == OVER)
mtype:place was[CALLS];

// what happened
bool keeps_keys, has_key[CALLS];
bool remembered[CALLS];
byte effects[CALLS];
byte answers[CALLS];
bool cancelled[CALLS];
mtype:outcome told[CALLS];

chan to_worker[WORKERS] = [2] of { mtype:message, byte };
chan to_broker = [3] of { mtype:message, byte, byte, byte, mtype:outcome };

inline answer(c, o)
{
    assert(is_open[c]);
    is_open[c] = false;
    answers[c]++;
    told[c] = o;
}

inline calls_end(c)
{
    place[c] = OVER;
    at[c] = NOBODY;
}

inline calls_give(c, w)
{
    place[c] = GIVEN;
    at[c] = w;
    tries[c]++;
    under_way[w]++;
    assert(under_way[w] <= 1);
}

inline calls_take_back(c)
{
    assert(under_way[at[c]] > 0);
    under_way[at[c]]--;
    at[c] = NOBODY;
}

inline call_may_be_repeated(c)
{
#ifdef WRITE_REPEATED_WITHOUT_KEY
    may = tries[c] < 2;
#else
    may = has_key[c] && keeps_keys && tries[c] < 2;
#endif
}

// Its worker is lost, and nobody knows how far it came.
inline recover(c)
{
    calls_take_back(c);
    if
    :: !is_open[c] -> calls_end(c)
    :: else ->
        call_may_be_repeated(c);
        if
        :: may -> place[c] = WAITING
        :: else ->
#ifndef LOST_CALL_FORGOTTEN
            answer(c, UNKNOWN_OUTCOME);
#endif
            calls_end(c)
        fi
    fi
}

inline dispatch_worker_gone(w)
{
    known[w] = 0;
    i = 0;
    do
    :: i < CALLS ->
        if
        :: at[i] == w -> recover(i)
        :: else
        fi;
        i++
    :: else -> break
    od
}

inline dispatch_answer(w, life, c, o)
{
    if
#ifdef INSTANCE_NOT_CHECKED
    :: at[c] != NOBODY ->
#else
    :: at[c] == w && known[w] == life ->
#endif
        assert(at[c] == w && known[w] == life);  // who has it is who speaks
        calls_take_back(c);
        if
        :: !is_open[c] -> skip
#ifndef SECOND_WORD_BELIEVED
        :: is_open[c] && tries[c] > 1 && o != DONE -> answer(c, UNKNOWN_OUTCOME)
        :: is_open[c] && !(tries[c] > 1 && o != DONE) -> answer(c, o)
#else
        :: is_open[c] -> answer(c, o)
#endif
        fi;
        calls_end(c)
    :: else
    fi
}

inline dispatch_cancel(c)
{
    cancelled[c] = true;
    is_open[c] = false;
    if
#ifndef CANCEL_FORGOTTEN
    :: place[c] == WAITING -> calls_end(c)
#endif
    :: place[c] == GIVEN -> place[c] = ORPHAN; to_worker[at[c]]!CANCEL(c)
    :: else
    fi
}

// Its time is up; for one that nobody waits for: the worker should have answered long ago.
inline expire(c)
{
    if
    :: place[c] == ORPHAN -> calls_take_back(c); calls_end(c)
    :: place[c] == WAITING ->
        if
        :: tries[c] == 0 -> answer(c, NOT_SENT)
        :: else -> answer(c, UNKNOWN_OUTCOME)
        fi;
#ifndef EXPIRED_IS_DISPATCHED
        calls_end(c)
#endif
    :: place[c] == GIVEN -> answer(c, UNKNOWN_OUTCOME); place[c] = ORPHAN
    fi
}

inline hand_over(c, w)
{
    calls_give(c, w);
    to_worker[w]!CALL(c)
}

#ifdef CREDIT_IGNORED
#define is_free(w) (known[w] != 0)
#else
#define is_free(w) (known[w] != 0 && under_way[w] == 0)
#endif

// Any number below `count`.
inline pick(n, count)
{
    n = 0;
    do
    :: n < count - 1 -> n++
    :: break
    od
}

// What was told is so, from then on.
inline judge(c)
{
    assert(answers[c] <= 1);
    assert(answers[c] == 0 || effects[c] == 0 || (told[c] != NOT_SENT && told[c] != FAILED));
    assert(answers[c] == 0 || effects[c] == 1 || told[c] != DONE);
    assert(place[c] != OVER || answers[c] == 1 || cancelled[c]);
    assert(place[c] != WAITING || !cancelled[c])
}

inline judge_places()
{
    i = 0;
    do
    :: i < CALLS ->
        assert(place[i] == was[i] || (was[i] == WAITING && after_WAITING(place[i]))
            || (was[i] == GIVEN && after_GIVEN(place[i])) || (was[i] == ORPHAN && after_ORPHAN(place[i])));
        was[i] = place[i];
        i++
    :: else -> break
    od
}

// A step of the core; the losses and the time are the shell's events.
inline core_step()
{
    if
    :: to_broker?READY(w, life, c, o) ->
        if
        :: known[w] != 0 && known[w] != life -> dispatch_worker_gone(w)
        :: else
        fi;
        known[w] = life
    :: to_broker?ANSWER(w, life, c, o) -> dispatch_answer(w, life, c, o)
    :: true ->
        pick(c, CALLS);
        pick(w, WORKERS);
        if
        :: place[c] == WAITING && is_free(w) && len(to_worker[w]) < 2 -> hand_over(c, w)
        :: losses < LOSSES && known[w] != 0 -> losses++; dispatch_worker_gone(w)
        :: is_open[c] || place[c] == ORPHAN -> expire(c)
        :: is_open[c] && !cancelled[c] && (place[c] == WAITING || len(to_worker[at[c]]) < 2) -> dispatch_cancel(c)
        :: else
        fi
    fi
}

active proctype broker()
{
    byte w, life, c, i;
    bool may;
    mtype:outcome o = DONE;

end:
    do
    :: atomic {
        core_step();
        judge_places();
        pick(c, CALLS);
        judge(c);
        w = 0;
        life = 0;
        c = 0;
        i = 0;
        may = false;
        o = DONE }
    od
}

// The platform does it once for each key that it remembers.
inline perform(c)
{
    if
    :: keeps_keys && has_key[c] && remembered[c]
    :: else -> effects[c]++; remembered[c] = true
    fi;
    assert(effects[c] <= 1)
}

proctype worker(byte w)
{
    byte life = 1, c;
    mtype:step step[CALLS];

    for (c : 0 .. CALLS - 1) {
        step[c] = IDLE
    }
    c = 0;
    to_broker!READY(w, life, 0, DONE);
end:
    do
    :: atomic { to_worker[w]?CALL(c) ->
        if
        :: step[c] == IDLE -> step[c] = TAKEN
        :: step[c] != IDLE -> skip  // we have one of this id
        fi;
        c = 0 }
    :: atomic { len(to_broker) < 3 && to_worker[w]?[CANCEL, _] -> to_worker[w]?CANCEL(c);
        if
        :: step[c] == TAKEN -> step[c] = IDLE; to_broker!ANSWER(w, life, c, CANCELLED_OUTCOME)
        :: step[c] != TAKEN -> skip
        fi;
        c = 0 }
    :: atomic { len(to_broker) < 3 ->
        pick(c, CALLS);
        if
        :: step[c] == TAKEN -> step[c] = WRITTEN; perform(c); judge(c)
        :: step[c] == TAKEN -> step[c] = IDLE; to_broker!ANSWER(w, life, c, NOT_SENT)
        :: step[c] == WRITTEN -> step[c] = IDLE; to_broker!ANSWER(w, life, c, DONE)
        :: step[c] == IDLE -> skip
        fi;
        c = 0 }
    // it dies: what was on the way to it is lost; what it sent arrives
    :: atomic { life < LIVES && len(to_broker) < 3 ->
        life++;
        for (c : 0 .. CALLS - 1) {
            step[c] = IDLE
        }
        do
        :: nempty(to_worker[w]) -> to_worker[w]?_, _
        :: empty(to_worker[w]) -> break
        od;
        c = 0;
        to_broker!READY(w, life, 0, DONE) }
    // and what it sent may be lost, too: then it dies without having sent it
    :: atomic { life < LIVES && len(to_broker) < 3 ->
        pick(c, CALLS);
        if
        :: step[c] == WRITTEN -> step[c] = IDLE
        :: step[c] != WRITTEN -> skip
        fi;
        c = 0 }
    // the broker has forgotten it: it introduces itself again
    :: atomic { known[w] == 0 && empty(to_broker) -> to_broker!READY(w, life, 0, DONE) }
    od
}

init
{
    byte n;

    atomic {
        if
        :: keeps_keys = true
        :: keeps_keys = false
        fi;
        for (n : 0 .. CALLS - 1) {
            has_key[n] = (n == 0);
            place[n] = WAITING;
            was[n] = WAITING;
            at[n] = NOBODY;
            is_open[n] = true
        }
        if
        :: has_key[0] = false
        :: skip
        fi;
        for (n : 0 .. WORKERS - 1) {
            run worker(n)
        }
    }
}
