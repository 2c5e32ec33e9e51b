// SPDX-License-Identifier: Apache-2.0
// bench-load: a closed loop of MCP requests over HTTP on this machine. Prints one line of JSON.
#include <stdio.h>
#include <string.h>

#include "load.h"

static void
print_text(const char *text)
{
    putchar('"');
    for (const char *at = text; *at; at++) {
        if (*at == '"' || *at == '\\')
            putchar('\\');
        putchar((unsigned char) *at < ' ' ? ' ' : *at);
    }
    putchar('"');
}

static void
print_result(const options_t *options, const load_result_t *result)
{
    double calls = (double) result->times.total;
    int64_t server_us = 0;

    for (int i = 0; options->pids[i]; i++)
        server_us += result->pid_us[i];
    printf("{\"calls\":%.0f,\"seconds\":%.3f,\"perSecond\":%.1f,", calls, result->seconds,
           result->seconds > 0 ? calls / result->seconds : 0);
    printf("\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f,",
           histogram_us(&result->times, .5), histogram_us(&result->times, .9),
           histogram_us(&result->times, .99), histogram_us(&result->times, .999),
           (double) result->times.max_ns / 1000);
    printf("\"bytes\":%llu,\"errors\":%llu,", (unsigned long long) result->bytes,
           (unsigned long long) result->errors);
    printf("\"serverUs\":%lld,\"clientUs\":%lld,\"machineUs\":%lld,\"stolenUs\":%lld,",
           (long long) server_us, (long long) result->own_us,
           (long long) result->machine.busy_us, (long long) result->machine.stolen_us);
    printf("\"pids\":{");
    for (int i = 0; options->pids[i]; i++)
        printf("%s\"%d\":%lld", i ? "," : "", (int) options->pids[i],
               (long long) result->pid_us[i]);
    printf("},\"wrong\":");
    print_text(result->wrong);
    printf("}\n");
}

int
main(int argc, char **argv)
{
    static load_result_t result;
    static options_t options;

    options_read(&options, argc, argv);
    int rc = load_play(&options, &result);
    print_result(&options, &result);
    options_clear(&options);
    return rc || result.errors ? 1 : 0;
}
