// SPDX-License-Identifier: Apache-2.0
// A broker that is asked to end while calls come, wait and are worked on, and a worker that is
// asked to end. The inlines carry the names of the functions of broker/ that they stand for.
//
// Of the model alone: none
//
// Checked with: defaults
//
// Broken: NEW_CALLS_TAKEN ENDS_WITH_CALLS BYE_IGNORED LAST_WORD_FORGOTTEN SOCKET_CLOSED_AT_ONCE
// WORKER_LEAVES_WITH_CALLS

#define CALLS 3

mtype:message = { CALL, BYE, ANSWER };
mtype:outcome = { DONE, NOT_SENT, UNKNOWN_OUTCOME };
mtype:place = { UNKNOWN_YET, WAITING, GIVEN, OVER };

mtype:place place[CALLS];
bool is_made[CALLS], is_late[CALLS], is_sent[CALLS], happened[CALLS];
byte told[CALLS];  // answers that the transport has read
mtype:outcome what[CALLS];

bool is_draining, is_last_word, is_ended, is_socket_closed;
bool worker_leaves, worker_left, has_said_bye;

chan calls = [CALLS] of { byte };
chan answers = [CALLS] of { byte, mtype:outcome };
chan to_worker = [CALLS] of { byte };
chan from_worker = [CALLS + 2] of { mtype:message, byte };

inline answer(c, o)
{
    place[c] = OVER;
    answers!c, o
}

inline dispatch_refuse(c)
{
    answer(c, NOT_SENT)
}

inline hand_over(c)
{
    assert(!has_said_bye && !is_late[c]);
    place[c] = GIVEN;
    is_sent[c] = true;
    to_worker!c
}

inline on_call(c)
{
    is_late[c] = is_draining;
    if
#ifndef NEW_CALLS_TAKEN
    :: is_draining -> dispatch_refuse(c)
    :: !is_draining -> place[c] = WAITING
#else
    :: true -> place[c] = WAITING
#endif
    fi
}

// The time is over: what no worker had is not sent, the rest is unknown.
inline dispatch_end()
{
    for (k : 0 .. CALLS - 1) {
        if
#ifndef LAST_WORD_FORGOTTEN
        :: place[k] == WAITING -> answer(k, NOT_SENT)
        :: place[k] == GIVEN -> answer(k, UNKNOWN_OUTCOME)
#endif
        :: else -> skip
        fi
    }
}

#define core_is_idle (place[0] != WAITING && place[0] != GIVEN && place[1] != WAITING && place[1] != GIVEN && place[2] != WAITING && place[2] != GIVEN)
#ifdef BYE_IGNORED
#define may_get (!worker_left)
#else
#define may_get (!worker_left && !has_said_bye)
#endif
#ifdef ENDS_WITH_CALLS
#define may_end is_draining
#else
#define may_end (is_draining && core_is_idle && empty(calls))
#endif

active proctype broker()
{
    byte c, k;
    mtype:message m;

    do
    :: atomic { calls?c -> on_call(c); c = 0 }
    :: atomic { from_worker?m, c ->
        if
        :: m == BYE -> has_said_bye = true
        :: m == ANSWER && place[c] == GIVEN -> answer(c, DONE)
        :: m == ANSWER && place[c] != GIVEN -> skip
        fi;
        c = 0 }
    :: atomic { place[0] == WAITING && may_get -> hand_over(0) }
    :: atomic { place[1] == WAITING && may_get -> hand_over(1) }
    :: atomic { place[2] == WAITING && may_get -> hand_over(2) }
    :: atomic { !is_draining -> is_draining = true }
    :: atomic { is_draining && !is_last_word -> is_last_word = true; dispatch_end(); k = 0 }
    :: atomic { may_end -> is_ended = true; break }
    od;
    // A quarter of a second: those at the other end read what was sent last.
#ifndef SOCKET_CLOSED_AT_ONCE
    empty(answers);
#endif
    atomic {
        is_socket_closed = true;
        do
        :: answers?_, _
        :: empty(answers) -> break
        od
    }
}

// Calls that are made after the end find no broker: nothing has left us.
active proctype transport()
{
    byte c, next;
    mtype:outcome o;

end:
    do
    :: atomic { next < CALLS && !is_ended -> is_made[next] = true; calls!next; next++ }
    :: atomic { answers?c, o -> told[c]++; what[c] = o; assert(told[c] == 1);
        assert(o != NOT_SENT || !is_sent[c]);
        assert(o != DONE || happened[c]);
        c = 0 }
    od
}

active proctype worker()
{
    byte c;
    bool has[CALLS];

end:
    do
    :: atomic { to_worker?c -> has[c] = true; c = 0 }
    :: atomic { has[0] -> has[0] = false; happened[0] = true; from_worker!ANSWER, 0 }
    :: atomic { has[1] -> has[1] = false; happened[1] = true; from_worker!ANSWER, 1 }
    :: atomic { has[2] -> has[2] = false; happened[2] = true; from_worker!ANSWER, 2 }
    :: atomic { !worker_leaves -> worker_leaves = true; from_worker!BYE, 0 }
#ifdef WORKER_LEAVES_WITH_CALLS
    :: atomic { worker_leaves -> worker_left = true; break }
#else
    :: atomic { worker_leaves && has_said_bye && !has[0] && !has[1] && !has[2] && empty(to_worker) -> worker_left = true; break }
#endif
    od
}

// When nothing more can happen every call that reached the broker has been answered, and what
// the worker had taken has been done.
active proctype judge()
{
    atomic {
        timeout ->
        assert(!is_made[0] || told[0] == 1);
        assert(!is_made[1] || told[1] == 1);
        assert(!is_made[2] || told[2] == 1);
        assert(!is_sent[0] || happened[0]);
        assert(!is_sent[1] || happened[1]);
        assert(!is_sent[2] || happened[2])
    }
}
