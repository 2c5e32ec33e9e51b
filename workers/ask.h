// SPDX-License-Identifier: Apache-2.0
// What a call asks of the client. call_ask() and its like are declared in call.h.

#ifndef PROOFARC_ASK_H
#define PROOFARC_ASK_H

#include "call.h"

// The function has returned without a reply: answers the call with what it asked, if it did.
void ask_reply(call_t *call);

#endif
