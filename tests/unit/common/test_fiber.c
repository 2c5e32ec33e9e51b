// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/wait.h>
#include <unistd.h>

#include "fiber.h"

#include <cmocka.h>  // last: it defines fail()

static char story[64];
static size_t told;

static void
tell(const char *what)
{
    story[told++] = *what;
    story[told] = '\0';
}

static void
say_twice(void *arg)
{
    tell(arg);
    fiber_yield();
    tell(arg);
}

static void
fibers_take_turns_where_they_yield(void **state)
{
    fiber_t *one = fiber_new(say_twice, "a"), *two = fiber_new(say_twice, "b");

    told = 0;
    fiber_resume(one);
    fiber_resume(two);
    tell("-");
    fiber_resume(two);
    assert_true(fiber_has_ended(two));
    assert_false(fiber_has_ended(one));
    fiber_resume(one);
    assert_true(fiber_has_ended(one));
    assert_string_equal(story, "ab-ba");
    fiber_destroy(&one);
    fiber_destroy(&two);
    assert_null(one);
}

static void
resume_another(void *arg)
{
    tell("(");
    fiber_resume(arg);
    fiber_yield();
    fiber_resume(arg);
    tell(")");
}

static void
a_fiber_may_resume_another(void **state)
{
    fiber_t *inner = fiber_new(say_twice, "x"), *outer = fiber_new(resume_another, inner);

    told = 0;
    fiber_resume(outer);
    tell("-");
    fiber_resume(outer);
    assert_string_equal(story, "(x-x)");
    assert_true(fiber_has_ended(inner) && fiber_has_ended(outer));
    fiber_destroy(&inner);
    fiber_destroy(&outer);
}

static void
one_that_never_ran_can_be_destroyed(void **state)
{
    fiber_t *fiber = fiber_new(say_twice, "never");

    fiber_destroy(&fiber);
    assert_null(fiber);
}

static int
use_stack(int depth)
{
    volatile char page[4096];

    page[0] = (char) depth;
    return depth ? use_stack(depth - 1) + page[0] : 0;
}

static void
use_much_stack(void *arg)
{
    use_stack(*(int *) arg);
}

// In a process of its own, because the second one ends it.
static int
end_of_use(int depth)
{
    int status;
    pid_t child = fork();

    if (!child) {
        fiber_t *fiber = fiber_new(use_much_stack, &depth);
        fiber_resume(fiber);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void
a_stack_is_large_and_nobody_runs_over_its_end(void **state)
{
    assert_int_equal(end_of_use(50), 0);
    assert_int_not_equal(end_of_use(400), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fibers_take_turns_where_they_yield),
        cmocka_unit_test(a_fiber_may_resume_another),
        cmocka_unit_test(one_that_never_ran_can_be_destroyed),
        cmocka_unit_test(a_stack_is_large_and_nobody_runs_over_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
