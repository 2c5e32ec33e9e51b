// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "match.h"

#include <cmocka.h>  // last: it defines fail()

enum { ENTITIES_MAX = 16 };

// clang-format off
static const char *const projects[] = {
    "payments", "Payroll", "shop", "Shop", "Über", "STRASSE", "İstanbul", "ＡＢＣ",
    "50% off_.*'", "x\u200by", "Pay", "2024", "caf\u00e9 \u2615", "none",
};

// Ids are places in the list, counted from 1. NULL ends the list of ids.
static const struct {
    const char *wanted;
    match_t result;
    int64_t ids[4];
} rows[] = {
    { "payments",        MATCH_FOUND,     { 1 } },
    { "PAYMENTS",        MATCH_FOUND,     { 1 } },
    { "  payments\t",    MATCH_FOUND,     { 1 } },
    { "payments\u00a0",  MATCH_FOUND,     { 1 } },      // a no-break space that was pasted
    { "roll",            MATCH_FOUND,     { 2 } },
    { "pay",             MATCH_FOUND,     { 11 } },     // an exact name wins over substrings
    { "aym",             MATCH_FOUND,     { 1 } },
    { "ay",              MATCH_AMBIGUOUS, { 1, 2, 11 } },
    { "shop",            MATCH_AMBIGUOUS, { 3, 4 } },   // also when one is equal byte for byte
    { "Shop",            MATCH_AMBIGUOUS, { 3, 4 } },
    { "U\u0308ber",      MATCH_FOUND,     { 5 } },      // stored NFC, asked NFD
    { "ü",               MATCH_FOUND,     { 5 } },
    { "u\u0308BER",      MATCH_FOUND,     { 5 } },
    { "straße",          MATCH_FOUND,     { 6 } },      // full case folding
    { "ﬀ",               MATCH_FOUND,     { 9 } },      // the ligature is "ff", of "off"
    { "İSTANBUL",        MATCH_FOUND,     { 7 } },
    { "istanbul",        MATCH_NOT_FOUND, { 0 } },      // İ is not i, in no locale
    { "i",               MATCH_NOT_FOUND, { 0 } },      // nor is it in İ
    { "ıstanbul",        MATCH_NOT_FOUND, { 0 } },
    { "stanbul",         MATCH_FOUND,     { 7 } },
    { "ａｂｃ",          MATCH_FOUND,     { 8 } },
    { "abc",             MATCH_NOT_FOUND, { 0 } },      // full width is another letter
    { "%",               MATCH_FOUND,     { 9 } },      // no pattern of SQL or of any other kind
    { "_",               MATCH_FOUND,     { 9 } },
    { ".*",              MATCH_FOUND,     { 9 } },
    { "'",               MATCH_FOUND,     { 9 } },
    { "p.y",             MATCH_NOT_FOUND, { 0 } },
    { "50%%",            MATCH_NOT_FOUND, { 0 } },
    { "xy",              MATCH_FOUND,     { 10 } },     // what nobody sees does not count
    { "cafe\u0301 \u2615", MATCH_FOUND,   { 13 } },
    { "cafe",            MATCH_NOT_FOUND, { 0 } },      // é is not e
    { "\u2615",          MATCH_FOUND,     { 13 } },
    { "None",            MATCH_FOUND,     { 14 } },
    { "bank",            MATCH_NOT_FOUND, { 0 } },
};

static const struct {
    const char *text;
    wanted_t wanted;
    int64_t id;  // with WANTED_ID
} texts[] = {
    { NULL,                   WANTED_MISSING,     0 },
    { "",                     WANTED_MISSING,     0 },
    { "   ",                  WANTED_MISSING,     0 },
    { "\t\r\n",               WANTED_MISSING,     0 },
    { "\u00a0\u2003",         WANTED_MISSING,     0 },
    { "\u200b\u202e",         WANTED_MISSING,     0 },
    { "0",                    WANTED_ID,          0 },
    { "7",                    WANTED_ID,          7 },
    { "2024",                 WANTED_ID,          2024 },
    { "12 ",                  WANTED_ID,          12 },
    { " 12\n",                WANTED_ID,          12 },
    { "9223372036854775807",  WANTED_ID,          INT64_MAX },
    { "9223372036854775808",  WANTED_NAME,        0 },
    { "99999999999999999999", WANTED_NAME,        0 },
    { "007",                  WANTED_NAME,        0 },
    { "00",                   WANTED_NAME,        0 },
    { "-5",                   WANTED_NAME,        0 },
    { "+5",                   WANTED_NAME,        0 },
    { "1 2",                  WANTED_NAME,        0 },
    { "1.0",                  WANTED_NAME,        0 },
    { "1e3",                  WANTED_NAME,        0 },
    { "0x10",                 WANTED_NAME,        0 },
    { "٣",                    WANTED_NAME,        0 },
    { "２",                   WANTED_NAME,        0 },
    { "12\u00a0",             WANTED_NAME,        0 },
    { "null",                 WANTED_PLACEHOLDER, 0 },
    { " None ",               WANTED_PLACEHOLDER, 0 },
    { "undefined",            WANTED_PLACEHOLDER, 0 },
    { "<nil>",                WANTED_PLACEHOLDER, 0 },
    { "nullable",             WANTED_NAME,        0 },
    { "payments",             WANTED_NAME,        0 },
};

