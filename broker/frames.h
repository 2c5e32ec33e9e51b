// SPDX-License-Identifier: Apache-2.0
// Between ZeroMQ's frames and what the core deals with.

#ifndef PROOFARC_FRAMES_H
#define PROOFARC_FRAMES_H

#include "core.h"

// Makes an EVENT_MESSAGE of what a ROUTER received; takes the body out of it. 0, or -1 and
// `why` if it is no message of ours. The caller clears with event_clear() in either case.
int event_from(event_t *event, side_t side, parcel_t *parcel, failure_t *why);
void event_clear(event_t *self);

// Fills an empty parcel with the message, the routing id in front; takes the body out of the letter.
void letter_pack(letter_t *letter, parcel_t *parcel);

#endif
