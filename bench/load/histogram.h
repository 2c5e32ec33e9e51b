// SPDX-License-Identifier: Apache-2.0
// How often which time was measured: buckets that are 1.6 % wide at most, up to an hour.

#ifndef BENCH_HISTOGRAM_H
#define BENCH_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_STEPS = 64, HISTOGRAM_POWERS = 37 };

typedef struct {
    uint64_t counts[HISTOGRAM_POWERS * HISTOGRAM_STEPS];
    uint64_t total;
    int64_t max_ns;
} histogram_t;

void histogram_add(histogram_t *self, int64_t ns);

// Time in microseconds below which the share (0 … 1) of all lies; 0 if there is none.
double histogram_us(const histogram_t *self, double share);

#endif
