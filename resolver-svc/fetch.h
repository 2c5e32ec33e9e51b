// SPDX-License-Identifier: Apache-2.0
// The work of a slot: one GET of a list, made a snapshot. Only a complete 200 of the right shape
// is one.

#ifndef PROOFARC_FETCH_H
#define PROOFARC_FETCH_H

#include "slot.h"

// open, work and close of a slot's table: `shared` is the platform's URL (const char *, without
// a slash at its end), a job is a flight_t. `done` is the loop's own.
void *fetch_open(const void *shared);
void fetch_work(void *state, void *job);
void fetch_close(void *state);

#endif
