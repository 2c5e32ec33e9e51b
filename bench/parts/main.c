// SPDX-License-Identifier: Apache-2.0
// bench-parts: generated load for one program of ours alone. Prints one line of JSON; cpuUs is
// processor time of that program per answer.
//   bench-parts broker PID IN_FLIGHT MILLISECONDS TRANSPORTS WORKERS
//   bench-parts resolver PID IN_FLIGHT MILLISECONDS ENDPOINT TOKEN PROJECT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "broker.h"
#include "resolver.h"

enum { FLIGHT_MAX = 1024, TIME_MAX_MS = 60 * 1000 };

static int
usage(void)
{
    fprintf(stderr,
            "usage: bench-parts broker PID IN_FLIGHT MILLISECONDS TRANSPORTS WORKERS\n"
            "       bench-parts resolver PID IN_FLIGHT MILLISECONDS ENDPOINT TOKEN PROJECT\n");
    return 2;
}

int
main(int argc, char **argv)
{
    static peer_result_t result;
    bool is_broker = argc == 7 && !strcmp(argv[1], "broker");

    if (!is_broker && (argc != 8 || strcmp(argv[1], "resolver") != 0))
        return usage();
    pid_t pid = (pid_t) strtol(argv[2], NULL, 10);
    int flight = (int) strtol(argv[3], NULL, 10);
    int64_t time_ms = strtol(argv[4], NULL, 10);
    if (pid < 1 || flight < 1 || flight > FLIGHT_MAX || time_ms < 1 || time_ms > TIME_MAX_MS)
        return usage();
    if (is_broker ? broker_play(argv[5], argv[6], flight, time_ms, pid, &result)
                  : resolver_play(argv[5], argv[6], argv[7], flight, time_ms, pid, &result))
        return 1;
    double count = (double) result.times.total;
    printf("{\"perSecond\":%.1f,\"p50\":%.1f,\"p99\":%.1f,\"cpuUs\":%.2f}\n",
           count / result.seconds, histogram_us(&result.times, .5),
           histogram_us(&result.times, .99), count > 0 ? (double) result.used_us / count : 0);
    return 0;
}
