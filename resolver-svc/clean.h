// SPDX-License-Identifier: Apache-2.0
// What a person can see of a text: control, bidirectional and zero-width characters are left
// out, every run of white space (line breaks, too) is one space, and there is none at the ends.

#ifndef PROOFARC_CLEAN_H
#define PROOFARC_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

#include "buffer.h"

// Appends at most `points_max` code points of it; true if there was more. Bytes that are not
// UTF-8 become U+FFFD.
bool clean_add(buffer_t *out, const char *text, size_t length, size_t points_max);

#endif
