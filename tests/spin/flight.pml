// SPDX-License-Identifier: Apache-2.0
// One list of one principal, those who wait for it, and a write that changes it. Everybody has a
// token of his own; some are not good any more. The inlines carry the names of the functions of
// resolver-svc/ that they stand for.
//
// Of the model alone: answer_all next_follower
//
// Checked with: defaults
//
// Broken: NO_SINGLE_FLIGHT STALE_TAKEN NO_PROMOTION FOLLOWERS_FORGOTTEN PROMOTED_FOR_EVER

#define WAITERS 3
#define NONE    WAITERS

mtype:outcome = { DONE, UNAUTHORIZED };
mtype:state = { UNASKED, WAITS, ANSWERED };

mtype:state state[WAITERS];
bool is_good[WAITERS];   // his token
byte asked_at[WAITERS];  // the version of the list when he asked, as far as FORGET has told

// the flight
bool is_begun, is_flying, is_stale;
byte leader = NONE;
byte promotions;
byte flying;  // fetches under way: what must stay one

byte version;    // of the list at the platform
byte forgotten;  // up to which the resolver was told
bool has_snapshot;
byte held;  // its version

chan fetch = [2] of { byte };
chan fetched = [2] of { bool, byte };

inline answer(n, what)
{
    assert(state[n] == WAITS);
    assert(what != DONE || held >= asked_at[n]);
    assert(what != UNAUTHORIZED || !is_good[n]);
    state[n] = ANSWERED
}

inline flight_begin(n)
{
    is_begun = true;
    is_stale = false;
    leader = n;
    promotions = 0
}

// Hands it out.
inline flight_take_off()
{
    is_flying = true;
    flying++;
    assert(flying == 1);
    fetch!leader
}

inline flight_restart(n)
{
    is_stale = false;
    leader = n
}

inline flight_remove()
{
    is_begun = false;
    leader = NONE
}

inline core_resolve(n)
{
    state[n] = WAITS;
    asked_at[n] = forgotten;
    if
    :: has_snapshot -> answer(n, DONE)
#ifdef NO_SINGLE_FLIGHT
    :: !has_snapshot -> flight_begin(n); flight_take_off()
#else
    :: !has_snapshot && is_begun  // waits for what flies
    :: !has_snapshot && !is_begun -> flight_begin(n)
#endif
    fi
}

// A write has changed the list: what is held and what flies is older.
inline core_forget()
{
    forgotten = version;
    has_snapshot = false;
#ifndef STALE_TAKEN
    is_stale = is_flying
#endif
}

inline answer_all(what)
{
    for (k : 0 .. WAITERS - 1) {
        if
#ifdef FOLLOWERS_FORGOTTEN
        :: state[k] == WAITS && k == leader -> answer(k, what)
        :: state[k] == WAITS && k != leader -> skip
#else
        :: state[k] == WAITS -> answer(k, what)
#endif
        :: state[k] != WAITS -> skip
        fi
    }
}

// Somebody who waits and whose token has not been tried.
inline next_follower()
{
    next = NONE;
    for (k : 0 .. WAITERS - 1) {
        if
        :: state[k] == WAITS && next == NONE -> next = k
        :: else -> skip
        fi
    }
}

inline core_fetched(is_done, got)
{
    is_flying = false;
    flying--;
    if
    :: is_done && is_stale -> flight_restart(leader)
    :: is_done && !is_stale ->
        has_snapshot = true;
        held = got;
        answer_all(DONE);
        flight_remove()
    :: !is_done ->
#ifdef NO_PROMOTION
        answer_all(UNAUTHORIZED);
        flight_remove()
#else
#ifndef PROMOTED_FOR_EVER
        answer(leader, UNAUTHORIZED);
#endif
        next_follower();
        promotions++;
        assert(promotions <= WAITERS);
        if
        :: next != NONE -> flight_restart(next)
        :: next == NONE -> flight_remove()
        fi
#endif
    fi
}

active proctype resolver()
{
    byte n, k, next, got;
    bool is_done;

end:
    do
    :: atomic { fetched?is_done, got -> core_fetched(is_done, got); n = 0; k = 0; next = 0; got = 0; is_done = false }
    :: atomic { is_begun && !is_flying -> flight_take_off() }
    :: atomic { state[0] == UNASKED -> core_resolve(0) }
    :: atomic { state[1] == UNASKED -> core_resolve(1) }
    :: atomic { state[2] == UNASKED -> core_resolve(2) }
    :: atomic { forgotten < version -> core_forget() }
    od
}

// Whatever the platform reads of the list is what it is at that moment; the answer may be late.
active proctype platform()
{
    byte who, saw;

end:
    do
    :: fetch?who ->
        saw = version;
        if
        :: is_good[who] -> fetched!true, saw
        :: !is_good[who] -> fetched!false, 0
        fi
    od
}

active proctype writer()
{
    version++;
    version++
}

// Nobody waits for ever: when nothing more can happen, all have been answered.
active proctype judge()
{
    atomic {
        timeout ->
        assert(state[0] == ANSWERED && state[1] == ANSWERED && state[2] == ANSWERED)
    }
}

init
{
    atomic {
        state[0] = UNASKED;
        state[1] = UNASKED;
        state[2] = UNASKED;
        if
        :: is_good[0] = true
        :: skip
        fi;
        if
        :: is_good[1] = true
        :: skip
        fi;
        is_good[2] = true
    }
}
