// SPDX-License-Identifier: Apache-2.0
#include "store/listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "limits.h"

typedef value_t bound_t[LISTING_FILTERS_MAX + 3];

static void
bind_all(bound_t bound, const value_t *filters, int64_t after, int64_t limit)
{
    size_t i = 0;

    for (; filters[i].kind != VALUE_END; i++)
        bound[i] = filters[i];
    for (; i < LISTING_FILTERS_MAX; i++)
        bound[i] = value_text(NULL);
    bound[i++] = value_int(after);
    bound[i++] = value_int(limit);
    bound[i] = (value_t){ VALUE_END };
}

void
listing_page(store_t *store, buffer_t *out, const listing_t *listing, const value_t *filters,
             int64_t after, int64_t limit)
{
    bound_t bound;
    int64_t last_id = 0;

    bind_all(bound, filters, after, limit);
    buffer_printf(out, "\"%s\":[", listing->plural);
    const size_t before = out->size;
    int64_t returned =
        store_write_rows(store, out, listing->rows, bound, limit, PAGE_MAX, &last_id);
    const bool is_full = returned == limit || out->size - before > PAGE_MAX;
    const bool is_all = after == 0 && !is_full;  // then there is nothing to count
    int64_t total = is_all ? returned : store_number(store, listing->count, bound, 0);
    buffer_printf(out, "],\"total\":%" PRId64 ",\"returned\":%" PRId64, total, returned);
    bind_all(bound, filters, last_id, 1);
    AUTO(buffer_clear) buffer_t more = { 0 };
    if (is_full && store_write_rows(store, &more, listing->rows, bound, 1, SIZE_MAX, NULL))
        buffer_printf(out, ",\"nextCursor\":\"c%" PRId64 "\"", last_id);
}

void
listing_names(store_t *store, buffer_t *out, const listing_t *listing, const value_t *filters)
{
    bound_t bound;

    bind_all(bound, filters, 0, INT64_MAX);
    buffer_text(out, "{\"items\":[");
    store_write_rows(store, out, listing->names, bound, INT64_MAX, SIZE_MAX, NULL);
    buffer_text(out, "]}");
}

int64_t
listing_after(const char *cursor)
{
    size_t digits = strspn(cursor + (*cursor == 'c'), "0123456789");

    if (*cursor != 'c' || !digits || digits > 18 || cursor[1 + digits])
        return -1;
    return strtoll(cursor + 1, NULL, 10);
}
