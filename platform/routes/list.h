// SPDX-License-Identifier: Apache-2.0
// What all lists have in common.

#ifndef PROOFARC_ROUTES_LIST_H
#define PROOFARC_ROUTES_LIST_H

#include "routes.h"
#include "store/listing.h"

// Answers with the page that limit and cursor ask for, or with all names for view=names.
status_t list_answer(exchange_t *x, const listing_t *listing, const value_t *filters);

// The same with a member of its own in front, e.g. "project".
status_t list_answer_of(exchange_t *x, const char *name, const char *text,
                        const listing_t *listing, const value_t *filters);

// clang-format off
#define VIEW_ARGUMENT                                                                           \
    { "view", M_TEXT, .about = "names: only ids and names, of all, without pages.",             \
      .one_of = "names" }
// clang-format on

#endif
