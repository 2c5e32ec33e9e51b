// SPDX-License-Identifier: Apache-2.0
// Addresses of targets in one spelling, so that equal ones are seen to be equal.

#ifndef PROOFARC_PLATFORM_BASE_URL_H
#define PROOFARC_PLATFORM_BASE_URL_H

#include <stdbool.h>

#include "arena.h"
#include "status.h"

// An absolute http or https URL without user, query and fragment: scheme and host in lower
// case, no slash at the end. NULL and a sentence in `why` for everything else.
const char *base_url_clean(arena_t *arena, const char *text, failure_t *why);

// True for http://… and https://….
bool base_url_is_absolute(const char *text);

#endif
