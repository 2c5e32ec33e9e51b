// SPDX-License-Identifier: Apache-2.0
// Clients that lost a stream at one transport and read on at another. The one that holds the stream
// sends the rest of it through the broker, and what is still to come.

#ifndef PROOFARC_HTTP_SEEK_H
#define PROOFARC_HTTP_SEEK_H

#include "http/replay.h"
#include "mcp/service.h"

typedef struct seeks seeks_t;

enum {
    SEEK_MS = 1000,           // how long another transport has to say that it holds the stream
    SEEKS_MAX = REPLAYS_MAX,  // streams that are sent elsewhere
};

seeks_t *seeks_new(service_t *service, replays_t *replays);
void seeks_destroy(seeks_t **self_p);

// A client reads at another transport: if its stream is kept here, it goes there from now on.
void seeks_serve(seeks_t *self, const seek_msg_t *seek);

#endif
