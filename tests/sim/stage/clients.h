// SPDX-License-Identifier: Apache-2.0
// Those who call, what they were told, and what became of it: the judge of a run.

#ifndef PROOFARC_SIM_CLIENTS_H
#define PROOFARC_SIM_CLIENTS_H

#include "stage.h"

enum { CLIENT_OWNERS = 3 };

extern const role_t transport_role;

// "ann", "bob", "cy": each has a token of his own, "t-ann" …
extern const char *const client_owners[CLIENT_OWNERS];

void clients_begin(void);

// One call, or one cancelled.
void clients_act(void);

bool clients_are_answered(void);

// Once nothing fails any more: everybody calls, and has to be served.
void clients_probe(void);

// A CALL is read that has been in a pipe for so long: time that nobody counts, because what
// travels is the time that is left.
void clients_waited(zmsg_t *msg, int64_t ms);

// The platform is asked for that call; it did what the call wants.
void clients_asked(int call, bool writes);
void clients_effect(int call);

// False for a call that the platform refuses, however often it is asked.
bool clients_is_fine(int call);

// What must hold once all has settled: everybody was answered, and told what is so.
void clients_judge(void);

void clients_add_up(void);

typedef struct {
    long calls, ok, narrowed, failed, not_sent, unknown, cancelled, refused, gone, effects;
} clients_sum_t;
extern clients_sum_t clients_sum;

#endif
