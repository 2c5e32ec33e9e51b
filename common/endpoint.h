// SPDX-License-Identifier: Apache-2.0
// ZeroMQ endpoints: ipc:// below a directory of ours, tcp:// only with CURVE. Keys of a
// directory DIR: DIR/server.key (public), DIR/server.key_secret, DIR/client.key[_secret], and
// DIR/clients/ with the public keys that are let in.

#ifndef PROOFARC_ENDPOINT_H
#define PROOFARC_ENDPOINT_H

#include <czmq.h>

#include "exits.h"
#include "status.h"

typedef struct curve curve_t;

// Loads the keys of `dir` and, if `as_server`, starts the ZAP handler that lets only the listed
// clients in. With `dir` NULL returns a curve that knows ipc:// alone. NULL and `why` on
// failure (missing file, secret readable by others).
curve_t *curve_new(const char *dir, bool as_server, failure_t *why);
void curve_destroy(curve_t **self_p);

// Sets the limits every socket of ours has (MAXMSGSIZE, LINGER, HWM, IMMEDIATE, HANDSHAKE_IVL)
// and ROUTER_MANDATORY on a ROUTER.
void endpoint_prepare(zsock_t *socket);

// Binds. ipc: the directory must be ours and 0700, the path at most 107 bytes, and the bind is
// done under a lock file (a second bind on one path would steal the traffic). tcp: refused
// without keys; after binding, a stranger with a random key is tried and must be refused.
// EXIT_DONE, or the exit code with the reason in `why`.
exit_code_t endpoint_bind(zsock_t *socket, const char *endpoint, curve_t *curve,
                          failure_t *why);

// Connects; tcp is refused without keys.
exit_code_t endpoint_connect(zsock_t *socket, const char *endpoint, curve_t *curve,
                             failure_t *why);

// 32 random hex digits and a NUL: names of processes, calls, questions.
enum { ENDPOINT_NAME_SIZE = 33 };
void endpoint_random_name(char name[ENDPOINT_NAME_SIZE]);

#endif
