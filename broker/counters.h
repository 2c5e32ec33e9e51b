// SPDX-License-Identifier: Apache-2.0
// What the broker counts, for /metrics.

#ifndef PROOFARC_COUNTERS_H
#define PROOFARC_COUNTERS_H

#include <stdint.h>

typedef struct {
    int64_t calls;       // CALLs that came, refused ones as well
    int64_t answers;     // passed on from workers
    int64_t dispatched;  // CALLs sent to workers
    int64_t repeated;    // of them again, after a worker was lost
    int64_t cancelled;   // withdrawn by their transport
    int64_t dropped;     // their transport had gone
    int64_t busy;        // refused by a limit
    int64_t no_tool;
    int64_t timeouts;
    int64_t unknown;     // a worker was lost with them and they may have happened
    int64_t failed;      // reads that two workers were lost with
    int64_t unwanted;    // answers that nobody waited for any more
    int64_t abandoned;   // calls that a worker never answered
    int64_t strays;      // messages about calls that their sender does not have
    int64_t duplicates;  // CALLs with an id that is in use
    int64_t strangers;   // messages from peers that had not introduced themselves
    int64_t refused;     // messages from peers that speak another protocol
    int64_t malformed;   // messages that are none
    int64_t unsent;      // messages that a peer's pipe did not take
    int64_t workers_lost;
    int64_t transports_lost;
    // Connections over tcp:// without a key that is listed.
    int64_t turned_away;
    int64_t waiting;     // now: calls in lanes
    int64_t under_way;   // now: calls that workers have
    int64_t open;        // now: calls whose answer somebody waits for
    int64_t bytes;       // now: held by calls
    int64_t workers;     // now
    int64_t transports;  // now
} counters_t;

#endif
