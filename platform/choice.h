// SPDX-License-Identifier: Apache-2.0
// Which log-in and which target a run uses. A named log-in that is missing or switched off is
// never silently replaced by another one.

#ifndef PROOFARC_PLATFORM_CHOICE_H
#define PROOFARC_PLATFORM_CHOICE_H

#include "exchange.h"

typedef struct {
    // Given.
    const json_t *scenario, *definition, *environment;
    const char *credential_tag;  // of the run, or NULL
    bool allow_unauthenticated;
    // Made.
    const json_t *target;      // NULL when the scenario brings an address of its own
    const json_t *credential;  // {id, tag, …}, NULL when the run needs none
} choice_t;

// Fills in target and credential, or says in x->why what is missing or ambiguous.
status_t choice_make(exchange_t *x, choice_t *choice);

#endif
