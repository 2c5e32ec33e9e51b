// SPDX-License-Identifier: Apache-2.0
// Which tools a client sees. The command line sets the upper bound; a request may narrow it further
// by header or path. Pure.

#ifndef PROOFARC_MCP_VIEW_H
#define PROOFARC_MCP_VIEW_H

#include <stdbool.h>

#include "messages.h"

// Lists are words separated by commas; NULL or "" is no bound. The texts outlive the view.
typedef struct {
    const char *profile;     // core, standard, wide or full; NULL: full
    const char *categories;  // these alone
    const char *tools;       // these alone, whatever their profile
    const char *exclude;     // these not: names of tools or categories
    bool is_read_only;       // those that only read
} view_t;

// True if there is a profile of this name; "readonly" is one here.
bool view_is_profile(const char *name);

// Sets the profile, or what "readonly" stands for.
void view_set_profile(view_t *self, const char *name);

// Narrows it by the headers X-Proofarc-Profile, -Categories, -Tools, -Exclude and -Read-Only, which
// `header` finds (NULL: not there). NULL, or a sentence that says what is wrong with them.
const char *view_read(view_t *self, const char *(*header)(const char *name, void *arg),
                      void *arg);

// A copy with texts of its own. NULL makes NULL.
view_t *view_copy(const view_t *self);
void view_destroy(view_t **self_p);

// True if the tool is in the list of who has this view (NULL: of all).
bool view_shows(const view_t *self, const entry_msg_t *entry);

// True if it may be called at all: the profile and the choice of tools do not count.
bool view_allows(const view_t *self, const entry_msg_t *entry);

// True if it may hide something that it allows.
bool view_hides(const view_t *self);

#endif
