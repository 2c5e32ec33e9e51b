// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "auto.h"
#include "cache.h"
#include "limits.h"

#include <cmocka.h>  // last: it defines fail()

enum { NOW = 1000 * 1000 };

static const cache_key_t ann = { "s1", "ann" };
static const cache_key_t ann_again = { "s2", "ann" };
static const cache_key_t bob = { "s1", "bob" };
static const cache_key_t ann_alone = { "", "ann" };

// A snapshot of one entity whose name has `size` characters.
static snapshot_t *
snapshot_of(size_t size)
{
    AUTO(buffer_clear) buffer_t name = { 0 };
    snapshot_t *snapshot = snapshot_new();
    const int64_t project = 7;

    for (size_t i = 0; i < size; i++)
        buffer_char(&name, 'x');
    draft_t draft = { .id = 1, .name = name.bytes, .projects = &project, .project_count = 1 };
    snapshot_add(snapshot, &draft);
    snapshot_seal(snapshot);
    return snapshot;
}

static bool
store(cache_t *cache, const cache_key_t *key, kind_t kind, size_t size, int64_t now_ms)
{
    snapshot_t *snapshot = snapshot_of(size);

    return cache_store(cache, key, kind, 0, &snapshot, "\"e1\"", now_ms);
}

static bool
holds(cache_t *cache, const cache_key_t *key, kind_t kind, int64_t now_ms)
{
    const holding_t *held = cache_find(cache, key, kind, 0, now_ms);

    return held && held->snapshot;
}

static void
a_snapshot_belongs_to_one_session_of_one_principal(void **state)
{
    AUTO(cache_destroy) cache_t *cache = cache_new(SNAPSHOTS_PER_PRINCIPAL, SNAPSHOTS_MAX);

    assert_true(store(cache, &ann, KIND_PROJECT, 10, NOW));
    assert_true(holds(cache, &ann, KIND_PROJECT, NOW));
    assert_false(holds(cache, &ann, KIND_SCENARIO, NOW));
    assert_false(holds(cache, &ann_again, KIND_PROJECT, NOW));
    assert_false(holds(cache, &ann_alone, KIND_PROJECT, NOW));
    assert_false(holds(cache, &bob, KIND_PROJECT, NOW));
}

static void
a_session_lives_a_day_however_much_it_is_used(void **state)
{
    AUTO(cache_destroy) cache_t *cache = cache_new(SNAPSHOTS_PER_PRINCIPAL, SNAPSHOTS_MAX);

    store(cache, &ann, KIND_PROJECT, 10, NOW);
    assert_true(holds(cache, &ann, KIND_PROJECT, NOW + SESSION_MS / 2));
    assert_true(holds(cache, &ann, KIND_PROJECT, NOW + SESSION_MS - 1));
    assert_false(holds(cache, &ann, KIND_PROJECT, NOW + SESSION_MS));
    assert_int_equal(cache_scopes(cache), 0);
    assert_int_equal(cache_size(cache), 0);
}

static void
without_a_session_half_an_hour_slides_with_every_use(void **state)
{
    AUTO(cache_destroy) cache_t *cache = cache_new(SNAPSHOTS_PER_PRINCIPAL, SNAPSHOTS_MAX);
    int64_t now_ms = NOW;

    store(cache, &ann_alone, KIND_PROJECT, 10, now_ms);
    for (int i = 0; i < 10; i++) {
        now_ms += PRINCIPAL_SCOPE_MS - 1;
        assert_true(holds(cache, &ann_alone, KIND_PROJECT, now_ms));
    }
    assert_false(holds(cache, &ann_alone, KIND_PROJECT, now_ms + PRINCIPAL_SCOPE_MS));
}

static void
what_has_outlived_its_time_is_dropped_without_being_asked_for(void **state)
{
    AUTO(cache_destroy) cache_t *cache = cache_new(SNAPSHOTS_PER_PRINCIPAL, SNAPSHOTS_MAX);

    store(cache, &ann, KIND_PROJECT, 10, NOW);
    store(cache, &ann_alone, KIND_PROJECT, 10, NOW);
    cache_expire(cache, NOW + PRINCIPAL_SCOPE_MS - 1);
    assert_int_equal(cache_scopes(cache), 2);
    cache_expire(cache, NOW + PRINCIPAL_SCOPE_MS);
    assert_int_equal(cache_scopes(cache), 1);
    cache_expire(cache, NOW + SESSION_MS);
    assert_int_equal(cache_scopes(cache), 0);
    assert_int_equal(cache_size(cache), 0);
}

