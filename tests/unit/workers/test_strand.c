// SPDX-License-Identifier: Apache-2.0
// Strands in a real loop: jobs that wait for one another, for a time, or for the end.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "auto.h"
#include "clock.h"
#include "strand.h"

#include <cmocka.h>  // last: it defines fail()

enum { STRANDS = 3, GUARD_MS = 20 * 1000 };

// One job: waits until it is told, or until its time has come.
typedef struct {
    int64_t wait_ms;  // 0: does not wait, -1: until it is told
    bool is_told;
    strand_t *strand;  // while it waits
    bool was_ending;
} job_t;

static zloop_t *loop;
static strands_t *strands;
static int opened, closed;
static job_t *done[16];
static size_t done_count;
static job_t *next_job;  // given by the first `done`

static void *
open_state(void *shared, strand_t *strand)
{
    opened++;
    return strand;
}

static void
close_state(void *state)
{
    closed++;
}

static void
work(void *state, void *arg)
{
    job_t *job = arg;
    const int64_t until_ms = job->wait_ms < 0 ? INT64_MAX : clock_now_ms() + job->wait_ms;

    job->strand = state;
    while (job->wait_ms && !job->is_told && clock_now_ms() < until_ms
           && !strand_is_ending(state))
        strand_wait(state, until_ms);
    job->was_ending = strand_is_ending(state);
}

static void
on_done(void *owner, void *arg)
{
    done[done_count++] = arg;
    if (next_job) {
        job_t *next = next_job;
        next_job = NULL;
        assert_true(strands_give(strands, next));
    }
}

static const strand_ops_t ops = { open_state, work, close_state, on_done };

static int
start(void **state)
{
    loop = zloop_new();
    zloop_set_nonstop(loop, true);
    strands = strands_new(loop, STRANDS, &ops, NULL, NULL);
    opened = closed = 0;
    done_count = 0;
    next_job = NULL;
    return 0;
}

static int
stop(void **state)
{
    strands_destroy(&strands);
    zloop_destroy(&loop);
    assert_int_equal(opened, closed);
    return 0;
}

static void
tell(job_t *job)
{
    job->is_told = true;
    strand_wake(job->strand);
}

static int
end_loop(zloop_t *self, int timer, void *arg)
{
    const size_t *wanted = arg;

    return done_count >= *wanted ? -1 : 0;
}

static void
run_until(size_t wanted)
{
    zloop_timer(loop, 1, 0, end_loop, &wanted);
    zloop_start(loop);
    assert_int_equal(done_count, wanted);
}

static void
what_waits_for_nothing_is_done_at_once(void **state)
{
    job_t jobs[2] = { { 0 } };

    assert_true(strands_give(strands, &jobs[0]));
    assert_int_equal(done_count, 1);
    assert_true(strands_give(strands, &jobs[1]));
    assert_ptr_equal(done[1], &jobs[1]);
    assert_int_equal(opened, 1);  // the idle one is taken again
    assert_int_equal(strands_idle(strands), STRANDS);
}

static void
jobs_wait_side_by_side_and_end_as_they_are_told(void **state)
{
    job_t jobs[STRANDS] = { { -1 }, { -1 }, { -1 } };
    job_t more = { 0 };

    for (size_t i = 0; i < STRANDS; i++)
        assert_true(strands_give(strands, &jobs[i]));
    assert_int_equal(strands_idle(strands), 0);
    assert_false(strands_give(strands, &more));
    strand_wake(jobs[0].strand);  // for nothing
    assert_int_equal(done_count, 0);
    tell(&jobs[1]);
    tell(&jobs[0]);
    tell(&jobs[2]);
    assert_int_equal(done_count, 3);
    assert_ptr_equal(done[0], &jobs[1]);
    assert_ptr_equal(done[1], &jobs[0]);
    assert_ptr_equal(done[2], &jobs[2]);
}

static void
what_is_told_before_it_waits_does_not_wait(void **state)
{
    job_t job = { -1, .is_told = true };

    assert_true(strands_give(strands, &job));
    assert_int_equal(done_count, 1);
}

static void
a_job_goes_on_when_its_time_has_come(void **state)
{
    job_t soon = { 30 }, never = { -1 };

    assert_true(strands_give(strands, &never));
    assert_true(strands_give(strands, &soon));
    run_until(1);
    assert_ptr_equal(done[0], &soon);
    assert_false(never.is_told);
    tell(&never);
}

static void
the_next_job_may_be_given_when_one_is_done(void **state)
{
    job_t jobs[2] = { { -1 }, { 0 } };

    assert_true(strands_give(strands, &jobs[0]));
    next_job = &jobs[1];
    tell(&jobs[0]);
    assert_int_equal(done_count, 2);
}

static void
at_the_end_nothing_is_waited_for(void **state)
{
    job_t jobs[2] = { { -1 }, { GUARD_MS } };

    assert_true(strands_give(strands, &jobs[0]));
    assert_true(strands_give(strands, &jobs[1]));
    strands_destroy(&strands);
    assert_true(jobs[0].was_ending && jobs[1].was_ending);
    assert_int_equal(done_count, 0);
    assert_int_equal(closed, 2);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(what_waits_for_nothing_is_done_at_once),
        TEST(jobs_wait_side_by_side_and_end_as_they_are_told),
        TEST(what_is_told_before_it_waits_does_not_wait),
        TEST(a_job_goes_on_when_its_time_has_come),
        TEST(the_next_job_may_be_given_when_one_is_done),
        TEST(at_the_end_nothing_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
