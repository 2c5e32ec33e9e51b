// SPDX-License-Identifier: Apache-2.0
// What processes and the whole machine have used of the processors, from /proc.

#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
    int64_t busy_us;    // all processors, all processes
    int64_t stolen_us;  // taken away by the host
} machine_t;

machine_t machine_now(void);

// Processor time of all living threads of a process, in microseconds; 0 if it is gone.
int64_t machine_process_us(pid_t pid);

#endif
