// SPDX-License-Identifier: Apache-2.0
#include "principal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

principal_t *
principal_get(table_t *principals, const char *name)
{
    principal_t *self = table_find(principals, name);

    if (self)
        return self;
    size_t size = strlen(name) + 1;
    self = calloc(1, sizeof *self);
    assert(self);
    self->name = malloc(size);
    assert(self->name);
    memcpy(self->name, name, size);
    link_init(&self->shares, NULL);
    table_add(principals, self->name, self);
    return self;
}

void
principal_release(table_t *principals, principal_t *self)
{
    if (self->under_way || self->waiting)
        return;
    assert(link_is_alone(&self->shares));
    table_remove(principals, self->name);
    free(self->name);
    free(self);
}
