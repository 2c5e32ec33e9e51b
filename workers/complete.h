// SPDX-License-Identifier: Apache-2.0
// Completion: what an argument of a prompt or the variable of a template may become, by what
// has been typed of it.

#ifndef PROOFARC_COMPLETE_H
#define PROOFARC_COMPLETE_H

#include "call.h"

enum { PROPOSED_MAX = 100 };

// Answers {values, total, hasMore}: the names that begin with what was typed, in any letters,
// as the caller may see them. Nothing is proposed for what names no kind.
void complete_reply(call_t *call, const char *completes, const char *typed);

// True if there is such a kind.
bool complete_knows(const char *completes);

#endif
