// SPDX-License-Identifier: Apache-2.0
// Plain scalars under the YAML 1.2 core schema.

#ifndef PROOFARC_PLATFORM_SCALAR_H
#define PROOFARC_PLATFORM_SCALAR_H

#include "json.h"

// Fills kind, truth, text and length of *value with what a plain scalar stands for: null, true,
// false, a number in JSON spelling (0123 is 123, 0x1F is 31, .5 is 0.5), else the text itself.
// Infinities, NaN and hexadecimal or octal numbers over 64 bits are text.
void scalar_resolve(arena_t *arena, const char *text, size_t length, json_t *value);

// True if `text` can be written without quotes and comes back as the same string, from readers
// of YAML 1.1 too (so not `yes`, `1:30`, `2024-10-01`). `in_flow`: inside [] or {}.
bool scalar_is_plain_text(const char *text, size_t length, bool in_flow);

#endif