static void
over_the_budget_of_a_principal_its_oldest_session_goes(void **state)
{
    AUTO(cache_destroy) cache_t *cache = cache_new(100 * KIB, SNAPSHOTS_MAX);

    store(cache, &bob, KIND_PROJECT, 40 * KIB, NOW);
    store(cache, &ann, KIND_PROJECT, 40 * KIB, NOW);
    store(cache, &ann_again, KIND_PROJECT, 40 * KIB, NOW);
    assert_true(holds(cache, &ann, KIND_PROJECT, NOW));  // now ann_again is the oldest
    assert_true(store(cache, &ann_alone, KIND_PROJECT, 40 * KIB, NOW));
    assert_false(holds(cache, &ann_again, KIND_PROJECT, NOW));
    assert_true(holds(cache, &ann, KIND_PROJECT, NOW));
    assert_true(holds(cache, &ann_alone, KIND_PROJECT, NOW));
    assert_true(holds(cache, &bob, KIND_PROJECT, NOW));
}

static void
then_the_least_recently_used_list_of_the_session_goes(void **state)
{
    AUTO(cache_destroy) cache_t *cache = cache_new(100 * KIB, SNAPSHOTS_MAX);

    store(cache, &ann, KIND_PROJECT, 40 * KIB, NOW);
    store(cache, &ann, KIND_ENVIRONMENT, 40 * KIB, NOW);
    assert_true(holds(cache, &ann, KIND_PROJECT, NOW));
    assert_true(store(cache, &ann, KIND_SCENARIO, 40 * KIB, NOW));
    assert_false(holds(cache, &ann, KIND_ENVIRONMENT, NOW));
    assert_true(holds(cache, &ann, KIND_PROJECT, NOW));
    assert_true(holds(cache, &ann, KIND_SCENARIO, NOW));
}

static void
one_list_over_the_budget_is_refused_and_leaves_nothing(void **state)
{
    AUTO(cache_destroy) cache_t *cache = cache_new(100 * KIB, SNAPSHOTS_MAX);

    assert_true(store(cache, &ann, KIND_PROJECT, 30 * KIB, NOW));
    assert_false(store(cache, &ann, KIND_SCENARIO, 100 * KIB, NOW));
    assert_int_equal(cache_size(cache), 0);
    assert_int_equal(cache_scopes(cache), 0);
}

static void
the_budget_is_exact(void **state)
{
    AUTO(cache_destroy) cache_t *measure = cache_new(SNAPSHOTS_PER_PRINCIPAL, SNAPSHOTS_MAX);

    store(measure, &ann, KIND_PROJECT, 1000, NOW);
    size_t size = cache_size(measure);
    for (int spare = -1; spare <= 1; spare++) {
        AUTO(cache_destroy) cache_t *one = cache_new(size + (size_t) spare, SNAPSHOTS_MAX);
        AUTO(cache_destroy) cache_t *all = cache_new(SNAPSHOTS_MAX, size + (size_t) spare);
        assert_int_equal(store(one, &ann, KIND_PROJECT, 1000, NOW), spare >= 0);
        assert_int_equal(store(all, &ann, KIND_PROJECT, 1000, NOW), spare >= 0);
    }
}

static void
over_the_budget_of_all_the_oldest_session_of_anybody_goes(void **state)
{
    AUTO(cache_destroy) cache_t *cache = cache_new(100 * KIB, 100 * KIB);

    store(cache, &bob, KIND_PROJECT, 40 * KIB, NOW);
    store(cache, &ann, KIND_PROJECT, 40 * KIB, NOW);
    assert_true(holds(cache, &bob, KIND_PROJECT, NOW));
    assert_true(store(cache, &ann_alone, KIND_PROJECT, 40 * KIB, NOW));
    assert_false(holds(cache, &ann, KIND_PROJECT, NOW));
    assert_true(holds(cache, &bob, KIND_PROJECT, NOW));
}

