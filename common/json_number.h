// SPDX-License-Identifier: Apache-2.0
// Numbers as text, for json*.c alone. Exact at any size and exponent, in constant memory.

#ifndef PROOFARC_JSON_NUMBER_H
#define PROOFARC_JSON_NUMBER_H

#include <stdbool.h>

#include "buffer.h"

// True if all of `text` is a number by the grammar of JSON.
bool json_number_is(const char *text);

// Appends the one spelling that all texts of equal value share: 1, 1.0 and 10e-1 give 1.
void json_number_canonical(buffer_t *out, const char *text);

#endif
