// SPDX-License-Identifier: Apache-2.0
// Simulates the broker. One seed is one run, always the same.
//
//   sim-broker --seeds COUNT     seeds 1 to COUNT, quietly
//   sim-broker SEED              that one, aloud

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "play.h"
#include "replay.h"

enum { ALL_SEEN = 100 };  // after so many runs everything has happened once

// What the runs have met, so that one can see that they meet something.
static void
report(uint64_t count, const counters_t *sum)
{
    printf("%llu seeds: %lld calls, %lld answers, %lld repeated, %lld cancelled, %lld dropped, "
           "%lld busy, %lld too late, %lld unknown, %lld lost reads, %lld strays, "
           "%lld duplicates, %lld strangers, %lld abandoned, %lld workers and %lld transports "
           "lost\n",
           (unsigned long long) count, (long long) sum->calls, (long long) sum->answers,
           (long long) sum->repeated, (long long) sum->cancelled, (long long) sum->dropped,
           (long long) sum->busy, (long long) sum->timeouts, (long long) sum->unknown,
           (long long) sum->failed, (long long) sum->strays, (long long) sum->duplicates,
           (long long) sum->strangers, (long long) sum->abandoned,
           (long long) sum->workers_lost, (long long) sum->transports_lost);
}

static void
run(uint64_t seed, bool is_loud, counters_t *sum)
{
    replay_begin("sim-broker", seed);
    play(seed, NULL, 0, is_loud, sum);
}

int
main(int argc, char **argv)
{
    bool is_many = argc == 3 && !strcmp(argv[1], "--seeds");
    counters_t sum = { 0 };

    if (argc != 2 && !is_many) {
        fprintf(stderr, "usage: sim-broker SEED | --seeds COUNT\n");
        return 2;
    }
    uint64_t number = strtoull(argv[argc - 1], NULL, 10);
    if (!is_many)
        run(number, true, &sum);
    for (uint64_t seed = 1; is_many && seed <= number; seed++)
        run(seed, false, &sum);
    report(is_many ? number : 1, &sum);
    if (number >= ALL_SEEN && is_many && judge_unseen()) {
        printf("no call went from %s\n", judge_unseen());
        return 1;
    }
    return 0;
}
