// SPDX-License-Identifier: Apache-2.0
// What can be said of URLs (RFC 3986) without sending anything to them.

#ifndef PROOFARC_ADDRESS_H
#define PROOFARC_ADDRESS_H

#include <stdbool.h>

#include "arena.h"

// True for http:// and https://.
bool address_is_absolute(const char *url);

// `reference`, as a Location holds it, taken relative to `base`; NULL if that makes no URL.
char *address_resolve(arena_t *arena, const char *base, const char *reference);

// Same scheme, host and port. Hosts are compared as text: localhost is not 127.0.0.1.
bool address_same_origin(const char *a, const char *b);

#endif
