// SPDX-License-Identifier: Apache-2.0
// All that the worker has under way at the platform, in the loop (curl_multi): requests that a
// strand waits for, and GETs that hold no strand.

#ifndef PROOFARC_WAITER_H
#define PROOFARC_WAITER_H

#include <czmq.h>

#include "strand.h"

typedef struct waiter waiter_t;
typedef struct waiter_get waiter_get_t;

// `platform` is the base URL and must outlive it.
waiter_t *waiter_new(zloop_t *loop, const char *platform);
void waiter_destroy(waiter_t **self_p);

// Performs the request of `easy`, a CURL handle that is ready to go, while the strand waits. Its
// CURLcode; CURLE_ABORTED_BY_CALLBACK if the strand ended meanwhile, or was ending: then nothing is
// sent.
int waiter_perform(waiter_t *self, strand_t *strand, void *easy);

// The end of a GET: HTTP code, or 0 if no answer came; `body` ends with NUL and lives during the
// call only. The get is gone then.
typedef void waiter_fn(void *arg, long code, const char *body, size_t size);

// Starts a GET of `path`; `token` may be NULL. Never calls `done` before it returns.
waiter_get_t *waiter_get(waiter_t *self, const char *path, const char *token,
                         int64_t timeout_ms, waiter_fn *done, void *arg);

// Ends it without calling `done`. Accepts a pointer to NULL.
void waiter_stop(waiter_get_t **get_p);

#endif
