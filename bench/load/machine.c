// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

machine_t
machine_now(void)
{
    long long user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
    FILE *file = fopen("/proc/stat", "r");
    int64_t tick_us = 1000000 / sysconf(_SC_CLK_TCK);

    if (file) {
        if (fscanf(file, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &user, &nice, &system,
                   &idle, &wait, &irq, &soft, &steal)
            != 8)
            user = nice = system = steal = 0;
        fclose(file);
    }
    return (machine_t){ .busy_us = (user + nice + system) * tick_us,
                        .stolen_us = steal * tick_us };
}

static int64_t
thread_ns(pid_t pid, const char *thread)
{
    char path[320];
    long long ns = 0;

    snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", (int) pid, thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%lld", &ns) != 1)
        ns = 0;
    fclose(file);
    return ns;
}

int64_t
machine_process_us(pid_t pid)
{
    char path[64];
    int64_t ns = 0;

    snprintf(path, sizeof path, "/proc/%d/task", (int) pid);
    DIR *threads = opendir(path);
    if (!threads)
        return 0;
    for (struct dirent *entry; (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            ns += thread_ns(pid, entry->d_name);
    closedir(threads);
    return ns / 1000;
}
