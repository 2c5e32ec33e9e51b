// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "auto.h"
#include "limits.h"
#include "snapshot.h"

#include <cmocka.h>  // last: it defines fail()

enum { MANY = 100 * 1000 };

static const char *const tag_names[] = { "smoke", "Nightly", "NIGHTLY", "regression", "slow" };

static draft_t
draft_of(int64_t id, const char *name, const int64_t *project)
{
    return (draft_t){ .id = id, .name = name, .projects = project, .project_count = 1 };
}

static void
assert_in_order(const snapshot_t *snapshot)
{
    for (size_t i = 1; i < snapshot_count(snapshot); i++)
        assert_true(snapshot_nth(snapshot, i - 1)->id < snapshot_nth(snapshot, i)->id);
}

static void
entities_are_found_by_id_in_whatever_order_they_came(void **state)
{
    AUTO(snapshot_destroy) snapshot_t *snapshot = snapshot_new();
    static const int64_t ids[] = { 5, 3, 9, INT64_MAX, 3, -7, 0 };
    const int64_t project = 1;

    for (size_t i = 0; i < ROWS(ids); i++) {
        char name[16];
        snprintf(name, sizeof name, "n%zu", i);
        draft_t draft = draft_of(ids[i], name, &project);
        snapshot_add(snapshot, &draft);
    }
    snapshot_seal(snapshot);
    assert_int_equal(snapshot_count(snapshot), ROWS(ids) - 1);
    assert_in_order(snapshot);
    assert_string_equal(snapshot_find(snapshot, 3)->name, "n4");  // the last one counts
    assert_string_equal(snapshot_find(snapshot, INT64_MAX)->name, "n3");
    assert_string_equal(snapshot_find(snapshot, -7)->name, "n5");
    assert_null(snapshot_find(snapshot, 4));
}

static void
an_entity_knows_its_projects_tags_and_environment(void **state)
{
    AUTO(snapshot_destroy) snapshot_t *snapshot = snapshot_new();
    const int64_t projects[] = { 7, INT64_MIN, 9 };
    const uint32_t *numbers;
    draft_t draft = {
        .id = 1,
        .name = "Login",
        .environment_id = 12,
        .projects = projects,
        .project_count = 3,
        .tags = tag_names,
        .tag_count = 3,
        .history = tag_names + 3,
        .history_count = 2,
    };

    snapshot_add(snapshot, &draft);
    snapshot_seal(snapshot);
    const entity_t *entity = snapshot_find(snapshot, 1);
    assert_string_equal(entity->folded, "login");
    assert_int_equal(snapshot_projects_of(entity), 3);
    assert_true(snapshot_project_of(snapshot, entity, 1) == INT64_MIN);
    assert_true(snapshot_in_project(snapshot, entity, 9));
    assert_false(snapshot_in_project(snapshot, entity, 8));
    assert_false(snapshot_in_project(snapshot, entity, 12));
    assert_int_equal(snapshot_environment_of(snapshot, entity), 12);
    assert_int_equal(snapshot_tags_of(entity, &numbers), 3);
    assert_int_not_equal(numbers[1], numbers[2]);  // letter case is kept
    assert_string_equal(snapshot_tag_folded(snapshot, numbers[1]), "nightly");
    assert_string_equal(snapshot_tag(snapshot, numbers[2]), "NIGHTLY");
    assert_string_equal(snapshot_tag_folded(snapshot, numbers[2]), "nightly");
    assert_int_equal(snapshot_history_of(entity, &numbers), 2);
    assert_string_equal(snapshot_tag(snapshot, numbers[1]), "slow");
    assert_int_equal(snapshot_tags(snapshot), 5);
}

static void
a_tag_is_never_mistaken_for_an_id(void **state)
{
    AUTO(snapshot_destroy) snapshot_t *snapshot = snapshot_new();
    const char *tags[] = { "abcdefg", "abcdefgh", "" };
    int64_t project;
    const uint32_t *numbers;

    memcpy(&project, "abcdefg", sizeof project);
    draft_t draft = draft_of(1, "x", &project);
    draft.tags = tags;
    draft.tag_count = 3;
    snapshot_add(snapshot, &draft);
    snapshot_seal(snapshot);
    const entity_t *entity = snapshot_find(snapshot, 1);
    assert_true(snapshot_project_of(snapshot, entity, 0) == project);
    snapshot_tags_of(entity, &numbers);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(snapshot_tag(snapshot, numbers[i]), tags[i]);
}

