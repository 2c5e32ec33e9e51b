// SPDX-License-Identifier: Apache-2.0
// Lists: one page of a kind of entity, or the names of all. Rows are written as they come, so
// that 100,000 of them need no tree.

#ifndef PROOFARC_STORE_LISTING_H
#define PROOFARC_STORE_LISTING_H

#include "store/sqlite.h"

enum { LISTING_FILTERS_MAX = 7 };

// The filters are ?1 to ?7 of all three texts; ?8 is the id after which the page begins, ?9 how
// many rows to read. The first column is the id.
typedef struct {
    const char *plural;  // "projects"
    const char *rows;
    const char *count;
    const char *names;  // of ?view=names, or NULL
} listing_t;

// Appends "projects":[…],"total":n,"returned":n and "nextCursor":"…" when there is more. A page ends
// early, but not before its first row, when it has more than PAGE_MAX bytes.
void listing_page(store_t *store, buffer_t *out, const listing_t *listing,
                  const value_t *filters, int64_t after, int64_t limit);

// Appends {"items":[…]}.
void listing_names(store_t *store, buffer_t *out, const listing_t *listing,
                   const value_t *filters);

// The id a cursor stands for; -1 when it is none of ours.
int64_t listing_after(const char *cursor);

#endif