static const struct {
    const char *text, *folded;
} folds[] = {
    { "Login Flow",             "login flow" },
    { "  Login \n\t Flow  ",    "login flow" },
    { "a\u2028b",               "a b" },
    { "x\033]0;pwn\a",    "x]0;pwn" },
    { "a\u202eb\u2066c\ufeffd", "abcd" },
    { "ẞ",                      "ss" },
    { "E\u0301",                "\u00e9" },
    { "Σίσυφος",                "σίσυφοσ" },
    { "\xff",                   "\ufffd" },
    { "",                       "" },
};
// clang-format on

typedef struct {
    entity_t entities[ENTITIES_MAX];
    const entity_t *scope[ENTITIES_MAX];
    size_t count;
} scope_t;

static int
fill_scope(void **state)
{
    scope_t *scope = calloc(1, sizeof *scope);

    assert_non_null(scope);
    for (size_t i = 0; i < ROWS(projects); i++) {
        char *folded = match_fold(projects[i], strlen(projects[i]));
        scope->entities[i] = (entity_t){ (int64_t) i + 1, projects[i], folded, NULL };
        scope->scope[i] = &scope->entities[i];
    }
    scope->count = ROWS(projects);
    *state = scope;
    return 0;
}

static int
free_scope(void **state)
{
    scope_t *scope = *state;

    for (size_t i = 0; i < scope->count; i++)
        free((char *) scope->entities[i].folded);
    free(scope);
    return 0;
}

static void
names_match_as_the_contract_says(void **state)
{
    const scope_t *scope = *state;

    for (size_t i = 0; i < ROWS(rows); i++) {
        const entity_t *matches[ENTITIES_MAX];
        size_t matched, expected = 0;
        char *folded = match_fold(rows[i].wanted, strlen(rows[i].wanted));

        print_message("  %s\n", rows[i].wanted);
        match_t result = match_name(folded, scope->scope, scope->count, matches, &matched);
        free(folded);
        assert_int_equal(result, rows[i].result);
        while (expected < 4 && rows[i].ids[expected])
            expected++;
        assert_int_equal(matched, expected);
        for (size_t j = 0; j < matched; j++)
            assert_int_equal(matches[j]->id, rows[i].ids[j]);
    }
}

static void
only_canonical_ascii_digits_within_int64_are_an_id(void **state)
{
    for (size_t i = 0; i < ROWS(texts); i++) {
        int64_t id = 0;

        print_message("  %s\n", texts[i].text ? texts[i].text : "(nothing)");
        assert_int_equal(match_wanted(texts[i].text, &id), texts[i].wanted);
        assert_int_equal(id, texts[i].id);
    }
}

static void
folding_leaves_out_what_cannot_be_seen(void **state)
{
    for (size_t i = 0; i < ROWS(folds); i++) {
        char *folded = match_fold(folds[i].text, strlen(folds[i].text));

        assert_string_equal(folded, folds[i].folded);
        free(folded);
    }
}

static void
folding_twice_changes_nothing(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        char *once = match_fold(rows[i].wanted, strlen(rows[i].wanted));
        char *twice = match_fold(once, strlen(once));

        assert_string_equal(twice, once);
        free(once);
        free(twice);
    }
}

static void
nothing_matches_in_an_empty_scope(void **state)
{
    const entity_t *matches[1];
    size_t matched;

    assert_int_equal(match_name("pay", NULL, 0, matches, &matched), MATCH_NOT_FOUND);
    assert_int_equal(matched, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_match_as_the_contract_says, fill_scope,
                                        free_scope),
        cmocka_unit_test(only_canonical_ascii_digits_within_int64_are_an_id),
        cmocka_unit_test(folding_leaves_out_what_cannot_be_seen),
        cmocka_unit_test(folding_twice_changes_nothing),
        cmocka_unit_test(nothing_matches_in_an_empty_scope),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
