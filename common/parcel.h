// SPDX-License-Identifier: Apache-2.0
// A message as ZeroMQ has it, for those through whose hands every call goes: its frames are moved
// and not copied, and nothing is allocated for the whole. Not larger than a ROUTER's messages of
// ours: routing id, envelope, body.

#ifndef PROOFARC_PARCEL_H
#define PROOFARC_PARCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <zmq.h>

enum { PARCEL_FRAMES = 3 };

typedef struct {
    zmq_msg_t frames[PARCEL_FRAMES];
    size_t count;
    bool is_cut;  // there were more, which are gone
} parcel_t;

// Adds a frame behind the others: a copy of the bytes, or what `frame` holds, which is empty then.
// With all frames there it is dropped, and the parcel is cut.
void parcel_add(parcel_t *self, const void *bytes, size_t size);
void parcel_move(parcel_t *self, zmq_msg_t *frame);

// Bytes of all frames.
size_t parcel_size(const parcel_t *self);

// Leaves an empty one. Usable with AUTO.
void parcel_clear(parcel_t *self);

#endif
