// SPDX-License-Identifier: Apache-2.0
// Keeps an answer within the size that clients take. Counted is what the client receives: the
// structured result, and once more as the text of a content block, escaped.

#ifndef PROOFARC_FIT_H
#define PROOFARC_FIT_H

#include "json.h"

// Bytes that `json`, `size` bytes of JSON, takes at the client.
size_t fit_cost(const char *json, size_t size);

// Makes `result` cost at most `most` bytes: the longest texts over STUB_OVER become stubs that
// say how many bytes are left out and that `how` reads them; then lists lose items from their
// end, and `returned` and `truncated` say so. False if that is not enough.
bool fit_result(arena_t *arena, json_t *result, size_t most, const char *how);

#endif
