// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "base64.h"

#include <cmocka.h>

enum { ROOM = 16 };

// clang-format off
static const struct {
    base64_alphabet_t alphabet;
    const char *text;
    const char *ignored;
    const char *bytes;  // NULL: it is refused
} rows[] = {
    { BASE64_STANDARD, "",           NULL,     "" },
    { BASE64_STANDARD, "aGVsbG8=",   NULL,     "hello" },
    { BASE64_STANDARD, "+/+/",       NULL,     "\xfb\xff\xbf" },
    { BASE64_STANDARD, "aGVs\r\nbG8=", "\r\n", "hello" },
    { BASE64_STANDARD, "aGVs\r\nbG8=", NULL,   NULL },
    { BASE64_STANDARD, "aGVsbG8",    NULL,     NULL },  // no padding
    { BASE64_STANDARD, "aGVsbG9=",   NULL,     NULL },  // bits that stand for nothing
    { BASE64_STANDARD, "-_-_",       NULL,     NULL },
    { BASE64_STANDARD, "AAA\xff",    NULL,     NULL },
    { BASE64_URL,      "aGVsbG8",    NULL,     "hello" },
    { BASE64_URL,      "-_-_",       NULL,     "\xfb\xff\xbf" },
    { BASE64_URL,      "aGVsbG8=",   NULL,     NULL },
    { BASE64_URL,      "+/+/",       NULL,     NULL },
    { BASE64_URL,      "YWJjZGVmZ2hpamtsbW5vcA",   NULL, "abcdefghijklmnop" },
    { BASE64_URL,      "YWJjZGVmZ2hpamtsbW5vcHE",  NULL, NULL },  // more than there is room for
};
// clang-format on

static void
base64_is_read_or_refused(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        char bytes[ROOM];
        size_t size = 0;
        bool is_read = base64_read(rows[i].alphabet, rows[i].text, strlen(rows[i].text),
                                   rows[i].ignored, bytes, sizeof bytes, &size);

        print_message("  %s\n", rows[i].text);
        assert_int_equal(is_read, rows[i].bytes != NULL);
        if (!is_read)
            continue;
        assert_int_equal(size, strlen(rows[i].bytes));
        assert_memory_equal(bytes, rows[i].bytes, size);
    }
}

// 64 characters and no more have a meaning, whatever the library thinks of the others.
static void
each_byte_has_one_spelling(void **state)
{
    for (int alphabet = BASE64_STANDARD; alphabet <= BASE64_URL; alphabet++) {
        size_t taken = 0;
        for (int c = 1; c < 256; c++) {
            const char text[] = { 'A', 'A', 'A', (char) c };
            char bytes[ROOM];
            size_t size;
            taken += c != '='
                     && base64_read((base64_alphabet_t) alphabet, text, sizeof text, NULL,
                                    bytes, sizeof bytes, &size);
        }
        assert_int_equal(taken, 64);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_is_read_or_refused),
        cmocka_unit_test(each_byte_has_one_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
