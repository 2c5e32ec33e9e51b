// SPDX-License-Identifier: Apache-2.0
// Secrets that nobody told us: a run makes masked what requests and answers say under names
// such as token or password, and what cookies hold.

#ifndef PROOFARC_LEARN_H
#define PROOFARC_LEARN_H

#include "json.h"
#include "mask.h"

// Shorter values under a telling name are no secrets.
enum { LEARN_MIN = 6 };

// A value under its name, if the name is telling.
void learn_value(mask_t *mask, const char *name, const json_t *value);

// Members of a body, at any depth.
void learn_body(mask_t *mask, const json_t *body);

// Log-ins and cookies in an array of [name, value].
void learn_headers(mask_t *mask, arena_t *arena, const json_t *headers);

// A login before the host, and arguments with telling names.
void learn_url(mask_t *mask, arena_t *arena, const char *url);

#endif
