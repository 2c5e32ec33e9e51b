// SPDX-License-Identifier: Apache-2.0
#include "json_utf8.h"

#include <string.h>

#include "auto.h"

// What may stand first and second, by the Unicode standard's table of well-formed sequences.
// clang-format off
static const struct {
    unsigned char first_min, first_max, second_min, second_max, length;
} sequences[] = {
    { 0xc2, 0xdf, 0x80, 0xbf, 2 },
    { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
    { 0xe1, 0xec, 0x80, 0xbf, 3 },
    { 0xed, 0xed, 0x80, 0x9f, 3 },
    { 0xee, 0xef, 0x80, 0xbf, 3 },
    { 0xf0, 0xf0, 0x90, 0xbf, 4 },
    { 0xf1, 0xf3, 0x80, 0xbf, 4 },
    { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};
// clang-format on

static size_t
long_sequence(const unsigned char *at, size_t size)
{
    for (size_t i = 0; i < ROWS(sequences); i++) {
        if (at[0] < sequences[i].first_min || at[0] > sequences[i].first_max)
            continue;
        size_t length = sequences[i].length;
        if (size < length || at[1] < sequences[i].second_min || at[1] > sequences[i].second_max)
            return 0;
        for (size_t k = 2; k < length; k++)
            if ((at[k] & 0xc0) != 0x80)
                return 0;
        return length;
    }
    return 0;
}

size_t
json_utf8_length(const char *bytes, size_t size)
{
    if (size == 0)
        return 0;
    if (!(bytes[0] & 0x80))
        return 1;
    return long_sequence((const unsigned char *) bytes, size);
}

size_t
json_utf8_valid(const char *bytes, size_t size)
{
    size_t at = 0;

    while (at < size) {
        uint64_t word;
        if (size - at >= sizeof word) {  // eight bytes of ASCII in one step
            memcpy(&word, bytes + at, sizeof word);
            if (!(word & UINT64_C(0x8080808080808080))) {
                at += sizeof word;
                continue;
            }
        }
        size_t length = json_utf8_length(bytes + at, size - at);
        if (length == 0)
            return at;
        at += length;
    }
    return at;
}

size_t
json_utf8_count(const char *bytes, size_t size)
{
    size_t count = 0;

    for (size_t i = 0; i < size; i++)
        count += (bytes[i] & 0xc0) != 0x80;
    return count;
}

size_t
json_utf8_encode(uint32_t code, char bytes[4])
{
    if (code < 0x80) {
        bytes[0] = (char) code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        bytes[i] = (char) (0x80 | (code & 0x3f));
    bytes[0] = (char) (marks[length] | code);
    return length;
}
