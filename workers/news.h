// SPDX-License-Identifier: Apache-2.0
// What a tool says while it works. Nothing waits for it, and what finds no room is lost.

#ifndef PROOFARC_NEWS_H
#define PROOFARC_NEWS_H

#include <stddef.h>

#include "messages.h"

// Where it goes: `say` is called with each message, for the broker that the call came from.
typedef struct {
    void (*say)(void *owner, size_t broker, const wire_table_t *table, const void *message);
    void *owner;
} news_t;

#endif
