// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "registry.h"

#include <cmocka.h>  // last: it defines fail()

static registry_t *
registry_of_two(void)
{
    static const char *const names[] = { "explore", "act" };

    return registry_new(names, ROWS(names));
}

// Offers copies of the entries; the number of the category that has one of them already goes
// to *clash_p.
static status_t
offer(registry_t *registry, const entry_msg_t *entries, size_t count, size_t *clash_p)
{
    void *bytes;
    size_t size;
    entry_msg_t *copies;
    failure_t why;

    catalogue_pack(entries, count, &bytes, &size);
    status_t status = catalogue_unpack((wire_bin_t){ bytes, size }, &copies, &count, &why);
    free(bytes);
    if (!status)
        status = registry_offer(registry, &copies, count, clash_p);
    if (status)
        catalogue_free(&copies, count);
    return status;
}

// Names of all entries, in order, each followed by a blank.
static void
list(const registry_t *registry, char text[256])
{
    entry_msg_t *entries;
    size_t count;
    failure_t why;

    text[0] = '\0';
    assert_int_equal(catalogue_unpack(registry_packed(registry), &entries, &count, &why), OK);
    for (size_t i = 0; i < count; i++)
        snprintf(text + strlen(text), 256 - strlen(text), "%s ", entries[i].name);
    catalogue_free(&entries, count);
}

static void
entries_stand_in_the_order_of_categories_then_by_name_then_as_offered(void **state)
{
    static const entry_msg_t entries[] = {
        { .kind = "tool", .category = "zoo", .name = "z2" },
        { .kind = "tool", .category = "act", .name = "run" },
        { .kind = "tool", .category = "zoo", .name = "z1" },
        { .kind = "tool", .category = "ant", .name = "a" },
        { .kind = "tool", .category = "explore", .name = "look" },
    };
    AUTO(registry_destroy) registry_t *registry = registry_of_two();
    size_t clash = 99;
    char text[256];

    assert_int_equal(offer(registry, entries, ROWS(entries), &clash), OK);
    list(registry, text);
    assert_string_equal(text, "look run a z2 z1 ");
    assert_int_equal(clash, 99);
    assert_true(registry_is_complete(registry));
}

static void
a_later_offer_replaces_its_categories_and_no_others(void **state)
{
    static const entry_msg_t first[] = {
        { .kind = "tool", .category = "explore", .name = "look" },
        { .kind = "tool", .category = "act", .name = "run" },
    };
    static const entry_msg_t second[] = {
        { .kind = "tool", .category = "act", .name = "walk" },
        { .kind = "tool", .category = "act", .name = "jump" },
    };
    AUTO(registry_destroy) registry_t *registry = registry_of_two();
    size_t clash;
    char text[256];
    offer_t found;

    offer(registry, first, ROWS(first), &clash);
    int64_t version = registry_version(registry);
    offer(registry, second, ROWS(second), &clash);
    list(registry, text);
    assert_string_equal(text, "look walk jump ");
    assert_int_equal(registry_version(registry), version + 1);
    assert_false(registry_find(registry, "tool", "run", &found));
    assert_true(registry_find(registry, "tool", "jump", &found));
    assert_string_equal(registry_name(registry, found.category), "act");
    offer(registry, second, ROWS(second), &clash);
    assert_int_equal(registry_version(registry), version + 1);  // nothing new
}

static void
a_name_belongs_to_the_category_that_had_it_first(void **state)
{
    static const entry_msg_t first = { .kind = "tool", .category = "explore", .name = "look" };
    static const entry_msg_t second[] = {
        { .kind = "tool", .category = "act", .name = "look" },
        { .kind = "prompt", .category = "act", .name = "look" },  // another kind of thing
    };
    AUTO(registry_destroy) registry_t *registry = registry_of_two();
    size_t clash = 99;
    char text[256];
    offer_t found;

    offer(registry, &first, 1, &clash);
    assert_int_equal(offer(registry, second, ROWS(second), &clash), OK);
    assert_string_equal(registry_name(registry, clash), "explore");
    list(registry, text);
    assert_string_equal(text, "look look ");
    assert_true(registry_find(registry, "tool", "look", &found));
    assert_string_equal(registry_name(registry, found.category), "explore");
}