static void
a_hundred_thousand_principals_stay_within_the_budget(void **state)
{
    AUTO(cache_destroy) cache_t *cache = cache_new(MIB, 8 * MIB);

    for (int i = 0; i < 100 * 1000; i++) {
        char principal[32], session[16];
        const cache_key_t key = { session, principal };
        snprintf(principal, sizeof principal, "issuer|user-%d|analyst", i);
        snprintf(session, sizeof session, "%s", i % 2 ? "s" : "");
        store(cache, &key, KIND_PROJECT, 10, NOW + i);
        assert_true(cache_size(cache) <= 8 * MIB);
    }
    print_message("  %zu scopes in %zu bytes\n", cache_scopes(cache), cache_size(cache));
    assert_true(cache_scopes(cache) > 1000);
    cache_expire(cache, NOW + 2 * (int64_t) SESSION_MS);
    assert_int_equal(cache_size(cache), 0);
}

static void
a_write_changes_every_snapshot_of_the_principal_and_no_other(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(cache_destroy) cache_t *cache = cache_new(SNAPSHOTS_PER_PRINCIPAL, SNAPSHOTS_MAX);
    const cache_key_t *const keys[] = { &ann, &ann_again, &ann_alone, &bob };

    for (size_t i = 0; i < ROWS(keys); i++) {
        store(cache, keys[i], KIND_SCENARIO, 10, NOW);
        store(cache, keys[i], KIND_PROJECT, 10, NOW);
    }
    cache_patch(cache, "ann", KIND_SCENARIO,
                json_parse_text(arena, "{\"id\":9,\"name\":\"new\",\"projectIds\":[7]}"),
                false);
    cache_patch(cache, "ann", KIND_SCENARIO, json_parse_text(arena, "{\"id\":1}"), true);
    for (size_t i = 0; i < ROWS(keys); i++) {
        const holding_t *held = cache_find(cache, keys[i], KIND_SCENARIO, 0, NOW);
        bool is_changed = keys[i] != &bob;
        assert_int_equal(snapshot_find(held->snapshot, 9) != NULL, is_changed);
        assert_int_equal(snapshot_find(held->snapshot, 1) == NULL, is_changed);
        assert_int_equal(held->etag == NULL, is_changed);  // it is not what the platform had
        held = cache_find(cache, keys[i], KIND_PROJECT, 0, NOW);
        assert_non_null(snapshot_find(held->snapshot, 1));
        assert_non_null(held->etag);
    }
}

static void
a_list_of_one_project_has_only_what_belongs_to_it(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(cache_destroy) cache_t *cache = cache_new(SNAPSHOTS_PER_PRINCIPAL, SNAPSHOTS_MAX);
    snapshot_t *snapshot = snapshot_of(10);

    cache_store(cache, &ann, KIND_SCENARIO, 7, &snapshot, NULL, NOW);
    cache_patch(cache, "ann", KIND_SCENARIO,
                json_parse_text(arena, "{\"id\":2,\"name\":\"b\",\"projectIds\":[8]}"), false);
    cache_patch(cache, "ann", KIND_SCENARIO,
                json_parse_text(arena, "{\"id\":3,\"name\":\"c\",\"projectIds\":[7,8]}"),
                false);
    const holding_t *held = cache_find(cache, &ann, KIND_SCENARIO, 7, NOW);
    assert_null(snapshot_find(held->snapshot, 2));
    assert_non_null(snapshot_find(held->snapshot, 3));
    cache_patch(cache, "ann", KIND_SCENARIO,
                json_parse_text(arena, "{\"id\":1,\"projectIds\":[8]}"), false);
    assert_null(snapshot_find(held->snapshot, 1));
}

static void
a_snapshot_that_cannot_follow_a_write_is_dropped(void **state)
{
    static const char *const entities[] = {
        "null", "[]", "{}", "{\"name\":\"no id\"}", "{\"id\":2}", "{\"id\":1,\"tags\":7}",
    };
    AUTO(arena_destroy) arena_t *arena = arena_new();

    for (size_t i = 0; i < ROWS(entities); i++) {
        AUTO(cache_destroy) cache_t *cache = cache_new(SNAPSHOTS_PER_PRINCIPAL, SNAPSHOTS_MAX);
        store(cache, &ann, KIND_SCENARIO, 10, NOW);
        store(cache, &ann, KIND_PROJECT, 10, NOW);
        cache_patch(cache, "ann", KIND_SCENARIO, json_parse_text(arena, entities[i]), false);
        assert_false(holds(cache, &ann, KIND_SCENARIO, NOW));
        assert_true(holds(cache, &ann, KIND_PROJECT, NOW));
    }
}

