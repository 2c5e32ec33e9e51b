// SPDX-License-Identifier: Apache-2.0
// What is on offer: the entries of every category, as its worker listed them last. What was
// offered once stays listed, so that tools do not come and go with their workers.

#ifndef PROOFARC_REGISTRY_H
#define PROOFARC_REGISTRY_H

#include <stdbool.h>

#include "catalogue.h"

enum {
    CATEGORIES_MAX = 64,
    TOOL_NAME_SIZE = 128  // of one that has tasks, with its NUL
};

typedef struct registry registry_t;

// `expected` are the categories in the order in which they are listed; others follow by name.
registry_t *registry_new(const char *const *expected, size_t count);
void registry_destroy(registry_t **self_p);

// Takes over what one worker offers: the entries of each category named there replace those
// that it had. TOO_LARGE (more than a catalogue holds) or BAD_ARGS (an entry without category,
// more than CATEGORIES_MAX) change nothing. An entry whose name another category has already
// is left out; *clash_p becomes that category's number then.
status_t registry_offer(registry_t *self, entry_msg_t **entries_p, size_t count,
                        size_t *clash_p);

// True if the last offer that was taken named the category.
bool registry_was_offered(const registry_t *self, size_t category);

// Number of a category, which never changes; registry_count() if it is unknown.
size_t registry_category(const registry_t *self, const char *name);
size_t registry_count(const registry_t *self);
const char *registry_name(const registry_t *self, size_t category);

// Where a call of this kind (tool, resource, prompt, complete, task) and name goes.
typedef struct {
    size_t category;
    bool reads;  // it changes nothing
    bool quick;  // it takes no slot of a worker
} offer_t;

bool registry_find(const registry_t *self, const char *kind, const char *name, offer_t *offer);

// Grows with every change, from 1.
int64_t registry_version(const registry_t *self);

// True once every expected category has checked in.
bool registry_is_complete(const registry_t *self);

// All entries for CATALOGUE; lives until the next change.
wire_bin_t registry_packed(const registry_t *self);

#endif
