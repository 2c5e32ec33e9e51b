// SPDX-License-Identifier: Apache-2.0
// Writes whose outcome nobody knows: an equal one that comes within REPEAT_WINDOW_MS is sent
// with the same idempotency key, so that it is not done twice.

#ifndef PROOFARC_MCP_REPEATS_H
#define PROOFARC_MCP_REPEATS_H

#include <stddef.h>
#include <stdint.h>

#include "json.h"

typedef struct repeats repeats_t;

enum { REPEATS_MAX = 1024, REPEAT_KEY_SIZE = 256 };

repeats_t *repeats_new(void);
void repeats_destroy(repeats_t **self_p);

// The call with `key` ended without a known outcome. The oldest gives way to it over REPEATS_MAX.
void repeats_add(repeats_t *self, const char *principal, const char *tool,
                 const json_t *arguments, const char *key, int64_t now_ms);

// The key of an equal write, or NULL. Valid until the next repeats_add().
const char *repeats_find(const repeats_t *self, const char *principal, const char *tool,
                         const json_t *arguments, int64_t now_ms);

// What became of the write with this key is known now.
void repeats_settle(repeats_t *self, const char *key);

#endif
