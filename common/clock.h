// SPDX-License-Identifier: Apache-2.0
// Time. Between processes time travels as *time left*, never as a reading of a clock.

#ifndef PROOFARC_CLOCK_H
#define PROOFARC_CLOCK_H

#include <stdint.h>

// Milliseconds that only ever grow, also while the machine sleeps (CLOCK_BOOTTIME).
int64_t clock_now_ms(void);
int64_t clock_now_us(void);

// Milliseconds since 1970, for expiry times of tokens and for people.
int64_t clock_wall_ms(void);

enum { CLOCK_TEXT_SIZE = 25 };

// Writes e.g. "2026-11-30T15:04:05.123Z" with its NUL.
void clock_format(int64_t wall_ms, char text[CLOCK_TEXT_SIZE]);

#endif