static void
putting_replaces_inserts_and_keeps_the_order(void **state)
{
    AUTO(snapshot_destroy) snapshot_t *snapshot = snapshot_new();
    const int64_t project = 1, other = 2;
    const int64_t ids[] = { 10, 5, 20, 15, 1 };

    snapshot_seal(snapshot);
    for (size_t i = 0; i < ROWS(ids); i++) {
        draft_t draft = draft_of(ids[i], "old", &project);
        snapshot_put(snapshot, &draft);
    }
    draft_t draft = draft_of(15, "new", &other);
    snapshot_put(snapshot, &draft);
    assert_int_equal(snapshot_count(snapshot), ROWS(ids));
    assert_in_order(snapshot);
    assert_string_equal(snapshot_find(snapshot, 15)->name, "new");
    assert_true(snapshot_in_project(snapshot, snapshot_find(snapshot, 15), 2));
    assert_true(snapshot_remove(snapshot, 15));
    assert_false(snapshot_remove(snapshot, 15));
    assert_null(snapshot_find(snapshot, 15));
    assert_string_equal(snapshot_find(snapshot, 20)->name, "old");
}

static void
endless_changes_do_not_make_it_grow(void **state)
{
    AUTO(snapshot_destroy) snapshot_t *snapshot = snapshot_new();
    const int64_t project = 1;
    size_t largest = 0;

    snapshot_seal(snapshot);
    for (int i = 0; i < 50 * 1000; i++) {
        char name[32];
        snprintf(name, sizeof name, "Name number %d", i);
        draft_t draft = draft_of(i % 100, name, &project);
        draft.tags = tag_names;
        draft.tag_count = 1 + (size_t) i % ROWS(tag_names);
        snapshot_put(snapshot, &draft);
        if (snapshot_size(snapshot) > largest)
            largest = snapshot_size(snapshot);
    }
    assert_int_equal(snapshot_count(snapshot), 100);
    assert_string_equal(snapshot_find(snapshot, 42)->name, "Name number 49942");
    assert_string_equal(snapshot_find(snapshot, 42)->folded, "name number 49942");
    assert_true(largest < 256 * KIB);
}

static void
a_hundred_thousand_entities_fit_into_the_budget(void **state)
{
    AUTO(snapshot_destroy) snapshot_t *snapshot = snapshot_new();

    for (int64_t id = 1; id <= MANY; id++) {
        const int64_t project = id % 100;
        const char *tags[] = { tag_names[id % 5], tag_names[id % 3] };
        char name[64];
        snprintf(name, sizeof name, "Scenario %06d checks page", (int) id);
        draft_t draft = draft_of(id, name, &project);
        draft.tags = tags;
        draft.tag_count = 2;
        snapshot_add(snapshot, &draft);
    }
    snapshot_seal(snapshot);
    print_message("  %zu bytes\n", snapshot_size(snapshot));
    assert_int_equal(snapshot_count(snapshot), MANY);
    assert_true(snapshot_size(snapshot) <= SNAPSHOTS_PER_PRINCIPAL);
    assert_string_equal(snapshot_find(snapshot, MANY)->folded, "scenario 100000 checks page");
}

static void
so_do_as_many_of_which_no_two_are_tagged_alike(void **state)
{
    AUTO(snapshot_destroy) snapshot_t *snapshot = snapshot_new();
    static char names[1000][16];

    for (size_t i = 0; i < ROWS(names); i++)
        snprintf(names[i], sizeof names[i], "req:%zu", i);
    for (int64_t id = 1; id <= MANY; id++) {
        const int64_t project = id % 7;
        const char *tags[] = { names[id % 1000], names[id / 1000] };
        char name[64];
        snprintf(name, sizeof name, "Scenario %06d checks page", (int) id);
        draft_t draft = draft_of(id, name, &project);
        draft.tags = tags;
        draft.tag_count = 2;
        snapshot_add(snapshot, &draft);
    }
    snapshot_seal(snapshot);
    print_message("  %zu bytes\n", snapshot_size(snapshot));
    assert_true(snapshot_size(snapshot) <= SNAPSHOTS_PER_PRINCIPAL);
}

