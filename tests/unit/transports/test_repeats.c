// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "auto.h"
#include "limits.h"
#include "mcp/repeats.h"

#include <cmocka.h>

typedef struct {
    arena_t *arena;
    repeats_t *repeats;
} fixture_t;

static void
open_fixture(fixture_t *self)
{
    *self = (fixture_t){ arena_new(), repeats_new() };
}

static void
close_fixture(fixture_t *self)
{
    repeats_destroy(&self->repeats);
    arena_destroy(&self->arena);
}

static void
add(fixture_t *self, const char *arguments, const char *key)
{
    repeats_add(self->repeats, "ann", "make", json_parse_text(self->arena, arguments), key,
                1000);
}

static const char *
find(fixture_t *self, const char *principal, const char *tool, const char *arguments,
     int64_t now_ms)
{
    const json_t *json = arguments ? json_parse_text(self->arena, arguments) : NULL;

    return repeats_find(self->repeats, principal, tool, json, now_ms);
}

static void
an_equal_write_is_known_by_all_that_makes_it(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f);
    assert_null(find(&f, "ann", "make", "{\"a\":1}", 1000));
    add(&f, "{\"a\":1,\"b\":[\"x\",null]}", "k1");
    assert_string_equal(
        find(&f, "ann", "make", "{ \"b\":[\"\\u0078\",null], \"a\":1.0 }", 1001), "k1");
    assert_null(find(&f, "bob", "make", "{\"a\":1,\"b\":[\"x\",null]}", 1001));
    assert_null(find(&f, "ann", "makes", "{\"a\":1,\"b\":[\"x\",null]}", 1001));
    assert_null(find(&f, "ann", "make", "{\"a\":1,\"b\":[null,\"x\"]}", 1001));
    assert_null(find(&f, "ann", "make", NULL, 1001));
    assert_null(find(&f, "annmak", "e", "{\"a\":1,\"b\":[\"x\",null]}", 1001));
}

static void
it_is_known_for_a_minute(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f);
    add(&f, "{}", "k1");
    assert_string_equal(find(&f, "ann", "make", "{}", 1000 + REPEAT_WINDOW_MS - 1), "k1");
    assert_null(find(&f, "ann", "make", "{}", 1000 + REPEAT_WINDOW_MS));
}

static void
it_is_forgotten_once_its_outcome_is_known(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f);
    add(&f, "{}", "k1");
    add(&f, "{\"a\":1}", "k2");
    repeats_settle(f.repeats, "k1");
    repeats_settle(f.repeats, "unknown");
    assert_null(find(&f, "ann", "make", "{}", 1001));
    assert_string_equal(find(&f, "ann", "make", "{\"a\":1}", 1001), "k2");
}

static void
the_oldest_gives_way(void **state)
{
    AUTO(close_fixture) fixture_t f;
    char arguments[32], key[32];

    open_fixture(&f);
    for (int i = 0; i < REPEATS_MAX + 1; i++) {
        snprintf(arguments, sizeof arguments, "{\"n\":%d}", i);
        snprintf(key, sizeof key, "k%d", i);
        add(&f, arguments, key);
    }
    assert_null(find(&f, "ann", "make", "{\"n\":0}", 1001));
    assert_string_equal(find(&f, "ann", "make", "{\"n\":1}", 1001), "k1");
    assert_string_equal(find(&f, "ann", "make", arguments, 1001), key);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_equal_write_is_known_by_all_that_makes_it),
        cmocka_unit_test(it_is_known_for_a_minute),
        cmocka_unit_test(it_is_forgotten_once_its_outcome_is_known),
        cmocka_unit_test(the_oldest_gives_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
