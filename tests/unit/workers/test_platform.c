// SPDX-License-Identifier: Apache-2.0
// What the platform's refusals become.
#include "world.h"

#define NAMES                                                                                  \
    "{\"names\":[{\"param\":\"project\",\"kind\":\"project\",\"value\":995,"                   \
    "\"must\":true,\"gone\":false}]}"

// Nothing of ours waits and repeats: the caller is told when to come again.
static void
a_platform_that_is_busy_says_when_to_come_again(void **state)
{
    static const char *const ends[] = {
        "HTTP 429; come again in 30 s\"",
        "too much; come again after Fri, 31 Dec 2027 23:59:59 GMT\"",
        "HTTP 429\"",  // what it says besides is no time
        "HTTP 503\"",
    };

    for (size_t i = 0; i < ROWS(ends); i++) {
        call_tool("list_things", "{\"project\":995}");
        resolve(NAMES, OK, "{\"resolved\":{\"project\":{\"id\":995}}}");
        answer_t answer = await_answer();
        print_message("  %s\n", answer.body);
        assert_int_equal(answer.status, BUSY);
        assert_int_equal(answer.outcome, NOT_SENT);
        assert_non_null(strstr(answer.body, ends[i]));
    }
    assert_int_equal(fake_platform_count(&world.platform, "GET /api/projects/995/things "),
                     ROWS(ends));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_platform_that_is_busy_says_when_to_come_again),
    };
    zsys_init();
    zsys_handler_set(NULL);
    return cmocka_run_group_tests(tests, start_world, stop_world);
}
