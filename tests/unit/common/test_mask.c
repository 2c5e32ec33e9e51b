// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "clock.h"
#include "limits.h"
#include "mask.h"

#include <cmocka.h>  // last: it has a macro called fail

// clang-format off
static const struct {
    const char *secret, *text, *masked;
} rows[] = {
    { "s3cret!", "token=s3cret!&x=1",        "token=" MASK_TEXT "&x=1" },
    { "s3cret!", "s3cret!s3cret! s3cret!",   MASK_TEXT " " MASK_TEXT },
    { "s3cret!", "s3cret%21",                MASK_TEXT },
    { "a b/c",   "q=a%20b%2Fc q=a+b%2Fc a%20b%2fc", "q=" MASK_TEXT " q=" MASK_TEXT " " MASK_TEXT },
    { "a\"b\\c", "{\"p\":\"a\\\"b\\\\c\"}",  "{\"p\":\"" MASK_TEXT "\"}" },
    { "a/bc",    "{\"p\":\"a\\/bc\"}",     "{\"p\":\"" MASK_TEXT "\"}" },
    { "p\u00e4\u20ac\U0001f600/", "p\\u00e4\\u20ac\\ud83d\\ude00/", MASK_TEXT },
    { "p\u00e4\u20ac\U0001f600/", "p\\u00e4\\u20ac\\ud83d\\ude00\\/", MASK_TEXT },
    { "s3cret!", "czNjcmV0IQ==",             MASK_TEXT "Q==" },       // base64 of it
    { "s3cret!", "dXNlcjpzM2NyZXQh",         "dXNlcjp" MASK_TEXT "" }, // base64 of user:s3cret!
    { "s3cret!", "733363726574 21 73336372657421", "733363726574 21 " MASK_TEXT },
    { "a<b>&'c", "a&lt;b&gt;&amp;&#39;c",    MASK_TEXT },
    { "ab",      "ab is too short to mask",  "ab is too short to mask" },
    { "s3cret!", "nothing here",             "nothing here" },
    { "s3cret!", "",                         "" },
};
// clang-format on

static void
secrets_are_masked_in_every_spelling(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        mask_t *mask = mask_new(arena);
        size_t size;

        mask_add(mask, rows[i].secret);
        const char *masked = mask_text(mask, arena, rows[i].text, strlen(rows[i].text), &size);
        print_message("  %s → %s\n", rows[i].text, masked);
        assert_string_equal(masked, rows[i].masked);
        assert_int_equal(size, strlen(masked));
    }
}

static void
of_two_secrets_the_longer_goes_first(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    mask_t *mask = mask_new(arena);
    size_t size;

    mask_add(mask, "pass");
    mask_add(mask, "password1");
    assert_string_equal(mask_text(mask, arena, "x password1 pass y", 18, &size),
                        "x " MASK_TEXT " " MASK_TEXT " y");
}

static void
json_is_masked_in_names_numbers_and_strings(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    mask_t *mask = mask_new(arena);
    json_t *value = json_parse_text(
        arena, "{\"987654\":[987654,\"x987654y\",{\"deep\":\"987654\"}],\"kept\":98765}");

    mask_add(mask, "987654");
    mask_json(mask, arena, value);
    assert_string_equal(json_text(arena, value),
                        "{\"" MASK_TEXT "\":[\"" MASK_TEXT "\",\"x" MASK_TEXT
                        "y\",{\"deep\":\"" MASK_TEXT "\"}],\"kept\":98765}");
}

static void
secrets_that_overlap_are_one_and_no_piece_stays(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    mask_t *mask = mask_new(arena);
    size_t size;

    mask_add(mask, "abcdef");
    mask_add(mask, "defghi");
    assert_string_equal(mask_text(mask, arena, "x abcdefghi y", 13, &size),
                        "x " MASK_TEXT " y");
}

static void
the_thousandth_secret_is_masked_like_the_first(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    mask_t *mask = mask_new(arena);

    for (int i = 0; i < 1000; i++)
        mask_add(mask, arena_printf(arena, "session-%04d", i));
    for (int i = 0; i < 1000; i++) {
        size_t size;
        const char *text = arena_printf(arena, "sid=session-%04d;", i);
        assert_string_equal(mask_text(mask, arena, text, strlen(text), &size),
                            "sid=" MASK_TEXT ";");
    }
}

static void
with_more_secrets_than_it_can_hold_nothing_is_shown(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    mask_t *mask = mask_new(arena);
    size_t size;

    char *secret = arena_alloc(arena, 4 * KIB + 1);
    unsigned odd = 1;
    for (int i = 0; i < 150; i++) {
        for (int at = 0; at < 4 * KIB; at++)
            secret[at] = (char) ('a' + (odd = odd * 1103515245 + 12345) / 65536 % 26);
        mask_add(mask, secret);
        if (i == 0)
            assert_string_equal(mask_text(mask, arena, "harmless", 8, &size), "harmless");
    }
    assert_string_equal(mask_text(mask, arena, "harmless", 8, &size), MASK_TEXT);
    assert_string_equal(mask_text(mask, arena, "", 0, &size), "");
}

