// SPDX-License-Identifier: Apache-2.0
// Takes secrets out of everything that is stored or shown, in every spelling they may have got
// on the way: plain, JSON-escaped, percent-encoded, base64 (at any offset, both alphabets), hex.

#ifndef PROOFARC_MASK_H
#define PROOFARC_MASK_H

#include "json.h"

// What stands in their place.
#define MASK_TEXT "•••"

// Shorter secrets are not masked: they would take ordinary text with them.
enum {
    MASK_SECRET_MIN = 3,  // bytes
    // Of all spellings, less what they begin with in common: some thousand secrets. With more
    // than that nothing of any text is shown.
    MASK_BYTES_MAX = 4 * 1024 * 1024,
};

typedef struct mask mask_t;

// Lives in `arena`.
mask_t *mask_new(arena_t *arena);

// Adds a secret. NULL, short and known ones are ignored.
void mask_add(mask_t *self, const char *secret);

// Adds what HTTP Basic makes of a pair.
void mask_add_pair(mask_t *self, const char *username, const char *password);

// A copy of `text` without the secrets, ending with NUL; `text` itself when it holds none.
const char *mask_text(const mask_t *self, arena_t *arena, const char *text, size_t size,
                      size_t *size_p);

// Masks every string, number and member name within a value, in place; not its own name.
void mask_json(const mask_t *self, arena_t *arena, json_t *value);

// Masks the result of a run (docs/rest.md, Agents) in place: everything that comes from the
// scenario or the system under test. What the agent says itself, such as statuses and numbers,
// stays even if it reads like a secret.
void mask_run(const mask_t *self, arena_t *arena, json_t *result);

#endif
