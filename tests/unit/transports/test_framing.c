// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "stdio/framing.h"

#include <cmocka.h>

// With lines of four bytes at most.
// clang-format off
static const struct {
    const char *bytes;
    const char *lines;  // each in brackets, ! for one that is too long
} rows[] = {
    { "",                         "" },
    { "a\nb\n",                   "[a][b]" },
    { "a\r\nb",                   "[a][b]" },
    { "\n \t\n\r\na\n",           "[a]" },
    { "\xef\xbb\xbf" "a\n",       "[a]" },
    { "\xef\xbb\xbf\n",           "" },
    { "abcd\nabcd\r\nabcd",       "[abcd][abcd][abcd]" },
    { "abcd\r",                   "[abcd]" },
    { "abcde\na\n",               "![a]" },
    { "abcde\r\na\n",             "![a]" },
    { "abcde",                    "!" },
    { "abcdefghijklmnop\na",      "![a]" },
    { "     \na",                 "![a]" },
    { "a\rb\n\r\r\n",             "[a\rb][\r]" },
};
// clang-format on

static void
take_all(framing_t *framing, buffer_t *out)
{
    const char *line;
    size_t size;
    framing_found_t found;

    while ((found = framing_next(framing, &line, &size)) != FRAMING_NONE) {
        if (found == FRAMING_TOO_LONG)
            buffer_char(out, '!');
        else
            buffer_printf(out, "[%.*s]", (int) size, line);
    }
}

static void
lines_are_the_same_however_they_are_cut(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++)
        for (size_t chunk = 1; chunk <= 8; chunk++) {
            AUTO(framing_clear) framing_t framing = { .line_max = 4 };
            AUTO(buffer_clear) buffer_t out = { 0 };
            size_t left = strlen(rows[i].bytes);
            buffer_text(&out, "");
            for (const char *at = rows[i].bytes; left;) {
                size_t size = left < chunk ? left : chunk;
                framing_add(&framing, at, size);
                take_all(&framing, &out);
                assert_true(framing.input.size <= 5);
                at += size;
                left -= size;
            }
            framing_end(&framing);
            take_all(&framing, &out);
            assert_string_equal(out.bytes, rows[i].lines);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_the_same_however_they_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
