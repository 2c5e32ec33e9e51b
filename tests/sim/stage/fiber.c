// SPDX-License-Identifier: Apache-2.0
#include "fiber.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <ucontext.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#else
#define __sanitizer_start_switch_fiber(save, bottom, size)
#define __sanitizer_finish_switch_fiber(save, bottom, size)
#endif

enum { STACK_SIZE = 512 * 1024, STACKS_KEPT = 64 };

struct fiber {
    ucontext_t context, resumer;
    char *stack;
    void (*run)(void *arg);
    void *arg;
    bool has_ended;
    void *fake_stack;            // what the sanitizer keeps for us while others run
    const void *resumer_bottom;  // stack of the resumer
    size_t resumer_size;
};

static fiber_t *current;
static char *stacks[STACKS_KEPT];
static size_t stacks_count;

static void
begin(void)
{
    fiber_t *self = current;

    __sanitizer_finish_switch_fiber(NULL, &self->resumer_bottom, &self->resumer_size);
    self->run(self->arg);
    self->has_ended = true;
    __sanitizer_start_switch_fiber(NULL, self->resumer_bottom, self->resumer_size);
    setcontext(&self->resumer);
}

fiber_t *
fiber_new(void (*run)(void *arg), void *arg)
{
    fiber_t *self = calloc(1, sizeof *self);

    assert(self);
    self->stack = stacks_count ? stacks[--stacks_count] : malloc(STACK_SIZE);
    assert(self->stack && !getcontext(&self->context));
    self->run = run;
    self->arg = arg;
    self->context.uc_stack.ss_sp = self->stack;
    self->context.uc_stack.ss_size = STACK_SIZE;
    makecontext(&self->context, begin, 0);
    return self;
}

void
fiber_destroy(fiber_t **self_p)
{
    fiber_t *self = *self_p;

    if (!self)
        return;
    if (stacks_count < STACKS_KEPT)
        stacks[stacks_count++] = self->stack;
    else
        free(self->stack);
    free(self);
    *self_p = NULL;
}

void
fiber_resume(fiber_t *self)
{
    fiber_t *before = current;
    void *fake_stack = NULL;

    assert(!self->has_ended);
    current = self;
    __sanitizer_start_switch_fiber(&fake_stack, self->stack, STACK_SIZE);
    swapcontext(&self->resumer, &self->context);
    __sanitizer_finish_switch_fiber(fake_stack, NULL, NULL);
    (void) fake_stack;
    current = before;
}

void
fiber_yield(void)
{
    fiber_t *self = current;

    assert(self);
    __sanitizer_start_switch_fiber(&self->fake_stack, self->resumer_bottom, self->resumer_size);
    swapcontext(&self->context, &self->resumer);
    __sanitizer_finish_switch_fiber(self->fake_stack, &self->resumer_bottom,
                                    &self->resumer_size);
}

bool
fiber_has_ended(const fiber_t *self)
{
    return self->has_ended;
}

void
fiber_clean_up(void)
{
    while (stacks_count)
        free(stacks[--stacks_count]);
}
