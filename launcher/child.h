// SPDX-License-Identifier: Apache-2.0
// One program of the stack: started with fork and exec, watched, restarted with a pause that
// grows while it keeps dying.

#ifndef PROOFARC_CHILD_H
#define PROOFARC_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { CHILD_ARGUMENTS_MAX = 32 };

// A row of the stack's table. A word that begins with @ stands for a value of this stack: see
// child_values_t.
typedef struct {
    const char *name;
    const char *program;
    bool is_local_only;    // not started when the platform is a remote one
    bool is_per_category;  // one for each category
    const char *arguments[CHILD_ARGUMENTS_MAX];
} child_row_t;

typedef struct {
    const char *data;             // @data: the data directory
    const char *run;              // @run: the directory of the ipc endpoints
    const char *platform;         // @platform: URL
    const char *listen;           // @listen: HOST:PORT of it
    const char *categories;       // @all: separated by commas
    const char *program_dirs[2];  // searched in this order
} child_values_t;

typedef struct {
    const child_row_t *row;
    const char *category;  // @category of a row per category, else ""
    pid_t pid;             // 0 while it does not run
    int ready_fd;          // -1 once it has said "ready"
    bool is_ready;
    int64_t started_ms;
    int64_t start_at_ms;  // when to start it again
    int64_t pause_ms;     // before the next start
} child_t;

// Starts it now. Returns false, with the reason logged, when the program is not there.
bool child_start(child_t *self, const child_values_t *values, int64_t now_ms);

// Reads "ready ENDPOINT" if it has come. True the moment the child becomes ready.
bool child_read_ready(child_t *self);

// It has ended: logs why and sets start_at_ms.
void child_ended(child_t *self, int wait_status, int64_t now_ms);

// Exit code that says that no restart will help (bad data directory, newer database, keys), and
// in *reason_p what it means; 0 otherwise.
int child_fatal_code(int wait_status, const char **reason_p);

#endif
