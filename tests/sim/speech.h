// SPDX-License-Identifier: Apache-2.0
// What processes of the simulation say, as messages.

#ifndef PROOFARC_SPEECH_H
#define PROOFARC_SPEECH_H

#include "judge.h"

// Fills the message of `event` with what that incarnation of a process says.
void speech_fill(event_t *event, const judge_t *judge, const process_t *process,
                 int incarnation, mail_t mail);

#endif
