// SPDX-License-Identifier: Apache-2.0
// The inside of fiber.c: tells the address and the thread sanitizer which stack is in use. In a
// build without them nothing is told.

#ifndef PROOFARC_FIBER_CHECKERS_H
#define PROOFARC_FIBER_CHECKERS_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#ifndef __SANITIZE_ADDRESS__
#define __sanitizer_start_switch_fiber(save, bottom, size)  ((void) (save))
#define __sanitizer_finish_switch_fiber(save, bottom, size) ((void) (save))
#endif
#ifndef __SANITIZE_THREAD__
#define __tsan_get_current_fiber()           NULL
#define __tsan_create_fiber(flags)           NULL
#define __tsan_destroy_fiber(fiber)          ((void) (fiber))
#define __tsan_switch_to_fiber(fiber, flags) ((void) (fiber))
#endif

// What the checkers have to be told of a fiber.
typedef struct {
    const void *bottom;  // of its stack
    size_t size;
    void *fake_stack;            // what the address sanitizer keeps for it while others run
    const void *resumer_bottom;  // stack of the resumer
    size_t resumer_size;
    void *thread, *resumer_thread;  // as the thread sanitizer calls them
} fiber_checked_t;

static inline void
fiber_checkers_add(fiber_checked_t *self, const void *bottom, size_t size)
{
    self->bottom = bottom;
    self->size = size;
    self->thread = __tsan_create_fiber(0);
}

static inline void
fiber_checkers_remove(fiber_checked_t *self)
{
    __tsan_destroy_fiber(self->thread);
}

// In the resumer, before and after the fiber runs.
static inline void
fiber_checkers_enter(fiber_checked_t *self, void **kept_p)
{
    *kept_p = NULL;
    self->resumer_thread = __tsan_get_current_fiber();
    __sanitizer_start_switch_fiber(kept_p, self->bottom, self->size);
    __tsan_switch_to_fiber(self->thread, 0);
}

static inline void
fiber_checkers_return(void *kept)
{
    __sanitizer_finish_switch_fiber(kept, NULL, NULL);
}

// In the fiber, when it begins to run and when it stops, for good or not.
static inline void
fiber_checkers_arrive(fiber_checked_t *self)
{
    __sanitizer_finish_switch_fiber(self->fake_stack, &self->resumer_bottom,
                                    &self->resumer_size);
}

static inline void
fiber_checkers_leave(fiber_checked_t *self, bool is_end)
{
    __sanitizer_start_switch_fiber(is_end ? NULL : &self->fake_stack, self->resumer_bottom,
                                   self->resumer_size);
    __tsan_switch_to_fiber(self->resumer_thread, 0);
}

#endif
