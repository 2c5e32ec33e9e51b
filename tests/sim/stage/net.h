// SPDX-License-Identifier: Apache-2.0
// The network of the stage: ROUTER and DEALER sockets with pipes that are short, slow, cut.
// Defines what our programs use of CZMQ's sockets, of actor.h and of endpoint.h.

#ifndef PROOFARC_SIM_NET_H
#define PROOFARC_SIM_NET_H

#include "stage.h"

void net_offer(void);

// The host's code runs: a slow one reads one message.
void net_begin_turn(host_t *host);

// When the socket can be read, INT64_MAX if nothing is on the way.
int64_t net_readable_ms(zsock_t *socket);

// The process is gone with its sockets; of what it sent, the first part arrives.
void net_drop_host(host_t *host);

// Faults: breaks one connection; nothing passes over one for a while.
void net_break_any(void);
void net_stall_any(int64_t ms);
void net_heal(void);

void net_clean_up(void);

#endif