static void
put(snapshot_t *snapshot, int64_t id, const char *name)
{
    const int64_t project = 1;
    draft_t draft = draft_of(id, name, &project);

    snapshot_put(snapshot, &draft);
}

// "1 3" for the ids of that name, in the order in which they are found.
static const char *
named(const snapshot_t *snapshot, const char *folded)
{
    static char ids[200];
    const entity_t *entity = NULL;
    size_t size = 0;

    ids[0] = '\0';
    while ((entity = snapshot_named(snapshot, folded, entity)))
        size += (size_t) snprintf(ids + size, sizeof ids - size, "%s%d", size ? " " : "",
                                  (int) entity->id);
    return ids;
}

static void
entities_are_found_by_name_whatever_has_changed(void **state)
{
    AUTO(snapshot_destroy) snapshot_t *snapshot = snapshot_new();
    const int64_t project = 1;
    draft_t drafts[] = { draft_of(4, "Shop", &project), draft_of(2, "shop", &project),
                         draft_of(6, "bank", &project) };

    for (size_t i = 0; i < ROWS(drafts); i++)
        snapshot_add(snapshot, &drafts[i]);
    snapshot_seal(snapshot);
    assert_string_equal(named(snapshot, "shop"), "2 4");
    put(snapshot, 9, "SHOP");  // behind all others
    put(snapshot, 3, "shop");  // between them
    assert_string_equal(named(snapshot, "shop"), "2 3 4 9");
    put(snapshot, 3, "bank");
    put(snapshot, 6, "BANK");
    assert_string_equal(named(snapshot, "shop"), "2 4 9");
    assert_string_equal(named(snapshot, "bank"), "3 6");
    assert_true(snapshot_remove(snapshot, 2));
    assert_string_equal(named(snapshot, "shop"), "4 9");
    assert_string_equal(named(snapshot, "sho"), "");
    for (int64_t id = 100; id < 200; id++)
        put(snapshot, id, id % 2 ? "odd" : "even");
    assert_int_equal(strlen(named(snapshot, "odd")), 50 * 4 - 1);
    assert_string_equal(named(snapshot, "bank"), "3 6");
}

static snapshot_t *
make_numbered(size_t count)
{
    snapshot_t *snapshot = snapshot_new();
    const int64_t project = 1;
    char name[32];

    for (size_t i = 1; i <= count; i++) {
        snprintf(name, sizeof name, "Number %zu", i);
        draft_t draft = draft_of((int64_t) i, name, &project);
        snapshot_add(snapshot, &draft);
    }
    snapshot_seal(snapshot);
    return snapshot;
}

static double
time_of_look_ups(const snapshot_t *snapshot, const char *folded)
{
    struct timespec from, to;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (int i = 0; i < 5000; i++)
        assert_non_null(snapshot_named(snapshot, folded, NULL));
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    return (double) (to.tv_sec - from.tv_sec) * 1e9 + (double) (to.tv_nsec - from.tv_nsec);
}

// A walk over all names would take a thousand times as long.
static void
a_name_among_many_is_found_about_as_fast_as_among_few(void **state)
{
    AUTO(snapshot_destroy) snapshot_t *few = make_numbered(100);
    AUTO(snapshot_destroy) snapshot_t *many = make_numbered(MANY);
    double among_few = time_of_look_ups(few, "number 50");
    double among_many = time_of_look_ups(many, "number 50000");

    assert_true(among_many < 50 * among_few);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entities_are_found_by_id_in_whatever_order_they_came),
        cmocka_unit_test(an_entity_knows_its_projects_tags_and_environment),
        cmocka_unit_test(a_tag_is_never_mistaken_for_an_id),
        cmocka_unit_test(putting_replaces_inserts_and_keeps_the_order),
        cmocka_unit_test(endless_changes_do_not_make_it_grow),
        cmocka_unit_test(a_hundred_thousand_entities_fit_into_the_budget),
        cmocka_unit_test(entities_are_found_by_name_whatever_has_changed),
        cmocka_unit_test(a_name_among_many_is_found_about_as_fast_as_among_few),
        cmocka_unit_test(so_do_as_many_of_which_no_two_are_tagged_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
