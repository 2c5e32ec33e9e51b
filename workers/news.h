// SPDX-License-Identifier: Apache-2.0
// What a tool says while it works: from the thread of its slot through the loop to the broker.
// Nothing waits for it, and what finds no room is lost.

#ifndef PROOFARC_NEWS_H
#define PROOFARC_NEWS_H

#include <czmq.h>

#include "messages.h"

typedef struct news news_t;            // the loop's side
typedef struct news_desk news_desk_t;  // a slot's side

typedef void news_fn(void *owner, size_t broker, const wire_table_t *table,
                     const void *message);

// `say` is called in the loop with each message, for the broker it goes to.
news_t *news_new(zloop_t *loop, news_fn *say, void *owner);
void news_destroy(news_t **self_p);

// Hands on what has been said so far: before an answer that has to come after it.
void news_flush(news_t *self);

news_desk_t *news_desk_new(const news_t *news);
void news_desk_destroy(news_desk_t **self_p);

void news_say(news_desk_t *self, size_t broker, const wire_table_t *table, const void *message);

#endif
