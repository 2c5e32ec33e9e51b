// SPDX-License-Identifier: Apache-2.0
// The load client's command line.

#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdint.h>
#include <sys/types.h>

enum { CONNECTIONS_MAX = 4096, HEADERS_MAX = 16, PIDS_MAX = 64, SESSIONS_MAX = 4096 };

typedef struct {
    int port;
    const char *path;
    int connections;
    int64_t warm_ms;
    int64_t time_ms;
    char *body;          // holds "id":100000000 once, where each request's own id is put
    const char *expect;  // stands in each good answer
    const char *headers[HEADERS_MAX + 1];
    char *sessions[SESSIONS_MAX + 1];  // connection i uses session i modulo their number
    int session_count;
    pid_t pids[PIDS_MAX + 1];  // processes of the server; ends with 0
} options_t;

// Fills `self`; ends the process with a sentence if the command line is wrong.
void options_read(options_t *self, int argc, char **argv);
void options_clear(options_t *self);

#endif
