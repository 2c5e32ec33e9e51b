// SPDX-License-Identifier: Apache-2.0
// A broker alone: one transport and one worker, played by one thread.

#ifndef BENCH_BROKER_H
#define BENCH_BROKER_H

#include "peer.h"

// Keeps `flight` calls under way for a while. 0, or -1 when no answer comes.
int broker_play(const char *transports, const char *workers, int flight, int64_t time_ms,
                pid_t pid, peer_result_t *result);

#endif
