// SPDX-License-Identifier: Apache-2.0
#include "clock.h"

#include <stdio.h>
#include <time.h>

static int64_t
reading_us(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t
clock_now_ms(void)
{
    return reading_us(CLOCK_BOOTTIME) / 1000;
}

int64_t
clock_now_us(void)
{
    return reading_us(CLOCK_BOOTTIME);
}

int64_t
clock_wall_ms(void)
{
    return reading_us(CLOCK_REALTIME) / 1000;
}

void
clock_format(int64_t wall_ms, char text[CLOCK_TEXT_SIZE])
{
    time_t seconds = (time_t) (wall_ms / 1000);
    struct tm parts;

    gmtime_r(&seconds, &parts);
    size_t length = strftime(text, CLOCK_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + length, CLOCK_TEXT_SIZE - length, ".%03dZ", (int) (wall_ms % 1000));
}
