// SPDX-License-Identifier: Apache-2.0
#include "parcel.h"

#include <assert.h>
#include <string.h>

void
parcel_add(parcel_t *self, const void *bytes, size_t size)
{
    if (self->count == PARCEL_FRAMES) {
        self->is_cut = true;
        return;
    }
    zmq_msg_t *frame = &self->frames[self->count++];
    int rc = zmq_msg_init_size(frame, size);
    assert(rc == 0);
    if (size)
        memcpy(zmq_msg_data(frame), bytes, size);
}

void
parcel_move(parcel_t *self, zmq_msg_t *frame)
{
    if (self->count == PARCEL_FRAMES) {
        self->is_cut = true;
        return;
    }
    zmq_msg_init(&self->frames[self->count]);
    zmq_msg_move(&self->frames[self->count++], frame);
}

size_t
parcel_size(const parcel_t *self)
{
    size_t size = 0;

    for (size_t i = 0; i < self->count; i++)
        size += zmq_msg_size(&self->frames[i]);
    return size;
}

void
parcel_clear(parcel_t *self)
{
    while (self->count)
        zmq_msg_close(&self->frames[--self->count]);
    self->is_cut = false;
}
