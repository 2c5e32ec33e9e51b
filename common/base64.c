// SPDX-License-Identifier: Apache-2.0
#include "base64.h"

#include <sodium.h>

static const int variants[] = {
    [BASE64_STANDARD] = sodium_base64_VARIANT_ORIGINAL,
    [BASE64_URL] = sodium_base64_VARIANT_URLSAFE_NO_PADDING,
};

// libsodium (1.0.18) takes every byte from 0x80 on for the last character of the alphabet.
static bool
is_ascii(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char) text[i] >= 0x80)
            return false;
    return true;
}

bool
base64_read(base64_alphabet_t alphabet, const char *text, size_t size, const char *ignored,
            void *bytes, size_t max, size_t *size_p)
{
    return is_ascii(text, size)
           && !sodium_base642bin(bytes, max, text, size, ignored, size_p, NULL,
                                 variants[alphabet]);
}