static const entry_msg_t things[] = {
    { .kind = "tool", .category = "explore", .name = "look", .effect = "reads" },
    { .kind = "tool", .category = "explore", .name = "write", .effect = "writes" },
    { .kind = "tool", .category = "act", .name = "run", .effect = "executes" },
    { .kind = "tool", .category = "act", .name = "drop", .effect = "deletes" },
    { .kind = "tool", .category = "act", .name = "odd", .effect = "" },
    { .kind = "prompt", .category = "act", .name = "help" },
    { .kind = "resource", .category = "act", .name = "proofarc://about" },
    { .kind = "template", .category = "act", .name = "proofarc://execution/{execution_id}" },
    { .kind = "template", .category = "act", .name = "proofarc://run/{id}/report" },
};

// clang-format off
static const struct {
    const char *kind, *name;
    bool is_there, reads;
} lookups[] = {
    { "tool",     "look",                        true,  true  },
    { "tool",     "write",                       true,  false },
    { "tool",     "run",                         true,  false },
    { "tool",     "drop",                        true,  false },
    { "tool",     "odd",                         true,  false },  // no effect said: a write
    { "tool",     "loo",                         false, false },
    { "tool",     "look2",                       false, false },
    { "tool",     "",                            false, false },
    { "tool",     "help",                        false, false },
    { "prompt",   "help",                        true,  true  },
    { "prompt",   "look",                        false, false },
    { "resource", "proofarc://about",            true,  true  },
    { "resource", "proofarc://execution/12",     true,  true  },
    { "resource", "proofarc://execution/",       false, false },
    { "resource", "proofarc://execution",        false, false },
    { "resource", "proofarc://run/12/report",    true,  true  },
    { "resource", "proofarc://run//report",      false, false },
    { "resource", "proofarc://run/12/reports",   false, false },
    { "resource", "x",                           false, false },
    { "complete", "proofarc://execution/{execution_id}", true, true },
    { "complete", "help",                        true,  true  },
    { "complete", "nothing",                     false, false },
    { "task",     "drop.7f3c",                   true,  true  },
    { "task",     "drop",                        true,  true  },
    { "task",     "drops.7f3c",                  false, false },
    { "task",     ".7f3c",                       false, false },
    { "entry",    "look",                        false, false },
    { "",         "look",                        false, false },
};
// clang-format on

static void
calls_find_what_they_mean(void **state)
{
    AUTO(registry_destroy) registry_t *registry = registry_of_two();
    size_t clash;

    offer(registry, things, ROWS(things), &clash);
    for (size_t i = 0; i < ROWS(lookups); i++) {
        offer_t found = { 0 };
        print_message("  %s %s\n", lookups[i].kind, lookups[i].name);
        assert_int_equal(registry_find(registry, lookups[i].kind, lookups[i].name, &found),
                         lookups[i].is_there);
        assert_int_equal(found.reads, lookups[i].reads);
    }
}

static void
a_template_without_an_end_matches_nothing(void **state)
{
    static const entry_msg_t entry = { .kind = "template", .category = "act", .name = "a{b" };
    AUTO(registry_destroy) registry_t *registry = registry_of_two();
    size_t clash;
    offer_t found;

    offer(registry, &entry, 1, &clash);
    assert_false(registry_find(registry, "resource", "a12", &found));
}

