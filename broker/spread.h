// SPDX-License-Identifier: Apache-2.0
// Messages that are for every transport: a session is over, a client has said something or reads
// elsewhere, a list has changed. Pure.

#ifndef PROOFARC_BROKER_SPREAD_H
#define PROOFARC_BROKER_SPREAD_H

#include "message.h"
#include "outbox.h"
#include "peers.h"

// A copy for each transport but the one it came from (NULL: for each).
void spread(outbox_t *out, const peers_t *transports, const peer_t *from,
            const message_t *message);

#endif
