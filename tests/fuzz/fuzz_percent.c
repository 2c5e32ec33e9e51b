// SPDX-License-Identifier: Apache-2.0
// Percent-encoding: what is encoded comes out again; what is decoded strictly has nothing but escapes
// of two digits, and is decoded the same when more is let through.

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "http.h"
#include "percent.h"
#include "target.h"

// The slow way: a character at a time, by the C library's idea of a number.
static bool
is_strict(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!text[i])
            return false;
        if (text[i] != '%')
            continue;
        const char digits[] = { i + 1 < size ? text[i + 1] : 0, i + 2 < size ? text[i + 2] : 0,
                                0 };
        static const char allowed[] = "0123456789ABCDEFabcdef";
        if (strspn(digits, allowed) != 2 || !strtoul(digits, NULL, 16))
            return false;
        i += 2;
    }
    return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const char *text = (const char *) bytes;

    for (int is_form = 0; is_form < 2; is_form++) {
        const char *strict = percent_decode(arena, text, size, is_form);
        const char *most = percent_decode_most(arena, text, size, is_form);
        assert((strict != NULL) == is_strict(text, size));
        assert(strlen(most) <= size && (!strict || !strcmp(strict, most)));
        const char *plain = arena_strndup(arena, text, size);
        const char *coded = http_escape(arena, plain);
        const char *again = percent_decode(arena, coded, strlen(coded), is_form);
        assert(again && !strcmp(again, plain) && !strpbrk(coded, "+ /?#&=\"\\"));
    }
    return 0;
}