static void
a_project_that_is_gone_takes_all_lists_with_it(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(cache_destroy) cache_t *cache = cache_new(SNAPSHOTS_PER_PRINCIPAL, SNAPSHOTS_MAX);

    store(cache, &ann, KIND_SCENARIO, 10, NOW);
    store(cache, &ann, KIND_PROJECT, 10, NOW);
    cache_patch(cache, "ann", KIND_PROJECT, json_parse_text(arena, "{\"id\":1}"), true);
    assert_false(holds(cache, &ann, KIND_SCENARIO, NOW));
    assert_true(holds(cache, &ann, KIND_PROJECT, NOW));
}

static void
writes_cannot_push_a_principal_over_its_budget(void **state)
{
    AUTO(cache_destroy) cache_t *cache = cache_new(100 * KIB, SNAPSHOTS_MAX);

    store(cache, &ann, KIND_SCENARIO, 10, NOW);
    store(cache, &ann_again, KIND_SCENARIO, 10, NOW);
    store(cache, &bob, KIND_SCENARIO, 10, NOW);
    for (int i = 0; i < 5000; i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        json_t *entity = json_object(arena);
        json_set_int(arena, entity, "id", i);
        json_set_text(arena, entity, "name", "Another scenario of a very busy afternoon");
        cache_patch(cache, "ann", KIND_SCENARIO, entity, false);
        assert_true(cache_size(cache) <= 110 * KIB);
    }
    assert_true(holds(cache, &bob, KIND_SCENARIO, NOW));
}

static void
an_unchanged_list_is_fresh_again_only_if_it_is_the_one_that_was_asked_about(void **state)
{
    AUTO(cache_destroy) cache_t *cache = cache_new(SNAPSHOTS_PER_PRINCIPAL, SNAPSHOTS_MAX);

    store(cache, &ann, KIND_PROJECT, 10, NOW);
    assert_true(cache_confirm(cache, &ann, KIND_PROJECT, 0, "\"e1\"", NOW + 5));
    assert_int_equal(cache_find(cache, &ann, KIND_PROJECT, 0, NOW)->fetched_ms, NOW + 5);
    assert_false(cache_confirm(cache, &ann, KIND_PROJECT, 0, "\"e2\"", NOW + 9));
    assert_false(cache_confirm(cache, &ann, KIND_SCENARIO, 0, "\"e1\"", NOW + 9));
    assert_false(cache_confirm(cache, &bob, KIND_PROJECT, 0, "\"e1\"", NOW + 9));
    assert_int_equal(cache_find(cache, &ann, KIND_PROJECT, 0, NOW)->fetched_ms, NOW + 5);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_belongs_to_one_session_of_one_principal),
        cmocka_unit_test(a_session_lives_a_day_however_much_it_is_used),
        cmocka_unit_test(without_a_session_half_an_hour_slides_with_every_use),
        cmocka_unit_test(what_has_outlived_its_time_is_dropped_without_being_asked_for),
        cmocka_unit_test(over_the_budget_of_a_principal_its_oldest_session_goes),
        cmocka_unit_test(then_the_least_recently_used_list_of_the_session_goes),
        cmocka_unit_test(one_list_over_the_budget_is_refused_and_leaves_nothing),
        cmocka_unit_test(the_budget_is_exact),
        cmocka_unit_test(over_the_budget_of_all_the_oldest_session_of_anybody_goes),
        cmocka_unit_test(a_hundred_thousand_principals_stay_within_the_budget),
        cmocka_unit_test(a_write_changes_every_snapshot_of_the_principal_and_no_other),
        cmocka_unit_test(a_list_of_one_project_has_only_what_belongs_to_it),
        cmocka_unit_test(a_snapshot_that_cannot_follow_a_write_is_dropped),
        cmocka_unit_test(a_project_that_is_gone_takes_all_lists_with_it),
        cmocka_unit_test(writes_cannot_push_a_principal_over_its_budget),
        cmocka_unit_test(
            an_unchanged_list_is_fresh_again_only_if_it_is_the_one_that_was_asked_about),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
