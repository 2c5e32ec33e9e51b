// SPDX-License-Identifier: Apache-2.0
#include "http/seek.h"

#include <czmq.h>

#include "auto.h"
#include "clock.h"

// Who reads one of our streams at another transport.
typedef struct {
    seeks_t *owner;
    void *place;  // in the list
    char *reader;
} far_t;

struct seeks {
    service_t *service;
    replays_t *replays;
    zlistx_t *list;
};

seeks_t *
seeks_new(service_t *service, replays_t *replays)
{
    seeks_t *self = calloc(1, sizeof *self);

    assert(self);
    *self = (seeks_t){ service, replays, zlistx_new() };
    return self;
}

static void
end(far_t *far)
{
    replays_leave(far->owner->replays, far);
    zlistx_detach(far->owner->list, far->place);
    free(far->reader);
    free(far);
}

void
seeks_destroy(seeks_t **self_p)
{
    seeks_t *self = *self_p;

    if (!self)
        return;
    for (far_t *far; (far = zlistx_first(self->list));)
        end(far);
    zlistx_destroy(&self->list);
    free(self);
    *self_p = NULL;
}

static void
on_replay(const char *id, const char *bytes, size_t size, void *arg)
{
    AUTO(buffer_clear) buffer_t text = { 0 };
    far_t *far = arg;
    piece_msg_t piece = { .reader = far->reader, .id = "", .text = "" };

    if (bytes) {
        buffer_add(&text, bytes, size);
        piece.id = id;
        piece.text = size ? text.bytes : "";
    }
    link_tell_once(far->owner->service->link, &piece_wire, &piece);
    if (!bytes)
        end(far);
}

static bool
is_served(const seeks_t *self, const char *reader)
{
    for (far_t *far = zlistx_first(self->list); far; far = zlistx_next(self->list))
        if (!strcmp(far->reader, reader))
            return true;
    return false;
}

void
seeks_serve(seeks_t *self, const seek_msg_t *seek)
{
    if (!replays_knows(self->replays, seek->session, seek->id)
        || zlistx_size(self->list) == SEEKS_MAX || is_served(self, seek->reader))
        return;
    far_t *far = calloc(1, sizeof *far);
    assert(far);
    *far = (far_t){ .owner = self, .reader = strdup(seek->reader) };
    far->place = zlistx_add_end(self->list, far);
    replays_resume(self->replays, seek->session, seek->id, clock_now_ms(), on_replay, far);
}
