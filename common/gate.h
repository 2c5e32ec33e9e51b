// SPDX-License-Identifier: Apache-2.0
// Who is turned away at a tcp:// socket of ours: a key that is not listed, or no CURVE at all.
// The socket itself does not say; what is refused again and again is somebody's mistake or
// somebody's try, and has to be seen.

#ifndef PROOFARC_GATE_H
#define PROOFARC_GATE_H

#include <czmq.h>

typedef struct gate gate_t;

// Called in the loop for each that is turned away; `count` is how many there were so far.
typedef void gate_fn(void *owner, const char *reason, size_t count);

// Watches a socket that was bound to `endpoint`. NULL for ipc://, where nobody is turned away.
gate_t *gate_new(zloop_t *loop, zsock_t *socket, const char *endpoint, gate_fn *turned_away,
                 void *owner);

// Before the socket is destroyed. Fine for NULL.
void gate_destroy(gate_t **self_p);

// True for the 1st, 2nd, 4th, 8th …: whoever tries for ever does not fill the log.
bool gate_is_told(size_t count);

#endif
