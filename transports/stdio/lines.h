// SPDX-License-Identifier: Apache-2.0
// MCP over stdin and stdout: one message per line. Never blocks: what the client does not read
// waits in a queue, and while that is full nothing more is read.

#ifndef PROOFARC_STDIO_LINES_H
#define PROOFARC_STDIO_LINES_H

#include "mcp/service.h"

typedef struct lines lines_t;

// Serves the client at these descriptors, which stay the caller's. Calls `over` once: when
// the client has closed its side and everything it asked is answered (DRAIN_MS at most), or
// when it does not read any more.
lines_t *lines_new(zloop_t *loop, service_t *service, int in, int out, void (*over)(void *arg),
                   void *arg);
void lines_destroy(lines_t **self_p);

// Reads nothing more; `over` follows when what was read is answered.
void lines_drain(lines_t *self);

#endif
