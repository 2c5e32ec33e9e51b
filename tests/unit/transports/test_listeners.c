// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "mcp/listeners.h"

#include <cmocka.h>

static size_t told;

static void
count_event(const char *bytes, size_t size, void *arg)
{
    told++;
}

static void
there_are_so_many_and_no_more_until_one_goes(void **state)
{
    AUTO(listeners_destroy) listeners_t *listeners = listeners_new();
    listener_t *last = NULL;

    for (size_t i = 0; i < LISTENERS_MAX; i++) {
        last = listeners_add_session(listeners, "session", count_event, NULL);
        assert_non_null(last);
    }
    assert_null(listeners_add_session(listeners, "session", count_event, NULL));
    listeners_remove(listeners, &last);
    last = listeners_add_session(listeners, "session", count_event, NULL);
    assert_non_null(last);
    told = 0;
    listeners_tell(listeners, CHANGED_TOOLS, NULL);
    assert_int_equal(told, LISTENERS_MAX);
}

static void
only_who_watches_a_resource_hears_of_it(void **state)
{
    AUTO(listeners_destroy) listeners_t *listeners = listeners_new();

    listeners_add_session(listeners, "one", count_event, NULL);
    listeners_add_session(listeners, "two", count_event, NULL);
    assert_true(listeners_watch(listeners, "one", "proofarc://execution/1"));
    told = 0;
    listeners_tell(listeners, CHANGED_RESOURCE, "proofarc://execution/1");
    listeners_tell(listeners, CHANGED_RESOURCE, "proofarc://execution/2");
    assert_int_equal(told, 1);
    listeners_unwatch(listeners, "one", "proofarc://execution/1");
    listeners_tell(listeners, CHANGED_RESOURCE, "proofarc://execution/1");
    assert_int_equal(told, 1);
}

static void
a_session_watches_so_many_resources(void **state)
{
    AUTO(listeners_destroy) listeners_t *listeners = listeners_new();
    char uri[64], long_uri[WATCHED_URI_MAX + 2] = { 0 };

    for (int i = 0; i < WATCHED_MAX; i++) {
        snprintf(uri, sizeof uri, "proofarc://execution/%d", i);
        assert_true(listeners_watch(listeners, "one", uri));
    }
    assert_false(listeners_watch(listeners, "one", "proofarc://execution/more"));
    memset(long_uri, 'x', WATCHED_URI_MAX + 1);
    assert_false(listeners_watch(listeners, "two", long_uri));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_so_many_and_no_more_until_one_goes),
        cmocka_unit_test(only_who_watches_a_resource_hears_of_it),
        cmocka_unit_test(a_session_watches_so_many_resources),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
