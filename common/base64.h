// SPDX-License-Identifier: Apache-2.0
// Base64 (RFC 4648) that others have written. The one place where it is read.

#ifndef PROOFARC_BASE64_H
#define PROOFARC_BASE64_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    BASE64_STANDARD,  // + and /, padded
    BASE64_URL,       // - and _, not padded
} base64_alphabet_t;

// True if `text` is base64, but for the characters of `ignored` (may be NULL), and stands for `max`
// bytes at most, which are written to `bytes`; *size_p is how many. One text alone stands for them:
// neither another padding nor unused bits are taken.
bool base64_read(base64_alphabet_t alphabet, const char *text, size_t size, const char *ignored,
                 void *bytes, size_t max, size_t *size_p);

#endif
