// SPDX-License-Identifier: Apache-2.0
// What is told of a run while it is waited for, and when: news after a second, and something after
// five even if there are none, so that a client sees that it goes on. Pure: the time is given.

#ifndef PROOFARC_WORKERS_PROGRESS_H
#define PROOFARC_WORKERS_PROGRESS_H

#include <stdint.h>

#include "json.h"

enum {
    PROGRESS_NEWS_MS = 1000,   // least time between two messages
    PROGRESS_AGAIN_MS = 5000,  // after this one comes although nothing has changed
    PROGRESS_TEXT_SIZE = 120,  // of what is told
    PROGRESS_UNIT = 100,       // of one step, so that it can grow in between
};

typedef struct {
    int64_t steps, total;
    char text[PROGRESS_TEXT_SIZE];
    bool is_known;  // something was noted
    bool has_news;
    int64_t said_ms;
    int64_t said;  // units told last
} progress_t;

// Begins with nothing known.
progress_t progress_new(void);

// Notes where the run stands: a job tells {"progress": {done, total, text}}, an execution counts its
// steps.
void progress_note(progress_t *self, const json_t *answer);

// True if something is to be told now: *done_p units of *total_p (0: nobody knows), and the text. Units
// grow from one to the next.
bool progress_is_due(progress_t *self, int64_t now_ms, int64_t *done_p, int64_t *total_p);

#endif
