// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "formats/openapi_internal.h"

json_t *
openapi_statuses(openapi_t *self, const openapi_operation_t *operation)
{
    openapi_spot_t responses = openapi_get_resolved(self, operation->spot, "responses");
    json_t *list = json_array(self->arena);

    for (const json_t *item = responses.node ? responses.node->first : NULL; item;
         item = item->next) {
        if (!item->key || !strncmp(item->key, "x-", 2))
            continue;
        openapi_resolve(self, (openapi_spot_t){ responses.file, item });  // warns of a dead end
        json_add(list, json_string(self->arena, item->key));
    }
    return list;
}

static bool
is_class(const char *status)
{
    return strlen(status) == 3 && strchr("12345", *status)
           && tolower((unsigned char) status[1]) == 'x'
           && tolower((unsigned char) status[2]) == 'x';
}

static bool
is_code(const char *status)
{
    return strlen(status) == 3 && strchr("12345", *status) && isdigit((unsigned char) status[1])
           && isdigit((unsigned char) status[2]);
}

// Statuses of the document that begin with one of `digits`, in the form of a scenario.
static json_t *
pick(openapi_t *self, const json_t *statuses, const char *digits)
{
    json_t *expect = json_array(self->arena);

    for (const json_t *item = statuses->first; item; item = item->next) {
        if (!strchr(digits, *item->text))
            continue;
        if (is_class(item->text))
            json_add(expect,
                     json_string(self->arena, arena_printf(self->arena, "%cxx", *item->text)));
        else if (is_code(item->text))
            json_add(expect, json_number(self->arena, strtol(item->text, NULL, 10)));
    }
    return expect;
}

json_t *
openapi_expect(openapi_t *self, const openapi_operation_t *operation)
{
    json_t *statuses = openapi_statuses(self, operation);
    json_t *expect = pick(self, statuses, "2");
    bool has_default = false;

    for (const json_t *item = statuses->first; item; item = item->next)
        has_default = has_default || !strcmp(item->text, "default");
    if (!expect->first && !has_default)
        expect = pick(self, statuses, "13");
    if (!expect->first)
        json_add(expect, json_string(self->arena, "2xx"));
    return expect;
}
