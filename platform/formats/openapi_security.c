// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "auto.h"
#include "formats/openapi_internal.h"

static openapi_spot_t
schemes_of(openapi_t *self)
{
    openapi_spot_t root = openapi_root(self);

    if (self->kind == OPENAPI_2)
        return openapi_get(root, "securityDefinitions");
    return openapi_get(openapi_get(root, "components"), "securitySchemes");
}

openapi_spot_t
openapi_security_scheme(openapi_t *self, const char *name)
{
    return openapi_get_resolved(self, schemes_of(self), name);
}

// {name, type, in, parameter, scheme}; the last three are null where the type has none.
json_t *
openapi_security_schemes(openapi_t *self)
{
    openapi_spot_t schemes = schemes_of(self);
    json_t *list = json_array(self->arena);

    for (const json_t *item = schemes.node ? schemes.node->first : NULL; item;
         item = item->next) {
        openapi_spot_t scheme = openapi_resolve(self, (openapi_spot_t){ schemes.file, item });
        json_t *row = json_add(list, json_object(self->arena));
        json_set_text(self->arena, row, "name", item->key);
        json_set(self->arena, row, "type",
                 json_string(self->arena, openapi_text(scheme, "type")));
        json_set(self->arena, row, "in", json_string(self->arena, openapi_text(scheme, "in")));
        json_set(self->arena, row, "parameter",
                 json_string(self->arena, openapi_text(scheme, "name")));
        json_set(self->arena, row, "scheme",
                 json_string(self->arena, openapi_text(scheme, "scheme")));
    }
    return list;
}

// The list that holds for the operation: its own, else the document's; NULL when there is none.
static const json_t *
requirements(openapi_t *self, const openapi_operation_t *operation)
{
    const json_t *own = json_get(operation->spot.node, "security");

    return own ? own : json_get(openapi_root(self).node, "security");
}

json_t *
openapi_security(openapi_t *self, const openapi_operation_t *operation)
{
    const json_t *list = requirements(self, operation);
    json_t *names = json_array(self->arena);

    for (const json_t *item = list ? list->first : NULL; item; item = item->next) {
        AUTO(buffer_clear) buffer_t text = { 0 };
        for (const json_t *scheme = item->first; scheme; scheme = scheme->next)
            if (scheme->key)
                buffer_printf(&text, "%s%s", text.size ? " + " : "", scheme->key);
        if (text.size)
            json_add(names, json_string(self->arena, text.bytes));
    }
    return names;
}

bool
openapi_wants_login(openapi_t *self, const openapi_operation_t *operation)
{
    const json_t *schemes = schemes_of(self).node;
    const json_t *list = requirements(self, operation);

    // A document that says nothing of security does not say that none is needed.
    if (!list && (!schemes || !schemes->first))
        return true;
    return openapi_security(self, operation)->count > 0;
}
