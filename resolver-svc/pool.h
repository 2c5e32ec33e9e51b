// SPDX-License-Identifier: Apache-2.0
// Bytes of a snapshot that never move: handed out from a few large chunks and freed with them.
// What was interned is kept once, so that a thousand equal lists cost as much as one.

#ifndef PROOFARC_POOL_H
#define PROOFARC_POOL_H

#include <stddef.h>
#include <stdint.h>

typedef struct pool pool_t;

pool_t *pool_new(void);
void pool_destroy(pool_t **self_p);

// A copy of `length` bytes with a NUL behind them.
const char *pool_text(pool_t *self, const char *text, size_t length);

// The one copy of these bytes, aligned for uint32_t. The same bytes give the same pointer.
// With them goes a number of the caller's, POOL_FRESH at first, to set through *number_p.
#define POOL_FRESH UINT32_MAX
const void *pool_intern(pool_t *self, const void *bytes, size_t size, uint32_t **number_p);

// Bytes of memory it holds.
size_t pool_size(const pool_t *self);

#endif
