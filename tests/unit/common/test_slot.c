// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "auto.h"
#include "slot.h"

#include <cmocka.h>

typedef struct {
    int number;
    int result;
} job_t;

typedef struct {
    zloop_t *loop;
    slots_t *slots;
    job_t jobs[100];
    int given, done;
} owner_t;

static void *
open_state(const void *shared)
{
    const int *factor = shared;
    int *state = malloc(sizeof *state);

    *state = *factor;
    return state;
}

static void
work(void *state, void *arg)
{
    const int *factor = state;
    job_t *job = arg;

    job->result = job->number * *factor;
}

static void
close_state(void *state)
{
    free(state);
}

static void
give_next(owner_t *self)
{
    while (self->given < 100 && slots_give(self->slots, &self->jobs[self->given]))
        self->given++;
}

static int
stop(zloop_t *loop, int timer, void *arg)
{
    return -1;
}

static void
on_done(void *owner, void *arg)
{
    owner_t *self = owner;

    self->done++;
    give_next(self);
    if (self->done == 100)
        zloop_timer(self->loop, 0, 1, stop, NULL);
}

static const slot_ops_t ops = { open_state, work, close_state, on_done };

static void
jobs_come_back_done_and_slots_are_reused(void **state)
{
    static const int factor = 3;
    AUTO(zloop_destroy) zloop_t *loop = zloop_new();
    owner_t owner = { .loop = loop };

    for (int i = 0; i < 100; i++)
        owner.jobs[i].number = i;
    owner.slots = slots_new(loop, 4, &ops, &factor, &owner);
    assert_int_equal(slots_idle(owner.slots), 4);
    give_next(&owner);
    assert_int_equal(owner.given, 4);
    assert_int_equal(slots_idle(owner.slots), 0);
    assert_false(slots_give(owner.slots, &owner.jobs[99]));
    zloop_start(loop);
    assert_int_equal(owner.done, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(owner.jobs[i].result, i * 3);
    slots_destroy(&owner.slots);
    assert_null(owner.slots);
}

static void
slots_with_work_in_hand_are_waited_for(void **state)
{
    static const int factor = 5;
    AUTO(zloop_destroy) zloop_t *loop = zloop_new();
    owner_t owner = { .loop = loop, .jobs = { { .number = 7 } } };

    owner.slots = slots_new(loop, 1, &ops, &factor, &owner);
    assert_true(slots_give(owner.slots, &owner.jobs[0]));
    slots_destroy(&owner.slots);
    assert_int_equal(owner.jobs[0].result, 35);
    assert_int_equal(owner.done, 0);
}

static void
pools_come_and_go(void **state)
{
    static const int factor = 2;
    AUTO(zloop_destroy) zloop_t *loop = zloop_new();

    for (int i = 0; i < 50; i++) {
        owner_t owner = { .loop = loop };
        owner.slots = slots_new(loop, 2, &ops, &factor, &owner);
        slots_destroy(&owner.slots);
        assert_null(owner.slots);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_come_back_done_and_slots_are_reused),
        cmocka_unit_test(slots_with_work_in_hand_are_waited_for),
        cmocka_unit_test(pools_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
