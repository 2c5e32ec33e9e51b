// SPDX-License-Identifier: Apache-2.0
#include "replay.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commit.h"

static char farewell[160];

// Sanitizers end a program in their own way if nothing else is said.
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *
__asan_default_options(void)
{
    return "abort_on_error=1";
}

const char *
__ubsan_default_options(void)
{
    return "abort_on_error=1";
}

static void
on_end(int number)
{
    if (write(STDOUT_FILENO, farewell, strlen(farewell)) < 0)
        _exit(2);
    signal(number, SIG_DFL);
    raise(number);
}

void
replay_begin(const char *program, uint64_t seed)
{
    snprintf(farewell, sizeof farewell, "seed %llu broke off\nplay it again: %s %llu, at %s\n",
             (unsigned long long) seed, program, (unsigned long long) seed, SIM_COMMIT);
    signal(SIGABRT, on_end);
    signal(SIGSEGV, on_end);
}