static void
the_number_of_entries_of_all_categories_is_limited(void **state)
{
    for (int over = -1; over <= 1; over++) {
        AUTO(registry_destroy) registry_t *registry = registry_of_two();
        entry_msg_t *many = calloc(CATALOGUE_ENTRIES_MAX, sizeof *many);
        char(*names)[24] = calloc(CATALOGUE_ENTRIES_MAX, sizeof *names);
        size_t count = CATALOGUE_ENTRIES_MAX - 1 + over, clash;

        for (size_t i = 0; i < count; i++) {
            snprintf(names[i], sizeof names[i], "t%zu", i);
            many[i] = (entry_msg_t){ .kind = "tool", .category = "act", .name = names[i] };
        }
        assert_int_equal(offer(registry, things, 1, &clash), OK);
        int64_t version = registry_version(registry);
        assert_int_equal(offer(registry, many, count, &clash), over > 0 ? TOO_LARGE : OK);
        assert_int_equal(registry_version(registry), version + (over <= 0));
        free(many);
        free(names);
    }
}

static void
the_bytes_of_all_entries_are_limited(void **state)
{
    enum { SIZE = 3 * 1024 * 1024 };
    AUTO(registry_destroy) registry_t *registry = registry_of_two();
    char *json = calloc(1, SIZE + 1);
    size_t clash;
    entry_msg_t big = { .kind = "tool", .category = "act", .name = "big", .json = json };

    memset(json, ' ', SIZE);
    assert_int_equal(offer(registry, &big, 1, &clash), OK);
    big.category = "explore";
    big.name = "bigger";
    assert_int_equal(offer(registry, &big, 1, &clash), TOO_LARGE);
    big.category = "act";
    assert_int_equal(offer(registry, &big, 1, &clash), OK);  // it takes the place of the first
    free(json);
}

static void
the_number_of_categories_is_limited(void **state)
{
    for (int over = -1; over <= 1; over++) {
        AUTO(registry_destroy) registry_t *registry = registry_of_two();
        entry_msg_t many[CATEGORIES_MAX] = { 0 };
        char names[CATEGORIES_MAX][32];
        size_t count = CATEGORIES_MAX - 2 + over, clash;

        for (size_t i = 0; i < count; i++) {
            snprintf(names[i], sizeof names[i], "category%zu", i);
            many[i] = (entry_msg_t){ .kind = "tool", .category = names[i], .name = names[i] };
        }
        assert_int_equal(offer(registry, many, count, &clash), over > 0 ? BAD_ARGS : OK);
        assert_int_equal(registry_count(registry), over > 0 ? 2 : 2 + count);
    }
}

static void
an_entry_without_a_category_is_refused(void **state)
{
    static const entry_msg_t entries[] = {
        { .kind = "tool", .category = "new", .name = "a" },
        { .kind = "tool", .name = "b" },
    };
    AUTO(registry_destroy) registry_t *registry = registry_of_two();
    size_t clash;

    assert_int_equal(offer(registry, entries, ROWS(entries), &clash), BAD_ARGS);
    assert_int_equal(registry_count(registry), 2);
    assert_int_equal(registry_version(registry), 1);
}

static void
a_category_named_twice_is_expected_once(void **state)
{
    static const char *const names[] = { "act", "act" };
    AUTO(registry_destroy) registry_t *registry = registry_new(names, ROWS(names));
    size_t clash;

    assert_false(registry_is_complete(registry));
    offer(registry, &things[2], 1, &clash);
    assert_true(registry_is_complete(registry));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_stand_in_the_order_of_categories_then_by_name_then_as_offered),
        cmocka_unit_test(a_later_offer_replaces_its_categories_and_no_others),
        cmocka_unit_test(a_name_belongs_to_the_category_that_had_it_first),
        cmocka_unit_test(calls_find_what_they_mean),
        cmocka_unit_test(a_template_without_an_end_matches_nothing),
        cmocka_unit_test(the_number_of_entries_of_all_categories_is_limited),
        cmocka_unit_test(the_bytes_of_all_entries_are_limited),
        cmocka_unit_test(the_number_of_categories_is_limited),
        cmocka_unit_test(an_entry_without_a_category_is_refused),
        cmocka_unit_test(a_category_named_twice_is_expected_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
