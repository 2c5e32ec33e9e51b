// SPDX-License-Identifier: Apache-2.0
#include "fiber.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "fiber_checkers.h"

// A stack takes memory only as far as it is used; below it lies a page that ends whoever
// overruns it.
enum { STACK_SIZE = 512 * 1024, GUARD_SIZE = 4096 };

struct fiber {
    ucontext_t context, resumer;
    char *stack;
    void (*run)(void *arg);
    void *arg;
    bool has_begun, has_ended;
    fiber_checked_t checked;
};

static _Thread_local fiber_t *current;

static void
begin(void)
{
    fiber_t *self = current;

    fiber_checkers_arrive(&self->checked);
    self->run(self->arg);
    self->has_ended = true;
    fiber_checkers_leave(&self->checked, true);
    setcontext(&self->resumer);
}

fiber_t *
fiber_new(void (*run)(void *arg), void *arg)
{
    fiber_t *self = calloc(1, sizeof *self);
    char *memory = mmap(NULL, GUARD_SIZE + STACK_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

    if (!self || memory == MAP_FAILED || mprotect(memory, GUARD_SIZE, PROT_NONE)
        || getcontext(&self->context))
        abort();  // out of memory
    self->stack = memory + GUARD_SIZE;
    self->run = run;
    self->arg = arg;
    self->context.uc_stack.ss_sp = self->stack;
    self->context.uc_stack.ss_size = STACK_SIZE;
    makecontext(&self->context, begin, 0);
    fiber_checkers_add(&self->checked, self->stack, STACK_SIZE);
    return self;
}

void
fiber_destroy(fiber_t **self_p)
{
    fiber_t *self = *self_p;

    if (!self)
        return;
    assert(self->has_ended || !self->has_begun);
    fiber_checkers_remove(&self->checked);
    munmap(self->stack - GUARD_SIZE, GUARD_SIZE + STACK_SIZE);
    free(self);
    *self_p = NULL;
}

void
fiber_resume(fiber_t *self)
{
    fiber_t *before = current;
    void *kept;

    assert(!self->has_ended);
    self->has_begun = true;
    current = self;
    fiber_checkers_enter(&self->checked, &kept);
    swapcontext(&self->resumer, &self->context);
    fiber_checkers_return(kept);
    current = before;
}

void
fiber_yield(void)
{
    fiber_t *self = current;

    assert(self);
    fiber_checkers_leave(&self->checked, false);
    swapcontext(&self->context, &self->resumer);
    fiber_checkers_arrive(&self->checked);
}

bool
fiber_has_ended(const fiber_t *self)
{
    return self->has_ended;
}