// Longer ones are masked in pieces; no byte of them stays.
static void
secrets_of_any_length_are_masked(void **state)
{
    static const size_t lengths[] = { 255, 256, 257, 511, 512, 513, 8192, 8193, 100 * 1000 };

    for (size_t i = 0; i < ROWS(lengths); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        mask_t *mask = mask_new(arena);
        char *secret = arena_alloc(arena, lengths[i] + 1);
        size_t size;
        for (size_t at = 0; at < lengths[i]; at++)
            secret[at] = (char) ('a' + at * 7 % 26);
        mask_add(mask, secret);
        const char *text = arena_printf(arena, "<%s>", secret);
        const char *masked = mask_text(mask, arena, text, strlen(text), &size);
        assert_string_equal(masked, "<" MASK_TEXT ">");
    }
}

// What begins alike takes one walk, however many there are of it.
static void
secrets_that_begin_alike_cost_no_more(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    mask_t *mask = mask_new(arena);
    char *text = arena_alloc(arena, 1000 * 1000);
    size_t size;

    for (int i = 0; i < 1000; i++)
        mask_add(mask, arena_printf(arena, "aaaa%04daaaa", i));
    memset(text, 'a', 1000 * 1000);
    int64_t begun_ms = clock_now_ms();
    assert_ptr_equal(mask_text(mask, arena, text, 1000 * 1000, &size), text);
    assert_true(clock_now_ms() - begun_ms < 5000);
}

static void
a_secret_is_masked_at_the_end_of_the_text_and_not_beyond_it(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    mask_t *mask = mask_new(arena);
    size_t size;

    mask_add(mask, "s3cret!");
    assert_string_equal(mask_text(mask, arena, "x s3cret!", 9, &size), "x " MASK_TEXT);
    assert_string_equal(mask_text(mask, arena, "x s3cret", 8, &size), "x s3cret");
    assert_string_equal(mask_text(mask, arena, "s3", 2, &size), "s3");
}

// Passwords that read like parts of a result: its shape must survive them.
static void
the_result_of_a_run_keeps_its_shape(void **state)
{
    static const char *const secrets[] = { "status", "PASSED", "steps", "200", "HTTP/1.1" };
    static const char text[] =
        "{\"status\":\"PASSED\",\"error\":\"no "
        "PASSED\",\"steps\":[{\"index\":200,\"name\":\"my "
        "status\",\"status\":\"PASSED\",\"request\":{\"url\":\"http://h/"
        "status\"},\"response\":{"
        "\"status\":200,\"version\":\"HTTP/"
        "1.1\",\"headers\":[[\"status\",\"200\"]]},\"checks\":[{"
        "\"check\":\"status\",\"passed\":true,\"actual\":\"200\"}],\"extracted\":{\"status\":{"
        "\"status\":200}}}]}";
    static const char masked[] =
        "{\"status\":\"PASSED\",\"error\":\"no •••\",\"steps\":[{\"index\":200,\"name\":\"my "
        "•••\",\"status\":\"PASSED\",\"request\":{\"url\":\"http://h/•••\"},\"response\":{"
        "\"status\":200,\"version\":\"HTTP/1.1\",\"headers\":[[\"•••\",\"•••\"]]},\"checks\":[{"
        "\"check\":\"•••\",\"passed\":true,\"actual\":\"•••\"}],\"extracted\":{\"status\":{"
        "\"•••\":\"•••\"}}}]}";
    AUTO(arena_destroy) arena_t *arena = arena_new();
    mask_t *mask = mask_new(arena);
    json_t *result = json_parse_text(arena, text);

    for (size_t i = 0; i < ROWS(secrets); i++)
        mask_add(mask, secrets[i]);
    mask_run(mask, arena, result);
    assert_string_equal(json_text(arena, result), masked);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets_are_masked_in_every_spelling),
        cmocka_unit_test(of_two_secrets_the_longer_goes_first),
        cmocka_unit_test(json_is_masked_in_names_numbers_and_strings),
        cmocka_unit_test(secrets_that_overlap_are_one_and_no_piece_stays),
        cmocka_unit_test(the_thousandth_secret_is_masked_like_the_first),
        cmocka_unit_test(with_more_secrets_than_it_can_hold_nothing_is_shown),
        cmocka_unit_test(secrets_of_any_length_are_masked),
        cmocka_unit_test(secrets_that_begin_alike_cost_no_more),
        cmocka_unit_test(a_secret_is_masked_at_the_end_of_the_text_and_not_beyond_it),
        cmocka_unit_test(the_result_of_a_run_keeps_its_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
