// SPDX-License-Identifier: Apache-2.0
// Keeps every connection busy with one request after the other and counts. Connections are
// opened one by one, each answered once before the next; then the warm-up, then what counts.

#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include "histogram.h"
#include "machine.h"
#include "options.h"

enum { WRONG_SIZE = 400 };

typedef struct {
    histogram_t times;
    uint64_t errors;  // of the whole run, warm-up included
    uint64_t bytes;
    double seconds;            // that were measured
    int64_t pid_us[PIDS_MAX];  // processor time of each of the server's processes
    int64_t own_us;            // and of this one
    machine_t machine;         // and of the whole machine
    char wrong[WRONG_SIZE];    // beginning of the first wrong answer
} load_result_t;

// Plays the load. Returns 0, or -1 if the server cannot be reached or did not answer in time.
int load_play(const options_t *options, load_result_t *result);

#endif
