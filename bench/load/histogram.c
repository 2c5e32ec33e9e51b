// SPDX-License-Identifier: Apache-2.0
#include "histogram.h"

// Below HISTOGRAM_STEPS each nanosecond has a bucket; above, each power of two has that many.
static unsigned
bucket_of(uint64_t ns)
{
    if (ns < HISTOGRAM_STEPS)
        return (unsigned) ns;
    unsigned power = 63 - (unsigned) __builtin_clzll(ns);
    unsigned step = (unsigned) (ns >> (power - 6)) & (HISTOGRAM_STEPS - 1);
    unsigned bucket = (power - 5) * HISTOGRAM_STEPS + step;

    return bucket < HISTOGRAM_POWERS * HISTOGRAM_STEPS ? bucket
                                                       : HISTOGRAM_POWERS * HISTOGRAM_STEPS - 1;
}

static uint64_t
middle_of(unsigned bucket)
{
    if (bucket < HISTOGRAM_STEPS)
        return bucket;
    unsigned power = bucket / HISTOGRAM_STEPS + 5;
    uint64_t width = 1ULL << (power - 6);

    return (HISTOGRAM_STEPS + bucket % HISTOGRAM_STEPS) * width + width / 2;
}

void
histogram_add(histogram_t *self, int64_t ns)
{
    if (ns < 0)
        ns = 0;
    self->counts[bucket_of((uint64_t) ns)]++;
    self->total++;
    if (ns > self->max_ns)
        self->max_ns = ns;
}

double
histogram_us(const histogram_t *self, double share)
{
    uint64_t wanted = (uint64_t) (share * (double) self->total), seen = 0;

    for (unsigned i = 0; i < HISTOGRAM_POWERS * HISTOGRAM_STEPS; i++) {
        seen += self->counts[i];
        if (seen > wanted)
            return (double) middle_of(i) / 1000;
    }
    return (double) self->max_ns / 1000;
}
