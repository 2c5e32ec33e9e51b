// SPDX-License-Identifier: Apache-2.0
// Strict UTF-8 as JSON wants it: no overlong forms, no surrogates, nothing over U+10FFFF.

#ifndef PROOFARC_JSON_UTF8_H
#define PROOFARC_JSON_UTF8_H

#include <stddef.h>
#include <stdint.h>

// Bytes of the code point at the front of `bytes`, or 0 if there is none that is well-formed.
size_t json_utf8_length(const char *bytes, size_t size);

// How many bytes from the front are well-formed; `size` if all are.
size_t json_utf8_valid(const char *bytes, size_t size);

// Number of code points of well-formed text.
size_t json_utf8_count(const char *bytes, size_t size);

// Writes a code point (at most U+10FFFF) and returns its number of bytes, 1 to 4.
size_t json_utf8_encode(uint32_t code, char bytes[4]);

#endif
