// SPDX-License-Identifier: Apache-2.0
// Walks the elements of the array "items" of a JSON object without making a tree of it.

#ifndef PROOFARC_ITEMS_H
#define PROOFARC_ITEMS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *at;
    const char *end;
    bool is_begun;
    bool is_broken;
} items_t;

typedef enum { ITEMS_NEXT, ITEMS_END, ITEMS_BROKEN } items_step_t;

// Begins to walk `size` bytes, which must outlive the walk.
void items_begin(items_t *self, const char *bytes, size_t size);

// ITEMS_NEXT: the next element lies at *item_p; its brackets and quotes are balanced, nothing
// else of it was looked at. ITEMS_END: that was all, and the document is complete: nothing but
// white space follows its closing brace. ITEMS_BROKEN: it is no such document.
items_step_t items_next(items_t *self, const char **item_p, size_t *size_p);

#endif
