// SPDX-License-Identifier: Apache-2.0
#include "link.h"

#include <stddef.h>

void
link_init(link_t *self, void *owner)
{
    *self = (link_t){ self, self, owner };
}

static void
insert(link_t *prev, link_t *item, link_t *next)
{
    item->prev = prev;
    item->next = next;
    prev->next = item;
    next->prev = item;
}

void
link_append(link_t *head, link_t *item)
{
    insert(head->prev, item, head);
}

void
link_prepend(link_t *head, link_t *item)
{
    insert(head, item, head->next);
}

void
link_remove(link_t *item)
{
    item->prev->next = item->next;
    item->next->prev = item->prev;
    item->prev = item->next = item;
}

void *
link_first(const link_t *head)
{
    return link_is_alone(head) ? NULL : head->next->owner;
}

bool
link_is_alone(const link_t *self)
{
    return self->next == self;
}
