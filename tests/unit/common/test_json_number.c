// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "json.h"
#include "json_number.h"

#include <cmocka.h>  // last: it defines fail()

// clang-format off
static const struct {
    const char *a, *b;
    int order;
} pairs[] = {
    { "1",                     "1.0",                    0 },
    { "1",                     "10e-1",                  0 },
    { "100",                   "1E+2",                   0 },
    { "0.001",                 "1e-3",                   0 },
    { "0",                     "-0",                     0 },
    { "0e99",                  "0.000",                  0 },
    { "-0",                    "1e-999999999",          -1 },
    { "9223372036854775807",   "9223372036854775806",    1 },
    { "9223372036854775807",   "9223372036854775808",   -1 },
    { "-9223372036854775808",  "-9223372036854775809",   1 },
    { "1234567890123456789012345", "1234567890123456789012346", -1 },
    { "0.1",                   "0.10000000000000000001", -1 },
    { "2",                     "10",                    -1 },
    { "-2",                    "-10",                    1 },
    { "-1",                    "1",                     -1 },
    { "9.99",                  "10",                    -1 },
    { "0.09",                  "0.1",                   -1 },
    { "1e999999999",           "1e999999998",            1 },
    { "1e999999999",           "10e999999998",           0 },
    { "-1e999999999",          "1",                     -1 },
    { "1e-999999999",          "1e-999999998",          -1 },
    { "1e99999999999999999999",  "1e99999999999999999998",  1 },
    { "1e99999999999999999999",  "10e99999999999999999998", 0 },
    { "1e100000000000000000000", "10e99999999999999999999", 0 },
    { "1e-99999999999999999999", "0.1e-99999999999999999998", 0 },
    { "1e-99999999999999999999", "1e99999999999999999999", -1 },
    { "1e+0007",               "10000000",               0 },
    { "1e00",                  "1",                      0 },
    { "120.50",                "120.5",                  0 },
    { "5e0",                   "50e-1",                  0 },
};

static const struct {
    const char *text;
    bool is_int;
    int64_t value;
} ints[] = {
    { "0",                      true,  0 },
    { "-0",                     true,  0 },
    { "0.000e55",               true,  0 },
    { "42",                     true,  42 },
    { "42.0",                   true,  42 },
    { "4.2e1",                  true,  42 },
    { "4200e-2",                true,  42 },
    { "42.5",                   false, 0 },
    { "4.2",                    false, 0 },
    { "1e-1",                   false, 0 },
    { "9223372036854775806",    true,  INT64_MAX - 1 },
    { "9223372036854775807",    true,  INT64_MAX },
    { "9223372036854775808",    false, 0 },
    { "-9223372036854775808",   true,  INT64_MIN },
    { "-9223372036854775809",   false, 0 },
    { "9223372036854775807.00", true,  INT64_MAX },
    { "1e18",                   true,  1000000000000000000 },
    { "1e19",                   false, 0 },
    { "1e999999999",            false, 0 },
    { "1e-99999999999999999999999", false, 0 },
};

static const struct {
    const char *text;
    const char *canonical;
} spellings[] = {
    { "1",        "1" },
    { "1.0",      "1" },
    { "10e-1",    "1" },
    { "-0.0",     "0" },
    { "0e7",      "0" },
    { "-1.50",    "-1.5" },
    { "1e2",      "100" },
    { "123.456e2", "12345.6" },
    { "0.00100",  "0.001" },
    { "1e-3",     "0.001" },
    { "12e-7",    "0.0000012" },
    { "1e-9",     "1e-9" },
    { "9007199254740993", "9007199254740993" },
    { "1e39",     "1000000000000000000000000000000000000000" },
    { "1e40",     "1e40" },
    { "12.5e60",  "1.25e61" },
    { "1e999999999", "1e999999999" },
    { "0.1e-99999999999999999999", "1e-100000000000000000000" },
    { "10e99999999999999999999",  "1e100000000000000000000" },
    { "100e-100000000000000000001", "1e-99999999999999999999" },
    { "0.01e100000000000000000001", "1e99999999999999999999" },
};

static const struct {
    const char *text;
    bool is_number;
} grammar[] = {
    { "0", true }, { "-0", true }, { "10", true }, { "1.5", true }, { "1e5", true },
    { "1E+5", true }, { "-1.25e-10", true },
    { "", false }, { "-", false }, { "+1", false }, { "01", false }, { "1.", false },
    { ".5", false }, { "1e", false }, { "1e+", false }, { "1x", false }, { " 1", false },
    { "0x10", false }, { "NaN", false }, { "1.5.5", false },
};
// clang-format on

static void
compares_exactly(void **state)
{
    for (size_t i = 0; i < ROWS(pairs); i++) {
        print_message("  %s %s\n", pairs[i].a, pairs[i].b);
        assert_int_equal(json_number_compare(pairs[i].a, pairs[i].b), pairs[i].order);
        assert_int_equal(json_number_compare(pairs[i].b, pairs[i].a), -pairs[i].order);
    }
}

static void
integers_are_what_has_no_fraction_and_fits(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();

    for (size_t i = 0; i < ROWS(ints); i++) {
        int64_t value = 77;

        print_message("  %s\n", ints[i].text);
        assert_int_equal(json_int(json_number_text(arena, ints[i].text), &value),
                         ints[i].is_int);
        assert_true(value == (ints[i].is_int ? ints[i].value : 77));
    }
    assert_false(json_int(json_string(arena, "1"), &(int64_t){ 0 }));
    assert_false(json_int(NULL, &(int64_t){ 0 }));
}

static void
has_one_canonical_spelling(void **state)
{
    for (size_t i = 0; i < ROWS(spellings); i++) {
        AUTO(buffer_clear) buffer_t out = { 0 };

        print_message("  %s\n", spellings[i].text);
        json_number_canonical(&out, spellings[i].text);
        assert_string_equal(out.bytes, spellings[i].canonical);
        assert_true(json_number_is(out.bytes));
        assert_int_equal(json_number_compare(out.bytes, spellings[i].text), 0);
    }
}

static void
knows_the_grammar_of_numbers(void **state)
{
    for (size_t i = 0; i < ROWS(grammar); i++) {
        print_message("  %s\n", grammar[i].text);
        assert_int_equal(json_number_is(grammar[i].text), grammar[i].is_number);
    }
}

// Small numbers of every shape, where a double tells the truth.
static void
agrees_with_doubles_where_they_are_exact(void **state)
{
    unsigned seed = 7;

    for (int round = 0; round < 20000; round++) {
        AUTO(buffer_clear) buffer_t a = { 0 };
        AUTO(buffer_clear) buffer_t b = { 0 };

        buffer_printf(&a, "%d.%d", rand_r(&seed) % 20 - 10, (rand_r(&seed) % 4) * 25);
        buffer_printf(&b, "%de-%d", (rand_r(&seed) % 2000 - 1000) * 5 / 4, rand_r(&seed) % 3);
        double left = strtod(a.bytes, NULL);
        double right = strtod(b.bytes, NULL);
        assert_int_equal(json_number_compare(a.bytes, b.bytes),
                         (left > right) - (left < right));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_exactly),
        cmocka_unit_test(integers_are_what_has_no_fraction_and_fits),
        cmocka_unit_test(has_one_canonical_spelling),
        cmocka_unit_test(knows_the_grammar_of_numbers),
        cmocka_unit_test(agrees_with_doubles_where_they_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
