// SPDX-License-Identifier: Apache-2.0
// Percent-encoding (RFC 3986, 2.1), read. http_escape() writes it.

#ifndef PROOFARC_PERCENT_H
#define PROOFARC_PERCENT_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"

// The byte that the escape at `at` stands for; -1 if there is none before `end`.
int percent_byte(const char *at, const char *end);

// `size` bytes of text, decoded into the arena. NULL if an escape is malformed, or if something is
// or stands for NUL. In a form, + is a blank.
char *percent_decode(arena_t *arena, const char *text, size_t size, bool is_form);

// The same for what somebody else has to judge: what is no escape, or one of NUL, stays as it is.
// Ends at a NUL of the text.
char *percent_decode_most(arena_t *arena, const char *text, size_t size, bool is_form);

#endif
