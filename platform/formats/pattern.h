// SPDX-License-Identifier: Apache-2.0
// Regular expressions of scenarios and schemas. The only file here that sees PCRE2.

#ifndef PROOFARC_PLATFORM_PATTERN_H
#define PROOFARC_PLATFORM_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

// NULL if `pattern` compiles as an agent will compile it, else what is wrong, with the position.
const char *pattern_fault(arena_t *arena, const char *pattern);

// Whether `text` has a match of a pattern as schemas write them (ECMAScript's \uHHHH), found
// within limits of time and stack. False for a pattern that does not compile.
bool pattern_matches(const char *pattern, const char *text);

// A text that matches `pattern` and has min to max code points (max -1: no bound), at most 1000
// bytes; NULL when none was found. Knows the common part of ECMAScript's syntax: alternatives,
// groups, classes, quantifiers, anchors; not look-around and back references.
const char *pattern_sample(arena_t *arena, const char *pattern, int64_t min, int64_t max);

#endif
