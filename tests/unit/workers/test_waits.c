// SPDX-License-Identifier: Apache-2.0
// Waits that end: what is done about one may end others.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "auto.h"
#include "call_state.h"
#include "waits.h"

#include <cmocka.h>  // last: it defines fail()

enum { CALLS = 3, GUARD_MS = 20 * 1000 };

typedef struct {
    waits_t *waits;
    call_t calls[CALLS];
    int ended[CALLS];
    int left;
} trial_t;

// The first that comes back ends the next one, as its request does when it meets the answer that
// the next one waits for.
static void
on_ended(void *owner, call_t *call)
{
    trial_t *trial = owner;
    const ptrdiff_t index = call - trial->calls;

    trial->ended[index]++;
    trial->left--;
    if (index + 1 < CALLS && !trial->ended[index + 1])
        waits_cancel(trial->waits, call + 1);
}

static void
on_progress(void *owner, call_t *call, int64_t done, int64_t total, const char *text)
{
}

static int
end_when_done(zloop_t *loop, int timer, void *arg)
{
    const trial_t *trial = arg;

    return trial->left ? 0 : -1;
}

static int
on_guard(zloop_t *loop, int timer, void *arg)
{
    return -1;
}

static void
a_wait_that_ends_may_end_others(void **state)
{
    static const waits_ops_t ops = { on_ended, on_progress };
    trial_t trial = { .left = CALLS };
    zloop_t *loop = zloop_new();
    waiter_t *waiter = waiter_new(loop, "http://127.0.0.1:1");

    zloop_set_nonstop(loop, true);
    trial.waits = waits_new(loop, waiter, &ops, &trial);
    for (int i = 0; i < CALLS; i++) {
        trial.calls[i] = (call_t){ .message = { .token = "" }, .wait_path = "/api/runs/1" };
        waits_add(trial.waits, &trial.calls[i]);
    }
    zloop_timer(loop, 10, 0, end_when_done, &trial);
    zloop_timer(loop, GUARD_MS, 1, on_guard, NULL);
    zloop_start(loop);

    for (int i = 0; i < CALLS; i++)
        assert_int_equal(trial.ended[i], 1);
    assert_int_equal(waits_count(trial.waits), 0);
    waits_destroy(&trial.waits);
    waiter_destroy(&waiter);
    zloop_destroy(&loop);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_that_ends_may_end_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
