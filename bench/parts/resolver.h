// SPDX-License-Identifier: Apache-2.0
// A resolver alone: one worker that asks for one project by its name.

#ifndef BENCH_RESOLVER_H
#define BENCH_RESOLVER_H

#include "peer.h"

// Asks once, so that the list is fetched; then keeps `flight` questions under way for a while. 0, or
// -1 when no answer comes or the name is not found.
int resolver_play(const char *endpoint, const char *token, const char *project, int flight,
                  int64_t time_ms, pid_t pid, peer_result_t *result);

#endif
