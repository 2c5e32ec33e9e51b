// SPDX-License-Identifier: Apache-2.0
#include "routes/list.h"

#include <string.h>

#include "routes/find.h"
#include "store/environments.h"
#include "store/projects.h"

enum { LIMIT_DEFAULT = 100 };

status_t
list_answer_of(exchange_t *x, const char *name, const char *text, const listing_t *listing,
               const value_t *filters)
{
    const char *cursor = exchange_asked(x, "cursor");
    int64_t after = cursor ? listing_after(cursor) : 0;

    if (after < 0)
        return exchange_refuse(x, "cursor",
                               "is not one of ours; take nextCursor as it is, or leave "
                               "it out for the first page");
    if (exchange_asked(x, "view") && listing->names) {
        listing_names(x->store, &x->out, listing, filters);
        return OK;
    }
    if (!find_in_query(x, "projectId", "project", projects_get)
        || !find_in_query(x, "environmentId", "environment", environments_get))
        return x->why.status;
    buffer_char(&x->out, '{');
    if (name) {
        buffer_printf(&x->out, "\"%s\":", name);
        json_write_string(&x->out, text, strlen(text));
        buffer_char(&x->out, ',');
    }
    listing_page(x->store, &x->out, listing, filters, after,
                 exchange_asked_int(x, "limit", LIMIT_DEFAULT));
    buffer_char(&x->out, '}');
    return OK;
}

status_t
list_answer(exchange_t *x, const listing_t *listing, const value_t *filters)
{
    return list_answer_of(x, NULL, NULL, listing, filters);
}
