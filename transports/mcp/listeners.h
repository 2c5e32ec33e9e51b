// SPDX-License-Identifier: Apache-2.0
// Clients that want to hear of changes: of the lists, and of single resources. Each is told in the
// form of its version: unasked after `initialize`, by subscription without.

#ifndef PROOFARC_MCP_LISTENERS_H
#define PROOFARC_MCP_LISTENERS_H

#include <stdbool.h>
#include <stddef.h>

#include "buffer.h"
#include "json.h"

typedef struct listeners listeners_t;
typedef struct listener listener_t;

enum {
    LISTENERS_MAX = 8 * 1024,
    WATCHED_MAX = 256,       // resources of one listener or session
    WATCHED_URI_MAX = 2048,  // bytes of an address
    WATCHING_SESSIONS_MAX = 4096,
};

// What can change. The first three are lists.
typedef enum {
    CHANGED_TOOLS,
    CHANGED_PROMPTS,
    CHANGED_RESOURCES,
    CHANGED_RESOURCE,
    CHANGED_COUNT
} changed_t;

typedef void listener_send_fn(const char *bytes, size_t size, void *arg);

listeners_t *listeners_new(void);
void listeners_destroy(listeners_t **self_p);

// A client that has said `initialize`: hears of all lists, and of what its session (copied)
// watches. NULL when there are LISTENERS_MAX.
listener_t *listeners_add_session(listeners_t *self, const char *session,
                                  listener_send_fn *send, void *arg);

// A subscription. `id` is the raw token of its request, `wanted` the member `notifications` of
// its parameters (may be NULL). Appends to `honoured` what of it is served. NULL when there are
// LISTENERS_MAX.
listener_t *listeners_subscribe(listeners_t *self, const char *id, size_t id_size,
                                const json_t *wanted, listener_send_fn *send, void *arg,
                                buffer_t *honoured);

void listeners_remove(listeners_t *self, listener_t **listener_p);

// A session watches a resource, or does no more. False: it watches WATCHED_MAX already.
bool listeners_watch(listeners_t *self, const char *session, const char *uri);
void listeners_unwatch(listeners_t *self, const char *session, const char *uri);
void listeners_forget_session(listeners_t *self, const char *session);

// Tells all whom it concerns. `uri` only with CHANGED_RESOURCE.
void listeners_tell(listeners_t *self, changed_t what, const char *uri);

size_t listeners_count(const listeners_t *self);

// CHANGED_COUNT for a word that there is not.
changed_t listeners_kind(const char *word);

#endif
